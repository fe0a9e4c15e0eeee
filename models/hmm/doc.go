// Package hmm is about hidden Markov models: a chain of hidden states that emit
// observations.
//
// The idea: a sequence of T observations is a trellis.Trellis of T layers with a node for every
// state. Its path sum is the sequence's probability, its posteriors are the expected counts
// that training needs, and its best path is the most probable sequence of states. Training
// is em.Fit.
//
//	p := em.NewParams()
//	faces, err := hmm.NewDiscrete(p, "face", 6, hmm.Each(2), em.Multinomial{})
//	m, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, faces)
//	err = m.StartRandom(data, rand.NewPCG(1, 2))
//	result, err := m.Fit(ctx, data, nil)
//	predictor, err := m.Predictor()
//	states, logp, err := predictor.Best(data[0])
//
// # Which function
//
//	which states may follow which, begin, end, share a row   Topology
//	what states emit: symbols, vectors, something else       NewDiscrete, NewGaussian, Emission
//	a start that tells states apart                          StartRandom, StartKMeans
//	ln P(observations)                                       Predictor.LogProb
//	the most probable states                                 Predictor.Best
//	the probability of each state, from all or from the past Predictor.Posteriors, Filter
//	random sequences                                         Predictor.Sample
//	the share of time in each state                          Model.Stationary
//	training by another method or with other data            Model.Likelihood, with em.Fit
//	models of one chain that see different things            Model.Submodel, with em/agree
//	files                                                    Model.Save, LoadDiscrete, LoadGaussian
//
// States and observations may each be known or missing at every position (Sequence), so
// supervised, unsupervised and semi-supervised training are one thing.
//
// # Formula
//
// P(observations, states) = λ(i₁)·b(o₁|i₁) · Π a(iₜ₋₁, iₜ)·b(oₜ|iₜ) · ρ(i_T), with
// initial probabilities λ, transitions a, emissions b, and probabilities ρ of ending, for a
// model that ends by itself.
//
// Source: Rabiner 1989; Baum, Petrie, Soules and Weiss 1970.
package hmm
