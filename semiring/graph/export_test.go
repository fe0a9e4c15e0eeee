package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// ForwardResidual returns how far alpha is from fulfilling the equations that
// Forward solves: the greatest distance, by the ring's semiring.Metric, between the
// α of a state and ⊕ of its start weights and of α ⊗ weight over the arcs into it. It
// is 0 for the exact solution, and in rings of probabilities a few roundings for what
// Forward returns. A small residual says that alpha is exact for weights that differ
// by as little; alpha itself may be off by as much more as the cycles come close to
// diverging. One pass, O(states + arcs). The error wraps semiring.ErrCapability if
// the ring has no Metric, semiring.ErrShape if alpha is no weight per state.
func ForwardResidual[W any](g *Graph[W], alpha []W) (float64, error) {
	in := g.topology.In()
	starts := newStartIndex(g)
	p := weights.NewProducts(g.ring)
	return residual(g, alpha, func(s int, sum *W) {
		lo, hi := in.Row[s], in.Row[s+1]
		weights.After(&p, sum, g.weight, in.Arc[lo:hi], alpha, in.Other[lo:hi])
		for i := starts.first[s]; i != 0; i = starts.next[i-1] {
			*sum = g.ring.Plus(*sum, g.starts[i-1].Weight)
		}
	})
}

// BackwardResidual is ForwardResidual for beta and the equations that Backward
// solves: β of a state is ⊕ of its final weight and of weight ⊗ β over its arcs.
func BackwardResidual[W any](g *Graph[W], beta []W) (float64, error) {
	row, to := g.Row(), g.To()
	p := weights.NewProducts(g.ring)
	return residual(g, beta, func(s int, sum *W) {
		lo, hi := row[s], row[s+1]
		weights.Before(&p, sum, g.weight[lo:hi], nil, beta, to[lo:hi])
		*sum = g.ring.Plus(*sum, g.final[s])
	})
}

// residual returns the greatest distance between x and what the equations set for
// it, NaN if one is.
func residual[W any](g *Graph[W], x []W, equation func(s int, sum *W)) (float64, error) {
	metric, err := semiring.Require[semiring.Metric[W]](g.ring)
	if err != nil {
		return 0, fmt.Errorf("graph: residual: %w", err)
	}
	if len(x) != g.NumStates() {
		return 0, fmt.Errorf("graph: %w: %d weights for %d states", semiring.ErrShape, len(x), g.NumStates())
	}
	worst := 0.0
	for s := range x {
		var sum W // not reused: ⊕ may return it
		equation(s, &sum)
		worst = max(worst, metric.Dist(x[s], sum))
	}
	return worst, nil
}
