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
//	m, err := grid.New(states, arcs) // for the whole corpus
//	…
//	err = m.SetWeights(weights) // anew for each θ
//	…
//	var s grid.Scratch // for one goroutine
//	total, err := m.Counts(x, y, 1, counts, &s)
//
// # Which method
//
//	PathSum        the sum of all paths that relate two strings
//	Counts         expected uses of the arcs, of starts and of ends
//	HessianVector  how these change along a direction of the weights' logarithms
//	BestPath       the path of the greatest weight
//	Graph          the same as a graph.Graph, for all other questions
//	GridSize       how many nodes and arcs a grid has: what a sum costs
//
// # Accuracy, speed and memory
//
// A row of the grid, the nodes of one i, is float64 numbers with an exponent of its own.
// Where what is lost below these numbers could matter, which is checked for each row, the
// sum is computed again weight by weight, as semiring.ScaledFloat. So results are exact to
// rounding, however long the strings are; relative errors grow like the square root of
// their lengths, from 1e-16.
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
