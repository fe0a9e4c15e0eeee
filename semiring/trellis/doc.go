// Package trellis sums over the paths of layered graphs, as of hidden Markov models,
// chain-structured random fields and word alignments.
//
// The idea: between two layers of nodes there is a matrix of transition weights, a
// [Block], and each layer may have a vector of node weights, the emissions. All steps and
// all sequences of a corpus share blocks, so nothing is stored per arc and a path sum is
// a product of vectors and matrices. Weights are semiring.ScaledFloat: sums neither
// overflow nor underflow, and yet nearly all of the work is done in float64.
//
//	// Of two dice, each is swapped for the other now and then. Which was it, throw by throw?
//	swap, err := trellis.NewBlock(2, 2, scaled(
//		.9, .1, // from the fair die
//		.2, .8)) // from the loaded one
//	…
//	t, err := trellis.New(scaled(.5, .5), []*trellis.Block{swap}, []int32{0, 0, 0, 0},
//		[][]semiring.ScaledFloat{other, other, six, six, six}, nil)
//	…
//	var s trellis.Scratch // for one goroutine
//	…
//	total, err := t.Counts(1, uses, &s) // posteriors of nodes, expected uses of cells
//	…
//	dice, weight, err := t.BestPath(nil, &s)
//
// Which method for which question:
//
//   - how much do all paths weigh: [Trellis.PathSum]; up to each node: [Trellis.Forward]; from
//     it on: [Trellis.Backward]
//   - posteriors of nodes, expected uses of cells: [Trellis.Counts]; of many trellises at once:
//     [Uses.Add]; how they change: [Trellis.HessianVector]
//   - the best path: [Trellis.BestPath]
//   - all else, as the best k paths, random paths, other rings: [Trellis.Graph]
//   - layers that do not depend on each other: [Independent]
//
// # Variants
//
// [NewSparseBlock] makes a block of which most cells are missing. [Trellis.SetStay] lets paths
// stay where they are past a node's weight; [Trellis.SetNumbers] takes node weights as float64
// numbers. [Trellis.Reset] makes a trellis anew without an allocation.
//
// # Accuracy and speed
//
// A vector becomes float64 numbers with a common exponent wherever its weights lie
// within 76 decimal digits of the greatest one, and a step then is a product of float64
// matrices. Where weights lie farther apart, all steps of Counts and HessianVector, or one of
// the other sums, are computed weight by weight, as exact. Relative errors grow like the square
// root of the number of layers, from 1e-16. Second derivatives have errors of about 1e-12.
// Times per cell are in PERFORMANCE.md of package semiring.
//
// Source: Rabiner 1989, "A tutorial on hidden Markov models and selected applications in
// speech recognition"; Pearlmutter 1994, "Fast exact multiplication by the Hessian".
package trellis
