package tapes

import (
	"fmt"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Edge is a cascade of machines between two tapes: the first machine reads the string of the
// tape From, the last one writes the string of the tape To.
type Edge struct {
	From, To int
	Machines []*fst.FST[expr.W]
}

// Tree is a set of edges that connect the tapes 0, 1, … len(Edges), each two of them by one path.
type Tree struct {
	Edges []Edge
	// Star means that messages describe the edges as a cascade from X, 0, to Y, 1, and as
	// branches from there to the other tapes.
	Star bool
	// Names are the names of the tapes for messages; nil: names by Star.
	Names []string
	// Cut is the number of machines of the cascade in front of the last tape, if that tape is
	// between two of them. The last edge then leads to Y. 0 means no such tape.
	Cut int
}

// Tape returns the name of a tape for messages.
func (t Tree) Tape(i int) string {
	switch {
	case i < len(t.Names):
		return t.Names[i]
	case !t.Star:
		return fmt.Sprintf("tape %d", i)
	case i < 2:
		return [2]string{"X", "Y"}[i]
	case t.Cut > 0 && i == len(t.Edges):
		return fmt.Sprintf("the tape Between(%d)", t.Cut)
	}
	return fmt.Sprintf("branch %d", i-2)
}

// Edge returns the name of an edge for messages.
func (t Tree) Edge(i int) string {
	switch {
	case !t.Star && t.Names != nil:
		return fmt.Sprintf("edge %d (%s to %s)", i, t.Tape(t.Edges[i].From), t.Tape(t.Edges[i].To))
	case !t.Star:
		return fmt.Sprintf("edge %d (tape %d to %d)", i, t.Edges[i].From, t.Edges[i].To)
	case t.Cut > 0 && i == 0:
		return fmt.Sprintf("the cascade in front of machine %d", t.Cut)
	case t.Cut > 0 && i == len(t.Edges)-1:
		return fmt.Sprintf("the cascade from machine %d on", t.Cut)
	case t.Names != nil && i > 0:
		return "the branch to " + t.Tape(t.Edges[i].To)
	case t.Names != nil:
		return fmt.Sprintf("the cascade from %s to %s", t.Tape(0), t.Tape(1))
	case i == 0:
		return "the cascade"
	}
	return fmt.Sprintf("branch %d", i-1)
}

// Check returns an error unless the edges connect each two tapes by one path.
func (t Tree) Check() error {
	tapes := len(t.Edges) + 1
	part := make([]int, tapes) // tapes that are connected have the same number
	for i := range part {
		part[i] = i
	}
	for i, e := range t.Edges {
		if e.From < 0 || e.From >= tapes || e.To < 0 || e.To >= tapes {
			return fmt.Errorf("%s: a tree of %d edges has the tapes 0 to %d", t.Edge(i), tapes-1, tapes-1)
		}
		from, to := part[e.From], part[e.To]
		if from == to {
			return fmt.Errorf("%s: its tapes are connected without it, want a tree", t.Edge(i))
		}
		for n := range part {
			if part[n] == to {
				part[n] = from
			}
		}
	}
	return nil
}

// Side is the evidence on a tape: a string, a set of strings with weights, or, for the zero value,
// all strings. There may be millions of Sides.
type Side struct {
	String bool
	Labels []int32 // of the string
	Set    Set     // nil: no set
}

// Set is an acceptor, an *fst.FST[expr.W], or a *soft.String. It is an interface of plain methods,
// so that packages that mention a Side need not compile the machine's methods: see
// Acceptor.
type Set interface {
	NumStates() int
	NumArcs() int
}

// Acceptor returns the machine of a set, or nil for no set and for a soft string.
func Acceptor(s Set) *fst.FST[expr.W] {
	f, _ := s.(*fst.FST[expr.W])
	return f
}

// Absent reports whether the side has no evidence.
func (s Side) Absent() bool { return !s.String && s.Set == nil }

// Soft returns the soft string in Set, or nil if Set is not a soft string.
func (s Side) Soft() *soft.String {
	x, _ := s.Set.(*soft.String)
	return x
}
