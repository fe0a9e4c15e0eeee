package machines

import (
	"context"
	"iter"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Queries are the functions of package graph of the same names, over one type of weights.
type Queries[W any] struct {
	New             func(ring semiring.Semiring[W], row, to []int32, weight []W, starts []graph.Start[W], final []W) (*graph.Graph[W], error)
	PathSum         func(g *graph.Graph[W]) (W, error)
	Forward         func(g *graph.Graph[W]) ([]W, error)
	Backward        func(g *graph.Graph[W]) ([]W, error)
	Posteriors      func(g *graph.Graph[W]) (*graph.Posterior[W], error)
	PrunePosterior  func(g *graph.Graph[W], least float64) (*graph.Pruned[W], error)
	BestPath        func(g *graph.Graph[W]) (graph.Path[W], error)
	UniqueBestPaths func(g *graph.Graph[W], labels []int32) (iter.Seq2[[]int32, graph.Path[W]], error)
	BestSequences   func(g *graph.Graph[W], labels []int32, o *graph.SequenceOptions) iter.Seq2[graph.Sequence[W], error]
	PruneBeam       func(g *graph.Graph[W], beam W) (*graph.Pruned[W], error)
	Search          func(ctx context.Context, m graph.Implicit[W], o *graph.SearchOptions[W]) iter.Seq2[graph.ImplicitPath[W], error]
	Within          func(ctx context.Context, m graph.Implicit[W], beam W, o *graph.SearchOptions[W]) (*graph.Expansion[W], error)
	NewSampler      func(g *graph.Graph[W]) (*graph.Sampler[W], error)
	Beam            func(ctx context.Context, m graph.Implicit[W], o *graph.BeamOptions[W]) (*graph.Expansion[W], error)
}

// ScaledGraphs are the queries over probabilities. Graphs of expressions are only made.
var ScaledGraphs = queries[semiring.ScaledFloat]()

func queries[W any]() Queries[W] {
	return Queries[W]{
		New:             graph.New[W],
		PathSum:         graph.PathSum[W],
		Forward:         graph.Forward[W],
		Backward:        graph.Backward[W],
		Posteriors:      graph.Posteriors[W],
		PrunePosterior:  graph.PrunePosterior[W],
		BestPath:        graph.BestPath[W],
		UniqueBestPaths: graph.UniqueBestPaths[W],
		BestSequences:   graph.BestSequences[W],
		PruneBeam:       graph.PruneBeam[W],
		Search:          graph.Search[W],
		Within:          graph.ExpandWithin[W],
		NewSampler:      graph.NewSampler[W],
		Beam:            graph.Beam[W],
	}
}

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
		p, err := ScaledGraphs.Posteriors(g)
		if err != nil {
			return semiring.ScaledFloat{}, nil, err
		}
		return p.Total, p.Arc, nil
	}
	path, err := ScaledGraphs.BestPath(g)
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
