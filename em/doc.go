// Package em trains machines whose weights are expressions over parameters.
//
// An example composed with a cascade of transducers is a lattice of all its derivations. The
// posterior of an arc is a path sum, and the arc's weight says which parameters made it. So
// posteriors add up to how often each parameter is expected to be used, and that is all an M
// step needs: whatever is hidden, and whichever operations built the machines.
//
//	params := em.NewParams()
//	channel, err := em.Conditional(params, "channel", plain, em.Multinomial{})
//	...
//	model := em.NewModel(em.Problem{Params: params, Cascade: []em.Stage{channel}})
//	data := em.Pairs([][2]string{{"aba", "aba"}, {"bba", "ba"}, {"aaa", "aaa"}, {"ba", "a"}})
//	result, err := model.Fit(ctx, data, nil)
//	...
//	trained, err := em.Instantiate(params, channel, result.Theta, semiring.Real{})
//
// Which function:
//
//   - parameters at each state of a machine: [Joint], [Conditional], with features
//     [JointLogLinear], [ConditionalLogLinear]; by hand [Params.Group], [Group.Weight]
//   - a machine normalized as a whole: [GlobalLogLinear], [Normalize], [NormalizeConditional]
//   - a regular expression: [Alternatives], [LogLinearAlternatives], for package fst/rx
//   - what was observed: [Text], [Labels], [Set], [Pattern]; data of texts: [Pairs], [Inputs],
//     [Outputs], the other way round [Data.Inverse]; more than fits in memory: [Lines], [Sequence]
//   - train: [Model.Fit]; any likelihood: [Fit]; use it: [Instantiate], [Model.Save], [Load]
//   - a hidden string: [Problem.Marginal], [Between]; how sure are the parameters:
//     [FisherInformation]
//   - graphs and forests in place of machines: [Derivations]; any other model: [Sharded]
//   - data of several kinds: [Sum]; models that agree: package em/agree; a cluster: em/beam
//   - is it a distribution: [Problem.Totals]; is another text likely: [LogLikelihood]
//   - what a single example uses: [Problem.Corpus]; the topology: package em/merge
//
// # Laws
//
// The law of a group says which parameters are estimated together, and how:
//
//	law          parameters                    M step                     coordinates
//	Multinomial  probabilities that sum to 1   relative frequencies       ln θᵢ/θ_last
//	Dirichlet    the same, with a prior        posterior mode             ln θᵢ/θ_last
//	Variational  the same, integrated out      pseudo-counts              ln θᵢ
//	LogLinear    strengths of features, and    L-BFGS to the optimum or   ln of strengths
//	             probabilities made of them    for some steps, scaling
//	Exponents    exponents of weights          none, by gradient          themselves
//	Gaussian     a mean and a covariance       moments, posterior mode    mean, Cholesky factor
//	Fixed        anything                      none                       none
//
// An M step maximizes Σ counts·ln value + log prior, or at least raises it. Methods that follow
// a gradient use coordinates without constraints ([Coordinates]). They have first and (but for
// Variational) second derivatives. A law of one's own is a [Law], and for a gradient also
// [Coordinated].
//
// # Objectives
//
// Each is a [Likelihood], with exact derivatives by the values of the parameters. θ are the
// parameters, ⟦f⟧(x,y) is the sum over the paths of f that read x and write y, and ⟦f⟧(X, Y) the
// sum of these over x in X and y in Y.
//
//	Problem.Likelihood             Σ ln ⟦f⟧(X, Y)                   all methods
//	Derivations.Likelihood         Σ ln of sums over derivations    all methods
//	Problem.ConditionalLikelihood  Σ ln ⟦f⟧(X, Y) − ln ⟦f⟧(X, all)  without blocks, or a gradient
//	Problem.NormalizedLikelihood   Σ ln ⟦f⟧(X, Y) − ln Z            without blocks, or a gradient
//	Difference                     one likelihood less another      without blocks, or a gradient
//	Sum                            Σ weight·likelihood, other data  what all its parts allow
//	agree.Independent, …           several models of the same data  see package em/agree
//	Risk                           −Σ expected loss                 by gradient
//
// They compose: each may be a part of a Sum, of a Difference or of an agreement. All but Risk
// have products of the Hessian and a vector ([Query].Tangent). A Sum with a Difference in it is
// trained by EM, Squarem, Anneal, LBFGS or SGD. One with a Risk is trained by LBFGS or SGD.
//
// # Methods
//
// [Fit] is one loop. Options.Method says how it climbs, Options.EStep over which paths and
// Options.Temperature how sharply expectations are taken:
//
//	EM           M step after each pass      the default
//	Squarem      EM, extrapolated            much is hidden and EM is slow
//	Incremental  M step after each block     many data, and memory for counts per block
//	Stepwise     running counts              more data than a few passes can see
//	Anneal       EM as β rises               many optima
//	LBFGS        gradient                    no M step in closed form; differences
//	SGD          gradient of each block      the same with many data
//
// EM, Squarem, Incremental, LBFGS and, at each β, Anneal never lower their objective, and Fit
// ends with [ErrDecreased] if one does. Stepwise and SGD may, but return nothing below their
// start; Anneal may, as a low β forgets a good start. LBFGS and SGD refuse a law under which the
// objective has no bound ([Bounded]); EM goes to the border or returns an error. Every method has
// the same bits for
// any number of workers, and after any number of stops and resumptions from a checkpoint. (Only
// [Within], which sums over parts of lattices, chooses its parts anew when it resumes.)
//
// # Accuracy and cost
//
// Probabilities are held as semiring.ScaledFloat, so that no length of a string and no size of a
// lattice makes them underflow. Log likelihoods are in nats. Their error, relative to each
// example's own, is about 1e-15 times the length of the longest path.
//
// An E step takes time in proportion to the arcs of the lattices, or to the cells of the blocks
// that stand for them ([Way]), and an M step next to none. EM holds two vectors of the length of
// θ, other methods what they say. Shards are independent: two workers take half the time of one.
// PERFORMANCE.md has measurements.
//
// A nil context, law, ring, machine or table of parameters, also one inside an interface, is a
// mistake of the calling program: functions panic with its name.
//
// Sources: Eisner 2002, "Parameter estimation for probabilistic finite-state transducers";
// Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for the free energy. Each method names
// its own.
package em
