// Package trellis sums over the paths of layered graphs, as of hidden Markov models,
// chain-structured random fields and word alignments.
//
// The idea: between two layers of nodes there is a matrix of transition weights, a
// Block, and each layer may have a vector of node weights, the emissions. All steps and
// all sequences of a corpus share blocks, so nothing is stored per arc and a path sum is
// a product of vectors and matrices. Weights are semiring.ScaledFloat, so sums neither
// overflow nor underflow however long a sequence is, and yet nearly all of the work is
// done in float64.
//
//	b, err := trellis.NewBlock(states, states, transitions) // for the whole corpus
//	…
//	t, err := trellis.New(initial, []*trellis.Block{b}, make([]int32, length-1), emissions, nil)
//	…
//	var s trellis.Scratch // for one goroutine
//	total, err := t.Counts(1, trellis.Parts{Block: counts}, &s)
//
// # Which method
//
//	PathSum           the sum of all paths
//	Forward           α per node: of the paths up to it
//	Backward          β per node: of the paths from it on
//	Counts            posteriors of nodes and stays, expected uses of the cells of blocks
//	Uses.Add          the latter, added up over many trellises at once
//	HessianVector     how these change along a direction of the weights' logarithms
//	BestPath          the path of the greatest weight
//	Graph             the same as a graph.Graph, for all other questions: the best k paths,
//	                  random paths, pruning, and sums in other rings by graph.Map
//
// NewSparseBlock makes a block of which most cells are missing. SetStay lets paths stay
// where they are past a node's weight; SetNumbers takes node weights as float64 numbers. A
// Trellis is made anew by Reset without an allocation.
//
// # Accuracy and speed
//
// A vector becomes float64 numbers with a common exponent wherever its weights lie
// within 76 decimal digits of the greatest one, and a step then is a product of float64
// matrices. Where weights lie farther apart a step is computed weight by weight, as
// exact. Relative errors grow like the square root of the number of layers, from 1e-16.
// Times per cell are in PERFORMANCE.md of package semiring.
//
// Source: Rabiner 1989, "A tutorial on hidden Markov models and selected applications in
// speech recognition"; Pearlmutter 1994, "Fast exact multiplication by the Hessian".
package trellis
