package machines

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// EvaluatedForest is forest.Map, from expressions to probabilities.
//
//go:noinline
func EvaluatedForest(f *forest.Forest[expr.W], ring semiring.Semiring[semiring.ScaledFloat], value func(w expr.W) semiring.ScaledFloat) *forest.Forest[semiring.ScaledFloat] {
	return forest.Map(f, ring, value)
}
