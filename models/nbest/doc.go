// Package nbest works with lists of candidates: the targets that a model of string pairs
// finds for a source, the most probable first.
//
// The idea: models that share nothing but their symbols can be combined and asked through
// their lists. LogProb is ln p(x, y), or ln p(y | x) in a model that has only that, in nats.
//
//	both, err := nbest.NewProduct(nbest.Factor{a, .5}, nbest.Factor{b, .5})
//	list, err := both.Best(ctx, x, 10)
//	risks, err := nbest.MinimumRisk(list, nbest.EditDistance)
//
// # Which function
//
//	the list of a lattice, to make a Predictor            Best
//	one model of several, plausible to each               NewProduct, Product.Fit
//	one model of several, one of which is right           NewMixture
//	the answer of the least expected loss from a list     MinimumRisk, EditDistance
//	the probabilities of the symbols in each place        Posteriors
//	the string of the least expected Hamming loss         Decode
package nbest
