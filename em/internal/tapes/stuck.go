package tapes

import (
	"fmt"
	"slices"
	"sort"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// reasonLimit bounds the states and arcs of what a reason is looked for in: a message is not
// worth more.
const reasonLimit = 1 << 16

// relation is a machine that says which strings it reads and writes: its weights are 1, or 0 for
// what is on no path.
type relation = *fst.FST[semiring.ScaledFloat]

// ring is the ring of relations.
func ring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

// relationOf returns that of a machine, without what is on no path.
func relationOf(m *fst.FST[expr.W]) relation {
	f, err := machines.Scaled.Connect(machines.Evaluated(m, ring(), func(w expr.W) semiring.ScaledFloat {
		if w == expr.Zero {
			return ring().Zero()
		}
		return ring().One()
	}), nil)
	if err != nil {
		return nil
	}
	return f
}

// relationOfSide returns what is known of a side, nil for nothing. It returns false for a soft
// string that is too large to look at.
func relationOfSide(s Side) (relation, bool) {
	switch {
	case s.sequence():
		r := beginning(s, s.length())
		return r, r != nil
	case s.Set != nil:
		return relationOf(Acceptor(s.Set)), true
	}
	return nil, true
}

// sequence reports whether s is a string, soft or not.
func (s Side) sequence() bool { return s.String || s.Soft() != nil }

// length returns the number of labels or frames of a string.
func (s Side) length() int {
	if s.String {
		return len(s.Labels)
	}
	return s.Soft().Emissions.Frames()
}

// beginning returns the first n labels or frames of a string, nil if that is too large to look at.
// It is no method, so that packages that mention a Side need not compile machines.
func beginning(s Side, n int) relation {
	if s.String {
		return machines.Scaled.FromString(ring(), s.Labels[:n])
	}
	r, err := soft.Relation(s.Soft(), n, reasonLimit)
	if err != nil {
		return nil
	}
	return r
}

// then returns a ∘ b without what is on no path; a may be nil, all strings. It is nil if that is
// too large to look at.
func then(a, b relation) relation {
	if a == nil || b == nil {
		return b
	}
	f, err := machines.Scaled.Connect(machines.Scaled.Compose(a, b), &fst.Options{Limit: reasonLimit})
	if err != nil {
		return nil
	}
	return f
}

// begun returns f with all states final: it reads and writes the beginnings of what f does.
func begun(f relation) relation {
	final := slices.Repeat([]semiring.ScaledFloat{ring().One()}, f.NumStates())
	g, err := f.WithWeights(f.Graph().Weights(), f.Graph().Starts(), final)
	if err != nil {
		return nil
	}
	return g
}

// stuck says where the derivations between what is known of the tapes of an edge end too early:
// at which machine, and how far the string of a tape can be read or written. It is "" if there is
// a derivation, or if that takes too long to find out.
func (r *Reasons) stuck(edge int, from, to Side) string {
	e, name := r.tree.Edges[edge], r.tree.Edge(edge)
	all, ok := relationOfSide(from)
	if !ok {
		return ""
	}
	for i, m := range r.edges[edge] {
		if all = then(all, m); all == nil {
			return ""
		}
		if all.NumStates() > 0 {
			continue
		}
		machine := fmt.Sprintf("machine %d of %s", i, name)
		switch {
		case m.NumStates() == 0:
			return machine + " has no path from a start to an end"
		case i > 0:
			return fmt.Sprintf("%s reads nothing of what the machine in front of it writes%s", machine, r.given(e.From, from))
		case !from.sequence():
			return fmt.Sprintf("%s reads nothing of what is known of %s", machine, r.tree.Tape(e.From))
		}
		start := begun(m)
		input := func(n int) bool { return possible(then(beginning(from, n), start)) }
		return r.until(machine+" reads", e.From, from, m.InSymbols(), input)
	}
	end, _ := relationOfSide(to)
	if end == nil || possible(then(all, end)) {
		return ""
	}
	given := r.given(e.From, from)
	if !to.sequence() {
		return fmt.Sprintf("%s writes nothing of what is known of %s%s", name, r.tree.Tape(e.To), given)
	}
	start := begun(all)
	output := func(n int) bool { return possible(then(start, beginning(to, n))) }
	return r.until(fmt.Sprintf("%s writes%s", name, given), e.To, to, all.OutSymbols(), output)
}

// possible reports whether f has a path, or is too large to tell.
func possible(f relation) bool { return f == nil || f.NumStates() > 0 }

// given says which tape what is written depends on, if something is known of that.
func (r *Reasons) given(tape int, side Side) string {
	if side.Absent() {
		return ""
	}
	return " for " + r.tree.Tape(tape)
}

// until says how many labels or frames of a string are possible, of which not all are, or all and
// no end.
func (r *Reasons) until(does string, tape int, side Side, symbols *fst.Symbols, possible func(n int) bool) string {
	n := sort.Search(side.length(), func(n int) bool { return !possible(n + 1) })
	name := r.tree.Tape(tape)
	switch {
	case n == side.length():
		return fmt.Sprintf("%s all of %s, but cannot end there", does, name)
	case side.Soft() != nil:
		return fmt.Sprintf("%s only the beginning of %s, before frame %d of %d", does, name, n, side.length())
	}
	return fmt.Sprintf("%s only the beginning of %s, before label %s at position %d", does, name, symbols.Describe(side.Labels[n]), n)
}
