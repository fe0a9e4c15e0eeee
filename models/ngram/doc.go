// Package ngram makes n-gram models of strings, smoothed by the method of Witten
// and Bell, and their exact acceptors.
//
// The idea: the probability of a string is the product, over its symbols and its
// end, of the probability of each given the n−1 symbols before it. A context that
// was seen predicts what followed it, and leaves to the context that is one symbol
// shorter a share that grows with the number of different symbols that followed;
// below the empty context is the uniform distribution. So every string over the
// vocabulary has a positive probability, and Σ_w p(w|h) = 1 at every context h.
//
// # Formula
//
// For the context h (its first symbol removed: h′) and a symbol or the end w, let
// c(hw) be the weight with which w followed h in the data, C(h) = Σ_w c(hw), and
// T(h) the number of different w that did. Then
//
//	p(w|h) = (c(hw) + T(h) p(w|h′)) / (C(h) + T(h)),   p(w|·) = 1/(V+1) below the empty context
//
// with a vocabulary of V symbols and the end. An unseen context predicts what h′
// does. Contexts at the beginning of a string begin with a mark of it, so that a
// model of order ≥ 2 knows how strings begin.
//
// This is method C of Witten and Bell 1991, "The zero-frequency problem:
// estimating the probabilities of novel events in adaptive text compression", in
// the interpolated form of Chen and Goodman 1998, "An empirical study of smoothing
// techniques for language modeling", §2.5. The weights of the data need not be
// whole: fractional counts are used in the formula as they are.
//
// # Acceptor
//
// Acceptor returns the model as a machine over any ring. States are contexts; each
// carries an arc for every symbol of the vocabulary to the longest known suffix of
// what was read, with the exact probability, and the probability of the end as its
// final weight. There are no back-off arcs: one with label ε would add its paths
// to those that did not need it, and so over-count in every ring that sums.
package ngram
