package fst

import (
	"fmt"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/semiring"
)

// Union returns m ⊕ more[0] ⊕ …: ⟦Union(a, b)⟧(x, y) = ⟦a⟧(x, y) ⊕ ⟦b⟧(x, y). The result is the
// disjoint union of the machines, without new states or arcs. Any ring is allowed. Err wraps
// ErrMismatch if rings or symbols differ. Expand joins frozen machines in O(states + arcs);
// their states keep their order, with the states of m first.
func Union[W any](m Machine[W], more ...Machine[W]) Machine[W] {
	plan := make([]joint, 1+len(more))
	for i := range plan {
		plan[i] = joint{first: true, last: true}
	}
	return join("Union", plan, m, more...)
}

// Concat returns m ⊗ more[0] ⊗ …: ⟦Concat(a, b)⟧(x, y) = ⊕ ⟦a⟧(x′, y′) ⊗ ⟦b⟧(x″, y″) over all x
// = x′x″, y = y′y″. Arcs ε:ε lead from every final state of a machine to a new state, and from
// there to every initial state of the next machine. Any ring is allowed. Err and Expand are as
// for Union; each new state follows the states of its machine.
func Concat[W any](m Machine[W], more ...Machine[W]) Machine[W] {
	plan := make([]joint, 1+len(more))
	last := len(more)
	for i := range plan {
		plan[i] = joint{hub: true, next: i + 1}
	}
	plan[0].first = true
	plan[last] = joint{first: last == 0, last: true}
	return join("Concat", plan, m, more...)
}

// Star returns m* = 1̄ ⊕ m ⊕ m⊗m ⊕ …, as a relation: the closure under concatenation. A new
// state is initial and final; arcs ε:ε lead from it to every initial state, and back to it from
// every final state. Any ring is allowed, even if path sums over the result diverge. Expand
// freezes the closure of a frozen machine in O(states + arcs), with the new state last.
func Star[W any](m Machine[W]) Machine[W] {
	return join("Star", []joint{{hub: true, hubFirst: true, hubLast: true}}, m)
}

// Plus returns m ⊗ m* = m ⊕ m⊗m ⊕ …: m once or more. Everything else is as for Star.
func Plus[W any](m Machine[W]) Machine[W] {
	return join("Plus", []joint{{first: true, hub: true, hubLast: true}}, m)
}

// Optional returns 1̄ ⊕ m, that is, m or the pair of empty strings: a new state is initial and
// final. Everything else is as for Star.
func Optional[W any](m Machine[W]) Machine[W] {
	return join("Optional", []joint{{first: true, last: true, hub: true, next: -1, hubFirst: true, hubLast: true}}, m)
}

// joint describes how a composite machine continues after one of its parts. If the part's final
// states are not final in the whole, arcs ε:ε lead from them to a new state, the hub, and from
// there to the initial states of another part.
type joint struct {
	first, last bool // the part's initial states are initial, its final states final
	hub         bool // there is a hub; only the last part may lack one
	next        int  // the part to which the hub leads, −1: none
	hubFirst    bool // the hub is initial
	hubLast     bool // the hub is final; like hubFirst, with weight One
}

// joined is a machine that is composed of parts, with a joint for each. It keeps the numbers of
// its visited states, but no arcs.
type joined[W any] struct {
	names
	plan   []joint
	parts  []Machine[W]
	states keytable.Table[uint64] // part · 2, state; or part · 2 + 1, 0 for a hub
	buf    []Start[W]
}

func join[W any](op string, plan []joint, m Machine[W], more ...Machine[W]) Machine[W] {
	parts := append([]Machine[W]{m}, more...)
	return lazily(op, func() (Machine[W], error) {
		in, out, err := alike(parts)
		return &joined[W]{names: names{op, in, out}, plan: plan, parts: parts}, err
	}, parts...)
}

// alike returns the common symbols of machines, or an error if their rings or symbols differ.
func alike[W any, M Machine[W]](parts []M) (in, out *Symbols, err error) {
	for i, m := range parts {
		if err := requireSameRing(parts[0].Semiring(), m.Semiring()); err != nil {
			return nil, nil, err
		}
		a, b := symbolsOf(m)
		allIn, sameIn := commonSymbols(in, a)
		allOut, sameOut := commonSymbols(out, b)
		switch {
		case !sameIn:
			return nil, nil, fmt.Errorf("%w: machine %d has different input symbols from the machines before it: %s; %s", ErrMismatch, i, in.difference(a), oneTable)
		case !sameOut:
			return nil, nil, fmt.Errorf("%w: machine %d has different output symbols from the machines before it: %s; %s", ErrMismatch, i, out.difference(b), oneTable)
		}
		in, out = allIn, allOut
	}
	return in, out, nil
}

// Err returns the first error of the parts.
func (x *joined[W]) Err() error {
	for _, m := range x.parts {
		if err := Err(m); err != nil {
			return err
		}
	}
	return nil
}

// Semiring returns the ring of the weights.
func (x *joined[W]) Semiring() semiring.Semiring[W] { return x.parts[0].Semiring() }

// at returns the number of a part's state, hub the number of the part's hub.
func (x *joined[W]) at(part int, state int32) int32 { return x.number(2*part, state) }
func (x *joined[W]) hub(part int) int32             { return x.number(2*part+1, 0) }

