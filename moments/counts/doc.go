// Package counts learns to label positions of sequences from counts of labels in
// regions: of a few words in a row it is known how many of them are nouns, and not which.
//
// The idea: if the label of a position depends on its symbol alone, by w(a, b) = P(label
// b | symbol a), then the expected count of b in a region is the sum of w(x_j, b) over its
// positions j. That is a linear system for w, which has nothing in common for different
// labels. Data.LeastSquares solves it; Data.Constrained does so under the constraint
// that each row of w be a distribution, and says how far it is from the best. Either
// estimates the statistics that a conditional model of any features is fitted to, by
// moments.Fit: what the features of position j count with label b is weighted by
// w(x_j, b). Features of two neighbours count by w(x_j, b)·w(x_{j+1}, c), for by the same
// assumption labels are independent given the symbols: package models/crf makes these
// statistics of w for chains and for positions by themselves.
//
// The rival is maximum likelihood: Tagger is the model of w, in which the counts are a
// set of strings of labels, the ones that a counting automaton accepts. Exact sums over
// all of them: it compiles their lattices once, and where these fit into memory, in
// regions of up to about ten positions, a pass is several times as fast as by Beam. That
// sums over the strings which a beam search keeps, for regions of any size. Both are
// likelihoods for em.Fit, which may start at w as least squares finds it; examples/counts
// compares all of them.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect
// supervision with linear moments", §5.
package counts
