package fst

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Union returns f ⊕ more[0] ⊕ …: ⟦Union(a, b)⟧(x, y) = ⟦a⟧(x, y) ⊕ ⟦b⟧(x, y). It
// is the machines side by side, without new states or arcs. Any ring will do. The
// error wraps ErrMismatch if rings or symbols differ, ErrLimit for a result of
// more than 2³¹−1 states or arcs. O(states + arcs).
func Union[W any](f *FST[W], more ...*FST[W]) (*FST[W], error) {
	z, err := newJoiner(f, more)
	if err != nil {
		return nil, err
	}
	for _, g := range z.parts {
		first := z.add(g, func(int32) {})
		for _, s := range g.starts {
			z.start(first+s.State, s.Weight)
		}
		copy(z.final[first:], g.final)
	}
	return z.freeze()
}

// Concat returns f ⊗ more[0] ⊗ …: ⟦Concat(a, b)⟧(x, y) = ⊕ ⟦a⟧(x′, y′) ⊗
// ⟦b⟧(x″, y″) over all x = x′x″, y = y′y″. An arc ε:ε leads from every final state
// of a machine to a new state, and from there one to every initial state of the
// next. Any ring will do. Errors and complexity are those of Union.
func Concat[W any](f *FST[W], more ...*FST[W]) (*FST[W], error) {
	z, err := newJoiner(f, more)
	if err != nil {
		return nil, err
	}
	for i, g := range z.parts {
		first, last := z.next(), i == len(z.parts)-1
		middle := first + int32(g.NumStates()) // between g and the next machine
		if i == 0 {
			z.starts = append(z.starts, g.starts...)
		}
		z.add(g, func(s int32) {
			if !last {
				z.epsilon(middle, g.final[s])
			}
		})
		if last {
			copy(z.final[first:], g.final)
			break
		}
		z.state(z.zero)
		for _, s := range z.parts[i+1].starts {
			z.epsilon(z.next()+s.State, s.Weight)
		}
	}
	return z.freeze()
}

// Star returns f* = 1̄ ⊕ f ⊕ f⊗f ⊕ …, as a relation: the closure under
// concatenation. A new state is initial and final; arcs ε:ε lead from there to
// every initial state and back from every final state. Any ring will do; whether
// its path sums converge is for them to say. The error wraps ErrLimit for a
// result of more than 2³¹−1 states or arcs. O(states + arcs).
func Star[W any](f *FST[W]) (*FST[W], error) {
	z, err := newJoiner(f, nil)
	if err != nil {
		return nil, err
	}
	z.start(int32(f.NumStates()), f.ring.One())
	return z.loop(f)
}

// Plus returns f ⊗ f* = f ⊕ f⊗f ⊕ …: one or more times f. Requirements, errors
// and complexity are those of Star.
func Plus[W any](f *FST[W]) (*FST[W], error) {
	z, err := newJoiner(f, nil)
	if err != nil {
		return nil, err
	}
	z.starts = append(z.starts, f.starts...)
	return z.loop(f)
}

// Optional returns 1̄ ⊕ f, f or the pair of empty strings: a new state is initial
// and final. Requirements, errors and complexity are those of Star.
func Optional[W any](f *FST[W]) (*FST[W], error) {
	z, err := newJoiner(f, nil)
	if err != nil {
		return nil, err
	}
	z.add(f, func(int32) {})
	z.starts = append(z.starts, f.starts...)
	copy(z.final, f.final)
	z.start(z.state(f.ring.One()), f.ring.One())
	return z.freeze()
}

// joiner is a draft of a machine put together from others.
type joiner[W any] struct {
	*draft[W]
	ring  semiring.Semiring[W]
	zero  W
	parts []*FST[W]

	inSymbols, outSymbols *Symbols
}

func newJoiner[W any](f *FST[W], more []*FST[W]) (*joiner[W], error) {
	z := &joiner[W]{draft: new(draft[W]), ring: f.ring, zero: f.ring.Zero()}
	z.parts = append(append(z.parts, f), more...)
	states, arcs := 1, 0
	for i, g := range z.parts {
		if err := requireSameRing(f.ring, g.ring); err != nil {
			return nil, err
		}
		var fits [2]bool
		z.inSymbols, fits[0] = commonSymbols(z.inSymbols, g.inSymbols)
		z.outSymbols, fits[1] = commonSymbols(z.outSymbols, g.outSymbols)
		if fits != [2]bool{true, true} {
			return nil, fmt.Errorf("fst: %w: machine %d has other symbols than those before", ErrMismatch, i)
		}
		states += g.NumStates() + 1
		arcs += g.NumArcs() + g.NumStates() + len(g.starts)
	}
	if max(states, arcs) > maxLimit {
		return nil, fmt.Errorf("fst: %w: up to %d states and %d arcs", ErrLimit, states, arcs)
	}
	return z, nil
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

// next returns the number of the next state.
func (z *joiner[W]) next() int32 { return int32(len(z.final)) }

// add adds the states of g, none of them final, with their arcs; arcs that more
// adds follow those of state s of g. It returns the number of g's state 0.
func (z *joiner[W]) add(g *FST[W], more func(s int32)) int32 {
	first := z.next()
	row, a := g.labels.row, &g.arcs
	for s := range int32(g.NumStates()) {
		z.state(z.zero)
		for e := row[s]; e < row[s+1]; e++ {
			z.arcs.add(a.in[e], a.out[e], first+a.to[e], a.w[e])
		}
		more(s)
	}
	return first
}

// epsilon adds an arc ε:ε to the state that was begun last, unless it has weight
// Zero.
func (z *joiner[W]) epsilon(to int32, w W) {
	if !z.ring.IsZero(w) {
		z.arcs.add(Epsilon, Epsilon, to, w)
	}
}

// loop adds f and a final state, with an arc from every final state of f to it
// and one from it to every initial state of f.
func (z *joiner[W]) loop(f *FST[W]) (*FST[W], error) {
	hub := int32(f.NumStates())
	z.add(f, func(s int32) { z.epsilon(hub, f.final[s]) })
	z.state(z.ring.One())
	for _, s := range f.starts {
		z.epsilon(s.State, s.Weight)
	}
	return z.freeze()
}

func (z *joiner[W]) freeze() (*FST[W], error) {
	f, err := z.draft.freeze(z.ring)
	if err != nil {
		return nil, err
	}
	f.inSymbols, f.outSymbols = z.inSymbols, z.outSymbols
	return f, nil
}
