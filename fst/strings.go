package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// FromString returns the acceptor of the one string of labels: states 0 … n, an
// arc labels[i]:labels[i] from state i to i+1, all weights One. A label 0 is an
// arc ε:ε. It panics if a label is negative.
func FromString[W any](ring semiring.Semiring[W], labels []int32) *FST[W] {
	nonnil.Check("fst: FromString", "ring", ring)
	return FromPair(ring, labels, labels)
}

// FromPair returns the transducer of the one pair of strings in and out, aligned
// label by label: the shorter one is continued with ε. States, weights and panics
// are as those of FromString.
func FromPair[W any](ring semiring.Semiring[W], in, out []int32) *FST[W] {
	nonnil.Check("fst: FromPair", "ring", ring)
	d := new(draft[W])
	d.string(ring, in, out)
	f, err := d.freeze(ring)
	if err != nil {
		panic(err.Error()) // 2³¹ labels
	}
	f.unit = true
	return f
}

// string makes d the machine of FromPair.
func (d *draft[W]) string(ring semiring.Semiring[W], in, out []int32) {
	n := max(len(in), len(out))
	one, zero := ring.One(), ring.Zero()
	d.start(0, one)
	for i := range n {
		x, y := labelAt(in, i), labelAt(out, i)
		if x < 0 || y < 0 {
			panic(fmt.Sprintf("fst: labels %d:%d at position %d of a string, want none negative", x, y, i))
		}
		d.state(zero)
		d.arcs.add(x, y, int32(i+1), one)
	}
	d.state(one)
}

func labelAt(labels []int32, i int) int32 {
	if i < len(labels) {
		return labels[i]
	}
	return Epsilon
}
