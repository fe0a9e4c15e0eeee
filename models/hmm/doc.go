// Package hmm is about hidden Markov models: a chain of hidden states that emit observations.
//
// A sequence of T observations is a trellis of T layers with a node for every state. Its path
// sum is the sequence's probability, its posteriors are the expected counts that training needs,
// and its best path is the most probable sequence of states. Training is em.Fit.
//
//	params := em.NewParams()
//	cones, err := hmm.NewDiscrete(params, "cones", 3, hmm.Each(2), em.Multinomial{})
//	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, cones)
//	...
//	err := m.StartRandom(data, rand.NewPCG(1, 2))
//	random := &em.Options{Restarts: 20, Rand: rand.NewPCG(3, 4)}
//	result, err := m.Fit(ctx, data, random)
//	predictor, err := m.Predictor()
//	states, logp, err := predictor.Best(data[0])
//
// Which function:
//
//   - what states emit, symbols, vectors or numbers: [NewDiscrete], [NewGaussian], [NewPoisson];
//     one of several components: [NewMixture]; two things at a time: [NewSideBySide]; covariances
//     that are shared: [NewTiedGaussian]; something else: [Emission]
//   - which states may follow which, begin, end, share a row: [Topology]
//   - stays in a state whose length has a law of its own: [Durations]; the law of a state:
//     [Model.Duration], [Model.SetDuration]; the states of sub-states: [States]
//   - a start that tells states apart: [Model.StartRandom], [StartKMeans]
//   - the mean and the covariance of a state: [Gaussian.Density], [Poisson.Mean]; the
//     probability of a transition: [Model.Transition]
//   - ln P(observations): [Predictor.LogProb]; the most probable states: [Predictor.Best]
//   - each state's probability: [Predictor.Posteriors]; from the past alone: [Predictor.Filter]
//   - which learnt state is which true one: [Match]
//   - random sequences: [Predictor.Sample]; the share of time in a state: [Model.Stationary]
//   - another method, or other data at once: [Model.Likelihood], with em.Fit
//   - models of one chain that see different things: [Model.Submodel], with package em/agree
//   - files: [Model.Save], [Load] with the [Kind] of the emission
//
// States and observations may each be known or missing at every position ([Sequence]), and so may
// components of vectors, so that supervised, unsupervised and semi-supervised training are one
// thing.
//
// # Formula
//
// P(observations, states) = λ(i₁)·b(o₁|i₁) · Π a(iₜ₋₁, iₜ)·b(oₜ|iₜ) · ρ(i_T), with initial
// probabilities λ, transitions a, emissions b, and probabilities ρ of ending, for a model that
// ends by itself.
//
// Source: Rabiner 1989; Baum, Petrie, Soules and Weiss 1970.
package hmm
