package fst

import (
	"testing"

	"example.org/pathsum/semiring"
)

// In x ∘ channel ∘ y, of the many arcs of x ∘ channel or channel ∘ y only those
// are made that the other string asks for.
func TestComposeMakesFewArcs(t *testing.T) {
	const letters, length = 300, 6
	ring := semiring.Real{}
	b := NewBuilder(ring)
	b.AddStates(1)
	b.AddStart(0, 1)
	b.SetFinal(0, 1)
	for in := range int32(letters) {
		for out := range int32(letters) {
			if in+out > 0 {
				b.AddArc(0, Arc[float64]{In: in, Out: out, Weight: .5})
			}
		}
	}
	channel, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	x := FromString(ring, []int32{5, 17, 200, 17, 42, 1})
	y := FromString(ring, []int32{3, 99, 99, 250, 7, 8})
	left := Compose(x, channel)
	right := Compose(channel, y)
	for _, test := range []struct {
		inner *Composition[float64]
		a, b  Machine[float64]
	}{{left, left, y}, {right, x, right}} {
		c := Compose(test.a, test.b)
		f, err := Expand(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := 3*length*length + 2*length; f.NumArcs() != want {
			t.Errorf("%d arcs, want %d", f.NumArcs(), want)
		}
		if made := len(test.inner.made); made > 2*(length+1)*(length+1) {
			t.Errorf("%d arcs were made within, want at most 2 for each state and label", made)
		}
	}
}
