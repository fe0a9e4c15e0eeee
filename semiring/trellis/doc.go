// Package trellis sums over the paths of layered graphs, such as those of hidden Markov models,
// chain-structured random fields and word alignments.
//
// The idea: between two layers of nodes there is a matrix of transition weights, a [Block], and
// each layer may have a vector of node weights, the emissions. All steps and all sequences of a
// corpus share blocks, so a trellis stores no arcs and a path sum is a product of vectors and
// matrices. Weights are semiring.ScaledFloat, so sums neither overflow nor underflow, but nearly
// all of the work is done in float64.
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
//   - total weight of all paths: [Trellis.PathSum]; of the paths up to each node:
//     [Trellis.Forward]; of the paths from each node: [Trellis.Backward]
//   - posteriors of nodes, expected uses of cells: [Trellis.Counts]; of many trellises at once:
//     [Uses.Counts]; their derivatives: [Trellis.HessianVector]
//   - the best path: [Trellis.BestPath]
//   - everything else, such as the best k paths, random paths, other rings: [Trellis.Graph]
//   - layers that do not depend on each other: [Independent]
//
// # Variants
//
// [NewSparseBlock] makes a block with few cells. [Trellis.SetStay] lets paths stay at a node
// without taking its weight; [Trellis.SetNumbers] takes node weights as float64 numbers.
// [Trellis.Reset] reuses a trellis without allocating.
//
// # Accuracy and speed
//
// A vector is represented as float64 numbers with a common exponent if its weights lie within 76
// decimal digits of the greatest one. A step then is a product of float64 matrices. If weights
// lie farther apart, all steps of Counts and HessianVector, or the one step of other sums, are
// computed weight by weight, with the same accuracy. Relative errors grow like the square root of
// the number of layers, from 1e-16. Second derivatives have errors of about 1e-12. Times per cell
// are in PERFORMANCE.md of package semiring.
//
// Source: Rabiner 1989, "A tutorial on hidden Markov models and selected applications in
// speech recognition"; Pearlmutter 1994, "Fast exact multiplication by the Hessian".
package trellis
