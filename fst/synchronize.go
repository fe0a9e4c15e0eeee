package fst

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Synchronize returns a machine with the relation of m whose paths read and write in
// step: on every path, the arcs before some place read a label and write one, but for
// arcs ε:ε, and those after it only read or only write. What was read or written ahead
// is part of a state. Any ring will do. A frozen machine is trimmed before (Connect).
//
// To be expanded, m must have a bounded delay, which is how far paths get ahead on one
// tape: cycles read as many labels as they write. Where it is unbounded, graph.Search finds
// the best paths. Err wraps semiring.ErrLimit if the states and arcs that were made, and
// the labels that states are ahead, are more than o.Limit. Time and memory are proportional
// to these numbers.
//
// Mohri, "Edit-distance of weighted automata: general definitions and algorithms"
// (2003).
func Synchronize[W any](m Machine[W], o *Options) Machine[W] {
	return lazily("Synchronize", func() (Machine[W], error) { return synchronize(m, o.resolved().Limit), nil }, m)
}

func synchronize[W any](m Machine[W], limit int) Machine[W] {
	if f, ok := m.(*FST[W]); ok {
		m = connect(f)
	}
	z := newSynchronizer(m)
	return newOnDemand("Synchronize", m, z.draft, z.delays.len, func(s int32) error {
		if z.step(z.states[s]); len(z.draft.final)+len(z.draft.arcs.to)+z.ahead > limit {
			return fmt.Errorf("%w: more than %d states, arcs and labels ahead, and state %d has %d of these", semiring.ErrLimit, limit, s, len(z.states[s].ahead))
		}
		return nil
	})
}

// delay is a state of the result: a state of the machine, −1 after its end, with the
// labels that have been read or written and are not written or read yet.
type delay struct {
	state   int32
	written bool // they have been written
	ahead   []int32
}

type synchronizer[W any] struct {
	m      Machine[W]
	delays *byteTable
	states []delay
	ahead  int // labels in all states
	draft  *draft[W]
	arcs   []Arc[W]
	key    []byte
	in     []int32
	out    []int32
}

// newSynchronizer returns one that has the initial states of the result.
func newSynchronizer[W any](m Machine[W]) *synchronizer[W] {
	z := &synchronizer[W]{m: m, delays: newByteTable(), draft: new(draft[W])}
	for _, s := range m.AppendStarts(nil) {
		z.draft.start(z.at(delay{state: s.State}), s.Weight)
	}
	return z
}

// at returns the number of a state.
func (z *synchronizer[W]) at(x delay) int32 {
	z.key = appendNumber(z.key[:0], x.state)
	if x.written && len(x.ahead) > 0 {
		z.key = append(z.key, 1)
	}
	for _, l := range x.ahead {
		z.key = appendNumber(z.key, l)
	}
	n, isNew := z.delays.number(z.key)
	if isNew {
		x.ahead = append([]int32(nil), x.ahead...)
		z.states = append(z.states, x)
		z.ahead += len(x.ahead)
	}
	return n
}

// step makes the arcs of a state.
func (z *synchronizer[W]) step(x delay) {
	m, ring := z.m, z.m.Semiring()
	switch {
	case x.state < 0 && len(x.ahead) == 0:
		z.draft.state(ring.One())
		return
	case x.state < 0:
		z.draft.state(ring.Zero())
		z.move(x, Epsilon, Epsilon, -1, ring.One())
		return
	case len(x.ahead) == 0:
		z.draft.state(m.Final(x.state))
	default:
		z.draft.state(ring.Zero())
		if w := m.Final(x.state); !ring.IsZero(w) {
			z.move(x, Epsilon, Epsilon, -1, w)
		}
	}
	z.arcs = m.AppendArcs(z.arcs[:0], x.state)
	for _, a := range z.arcs {
		z.move(x, a.In, a.Out, a.To, a.Weight)
	}
}

// move adds the arc for one in:out from x to a state of the machine, or to −1, where
// what is ahead is read or written without more ado.
func (z *synchronizer[W]) move(x delay, in, out, to int32, w W) {
	z.in, z.out = z.in[:0], z.out[:0]
	if x.written {
		z.out = append(z.out, x.ahead...)
	} else {
		z.in = append(z.in, x.ahead...)
	}
	z.in, z.out = appendLabel(z.in, in), appendLabel(z.out, out)
	read, write := z.in, z.out
	in, out = Epsilon, Epsilon
	if len(read) > 0 && (len(write) > 0 || to < 0) {
		in, read = read[0], read[1:]
	}
	if len(write) > 0 && (in != Epsilon || to < 0) {
		out, write = write[0], write[1:]
	}
	next := delay{state: to, ahead: read}
	if len(write) > 0 {
		next = delay{state: to, written: true, ahead: write}
	}
	addArc(&z.draft.arcs, in, out, z.at(next), w)
}
