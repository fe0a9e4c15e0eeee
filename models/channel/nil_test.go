package channel_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/channel"
)

// TestNil: what is nil is refused where it is given, with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"channel: New: nil parameters": func() { channel.New(nil) },
		"channel: New: nil stage 0":    func() { channel.New(em.NewParams(), nil) },
		"channel: NewFertility: nil law": func() {
			channel.NewFertility(em.NewParams(), "s", []int32{1}, []int32{1}, channel.FertilityStart{}, nil)
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != says {
					t.Errorf("%v, want %s", got, says)
				}
			}()
			do()
		}()
	}
}
