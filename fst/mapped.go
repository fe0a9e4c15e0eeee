package fst

import (
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Mapped is a machine with other weights, which are made as they are asked for. It keeps
// nothing. It belongs to one goroutine, and so does the machine unless it is frozen.
type Mapped[A, B any] struct {
	machine Machine[A]
	ring    semiring.Semiring[B]
	h       func(A) B
	starts  []Start[A]
	arcs    []Arc[A]
}

// MapLazily is Map of any machine.
func MapLazily[A, B any](m Machine[A], ring semiring.Semiring[B], h func(A) B) *Mapped[A, B] {
	nonnil.Check("fst: MapLazily", "machine", m, "ring", ring, "function", h)
	return &Mapped[A, B]{machine: m, ring: ring, h: h}
}

// Semiring returns the ring of the weights.
func (x *Mapped[A, B]) Semiring() semiring.Semiring[B] { return x.ring }

// InSymbols returns the names of the input labels, nil if they have none.
func (x *Mapped[A, B]) InSymbols() *Symbols { in, _ := symbolsOf(x.machine); return in }

// OutSymbols returns the names of the output labels, nil if they have none.
func (x *Mapped[A, B]) OutSymbols() *Symbols { _, out := symbolsOf(x.machine); return out }

// AppendStarts appends the initial states to dst.
func (x *Mapped[A, B]) AppendStarts(dst []Start[B]) []Start[B] {
	x.starts = x.machine.AppendStarts(x.starts[:0])
	for _, s := range x.starts {
		dst = append(dst, Start[B]{State: s.State, Weight: x.h(s.Weight)})
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (x *Mapped[A, B]) Final(s int32) B { return x.h(x.machine.Final(s)) }

// AppendArcs appends the arcs that leave state s to dst.
func (x *Mapped[A, B]) AppendArcs(dst []Arc[B], s int32) []Arc[B] {
	x.arcs = x.machine.AppendArcs(x.arcs[:0], s)
	for _, a := range x.arcs {
		dst = append(dst, Arc[B]{In: a.In, Out: a.Out, To: a.To, Weight: x.h(a.Weight)})
	}
	return dst
}
