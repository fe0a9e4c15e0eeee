package fstio

import (
	"math"

	"example.org/pathsum/fst"
)

// compact reads where the elements of every state begin, unless each state has one,
// and then the elements.
func (b *binaryReader[W]) compact() {
	var positions positions
	if b.element.to {
		positions = b.readPositions()
	}
	b.align()
	arcs := int64(0)
	for range b.count(b.states, "states") {
		if b.err != nil {
			return
		}
		s := b.builder.AddState()
		n := uint64(1)
		if b.element.to {
			n = positions.at(int64(s)+1) - positions.at(int64(s))
		}
		for i := range n {
			if b.err != nil {
				return
			}
			if b.readElement(s, i == 0) {
				arcs++
			}
		}
	}
	if arcs != b.arcs {
		b.fail(b.offset, "the states have %d arcs, the header says %d", arcs, b.arcs)
	}
}

// positions are where the elements of every state begin, and those of the last one
// end. They are kept as they are in the file, where a state may have no more than one
// byte: so memory stays in proportion.
type positions struct {
	data []byte
	size int // bytes of a position
}

func (p positions) at(s int64) uint64 {
	return uintOf(p.data[s*int64(p.size):][:p.size])
}

func (b *binaryReader[W]) readPositions() positions {
	b.align()
	at := b.offset
	n := b.count(b.states, "states")
	p := positions{b.data((n + 1) * int64(b.index)), b.index}
	if b.err != nil {
		return p
	}
	if first := p.at(0); first != 0 {
		b.fail(at, "the elements of state 0 begin at %d, want 0", first)
	}
	for s := range n {
		if begin, end := p.at(s), p.at(s+1); end-begin > math.MaxInt32 { // so is a negative one
			b.fail(at+(s+1)*int64(b.index), "the elements of state %d are those from %d to %d", s, begin, end)
		}
	}
	return p
}

// readElement reads an element of a state, which may be its final weight if it is
// the first, and reports whether it is an arc.
func (b *binaryReader[W]) readElement(s int32, first bool) bool {
	at := b.offset
	in := b.int32()
	a := fst.Arc[W]{In: in, Out: in, Weight: b.one, To: s + 1}
	if b.element.out {
		a.Out = b.int32()
	}
	if b.element.weight {
		b.pad(at, b.costSize())
		a.Weight = b.weight()
	}
	if b.element.to {
		a.To = b.int32()
	}
	if b.element.weight {
		b.pad(at, b.costSize())
	}
	if first && in == -1 {
		b.builder.SetFinal(s, a.Weight)
		return false
	}
	b.add(at, s, a)
	return true
}
