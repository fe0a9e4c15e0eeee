package machines

import (
	"context"
	"iter"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// ScaledGraphs are the queries over probabilities. Graphs of expressions are only made.
var ScaledGraphs = struct {
	New             func(ring semiring.Semiring[semiring.ScaledFloat], row, to []int32, weight []semiring.ScaledFloat, starts []graph.Start[semiring.ScaledFloat], final []semiring.ScaledFloat) (*graph.Graph[semiring.ScaledFloat], error)
	PathSum         func(g *graph.Graph[semiring.ScaledFloat]) (semiring.ScaledFloat, error)
	Forward         func(g *graph.Graph[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error)
	Backward        func(g *graph.Graph[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error)
	Posteriors      func(g *graph.Graph[semiring.ScaledFloat]) (*graph.Posterior[semiring.ScaledFloat], error)
	PrunePosterior  func(g *graph.Graph[semiring.ScaledFloat], least float64) (*graph.Pruned[semiring.ScaledFloat], error)
	BestPath        func(g *graph.Graph[semiring.ScaledFloat]) (graph.Path[semiring.ScaledFloat], error)
	UniqueBestPaths func(g *graph.Graph[semiring.ScaledFloat], labels []int32) (iter.Seq2[[]int32, graph.Path[semiring.ScaledFloat]], error)
	BestSequences   func(g *graph.Graph[semiring.ScaledFloat], labels []int32, o *graph.SequenceOptions) iter.Seq2[graph.Sequence[semiring.ScaledFloat], error]
	PruneBeam       func(g *graph.Graph[semiring.ScaledFloat], beam semiring.ScaledFloat) (*graph.Pruned[semiring.ScaledFloat], error)
	Search          func(ctx context.Context, m graph.Implicit[semiring.ScaledFloat], o *graph.SearchOptions[semiring.ScaledFloat]) iter.Seq2[graph.Found[semiring.ScaledFloat], error]
	Within          func(ctx context.Context, m graph.Implicit[semiring.ScaledFloat], beam semiring.ScaledFloat, o *graph.SearchOptions[semiring.ScaledFloat]) (*graph.Expansion[semiring.ScaledFloat], error)
	NewSampler      func(g *graph.Graph[semiring.ScaledFloat]) (*graph.Sampler[semiring.ScaledFloat], error)
	Beam            func(ctx context.Context, m graph.Implicit[semiring.ScaledFloat], o *graph.BeamOptions[semiring.ScaledFloat]) (*graph.Expansion[semiring.ScaledFloat], error)
}{
	New:             graphs.New,
	PathSum:         graphs.PathSum,
	Forward:         graphs.Forward,
	Backward:        graphs.Backward,
	Posteriors:      graphs.Posteriors,
	PrunePosterior:  graphs.PrunePosterior,
	BestPath:        graphs.BestPath,
	UniqueBestPaths: graphs.UniqueBestPaths,
	BestSequences:   graphs.BestSequences,
	PruneBeam:       graphs.PruneBeam,
	Search:          graphs.Search,
	Within:          graphs.Within,
	NewSampler:      graphs.NewSampler,
	Beam:            graphs.Beam,
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
