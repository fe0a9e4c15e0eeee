package channel_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/channel"
)

// FuzzLoad: a text is refused as what it is, or its model can be saved.
func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	if err := branching(f, rand.New(rand.NewPCG(9, 9))).Save(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add(b.String()[:b.Len()/2])
	f.Fuzz(func(t *testing.T, text string) {
		m, err := channel.Load(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, em.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		if err := m.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}
