// Package moments estimates models from indirect supervision: not the hidden y of an
// example (x, y) is seen, but an observation o that depends on it.
//
// The idea: let a model be p_θ(y | x) = exp(φ(x, y)·θ − A(θ; x)). All that its maximum
// likelihood estimate needs of the data is the mean of the statistics φ(x, y). An
// observation function β(x, o) has the statistics as its expectation,
//
//	E[β(x, o) | x, y] = φ(x, y),
//
// so that the mean of β(x, o) takes their place. There are two steps, none of which has
// a local optimum: solve a linear system for the statistics, then maximize the concave
//
//	Σ β(x, o)·θ − Σ A(θ; x) − ridge/2·|θ|².
//
// # Use
//
// Observation is the type of β, and Total sums it up over data. Fit is the second step.
// It takes Σ A(θ; x) as an em.Likelihood whose log likelihood is the ln of the sum over
// all y, and whose counts are the expected statistics: em.Problem.Likelihood of examples
// whose y is unknown, models of other packages, or Family, a model of few y that are
// written down.
//
// Channel is the distribution of a discrete o for each y. It finds β where there is one
// and names the statistic that cannot be recovered where there is none (Invert). Or it
// finds the distribution of y first: by least squares, with or without the constraint
// that it be one, or by Kullback–Leibler divergence.
//
// # Outside the polytope
//
// Statistics that are estimated need not be those of any distribution: then, without a
// ridge, the maximum is at infinity, which is ErrOutside. The remedies, in this order:
// estimate a distribution first (Channel.Project), pull the estimate towards the
// statistics at θ = 0 (Options.Shrink, about 1/√n), keep the ridge. The default ridge
// of 1 is 1/n for the mean over n examples.
//
// # Accuracy
//
// How much is lost by not maximizing the likelihood of the observations is a matter of
// the asymptotic covariances: Family.MarginalCovariance, MomentCovariance, Efficiency.
//
// Source: Raghunathan, Frostig, Duchi and Liang 2016, "Estimation from indirect
// supervision with linear moments".
package moments
