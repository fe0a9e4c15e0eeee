// Package ngram makes n-gram models of strings from certain or uncertain data,
// smoothed by the methods of Kneser and Ney or Witten and Bell, and their machines.
//
// The idea: the probability of a string is the product, over its symbols and its
// end, of the probability of each given the n−1 symbols before it. A context that
// was seen predicts what followed it, and leaves a share to the context that is one
// symbol shorter; below the empty context is the uniform distribution. So every string
// over the vocabulary has a positive probability, and Σ_w p(w|h) = 1 at every context h.
// Contexts at the beginning of a string begin with a mark of it, so that a model of
// order ≥ 2 knows how strings begin.
//
// A Counter collects the n-grams, a Model predicts and does not change any more; Fit
// is both in one call.
//
// # Formula
//
// For the context h (its first symbol removed: h′; the uniform distribution below the
// empty one, p(w|·) = 1/(V+1) with a vocabulary of V symbols and the end) and a symbol
// or the end w,
//
//	p(w|h) = (c(hw) − d(hw) + F(h) p(w|h′)) / (Σ_w c(hw) + T(h))
//
// Modified Kneser-Ney smoothing (Chen and Goodman 1998, §3) has T(h) = 0 and
// F(h) = Σ_w d(hw), where d(hw) is D₁, D₂ or D₃ of the length of hw for a count of 1, 2,
// or 3 and more. With n_i n-grams of count i and Y = n₁/(n₁+2n₂),
//
//	D₁ = 1 − 2Y n₂/n₁,   D₂ = 2 − 3Y n₃/n₂,   D₃ = 3 − 4Y n₄/n₃.
//
// In n-grams shorter than the order that do not begin a string, c is not how often they
// were seen but how many different symbols were before them. Where there are too few data
// for an estimate, that is if D_i is no number between 0 and i, it is i/2; Discounts says
// so.
//
// Witten-Bell smoothing (method C of Witten and Bell 1991, interpolated as by Chen and
// Goodman, §2.5) has d = 0 and F(h) = T(h), the number of different w that followed h.
//
// # Uncertain data
//
// An occurrence may have a probability, such as the posterior of an arc in a lattice.
// The count of an n-gram is then a random number, a sum of independent events. As in
// Zhang and Chiang 2014, "Kneser-Ney smoothing on expected counts", expectations take
// the place of c, d, n_i and T in the formulas, and an n-gram adds to the one without
// its first symbol an event that has the probability that it occurs at all. Certain data
// give the ordinary models, to the last bit but for the order of sums.
//
// # Machines
//
// Acceptor returns the model as a machine over any ring. States are contexts; each
// carries an arc for every symbol of the vocabulary to the longest known suffix of
// what was read, with the exact probability, and the probability of the end as its
// final weight. There are no back-off arcs: one with label ε would add its paths
// to those that did not need it, and so over-count in every ring that sums.
//
// BackoffAcceptor has them, and arcs for seen n-grams only, for fst.Match to follow where
// nothing else matches: the same weights from a machine as large as the model. In beams
// and sums of one's own, Start and Step are the acceptor without a machine.
//
// # Files
//
// WriteARPA and ReadARPA exchange models with the tools of others, Save and Load keep
// them to the last bit. Pruned makes them smaller.
package ngram
