// Package grid sums over the ways in which a transducer relates two strings that are both
// known, as those of edit distances and of pair hidden Markov models.
//
// The idea: a path that reads x and writes y is a path through a grid. Its nodes (i, j, q)
// say that i symbols of x were read, j of y written, and that the transducer is in state
// q. Each of its arcs reads a symbol, writes one, or both, so that the grid has no cycle.
// Which arcs lead on from a node depends on nothing but q and the next symbols. So a
// Machine holds arcs by symbols, for all pairs of strings of a corpus, and nothing of a
// grid is stored but numbers per node while it is summed over.
//
//	typist, err := grid.New(1, []grid.Arc{
//		{X: a, Y: a}, {X: a, Y: b}, {X: a}, {Y: a},
//		{X: b, Y: b}, {X: b, Y: a}, {X: b}, {Y: b}})
//	…
//	if err := typist.SetWeights(grid.Weights{ // anew for each θ
//		Initial: scaled(1),
//		Arc:     scaled(.3, .02, .02, .05, .3, .02, .02, .05),
//		Final:   scaled(.22),
//	}); err != nil {
//		…
//	}
//	var s grid.Scratch // for one goroutine
//	…
//	total, err := typist.Counts(meant, typed, 1, uses, &s)
//
// Which method for which question:
//
//   - how much do all paths weigh that relate two strings: [Machine.PathSum]
//   - how often is each arc used: [Machine.Counts]; how does that change with the weights:
//     [Machine.HessianVector]
//   - the best path: [Machine.BestPath]; all other questions: [Machine.Graph]
//   - what will a sum cost: [Machine.GridSize]
//
// # Accuracy, speed and memory
//
// A row of the grid, the nodes of one i, is float64 numbers with an exponent of its own.
// Where what is lost below these numbers could matter, which is checked for each row, the
// sum is computed again weight by weight, as semiring.ScaledFloat. So results are exact to
// rounding, however long the strings are; relative errors grow like the square root of
// their lengths, from 1e-16. Second derivatives have errors of about 1e-12: they are the
// imaginary parts of sums over arcs of complex weights.
//
// Time is in proportion to the arcs of the grid. Memory is in proportion to its nodes. Of
// more than 2²⁰ nodes only every √|x|-th row is kept, and the others are computed again,
// so that two strings of 10,000 symbols take some megabytes for each state. Times per arc
// are in PERFORMANCE.md of package semiring.
//
// Source: Ristad and Yianilos 1998, "Learning string-edit distance"; Durbin, Eddy, Krogh
// and Mitchison 1998, "Biological sequence analysis", chapter 4. That only some rows are
// kept: Grice, Hughey and Speck 1997, "Reduced space sequence alignment".
package grid
