// Package hmm implements hidden Markov models: a chain of hidden states that emit observations.
//
// A sequence of T observations is a trellis of T layers with a node for every state. The path sum
// of the trellis is the probability of the sequence, its posteriors are the expected counts for
// training, and its best path is the most probable sequence of states. Training is em.Fit.
//
//	// Each day 1 to 3 cones of ice cream were eaten (0 to 2 in data); the weather is hidden.
//	params := em.NewParams()
//	cones, err := hmm.NewDiscrete(params, "cones", 3, hmm.Each(2), em.Multinomial{})
//	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, cones)
//	...
//	err := m.StartRandom(data, rand.NewPCG(1, 2)) // EM cannot separate equal states
//	random := &em.Options{Restarts: 20, Rand: rand.NewPCG(3, 4)} // EM has local optima
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
//   - explicit distributions of durations: [Durations]; the duration of a state: [Model.Duration],
//     [Model.SetDuration]; from the sub-states of a duration to states: [Model.States]
//   - a start in which states differ: [Model.StartRandom], [StartKMeans]
//   - the mean and the covariance of a state: [Gaussian.Density], [Poisson.Mean]; the
//     probability of a transition: [Model.Transition]
//   - ln P(observations): [Predictor.LogProb]; the most probable states: [Predictor.Best]; the
//     probability of each state: [Predictor.Posteriors], given the past alone: [Predictor.Filter]
//   - random sequences: [Predictor.Sample]; fraction of time in a state: [Model.Stationary];
//     matching of learnt with true states: [Match]
//   - em.Fit by another method, or with other data at the same time: [Model.Likelihood]; models of
//     one chain with different observations, by package em/agree: [Model.Submodel]
//   - files: [Model.Save], [Load] with the [Kind] of the emission
//
// # Known and missing values
//
// At every position, states, observations and components of vectors may be known or missing
// ([Sequence]). So supervised, unsupervised and semi-supervised training are the same operation.
//
// # Formula
//
// P(observations, states) = λ(i₁)·b(o₁|i₁) · Π a(iₜ₋₁, iₜ)·b(oₜ|iₜ) · ρ(i_T), where oₜ is the
// observation and iₜ the state at position t = 1 … T. λ are initial probabilities, a transitions
// and b emissions. ρ are probabilities of ending, in a model that ends by itself.
//
// Source: Rabiner 1989; Baum, Petrie, Soules and Weiss 1970.
package hmm
