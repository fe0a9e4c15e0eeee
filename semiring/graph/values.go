package graph

import (
	"fmt"

	"example.org/pathsum/internal/columns"
	"example.org/pathsum/semiring"
)

// Parts holds a number for every part of a graph that a path is made of. A nil
// slice stands for zeros.
type Parts struct {
	Start []float64 // per start entry
	Arc   []float64 // per arc
	Final []float64 // per state: for ending there
}

// newParts returns zeros for the parts of a graph, and the same as one slice:
// starts, arcs, final weights.
func newParts[W any](g *Graph[W]) (Parts, []float64) {
	a := len(g.starts)
	b := a + g.NumArcs()
	all := make([]float64, b+g.NumStates())
	return Parts{all[:a:a], all[a:b:b], all[b:]}, all
}

// fillParts returns v with zeros for its nil slices. The error wraps
// semiring.ErrShape if a slice does not fit g.
func fillParts[W any](g *Graph[W], v Parts) (Parts, error) {
	for _, x := range []struct {
		v    *[]float64
		n    int
		what string
	}{{&v.Start, len(g.starts), "starts"}, {&v.Arc, g.NumArcs(), "arcs"}, {&v.Final, g.NumStates(), "final weights"}} {
		if *x.v == nil {
			*x.v = make([]float64, x.n)
		}
		if len(*x.v) != x.n {
			return v, fmt.Errorf("graph: %w: numbers for %d %s, want %d", semiring.ErrShape, len(*x.v), x.what, x.n)
		}
	}
	return v, nil
}

// Values gives every part of a graph a vector of Dim numbers. The value of a path
// is the sum over its parts: its start entry, its arcs, and the state where it ends.
type Values struct {
	Dim               int
	Start, Arc, Final semiring.Rows
}

// table returns the vectors of all starts, arcs and final weights, in the order of
// newParts, after checking them.
func table[W any](g *Graph[W], v Values) ([]semiring.Rows, error) {
	if v.Dim < 1 {
		return nil, fmt.Errorf("graph: %w: values of %d components, want one at least", semiring.ErrShape, v.Dim)
	}
	all := []semiring.Rows{v.Start, v.Arc, v.Final}
	for i, n := range []int{len(g.starts), g.NumArcs(), g.NumStates()} {
		var err error
		if all[i], err = columns.Check(all[i], n, v.Dim, semiring.ErrShape); err != nil {
			return nil, fmt.Errorf("graph: values of %s: %w", [...]string{"starts", "arcs", "final weights"}[i], err)
		}
	}
	return all, nil
}
