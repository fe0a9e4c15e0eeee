// Package moments estimates models from indirect supervision: instead of the hidden y of an example
// (x, y), only an observation o that depends on y is available.
//
// The maximum likelihood estimate of a model p_θ(y | x) = exp(φ(x, y)·θ − A(θ; x)) depends only on
// the mean of the statistics φ(x, y). If the expectation of an observation function β equals these
// statistics, E[β(x, o) | x, y] = φ(x, y), the mean of β(x, o) can replace their mean. Neither step
// has local optima: solve a linear system for β, then maximize a concave function of θ.
//
//	family, err := moments.NewFamily(phi, []string{"yes", "no"})
//	survey, err := moments.RandomizedResponse(.5, []float64{1. / 3, 1. / 3, 1. / 3})
//	beta, err := survey.Invert(family)
//	...
//	mean := moments.Table[int](beta)
//	total, n, err := mean.Total(2, slices.All(answers))
//	result, err := moments.Fit(ctx, family.LogPartition(float64(n)), total, &moments.Options{Ridge: -1})
//
// Which function:
//
//   - a model with few values of y, given by a table: [NewFamily]
//   - the distribution of o given y: [NewChannel], [RandomizedResponse], [Deterministic]
//   - β, or the statistic that cannot be recovered: [Channel.Invert]
//   - the distribution of y from observations: [Channel.Shares], with standard errors;
//     [Channel.Project], [Channel.ProjectKL]
//   - β of sequences whose labels were observed one by one: [Channel.Inverse], [Product]
//   - the sum of β over data: [Table], [Observation.Total]
//   - θ for given statistics: [Fit]; of multinomial laws, such as an HMM's: [Estimate]
//   - maximum likelihood, which is not concave: [Family.MarginalLikelihood] and em.Fit
//   - standard errors of θ and of probabilities: [Family.StandardErrors], by
//     [Family.MomentCovariance]; of a model given x: [ConditionalCovariance]
//   - the efficiency of the moments relative to maximum likelihood: [Family.MarginalCovariance],
//     [Efficiency]
//   - answers randomized by package privacy: its Estimate.Total, and [RandomizedResponse]
//
// # Models
//
// [Fit] maximizes Σ β(x, o)·θ − Σ A(θ; x) − ridge/2·|θ|². It takes Σ A(θ; x) as an em.Likelihood:
// its log likelihood is the ln of the sum over all y, and its counts are the expected statistics.
// Such likelihoods are Family.LogPartition, cascade.Problem.Likelihood of examples with unknown y,
// and the log-partition function of package models/crf. The file example_sequence_test.go contains
// a custom model, a chain with a weight for each pair of neighbours ([Product]), and a hidden
// Markov model of the same answers ([Estimate]).
//
// # Outside the polytope
//
// Estimated statistics may not be the mean under any distribution; [Family.Margin] checks this.
// Without a ridge the maximum is then at infinity, and Fit returns [ErrOutside]. The remedies, in
// this order: estimate a distribution first ([Channel.Project]); shrink the estimate towards the
// statistics at θ = 0 (Options.Shrink, about 1/√n); keep the ridge. The default ridge of 1 is 1/n
// for the mean over n examples.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect supervision with
// linear moments".
package moments
