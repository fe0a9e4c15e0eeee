// Package solve sums over the paths inside strongly connected components.
//
// Package graph visits the components of a graph in topological order and passes those that
// contain a cycle to a Solver. The capabilities of the ring determine the closure that sums them;
// the caller does not choose it.
//
// The algorithms for numbers are compiled only in this package. For other rings an importer
// compiles loops over the arcs of a state or a row for its type of weights (see ringWeights).
// Everything else, such as the order of states and of elimination, is independent of the type.
//
// A cyclic component is closed by the first of these methods that applies:
//
//	ring          component                      method
//	numbers       at most denseStates states,    denseSolver: a matrix of float64 without a plan,
//	              of moderate magnitude          read and written in few calls of the kernel
//	numbers       within the budget of a stage   numberElimination by a plan
//	  of these    not negative, in float64       leakElimination: without subtraction
//	  of these    all others                     ScaledFloat, with a bound on rounding errors
//	numbers       beyond the budget              iteration with a certified bound, then the
//	                                             elimination of the next stage (see budgets)
//	Ordered       no arc better than One         labeling: each label is set once
//	Ordered       all others                     labeling: labels are corrected
//	KClosed (*)   settles in patience rounds     relaxation
//	KClosed (*)   all others                     ringElimination
//	all others    all                            ringElimination, with stars or doubling
//
// (*) and with Metric or Keyer, so that equal weights are recognised.
//
// The small dense matrix and the elimination by a plan both avoid subtraction, but they accept
// different components: the matrix needs masses below 1 and reads arcs from outside as well,
// elimination bounds the error of leaks of both signs and keeps its factors for later calls.
// Without the matrix, package graph's BenchmarkCyclic takes 1.26 times as much processor time;
// BenchmarkNests and BenchmarkDense take the same.
package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Graph is a graph as a Solver sees it: without starts and final weights.
type Graph[W any] struct {
	Products    *weights.Products[W] // of the ring of its weights; not embedded, to hide its methods
	Topology    *rows.Topology
	Plans       *Plans // of Topology
	Weight      []W    // per arc
	Interrupted func() error
}

// Solver computes forward and backward weights in the components of one graph, cyclic or not. It
// must not be used by several goroutines at once.
type Solver[W any] struct {
	Untyped *problem // everything that does not depend on the type of weights

	sum func(x []W, c int, back, inside bool) error // see engine.sum
}

// New returns a solver of a graph, which must have a cycle. It ignores all states outside use; a
// nil use stands for all states. A path between states in use must not leave the states in use.
//
// The error wraps semiring.ErrLimit if a component fills up in elimination and the ring has no
// other method, or comes from Graph.Interrupted.
func New[W any](graph Graph[W], use func() []bool) (*Solver[W], error) {
	if p, sum := numberSolver(&graph, use); p != nil {
		return &Solver[W]{p, sum.(func(x []W, c int, back, inside bool) error)}, nil
	}
	e := newEngine(&graph, use)
	if err := closeRing(&e.problem, weightsOf(e)); err != nil {
		return nil, err
	}
	return &Solver[W]{&e.problem, e.sum}, nil
}

// numberSolver returns the solver of a graph, a *Graph[W], over a ring of numbers, and the method
// sum of its engine. For other rings it returns nil.
func numberSolver(graph any, use func() []bool) (p *problem, sum any) {
	switch g := graph.(type) {
	case *Graph[float64]:
		return startNumbers(g, use)
	case *Graph[semiring.ScaledFloat]:
		return startNumbers(g, use)
	case *Graph[semiring.LogProb]:
		return startNumbers(g, use)
	}
	return nil, nil
}

func startNumbers[W any](g *Graph[W], use func() []bool) (p *problem, sum any) {
	mass := weights.MassOf(g.Products.Ring)
	if mass == nil || mass.Weight == nil {
		return nil, nil
	}
	e := newEngine(g, use)
	e.exact = mass.Exact
	e.numbers = &numbered[W]{e, mass, weights.NumbersOf(g.Products)}
	l := newLinear(&e.problem, e.numbers)
	e.closure, e.dense = l, &l.dense
	return &e.problem, e.sum
}

// Forward replaces x, which contains start weights in component c, by α there. In earlier
// components x must contain α. The error wraps semiring.ErrDiverges, semiring.ErrInaccurate,
// semiring.ErrNotFinite, semiring.ErrLimit or semiring.ErrCapability, or comes from
// Graph.Interrupted.
func Forward[W any](s *Solver[W], x []W, c int) error { return s.sum(x, c, false, false) }

// Backward replaces x, which contains final weights in component c, by β there. In later
// components x must contain β. Errors are as for Forward.
func Backward[W any](s *Solver[W], x []W, c int) error { return s.sum(x, c, true, false) }

// ForwardInside replaces x, which contains the sums over paths that enter the cyclic component c,
// by the sums over these paths with their continuations inside c. Errors are as for Forward.
func ForwardInside[W any](s *Solver[W], x []W, c int) error { return s.sum(x, c, false, true) }

// BackwardInside is ForwardInside for paths that leave the component.
func BackwardInside[W any](s *Solver[W], x []W, c int) error { return s.sum(x, c, true, true) }
