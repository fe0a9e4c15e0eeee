// Package ngram estimates n-gram models of strings from certain or uncertain data and converts them
// to machines. Smoothing is by Kneser and Ney, by Witten and Bell, by pseudocounts or by stupid
// backoff.
//
// The probability of a string is the product, over its symbols and its end, of the probability of
// each given the n−1 symbols before it. A context of the data predicts the symbols that followed
// it, and leaves a share to the context that is one symbol shorter. The empty context leaves its
// share to the uniform distribution. Hence every string over the vocabulary has a positive
// probability, except by StupidBackoff and without discounts.
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
//   - symbol by symbol: [Model.Start], [Model.Step], [Model.AppendSuccessors]
//   - a machine: [Acceptor]; one as small as the model: [BackoffAcceptor], with fst.Match
//   - the method of smoothing and its parameters: [Smoothing], [Options], [Counter.Discounts]
//   - a smaller model: [Model.Pruned]; do probabilities sum to 1? [Model.Validate]
//   - files: [Model.Save], [Load]; files of other tools: [Model.WriteARPA], [ReadARPA]
//
// A Model is frozen; no separate predictor is needed. Contexts at the beginning of a string start
// with a mark, so that a model of order ≥ 2 predicts the first symbols separately.
//
// # Formula
//
// Let h be a context, h′ the context without its first symbol, and w a symbol or the end. Below the
// empty context is the uniform distribution, p(w|·) = 1/(V+1) for V symbols and the end. Then
//
//	p(w|h) = (c(hw) − d(hw) + F(h) p(w|h′)) / (Σ_w c(hw) + T(h))
//
// Modified Kneser-Ney smoothing (Chen and Goodman 1998, §3) has T(h) = 0 and F(h) = Σ_w d(hw). For
// a count of 1, 2, or 3 and more, d(hw) is D₁, D₂ or D₃ of the length of hw. With n_i n-grams of
// count i and Y = n₁/(n₁+2n₂),
//
//	D₁ = 1 − 2Y n₂/n₁,   D₂ = 2 − 3Y n₃/n₂,   D₃ = 3 − 4Y n₄/n₃.
//
// For n-grams shorter than the order that do not begin a string, c is the number of different
// symbols before them, not the number of occurrences. If the data are too few for an estimate, so
// that D_i is not between 0 and i, D_i is i/2, and Discounts reports this. If n₄ is 0 and n₃ is
// not, D₃ is 3, the estimate. KenLM does the same, but fails if n₁, n₂ or n₃ is 0; SRILM also fails
// if n₄ is 0. Options.Discounts replaces the estimates.
//
// Witten-Bell smoothing (method C of Witten and Bell 1991, interpolated as by Chen and Goodman,
// §2.5) has d = 0 and F(h) = T(h), the number of different w that followed h.
//
// Additive smoothing (Lidstone 1920; Laplace with α = 1) has d = 0 and F(h) = T(h) = α (V+1). Here
// h is the whole context of n−1 symbols, or all symbols if there are fewer, and p(w|h′) is uniform:
// p(w|h) = (c(hw) + α) / (c(h) + α (V+1)), with c(h) = Σ_w c(hw).
//
// Stupid backoff (Brants et al. 2007) defines scores S in place of p:
//
//	S(w|h) = c(hw)/c(h) if c(hw) > 0,   λ S(w|h′) if not and c(h) > 0,   S(w|h′) if c(h) = 0.
//
// For the empty h and c(w) = 0 the score is 0. Brants et al. have λ in the third case, too. There
// it multiplies all w alike and does not change comparisons after one history. The scores are not
// normalized. So LogProb is a sum of logarithms of scores, Perplexity has no meaning, Validate and
// Pruned return an error, and the path sum of a machine is not 1. Step, AppendSuccessors, best
// paths in both machines and files work as for other models.
//
// # Uncertain data
//
// An occurrence may have a probability, such as the posterior of an arc in a lattice. The count of
// an n-gram is then a random number, a sum of independent events. Expectations replace c, d, n_i
// and T in the formulas (Zhang and Chiang 2014, "Kneser-Ney smoothing on expected counts"). An
// n-gram adds one event to the n-gram without its first symbol, with the probability that it occurs
// at all. Certain data give the ordinary models, up to rounding in the order of sums.
//
// # Machines
//
// Acceptor returns the model as a machine over any ring. States are contexts. Each has an arc for
// every symbol of the vocabulary to the longest known suffix of the input read, with the exact
// probability, and the probability of the end as its final weight. It has no back-off arcs: with
// label ε they would add paths for seen n-grams too, and over-count in every ring that sums.
//
// BackoffAcceptor has arcs for seen n-grams only, and back-off arcs that fst.Match follows if no
// other arc matches: the same weights from a machine as large as the model. Start and Step traverse
// the acceptor without building it.
package ngram