func (x *joined[W]) number(part int, state int32) int32 {
	n, _ := x.states.Number(keytable.Pair(int32(part), state))
	return n
}

// where is the inverse of at and hub.
func (x *joined[W]) where(s int32) (part int, state int32, isHub bool) {
	half, state := keytable.Unpair(x.states.Keys()[s])
	return int(half / 2), state, half%2 != 0
}

// AppendStarts appends the initial states to dst.
func (x *joined[W]) AppendStarts(dst []Start[W]) []Start[W] {
	for i := range x.parts {
		if x.plan[i].first {
			dst = x.appendStarts(dst, i)
		}
		if x.plan[i].hubFirst {
			dst = append(dst, Start[W]{State: x.hub(i), Weight: x.Semiring().One()})
		}
	}
	return dst
}

// appendStarts appends the initial states of a part.
func (x *joined[W]) appendStarts(dst []Start[W], part int) []Start[W] {
	n := len(dst)
	dst = x.parts[part].AppendStarts(dst)
	for i := range dst[n:] {
		dst[n+i].State = x.at(part, dst[n+i].State)
	}
	return dst
}

// Final returns the final weight of state s, Zero if s is not final.
func (x *joined[W]) Final(s int32) W {
	part, state, isHub := x.where(s)
	switch j := &x.plan[part]; {
	case isHub && j.hubLast:
		return x.Semiring().One()
	case !isHub && j.last:
		return x.parts[part].Final(state)
	}
	return x.Semiring().Zero()
}

// AppendArcs appends the arcs that leave state s to dst.
func (x *joined[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	part, state, isHub := x.where(s)
	j, ring := &x.plan[part], x.Semiring()
	if isHub {
		if j.next < 0 {
			return dst
		}
		x.buf = x.appendStarts(x.buf[:0], j.next)
		for _, s := range x.buf {
			if !ring.IsZero(s.Weight) {
				dst = append(dst, Arc[W]{To: s.State, Weight: s.Weight})
			}
		}
		return dst
	}
	m, n := x.parts[part], len(dst)
	dst = m.AppendArcs(dst, state)
	for i := range dst[n:] {
		dst[n+i].To = x.at(part, dst[n+i].To)
	}
	if w := m.Final(state); !j.last && !ring.IsZero(w) {
		dst = append(dst, Arc[W]{To: x.hub(part), Weight: w})
	}
	return dst
}

// freeze returns the frozen machine if all parts are frozen, or are themselves joined from
// frozen machines. The states of each part keep their order and are followed by the hub of the
// part.
func (x *joined[W]) freeze(limit int) (*FST[W], error) {
	z := &joiner[W]{plan: x.plan, base: make([]int32, len(x.parts)+1), ring: x.Semiring()}
	states, arcs := 0, 0
	for i, m := range x.parts {
		f, err := shortcut(m, limit)
		if f == nil {
			return nil, err
		}
		z.parts = append(z.parts, f)
		states += f.NumStates() + 1
		arcs += f.NumArcs() + f.NumStates() + len(f.starts)
		if max(states, arcs) > maxLimit {
			return nil, fmt.Errorf("%w: up to %d states and %d arcs", semiring.ErrLimit, states, arcs)
		}
		z.base[i+1] = z.base[i] + int32(f.NumStates())
		if z.plan[i].hub {
			z.base[i+1]++
		}
	}
	for i := range z.parts {
		z.part(i)
		if z.plan[i].hub {
			z.hub(i)
		}
	}
	return z.freeze(z.ring)
}

// joiner is a draft of joined frozen machines.
type joiner[W any] struct {
	draft[W]
	plan  []joint
	parts []*FST[W]
	base  []int32 // the first state of each part
	ring  semiring.Semiring[W]
}

// part adds the states of part i.
func (z *joiner[W]) part(i int) {
	f, base, zero := z.parts[i], z.base[i], z.ring.Zero()
	row, a := f.labels.row, &f.arcs
	for s, w := range f.final {
		if z.plan[i].last {
			z.state(w)
		} else {
			z.state(zero)
		}
		for e := row[s]; e < row[s+1]; e++ {
			addArc(&z.arcs, a.in[e], a.out[e], base+a.to[e], a.w[e])
		}
		if !z.plan[i].last {
			z.epsilon(z.base[i+1]-1, w)
		}
	}
	if z.plan[i].first {
		for _, s := range f.starts {
			z.start(base+s.State, s.Weight)
		}
	}
}

// hub adds the hub of part i.
func (z *joiner[W]) hub(i int) {
	j, final := &z.plan[i], z.ring.Zero()
	if j.hubLast {
		final = z.ring.One()
	}
	hub := z.state(final)
	if j.hubFirst {
		z.start(hub, z.ring.One())
	}
	if j.next >= 0 {
		for _, s := range z.parts[j.next].starts {
			z.epsilon(z.base[j.next]+s.State, s.Weight)
		}
	}
}

// epsilon adds an arc ε:ε to the last state of the draft, unless the weight is Zero.
func (z *joiner[W]) epsilon(to int32, w W) {
	if !z.ring.IsZero(w) {
		addArc(&z.arcs, Epsilon, Epsilon, to, w)
	}
}
