package machines

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// ExprGraph is graph.New over expressions.
//
//go:noinline
func ExprGraph(ring semiring.Semiring[expr.W], row, to []int32, weight []expr.W, starts []graph.Start[expr.W], final []expr.W) (*graph.Graph[expr.W], error) {
	return graph.New(ring, row, to, weight, starts, final)
}

// Evaluated is fst.Map, from expressions to probabilities.
//
//go:noinline
func Evaluated(m fst.Machine[expr.W], ring semiring.Semiring[semiring.ScaledFloat], value func(w expr.W) semiring.ScaledFloat) fst.Machine[semiring.ScaledFloat] {
	return fst.Map(m, ring, value)
}

// Uses returns the path sum of g and the number of uses of each arc: the expected number, or
// the number in the best path.
func Uses(g *graph.Graph[semiring.ScaledFloat], best bool) (semiring.ScaledFloat, []float64, error) {
	if !best {
		p, err := graphs.Posteriors(g)
		if err != nil {
			return semiring.ScaledFloat{}, nil, err
		}
		return p.Total, p.Arc, nil
	}
	path, err := graphs.BestPath(g)
	if err != nil {
		return semiring.ScaledFloat{}, nil, err
	}
	uses := make([]float64, g.NumArcs())
	for _, arc := range path.Arcs {
		uses[arc]++
	}
	return path.Weight, uses, nil
}

// EvaluatedGraph is graph.Map, from expressions to probabilities.
//
//go:noinline
func EvaluatedGraph(g *graph.Graph[expr.W], ring semiring.Semiring[semiring.ScaledFloat], value func(w expr.W) semiring.ScaledFloat) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g, ring, value)
}
