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

// reasonLimit bounds the states and arcs of the machines that are built to find a reason.
// More work is not worth it for a message.
const reasonLimit = 1 << 16

// relation is a machine that determines which strings it reads and writes. Its weights are 1, or 0
// for states that are on no path.
type relation = *fst.FST[semiring.ScaledFloat]

// ring is the ring of relations.
func ring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

// relationOf returns the relation of a machine, without states that are on no path.
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

// relationOfSide returns the relation of a side, nil if the side is unknown. It returns false for a
// soft string that is too large to search.
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

// beginning returns the first n labels or frames of a string, or nil if they are too large to
// search. It is a function, so that packages that mention a Side need not compile machines.
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

// then returns a ∘ b without states that are on no path. If a is nil, it stands for all strings.
// The result is nil if it would be too large to search.
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

// begun returns f with all states final: it reads and writes the prefixes of the strings of f.
func begun(f relation) relation {
	final := slices.Repeat([]semiring.ScaledFloat{ring().One()}, f.NumStates())
	g, err := f.WithWeights(f.Graph().Weights(), f.Graph().Starts(), final)
	if err != nil {
		return nil
	}
	return g
}

// stuck describes the first dead end of the derivations between the two sides of an edge:
// the machine, and the prefix of a tape's string that can be read or written. It returns "" if
// there is a derivation, or if the search would take too long.
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
			return fmt.Sprintf("%s cannot read any output of the machine before it%s", machine, r.given(e.From, from))
		case !from.sequence():
			return fmt.Sprintf("%s cannot read the evidence for %s", machine, r.tree.Tape(e.From))
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
		return fmt.Sprintf("%s cannot write the evidence for %s%s", name, r.tree.Tape(e.To), given)
	}
	start := begun(all)
	output := func(n int) bool { return possible(then(start, beginning(to, n))) }
	return r.until(fmt.Sprintf("%s writes%s", name, given), e.To, to, all.OutSymbols(), output)
}

// possible reports whether f has a path, or is too large to tell.
func possible(f relation) bool { return f == nil || f.NumStates() > 0 }

// given returns the name of the tape on which the output depends, or "" if the tape is unknown.
func (r *Reasons) given(tape int, side Side) string {
	if side.Absent() {
		return ""
	}
	return " for " + r.tree.Tape(tape)
}

// until describes the longest prefix of labels or frames that is possible, or reports that all are
// possible but the machines cannot end there.
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
