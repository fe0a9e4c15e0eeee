package fst

import (
	"fmt"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// joint is how a machine that is put together from parts goes on from one of them. Where
// the part's final states are not those of the whole, arcs ε:ε lead from them to a new
// state, the hub, and from there to the initial states of another part.
type joint struct {
	first, last bool // the part's initial states are initial, its final states final
	hub         bool // there is one; no part but the last is without
	next        int  // to which part the hub leads, −1: to none
	hubFirst    bool // the hub is initial
	hubLast     bool // and final, both with weight One
}

// Plans of machines, a joint per part.
var (
	starPlan     = []joint{{hub: true, hubFirst: true, hubLast: true}}
	plusPlan     = []joint{{first: true, hub: true, hubLast: true}}
	optionalPlan = []joint{{first: true, last: true, hub: true, next: -1, hubFirst: true, hubLast: true}}
)

func unionPlan(parts int) []joint {
	plan := make([]joint, parts)
	for i := range plan {
		plan[i] = joint{first: true, last: true}
	}
	return plan
}

func concatPlan(parts int) []joint {
	plan := make([]joint, parts)
	for i := range plan {
		plan[i] = joint{hub: true, next: i + 1}
	}
	plan[0].first = true
	plan[parts-1] = joint{first: parts == 1, last: true}
	return plan
}

// join returns the parts joined as the plan says: the states of each in their order, and
// its hub behind them.
func join[W any](plan []joint, parts []*FST[W]) (*FST[W], error) {
	in, out, err := together(parts)
	if err != nil {
		return nil, err
	}
	z := &joiner[W]{plan: plan, parts: parts, base: make([]int32, len(parts)+1), ring: parts[0].ring}
	for i, f := range parts {
		z.base[i+1] = z.base[i] + int32(f.NumStates())
		if plan[i].hub {
			z.base[i+1]++
		}
	}
	for i := range parts {
		z.part(i)
		if plan[i].hub {
			z.hub(i)
		}
	}
	f, err := z.freeze(z.ring)
	if err != nil {
		return nil, err
	}
	f.inSymbols, f.outSymbols = in, out
	return f, nil
}

// joiner is a draft of machines joined.
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
			z.arcs.add(a.in[e], a.out[e], base+a.to[e], a.w[e])
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

// epsilon adds an arc ε:ε to the state that was begun last, unless it has weight
// Zero.
func (z *joiner[W]) epsilon(to int32, w W) {
	if !z.ring.IsZero(w) {
		z.arcs.add(Epsilon, Epsilon, to, w)
	}
}

// together returns the symbols of machines that are to be parts of one, or what speaks
// against it.
func together[W any](parts []*FST[W]) (in, out *Symbols, err error) {
	states, arcs := 0, 0
	for i, f := range parts {
		nonnil.Check("fst: joining", fmt.Sprintf("machine %d", i), f)
		states += f.NumStates() + 1
		arcs += f.NumArcs() + f.NumStates() + len(f.starts)
	}
	if max(states, arcs) > maxLimit {
		return nil, nil, fmt.Errorf("fst: %w: up to %d states and %d arcs", semiring.ErrLimit, states, arcs)
	}
	return alike(parts)
}

// alike returns the symbols of machines of one ring, or how they differ.
func alike[W any, M Machine[W]](parts []M) (in, out *Symbols, err error) {
	for i, m := range parts {
		nonnil.Check("fst: joining", fmt.Sprintf("machine %d", i), m)
		if err := requireSameRing[W](parts[0].Semiring(), m.Semiring()); err != nil {
			return nil, nil, err
		}
		var fits [2]bool
		a, b := symbolsOf[W](m)
		in, fits[Input] = commonSymbols(in, a)
		out, fits[Output] = commonSymbols(out, b)
		if fits != [2]bool{true, true} {
			return nil, nil, fmt.Errorf("fst: %w: machine %d has other symbols than those before", ErrMismatch, i)
		}
	}
	return in, out, nil
}

// commonSymbols returns the one of two tables that is not nil, false if both are
// and differ.
func commonSymbols(a, b *Symbols) (*Symbols, bool) {
	switch {
	case a == nil:
		return b, true
	case b == nil:
		return a, true
	}
	return a, a.Equal(b)
}
