package edit

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/semiring"
)

// FuzzLoad: a text is refused, or its model reads labels, as its reader does, and can be saved.
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
		if m.contexts != nil && m.contexts.names.Len() < 100 {
			compareReader(t, m)
		}
		if err := m.Save(new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	})
}

// compareReader compares the reader with the labels that are looked up.
func compareReader(t *testing.T, m *Model) {
	counts := semiring.Real{}
	read, err := reader(m.contexts, counts, machines.Of[float64]())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]int32{nil, {1}, {2, 1}, {1, 3, 2}, {2, 1, 9}} {
		f, err := fst.Expand(fst.Compose(fst.FromString(counts, x), read), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := m.Labels(x)
		paths := 0
		for p := range oracle.Paths(f.Graph(), len(x)+1) {
			var got []int32
			for _, e := range p.Arcs {
				got = append(got, f.Out()[e])
			}
			if paths++; !slices.Equal(got, want) {
				t.Fatalf("%v is read as %v, want %v", x, got, want)
			}
		}
		if ok != (paths == 1) || paths > 1 {
			t.Fatalf("%v is read in %d ways, looked up: %v", x, paths, ok)
		}
	}
}
