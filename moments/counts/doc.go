// Package counts learns to label positions of sequences from counts of labels in regions: for
// example, the number of nouns among a few words is known, but not which words they are.
//
// Let the label of a position depend only on its symbol, with w(a, b) = P(label b | symbol a). Then
// the expected count of b in a region is the sum of w(x_j, b) over its positions j. This is a
// linear system for w.
//
//	d, err := counts.New(symbols, labels, sequences, annotations)
//	...
//	s, err := d.Constrained(0, counts.Stop{Tolerance: 1e-9, Iterations: 1000}) // s.W is w
//
// Which function:
//
//   - w by least squares: [Data.LeastSquares]; with rows that are distributions:
//     [Data.Constrained], with a bound on the distance to the optimum
//   - by maximum likelihood: [Data.Tagger], then em.Fit of [Tagger.Exact] or [Tagger.Beam]
//   - conversion between w and θ: [Tagger.Theta], [Tagger.Distributions]
//   - by features of the symbols and of neighbours: crf.Likelihood.CountConstraint; [Automaton]
//   - annotations for an experiment: [Simulate]; of some labels only: [SimulateSubsets]
//
// # From w to other models
//
// w yields the statistics to which moments.Fit fits a conditional model with any features. A
// feature of position j with label b has the weight w(x_j, b). A feature of two neighbours has the
// weight w(x_j, b)·w(x_{j+1}, c), since labels are independent given the symbols. Package
// models/crf computes these statistics from w (LogPartition.Statistics).
//
// # The likelihood
//
// For a Tagger the counts of a region are a set of strings of labels, accepted by a counting
// automaton. Exact sums over all of them. It compiles their lattices once; if these fit into
// memory, for regions of up to about ten positions, a pass is several times as fast as with Beam.
// Beam sums over the strings that a beam search keeps, in regions of any size. Either can start
// from the w of least squares; examples/counts compares all of them.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect supervision with
// linear moments", §4.
package counts
