package edit

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// FuzzLoad: a text is refused, or its model reads labels and can be saved.
func FuzzLoad(f *testing.F) {
	memoryless, err := NewJoint(letters, letters, em.Multinomial{})
	if err != nil {
		f.Fatal(err)
	}
	for _, m := range []*Model{memoryless, contextual(f, randomPairs(rand.New(rand.NewPCG(7, 7)), 10), few)} {
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Load(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, x := range [][]int32{nil, {1}, {2, 1, 9}} {
			if labels, ok := m.Labels(x); ok && len(labels) < len(x) { // a contextual model adds the end
				t.Fatalf("%v is read as %v", x, labels)
			}
		}
		if err := m.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}
