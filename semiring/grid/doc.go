// Package grid sums over the paths by which a transducer relates two given strings. Examples are
// the transducers of edit distances and pair hidden Markov models.
//
// The idea: a path that reads x and writes y is a path through a grid. At node (i, j, q), i
// symbols of x were read, j of y were written, and the transducer is in state q. Each arc reads a
// symbol, writes one, or both, so the grid is acyclic. The arcs that leave a node depend only on
// q and the next symbols. So a Machine indexes its arcs by symbols and serves all pairs of
// strings of a corpus. During a sum, only numbers per node of the grid are stored.
//
//	typist, err := grid.New(1, []grid.Arc{
//		{X: a, Y: a}, {X: a, Y: b}, {X: a}, {Y: a},
//		{X: b, Y: b}, {X: b, Y: a}, {X: b}, {Y: b}})
//	…
//	if err := typist.SetWeights(grid.Weights{ // again for each θ
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
// A row of the grid, the nodes of one i, is stored as float64 numbers with a common exponent.
// Each row is checked: if underflow could matter, the sum is computed again weight by weight, as
// semiring.ScaledFloat. So results are exact to rounding for strings of any length; relative
// errors grow like the square root of the length, from 1e-16. Second derivatives have errors of
// about 1e-12: they are the imaginary parts of sums over arcs of complex weights.
//
// Time is proportional to the number of arcs of the grid, memory to the number of nodes. If there
// are more than 2²⁰ nodes, only every √|x|-th row is kept and the others are recomputed. Two
// strings of 10,000 symbols then take a few megabytes per state. Times per arc are in
// PERFORMANCE.md of package semiring.
//
// Source: Ristad and Yianilos 1998, "Learning string-edit distance"; Durbin, Eddy, Krogh and
// Mitchison 1998, "Biological sequence analysis", chapter 4. Keeping only some rows: Grice,
// Hughey and Speck 1997, "Reduced space sequence alignment".
package grid
