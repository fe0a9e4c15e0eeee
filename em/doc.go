// Package em estimates parameters of models with hidden variables by expectation maximization (EM)
// and by gradients.
//
// A model is a vector θ of parameters in groups, and a [Likelihood]. An E step computes the
// expected number of uses of each parameter, given the data and the current θ. An M step estimates
// a new θ from these counts, each group by its [Law], such as relative frequencies. The counts are
// also derivatives, so methods that follow a gradient need only them, too. Here one of two coins
// was tossed ten times in each round, but it is unknown which one.
//
//	params := em.NewParams()
//	coins := []*em.Group{
//		params.Group("first", 2, em.Multinomial{}),
//		params.Group("second", 2, em.Multinomial{}),
//	}
//	likelihood := em.Sharded[em.Query, struct{}]{
//		…
//		Sum: func(_ *struct{}, q em.Query, round int, weight float64, t *em.Tally) (float64, error) {
//			… // p[c]: the round and coin c; sum: the round; n: tosses with this side up
//			coin.In(t.Counts)[side] += weight * n * p[c] / sum
//			return math.Log(sum), nil
//		},
//	}.Likelihood()
//	result, err := em.Fit(ctx, likelihood, nil)
//
// Which function:
//
//   - parameters: [Params.Group], [Params.Distribution]; as weights: [Group.Weight]; by name:
//     [Params.Lookup], [Params.Named]; of a regular expression of package fst/rx: [Alternatives],
//     [LogLinearAlternatives]
//   - a custom likelihood: [Sharded]; of machines and their data: package em/cascade
//   - data of several kinds: [Sum]; one likelihood minus another: [Difference]; a loss: [Risk]
//   - train: [Fit], [FitFrom]; evaluate at one θ: [LogLikelihood]; a custom method: [Method]
//   - is a start symmetric: [CheckStart], and Remarks of a [Result]
//   - the bound that EM minimizes, at any θ and any posterior: [FreeEnergy]
//   - the precision of the estimates: [FisherInformation]
//   - models that agree: package em/agree; a cluster: em/beam
//
// # Laws
//
// The law of a group defines which parameters are estimated together, and how. Coordinates are
// numbers without constraints that determine the parameters; gradients change these:
//
//	law          parameters                    M step                     coordinates
//	Multinomial  probabilities that sum to 1   relative frequencies       ln θᵢ/θ_last
//	Dirichlet    the same, with a prior        posterior mode             ln θᵢ/θ_last
//	Variational  the same, integrated out      pseudo-counts              ln θᵢ
//	LogLinear    strengths of features, and    L-BFGS to the optimum or   ln of strengths
//	             probabilities made of them    for some steps, scaling
//	Exponents    exponents of weights          none, by gradient          themselves
//	Gaussian     a mean and a covariance       moments, posterior mode    mean, Cholesky factor
//	TiedGaussian means, and one covariance     the same                   the same
//	Poisson      a mean                        mean, posterior mode       ln λ
//	Fixed        anything                      none                       none
//
// An M step maximizes Σ counts·ln value + log prior, or at least raises it. A custom law
// implements [Law], and for a gradient also [Coordinated] and, with a prior, [Prior]; for second
// derivatives [Curved]. It may embed one of these laws for its coordinates and call [Maximize] as
// its M step. [Coordinates] converts the parameters of all groups.
//
// # Objectives
//
// Each is a [Likelihood], with exact derivatives with respect to the values of the parameters.
// “Without blocks” excludes the methods that update θ after a part of the data:
//
//	Sharded     Σ weight·ln P of a custom model         all methods
//	Sum         Σ weight·likelihood, other data         what all its parts allow
//	Difference  one likelihood less another             without blocks, or a gradient
//	Risk        −Σ expected loss                        by gradient
//
// Packages em/cascade, em/agree and the packages below models have more. They compose: each may be
// a part of a Sum, of a Difference or of an agreement. All but Risk have products of the Hessian
// and a vector ([Query].Tangent), if their parts have them. A Sum that contains a Difference is
// trained by EM, Squarem, Anneal, LBFGS or SGD. A Sum that contains a Risk is trained by LBFGS or
// SGD.
//
// # Methods
//
// [Fit] is one loop. Options.Method selects the optimizer. Options.EStep selects all paths, the
// best path or random paths for the expectations. Options.Temperature sharpens or flattens
// posteriors; Anneal raises its inverse, β:
//
//	EM           M step after each pass      the default
//	Squarem      EM, extrapolated            much is hidden and EM is slow
//	Incremental  M step after each block     many data, and memory for counts per block
//	Stepwise     running counts              more data than a few passes can see
//	Anneal       EM as β rises               many optima
//	LBFGS        gradient                    no M step in closed form; differences
//	SGD          gradient of each block      the same with many data
//
// EM, Squarem, Incremental, LBFGS and, at each β, Anneal never lower their objective. Fit returns
// [ErrDecreased] if one does. Stepwise and SGD may lower it, but never return a θ below their
// start. Anneal may, as a low β forgets a good start. LBFGS and SGD refuse a law under which the
// objective has no bound ([Bounded]); EM goes to the border or returns an error. Every method
// returns the same bits for any number of workers, and after any number of stops and resumptions
// from a checkpoint. (Only cascade.Pruning, which sums over parts of lattices, chooses its parts
// again when it resumes.)
//
// # Accuracy and cost
//
// Log likelihoods are in nats. EM holds two vectors of the length of θ; other methods document
// their memory. An M step takes very little time compared to an E step. Shards are independent:
// two workers take half the time of one. PERFORMANCE.md has measurements.
//
// Passing a nil context, law or table of parameters, also one inside an interface, is a
// programming error: functions panic with the name of the argument.
//
// Sources: Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for the free energy. The
// documentation of each method cites its sources.
package em
