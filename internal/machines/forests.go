package machines

import (
	"iter"

	"example.org/pathsum/internal/forests"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// ScaledForests are the queries of forests over probabilities.
var ScaledForests = struct {
	TreeSum    func(f *forest.Forest[semiring.ScaledFloat]) (semiring.ScaledFloat, error)
	Inside     func(f *forest.Forest[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error)
	Posteriors func(f *forest.Forest[semiring.ScaledFloat]) (*forest.Posterior[semiring.ScaledFloat], error)
	BestTree   func(f *forest.Forest[semiring.ScaledFloat]) (forest.Tree[semiring.ScaledFloat], error)
	BestTrees  func(f *forest.Forest[semiring.ScaledFloat]) (iter.Seq[forest.Tree[semiring.ScaledFloat]], error)
	NewSampler func(f *forest.Forest[semiring.ScaledFloat]) (*forest.Sampler[semiring.ScaledFloat], error)
}{
	TreeSum:    forests.TreeSum,
	Inside:     forests.Inside,
	Posteriors: forests.Posteriors,
	BestTree:   forests.BestTree,
	BestTrees:  forests.BestTrees,
	NewSampler: forests.NewSampler,
}

// EvaluatedForest is forest.Map, from expressions to probabilities.
//
//go:noinline
func EvaluatedForest(f *forest.Forest[expr.W], ring semiring.Semiring[semiring.ScaledFloat], value func(w expr.W) semiring.ScaledFloat) *forest.Forest[semiring.ScaledFloat] {
	return forest.Map(f, ring, value)
}
