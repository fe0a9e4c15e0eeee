// Package ngram makes n-gram models of strings from certain or uncertain data, smoothed by the
// methods of Kneser and Ney or Witten and Bell, by pseudocounts or by stupid backoff, and their
// machines.
//
// The probability of a string is the product, over its symbols and its end, of the probability
// of each given the n−1 symbols before it. A context that was seen predicts what followed it,
// and leaves a share to the context that is one symbol shorter; below the empty one is the
// uniform distribution. So every string over the vocabulary has a positive probability, except
// by StupidBackoff and without discounts.
//
//	m, err := ngram.Fit(2, vocabulary, data, nil)
//	...
//	logp := m.LogProb(symbols)
//	acceptor, err := ngram.Acceptor(m, semiring.Real{}, nil)
//
// Which function:
//
//   - a model of strings: [Fit]; of uncertain occurrences, or part by part: [NewCounter],
//     [Counter.Model]
//   - ln p(string): [Model.LogProb]; p(symbol | history): [Model.Prob]; [Model.Perplexity]
//   - one symbol after the other: [Model.Start], [Model.Step], [Model.AppendSuccessors]
//   - a machine: [Acceptor]; as small as the model: [BackoffAcceptor], with fst.Match
//   - which smoothing, and how much: [Smoothing], [Options], [Counter.Discounts]
//   - a smaller model: [Model.Pruned]; do probabilities sum to 1? [Model.Validate]
//   - files: [Model.Save], [Load]; of other tools: [Model.WriteARPA], [ReadARPA]
//
// A Model is frozen: it answers for itself. Contexts at the beginning of a string begin with a
// mark, so that a model of order ≥ 2 knows how strings begin.
//
// # Formula
//
// For the context h (its first symbol removed: h′; the uniform distribution below the empty one,
// p(w|·) = 1/(V+1) with a vocabulary of V symbols and the end) and a symbol or the end w,
//
//	p(w|h) = (c(hw) − d(hw) + F(h) p(w|h′)) / (Σ_w c(hw) + T(h))
//
// Modified Kneser-Ney smoothing (Chen and Goodman 1998, §3) has T(h) = 0 and F(h) = Σ_w d(hw).
// For a count of 1, 2, or 3 and more, d(hw) is D₁, D₂ or D₃ of the length of hw. With n_i
// n-grams of count i and Y = n₁/(n₁+2n₂),
//
//	D₁ = 1 − 2Y n₂/n₁,   D₂ = 2 − 3Y n₃/n₂,   D₃ = 3 − 4Y n₄/n₃.
//
// For n-grams shorter than the order that do not begin a string, c is how many different symbols
// were before them, not how often they were seen. With too few data for an estimate, if D_i is
// no number between 0 and i, D_i is i/2; Discounts says so. D₃ is 3, as estimated, where n₄ is 0
// and n₃ is not. KenLM does the same; where n₁, n₂ or n₃ is 0 it gives up, and SRILM also where
// n₄ is. Options.Discounts takes the place of the estimates.
//
// Witten-Bell smoothing (method C of Witten and Bell 1991, interpolated as by Chen and Goodman,
// §2.5) has d = 0 and F(h) = T(h), the number of different w that followed h.
//
// Additive smoothing (Lidstone 1920; Laplace with α = 1) has d = 0 and F(h) = T(h) = α (V+1).
// Here h is the whole context of n−1 symbols, or as many as there are, and p(w|h′) is uniform:
// p(w|h) = (c(hw) + α) / (c(h) + α (V+1)), with c(h) = Σ_w c(hw).
//
// Stupid backoff (Brants et al. 2007) is another formula, of scores S in place of p:
//
//	S(w|h) = c(hw)/c(h) if c(hw) > 0,   λ S(w|h′) if not and c(h) > 0,   S(w|h′) if c(h) = 0.
//
// With the empty h and c(w) = 0 it is 0. Brants et al. have λ in the third case, too: a factor of
// all w, which no comparison of symbols after one history depends on. The scores sum to anything.
// So LogProb is a sum of logarithms of scores, Perplexity has no meaning, Validate and Pruned
// return an error, and the path sum of a machine is not 1. Step, AppendSuccessors, best paths in
// both machines, and files are as for other models.
//
// # Uncertain data
//
// An occurrence may have a probability, such as the posterior of an arc in a lattice. The count
// of an n-gram is then a random number, a sum of independent events. Expectations take the place
// of c, d, n_i and T in the formulas (Zhang and Chiang 2014, "Kneser-Ney smoothing on expected
// counts"). An n-gram adds one event to the n-gram without its first symbol, with the
// probability that it occurs at all. Certain data give the ordinary models, to the last bit but
// for the order of sums.
//
// # Machines
//
// Acceptor returns the model as a machine over any ring. States are contexts. Each has an arc
// for every symbol of the vocabulary to the longest known suffix of what was read, with the
// exact probability, and the probability of the end as its final weight. There are no back-off
// arcs: with label ε they would add paths where no back-off is needed, and so over-count in
// every ring that sums.
//
// BackoffAcceptor has arcs for seen n-grams only, and back-off arcs that fst.Match follows where
// no other arc matches: the same weights from a machine as large as the model. Start and Step
// are the acceptor without a machine.
package ngram
