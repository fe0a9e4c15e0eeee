package hmm_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// TestNil: what is nil is refused where it is given, with its name.
func TestNil(t *testing.T) {
	for says, do := range map[string]func(){
		"hmm: New: nil emission":    func() { hmm.New[int32](em.NewParams(), hmm.Topology{States: 1}, em.Multinomial{}, nil) },
		"hmm: NewDiscrete: nil law": func() { hmm.NewDiscrete(em.NewParams(), "e", 2, []int{0}, nil) },
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
