package solve_test

import (
	"math"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// forwardBy and backwardBy are graph.Forward and graph.Backward by a given method.
func forwardBy[W any](g *graph.Graph[W], by solve.Method[W]) ([]W, error) {
	s, n, err := solverBy(g, by, g.Accessible)
	if s == nil {
		return graph.Forward(g)
	}
	x := make([]W, g.NumStates())
	for s := range x {
		x[s] = g.Ring().Zero()
	}
	for _, start := range g.Starts() {
		x[start.State] = g.Ring().Plus(x[start.State], start.Weight)
	}
	for c := 0; c < n && err == nil; c++ {
		err = solve.Forward(s, x, c)
	}
	return x, err
}

func backwardBy[W any](g *graph.Graph[W], by solve.Method[W]) ([]W, error) {
	x, _, err := backwardBound(g, by)
	return x, err
}

// backwardBound is backwardBy with the bound on its error.
func backwardBound[W any](g *graph.Graph[W], by solve.Method[W]) (x []W, bound float64, err error) {
	s, n, err := solverBy(g, by, g.Coaccessible)
	if s == nil {
		x, err = graph.Backward(g)
		return x, 0, err
	}
	x = append(x, g.Finals()...)
	for c := n - 1; c >= 0 && err == nil; c-- {
		err = solve.Backward(s, x, c)
	}
	return x, s.Untyped.ErrorBound(), err
}

// solverBy returns a solver of g by a method, and the number of components; nil: g has no
// cycle.
func solverBy[W any](g *graph.Graph[W], by solve.Method[W], use func() []bool) (*solve.Solver[W], int, error) {
	topology, products := &rows.Topology{Row: g.Row(), To: g.To()}, weights.NewProducts(g.Ring())
	if !topology.Components().Cyclic() {
		return nil, 0, nil
	}
	s, err := solve.New(solve.Graph[W]{
		Products: &products, Topology: topology, Plans: new(solve.Plans), Weight: g.Weights(),
		Interrupted: func() error { return nil },
	}, use)
	if err == nil {
		err = by(s)
	}
	return s, topology.Components().Len(), err
}

// arc is a graphtest.Arc.
type arc struct {
	From, To int
	Weight   float64
}

// loops is graphtest.Loops.
func loops(n int, arcs []arc) *graph.Graph[float64] {
	list := make([]graphtest.Arc, len(arcs))
	for i, a := range arcs {
		list[i] = graphtest.Arc(a)
	}
	return graphtest.Loops(n, list)
}

// nearTo compares with a solution of linear equations that is itself inexact.
func nearTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
