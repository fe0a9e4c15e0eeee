// Package oracle computes reference answers for tests, by brute force: it enumerates paths and
// trees, solves dense equations, and tries all permutations. It shares no code with the tested
// packages.
package oracle

import (
	"iter"

	"example.org/pathsum/semiring/graph"
)

// Paths returns all paths of g with at most maxArcs arcs and without weights of Zero, in
// depth-first order. Every start entry is a separate start. A path's weight is multiplied from
// left to right; its arcs are valid until the next path.
func Paths[W any](g *graph.Graph[W], maxArcs int) iter.Seq[graph.Path[W]] {
	return func(yield func(graph.Path[W]) bool) {
		ring := g.Ring()
		var follow func(s int32, p graph.Path[W]) bool
		follow = func(s int32, p graph.Path[W]) bool {
			if f := g.Finals()[s]; !ring.IsZero(f) {
				if !yield(graph.Path[W]{Start: p.Start, Arcs: p.Arcs, Weight: ring.Times(p.Weight, f)}) {
					return false
				}
			}
			if len(p.Arcs) == maxArcs {
				return true
			}
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				w := g.Weights()[e]
				if ring.IsZero(w) {
					continue
				}
				q := graph.Path[W]{Start: p.Start, Arcs: append(p.Arcs, e), Weight: ring.Times(p.Weight, w)}
				if !follow(g.To()[e], q) {
					return false
				}
			}
			return true
		}
		for _, start := range g.Starts() {
			if !ring.IsZero(start.Weight) && !follow(start.State, graph.Path[W]{Start: start.State, Weight: start.Weight}) {
				return
			}
		}
	}
}

// PathSum returns the sum of the weights of Paths.
func PathSum[W any](g *graph.Graph[W], maxArcs int) W {
	sum := g.Ring().Zero()
	for p := range Paths(g, maxArcs) {
		sum = g.Ring().Plus(sum, p.Weight)
	}
	return sum
}

// Forward returns, per state, the sum over the paths with at most maxArcs arcs
// from a start to it.
func Forward[W any](g *graph.Graph[W], maxArcs int) []W {
	alpha := make([]W, g.NumStates())
	final := make([]W, g.NumStates())
	for target := range alpha {
		for s := range final {
			final[s] = g.Ring().Zero()
		}
		final[target] = g.Ring().One()
		alpha[target] = PathSum(must(g.WithWeights(g.Weights(), g.Starts(), final)), maxArcs)
	}
	return alpha
}

// Backward returns, per state, the sum over the paths with at most maxArcs arcs
// from it to a final state.
func Backward[W any](g *graph.Graph[W], maxArcs int) []W {
	beta := make([]W, g.NumStates())
	for s := range beta {
		start := []graph.Start[W]{{State: int32(s), Weight: g.Ring().One()}}
		beta[s] = PathSum(must(g.WithWeights(g.Weights(), start, g.Finals())), maxArcs)
	}
	return beta
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
