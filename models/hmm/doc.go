// Package hmm implements hidden Markov models: a chain of hidden states that emit observations.
//
// A sequence of T observations is a trellis of T layers with a node for every state. The path sum
// of the trellis is the probability of the sequence, its posteriors are the expected counts for
// training, and its best path is the most probable sequence of states. Training is em.Fit.
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
//   - emission of symbols, vectors or numbers: [NewDiscrete], [NewGaussian], [NewPoisson]; of
//     mixtures: [NewMixture]; of pairs: [NewProduct]; with shared covariances:
//     [NewTiedGaussian]; your own: [Emission]
//   - possible transitions, first and last states, shared rows: [Topology]
//   - explicit laws of the length of stays: [Durations]; the law of a state: [Model.Duration],
//     [Model.SetDuration]; the states of sub-states: [Model.States]
//   - a start in which states differ: [Model.StartRandom], [StartKMeans]
//   - the mean and the covariance of a state: [Gaussian.Density], [Poisson.Mean]; the
//     probability of a transition: [Model.Transition]
//   - ln P(observations): [Predictor.LogProb]; the most probable states: [Predictor.Best]
//   - probability of each state: [Predictor.Posteriors]; given only the past: [Predictor.Filter]
//   - matching of learnt with true states: [Match]
//   - random sequences: [Predictor.Sample]; fraction of time in a state: [Model.Stationary]
//   - another method, or training with other data at the same time: [Model.Likelihood], with
//     em.Fit
//   - models of one chain with different observations: [Model.Submodel], with package em/agree
//   - files: [Model.Save], [Load] with the [Kind] of the emission
//
// At every position, states, observations and components of vectors may be known or missing
// ([Sequence]). So supervised, unsupervised and semi-supervised training are the same operation.
//
// # Formula
//
// P(observations, states) = λ(i₁)·b(o₁|i₁) · Π a(iₜ₋₁, iₜ)·b(oₜ|iₜ) · ρ(i_T), with initial
// probabilities λ, transitions a, emissions b, and probabilities ρ of ending, for a model that
// ends by itself.
//
// Source: Rabiner 1989; Baum, Petrie, Soules and Weiss 1970.
package hmm
