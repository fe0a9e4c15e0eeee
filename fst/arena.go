package fst

import (
	"sync"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Arena builds machines in memory that it reuses. Use it to build millions of small machines,
// such as the lattice of every example of a data set, without allocation in the steady state.
// An Arena and its machines belong to one goroutine, and the machines are valid until the next
// Reset.
//
//	for _, example := range data {
//		arena.Reset()
//		lattice, err := arena.Expand(arena.Compose(arena.String(example), channel), nil)
//		…
//	}
type Arena[W any] struct {
	ring         semiring.Semiring[W]
	err          error // if ring is not commutative
	machines     pool[slot[W]]
	compositions pool[Composition[W]]
}

// slot is an FST with the memory for all its parts.
type slot[W any] struct {
	fst       FST[W]
	labels    labels
	sorted    sorted[W]
	draft     draft[W]
	expansion expansion[W]
}

// pool returns its elements one after the other, and allocates when all are in use.
type pool[T any] struct {
	all  []*T
	used int
}

func (p *pool[T]) next() *T {
	if p.used == len(p.all) {
		p.all = append(p.all, new(T))
	}
	p.used++
	return p.all[p.used-1]
}

// NewArena returns an empty Arena for machines over ring. It panics if ring is nil.
func NewArena[W any](ring semiring.Semiring[W]) *Arena[W] {
	nonnil.Check("fst: NewArena", "ring", ring)
	a := new(Arena[W])
	a.SetSemiring(ring)
	return a
}

// SetSemiring changes the ring and resets the Arena.
func (a *Arena[W]) SetSemiring(ring semiring.Semiring[W]) {
	nonnil.Check("fst: SetSemiring", "ring", ring)
	a.ring, a.err = ring, semiring.RequireCommutative(ring)
	a.Reset()
}

// Reset makes the memory of all machines available again.
func (a *Arena[W]) Reset() { a.machines.used, a.compositions.used = 0, 0 }

// String returns the acceptor of a single string of labels, with weight One: see FromString.
func (a *Arena[W]) String(labels []int32) *FST[W] {
	s := a.machine()
	stringDraft(&s.draft, a.ring, labels, labels)
	f := s.freeze(a.ring)
	f.unit = true
	return f
}

// Compose is the function Compose.
func (a *Arena[W]) Compose(left, right Machine[W]) *Composition[W] {
	nonnil.Check("fst: Compose", "machine 0", left, "machine 1", right)
	return a.compose("Compose", left, right, a.err)
}

// compose is Compose, but allows a ⊗ that is not commutative if all weights of one operand are
// One. err is as for Composition.set.
func (a *Arena[W]) compose(op string, left, right Machine[W], err error) *Composition[W] {
	if err == nil {
		err = requireSameRing(a.ring, left.Semiring())
	}
	c := a.compositions.next()
	c.set(op, left, right, err)
	return c
}

// Expand is the function Expand. Machines that it freezes without visiting every state, such as
// a union of frozen machines, are not in the memory of the Arena.
func (a *Arena[W]) Expand(m Machine[W], o *Options) (*FST[W], error) {
	nonnil.Check("fst: Expand", "machine", m)
	f, err := a.expand(m, o)
	if err != nil {
		return nil, expansionFailure("Expand", err, m)
	}
	return f, nil
}

func (a *Arena[W]) expand(m Machine[W], o *Options) (*FST[W], error) {
	limit := o.expandLimit()
	f, err := shortcut(m, limit)
	if err != nil {
		return nil, err
	}
	if f != nil {
		return f, o.bounds(f)
	}
	s := a.machine()
	s.expansion.draft = &s.draft
	if err := s.expansion.expand(m, limit); err != nil {
		return nil, err
	}
	f = s.freeze(m.Semiring())
	f.inSymbols, f.outSymbols = symbolsOf(m)
	return f, nil
}

// machine returns a slot with an empty draft.
func (a *Arena[W]) machine() *slot[W] {
	s := a.machines.next()
	d := &s.draft
	d.row, d.starts, d.final = d.row[:0], d.starts[:0], d.final[:0]
	resizeArcs(&d.arcs, 0)
	return s
}

// freeze returns the machine built in the draft of s.
func (s *slot[W]) freeze(ring semiring.Semiring[W]) *FST[W] {
	d := &s.draft
	d.row = append(d.row, int32(len(d.arcs.to)))
	a := d.arcs
	s.labels.reset(d.row, a.in, a.out)
	s.sorted[Input].once, s.sorted[Output].once = sync.Once{}, sync.Once{}
	f := &s.fst
	f.ring, f.labels, f.sorted = ring, &s.labels, &s.sorted
	f.arcs, f.starts, f.final = a, d.starts, d.final
	f.unit, f.inSymbols, f.outSymbols = false, nil, nil
	if f.graph != nil {
		f.spare = f.graph
	}
	f.graphOnce, f.graph, f.other = sync.Once{}, nil, nil
	return f
}
