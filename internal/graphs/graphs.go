// Package graphs has the queries of graphs whose weights are probabilities, compiled once. A
// generic function is compiled in every package that calls it, with all its dependencies; a
// function in a variable is compiled here, at no cost to its callers.
package graphs

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

type weight = semiring.ScaledFloat

// The functions of package graph of the same names, over probabilities. Map maps graphs of indices.
// They are separate variables: a package that mentions a variable compiles the methods of the
// types in its signature.
var (
	New             = graph.New[weight]
	PathSum         = graph.PathSum[weight]
	Forward         = graph.Forward[weight]
	Backward        = graph.Backward[weight]
	Posteriors      = graph.Posteriors[weight]
	PrunePosterior  = graph.PrunePosterior[weight]
	BestPath        = graph.BestPath[weight]
	UniqueBestPaths = graph.UniqueBestPaths[weight]
	BestSequences   = graph.BestSequences[weight]
	PruneBeam       = graph.PruneBeam[weight]
	Search          = graph.Search[weight]
	ExpandWithin    = graph.ExpandWithin[weight]
	NewSampler      = graph.NewSampler[weight]
	Beam            = graph.Beam[weight]
	NewPairs        = graph.NewPairs[weight]
	PosteriorsAlong = graph.PosteriorsAlong[weight]
	Map             = graph.Map[int32, weight]
)
