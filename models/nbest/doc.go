// Package nbest works with lists of candidates: the targets that a model of string pairs finds
// for a source, the most probable first.
//
// Models that share nothing but their symbols can be combined and asked through their lists. A
// product wants what is plausible to each of them, a mixture what is so to one. The best answer
// is not always the most probable one: it is the one with the least expected loss.
//
//	one, other := nbest.Factor{Predictor: a, Weight: .5}, nbest.Factor{Predictor: b, Weight: .5}
//	both, err := nbest.NewProduct(one, other)
//	...
//	list, err := both.Best(ctx, x, 10)
//
// Of such a list, what has the least expected edits:
//
//	risks, err := nbest.MinimumRisk(list, nbest.EditDistance)
//
// Which function:
//
//   - the list of a lattice, to make a [Predictor]: [Best]
//   - one model of several: [NewProduct], whose weights [Product.Fit] trains; [NewMixture]
//   - the list of a quick model, ranked by a better score: [Reranked]
//   - the answer of the least expected loss from a list: [MinimumRisk], [EditDistance]
//   - the probabilities of the symbols in each place: [Posteriors]
//   - the string with the fewest symbols wrong: [Decode]
//
// LogProb is ln p(x, y), or ln p(y | x) in a model that has only that, in nats; Prob of a
// Candidate is the probability itself.
//
// A call for up to n answers returns an empty list where there is none, without an error: look at
// its length before its first. LogProb is then −Inf. A call that cannot say nothing, because it
// returns one answer or a distribution, has an error that wraps em.ErrUnderivable. It is so in
// packages channel, edit and pairgram, too; of a machine, fst.BestText says graph.ErrNoPath.
package nbest
