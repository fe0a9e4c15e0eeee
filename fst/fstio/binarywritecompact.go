package fstio

import (
	"fmt"
	"math"
)

// compact writes where the elements of every state begin, unless each state has one,
// and then the elements.
func (b *binaryWriter[W]) compact() {
	if b.element.to {
		n := 0
		b.position(n)
		for s := range b.numStates(b.f) {
			arcs, final := b.leave(s)
			if !math.IsInf(final, 1) {
				n++
			}
			n += len(arcs)
			b.position(n)
		}
	}
	for s := range b.numStates(b.f) {
		arcs, final := b.leave(s)
		n := len(arcs)
		if !math.IsInf(final, 1) {
			n++
			b.writeElement(s, -1, -1, final, -1)
		}
		if !b.element.to {
			b.checkPosition(int(s))
			if n != 1 {
				b.unfit(s, "%d arcs and final weights, want 1", n)
			}
		}
		for _, a := range arcs {
			b.writeElement(s, a.In, a.Out, b.costOf(a.Weight, s), a.To)
		}
	}
}

func (b *binaryWriter[W]) writeElement(s, in, out int32, cost float64, to int32) {
	begin := b.offset
	b.int32(in)
	if b.element.out {
		b.int32(out)
	} else if in != out {
		b.unfit(s, "the labels %d:%d, want the same", in, out)
	}
	if b.element.weight {
		b.pad(begin, b.costSize())
		b.cost(b.wide, cost)
	} else if cost != 0 {
		b.unfit(s, "−ln p = %g, want 0", cost)
	}
	if b.element.to {
		b.int32(to)
	} else if to >= 0 && to != s+1 {
		b.unfit(s, "an arc to state %d, want %d", to, s+1)
	}
	if b.element.weight {
		b.pad(begin, b.costSize())
	}
}

// unfit keeps the error that the container is not for machines with such a state.
func (b *binaryWriter[W]) unfit(s int32, format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("fstio: state %d has %s, in a machine of type %s", s, fmt.Sprintf(format, args...), b.container)
	}
}
