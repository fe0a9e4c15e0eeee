// Package counts learns to label positions of sequences from counts of labels in regions:
// somebody counted the nouns among a few words, but did not say which they are.
//
// Let the label of a position depend on its symbol alone, by w(a, b) = P(label b | symbol a).
// Then the expected count of b in a region is the sum of w(x_j, b) over its positions j. That is
// a linear system for w.
//
//	d, err := counts.New(symbols, labels, sequences, annotations)
//	...
//	s, err := d.Constrained(0, counts.Stop{Tolerance: 1e-9, Iterations: 1000}) // s.W is w
//
// Which function:
//
//   - w by least squares: [Data.LeastSquares]; with rows that are distributions:
//     [Data.Constrained], which says how far it is from the best
//   - by maximum likelihood: [Data.Tagger], then em.Fit of [Tagger.Exact] or [Tagger.Beam]
//   - from the one to the other: [Tagger.Theta], [Tagger.Distributions]
//   - by features of the symbols and of neighbours: crf.Likelihood.Counted; [Automaton]
//   - annotations for an experiment: [Simulate]; of some labels only: [SimulateSubsets]
//
// # From w to other models
//
// w gives the statistics to which moments.Fit fits a conditional model of any features: those of
// position j count with label b by w(x_j, b), and those of two neighbours by w(x_j,
// b)·w(x_{j+1}, c), since labels are independent given the symbols. Package models/crf makes
// these statistics of w (LogPartition.Statistics).
//
// # The likelihood
//
// For a Tagger the counts of a region are a set of strings of labels, accepted by a counting
// automaton. Exact sums over all of them. It compiles their lattices once; where these fit into
// memory, in regions of up to about ten positions, a pass is several times as fast as by Beam.
// Beam sums over the strings that a beam search keeps, in regions of any size. Either may start
// at w from least squares; examples/counts compares all of them.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect supervision with
// linear moments", §4.
package counts
