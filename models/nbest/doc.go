// Package nbest works with lists of candidates: the targets that a model of string pairs finds for
// a source, the most probable first.
//
// Models that have only their symbols in common can be combined through their lists. In a product,
// a candidate must be plausible to every model; in a mixture, to one of them. The best answer is
// not always the most probable one: it is the one with the least expected loss.
//
//	one, other := nbest.Factor{Predictor: a, Weight: .5}, nbest.Factor{Predictor: b, Weight: .5}
//	both, err := nbest.NewProduct(one, other)
//	...
//	list, err := both.Best(ctx, x, 10)
//
// The candidate of a list with the least expected number of edits:
//
//	risks, err := nbest.MinimumRisk(list, nbest.EditDistance)
//
// Which function:
//
//   - the list of a lattice, to make a [Predictor]: [Best]
//   - one model of several: [NewProduct], whose weights [Product.Fit] trains; [NewMixture]
//   - the list of a quick model, ranked by a better score: [Reranker]
//   - the candidate of a list with the least expected loss: [MinimumRisk], [EditDistance]
//   - the probabilities of the symbols at each position: [Posteriors]
//   - the string with the least expected number of wrong symbols: [Decode]
//
// LogProb is ln p(x, y), or ln p(y | x) in a conditional model, in nats; Prob of a Candidate is the
// probability itself.
//
// A call for up to n answers returns an empty list and no error if there is no answer: check the
// length of the list before you use its first element. LogProb is then −Inf. A call that must
// return one answer or a distribution returns an error that wraps em.ErrUnderivable instead.
// Packages channel, edit and pairgram do the same. For a machine, fst.BestText returns
// graph.ErrNoPath.
package nbest
