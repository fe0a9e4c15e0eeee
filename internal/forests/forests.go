// Package forests has the queries of forests whose weights are probabilities, compiled once, as
// package graphs has the queries of graphs.
package forests

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

type weight = semiring.ScaledFloat

// The functions of package forest of the same names, over probabilities. Map maps forests of
// indices. They are separate variables: a package that mentions a variable compiles the methods of
// the types in its signature.
var (
	TreeSum         = forest.TreeSum[weight]
	Inside          = forest.Inside[weight]
	Posteriors      = forest.Posteriors[weight]
	BestTree        = forest.BestTree[weight]
	BestTrees       = forest.BestTrees[weight]
	NewSampler      = forest.NewSampler[weight]
	PosteriorsAlong = forest.PosteriorsAlong[weight]
	Map             = forest.Map[int32, weight]
)
