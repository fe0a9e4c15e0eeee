// Package moments estimates models from indirect supervision: instead of the hidden y of an
// example (x, y) somebody saw an observation o that depends on it.
//
// The idea: let a model be p_θ(y | x) = exp(φ(x, y)·θ − A(θ; x)). Its maximum likelihood
// estimate needs only the mean of the statistics φ(x, y) from the data. If an observation
// function β(x, o) has the statistics as its expectation,
//
//	E[β(x, o) | x, y] = φ(x, y),
//
// then the mean of β(x, o) takes their place. Both steps are free of local optima: solve a
// linear system for the statistics, then maximize the concave
//
//	Σ β(x, o)·θ − Σ A(θ; x) − ridge/2·|θ|².
//
//	beta, err := channel.Invert(family)
//	total, n, err := moments.Table[int](beta).Total(dim, slices.All(observations))
//	result, err := moments.Fit(ctx, family.LogPartition(float64(n)), total, nil)
//
// # Which function for which question
//
//	a model of few y, written down                     Family
//	the distribution of a discrete o for each y        Channel, RandomizedResponse, Deterministic
//	β, or the statistic that cannot be recovered       Channel.Invert
//	the distribution of y from observations            Channel.Project, ProjectKL
//	β of sequences whose labels were seen one by one   Channel.Inverse, Product
//	the sum of β over data                             Observation, Table, Total
//	θ for given statistics                             Fit
//	the same for multinomial laws, such as an HMM's    Estimate
//	maximum likelihood instead, which is not concave   Family.MarginalLikelihood and em.Fit
//	is a mean of statistics possible at all?           Family.Margin
//	what the moments lose against maximum likelihood   Family.MarginalCovariance,
//	                                                   MomentCovariance, Efficiency
//
// Fit takes Σ A(θ; x) as an em.Likelihood: its log likelihood is the ln of the sum over all
// y, and its counts are the expected statistics. Family.LogPartition is one,
// em.Problem.Likelihood of examples with unknown y another, and so are models of other
// packages. ExampleProduct is a model of one's own, a chain with a weight for each pair of
// neighbours; ExampleEstimate a hidden Markov model of the same answers.
//
// # Outside the polytope
//
// Estimated statistics may belong to no distribution. Without a ridge the maximum then is
// at infinity, which is ErrOutside. The remedies, in this order: estimate a distribution
// first (Channel.Project), pull the estimate towards the statistics at θ = 0
// (Options.Shrink, about 1/√n), keep the ridge. The default ridge of 1 is 1/n for the mean
// over n examples.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect
// supervision with linear moments".
package moments
