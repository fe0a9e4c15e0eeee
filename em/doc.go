// Package em trains machines whose weights are expressions over parameters.
//
// The idea: composing an example with a cascade of transducers leaves a lattice of all
// its derivations, and the posterior of each arc is a path sum. An arc's weight says
// which parameters made it (package expr), so posteriors add up to the expected number
// of uses of each parameter. That is all an M step needs, whatever is hidden and
// whichever operations built the machines.
//
// # A program
//
//	params := em.NewParams()
//	channel, err := em.Conditional(params, "channel", machine, em.Multinomial{})
//	...
//	problem := em.Problem{Params: params, Cascade: []*fst.FST[expr.W]{channel}}
//	likelihood, err := problem.Likelihood(em.Data{Examples: []em.Example{
//		{X: em.Labels(1, 2, 1), Y: em.Labels(1, 1)},
//	}})
//	...
//	result, err := em.Fit(ctx, likelihood, nil)
//	...
//	trained, err := em.Instantiate(params, channel, result.Theta, ring)
//
// # Which function for which question
//
//	make parameters, by hand             Params.Group, Group.Weight
//	of a machine, at each state          Joint, Conditional, JointLogLinear, ConditionalLogLinear
//	of a machine as a whole              GlobalLogLinear, with Normalize or NormalizeConditional
//	of a regular expression              package fst/rx, with Alternatives or
//	                                     LogLinearAlternatives for its groups
//	to the power of a parameter          Power, with Exponents
//	say what was observed                Labels, Set, Pattern, Data
//	read more data than fit in memory    Data.Stream: Lines, Sequence
//	relate more strings than two         Problem: Branches; Edges, for any tree of them
//	train                                Fit; Model.Fit and FitFrom keep the result
//	use what was trained                 Instantiate, Model.Save, Load
//	what is on a tape that is hidden?    Problem.Marginal
//	how sure are the parameters?         FisherInformation
//	is it normalized at each state?      MarkovianJoint, MarkovianConditional
//	train on graphs or forests           Derivations, as a grammar's parses
//	train any other model                Sharded, or the interface Likelihood
//	on a cluster                         package em/beam, by the interface Divisible
//	what is expected in one example?     Problem.Corpus, Derivations.Corpus
//	let several models agree             package em/agree
//	data of several kinds                Sum
//	sums that are too large              Data.Within: parts of them, and bounds
//	learn the topology                   package em/merge
//
// Fit knows nothing of machines: it trains whatever offers expected counts as a
// Likelihood, package models/hmm with its trellises for instance.
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
// An M step maximizes Σ counts·ln value + log prior, or at least raises it. Methods
// that follow a gradient use coordinates without constraints, the Coordinates of a
// Params. They have first and (but for Variational) second derivatives. A law of one's
// own needs the methods of Law, and of Coordinated for a gradient.
//
// Joint and Conditional normalize each state, or each state and input, by groups.
// JointLogLinear and ConditionalLogLinear do the same with features. GlobalLogLinear
// normalizes nothing. Whole machines are normalized
//
//	over all pairs    Normalize              or Problem.NormalizedLikelihood, for a cascade
//	for each input    NormalizeConditional   or Problem.ConditionalLikelihood, if it is observed
//
// Normalize and NormalizeConditional return stages of a cascade like any other. Their
// normalizers are expressions in the weights.
//
// # Objectives
//
// Each is a Likelihood, with exact derivatives by the values of the parameters:
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
// All but Risk have products of the Hessian and a vector (Query.Tangent). They are closed
// under composition: each may be a part of a Sum, of a Difference or of an agreement. Of a
// Sum of a Likelihood and
//
//	a Likelihood, an agreement    all methods that both allow; M steps in closed form
//	a Difference                  EM, Squarem and Anneal, with its M step; LBFGS, SGD
//	a Risk                        LBFGS, SGD
//	a Heuristic agreement         EM, Anneal and Stepwise; the objective may fall
//
// θ are the parameters. ⟦f⟧(x,y) is the sum over the paths of f that read x and write
// y of the product of their weights. P(example) is Σ ⟦f_θ⟧(x,y) over x in X and y in Y.
// Probabilities are held as semiring.ScaledFloat, so no length of a string and no size
// of a lattice makes them underflow. Log likelihoods are in nats. Their error, relative
// to each example's own, is about 1e-15 times the length of the longest path.
//
// # Methods
//
// Fit is one loop. Options.Method says how it climbs, Options.EStep over which paths
// and Options.Temperature how sharply expectations are taken:
//
//	EM           M step after each pass      the default
//	Squarem      EM, extrapolated            much is hidden and EM is slow
//	Incremental  M step after each block     many data, and memory for counts per block
//	Stepwise     running counts              more data than a few passes can see
//	Anneal       EM as β rises               many optima
//	LBFGS        gradient                    no M step in closed form; differences
//	SGD          gradient of each block      the same with many data
//
// EM, Squarem, Incremental, LBFGS and, at each β, Anneal never lower their objective,
// and Fit ends with ErrDecreased if one does. Stepwise and SGD may. Every method has
// the same bits for any number of workers and, but for Data.Within, after any number of stops
// and resumptions from Options.Checkpoint.
//
// # Sums that are too large
//
// With Data.Within an E step sums over a part of each lattice: the derivations within a beam
// of the best one, or the K best. Exact E steps on parts that stay the same raise a lower bound
// of the log likelihood. Parts are chosen anew every so many iterations, and one that would be
// worse than the one before is not taken, so the bound never falls but where Within says.
// Whenever parts are chosen there is an upper bound as well: Expectations.Gap is the distance,
// Query.Bounds lists both for each example, and Event and Result report it.
//
// # Cost
//
// An E step takes time in proportion to the arcs of the lattices, or to the cells of the
// blocks that stand for them, and an M step next to none. Lattices are kept from one E step
// to the next as far as Data.CacheBytes allows. Blocks take memory for the model, and none
// for the data. Shards are independent: two workers take half the time of one. EM holds two
// vectors of the length of θ, other methods what they say, and a checkpoint none.
// PERFORMANCE.md has measurements.
//
// # With and without lattices
//
// There are two ways to sum over the derivations of an example. A lattice x ∘ f ∘ y is
// composed for it, whatever is known of x and y. But that of strings is made of parts that
// depend on the data through nothing but the labels there, so that the cascade can be
// compiled once for all of them. If one string is known, and nothing of the other, that
// leaves a matrix of expressions for each label: the sums over all that the machines do up
// to the end of the arc that has the label. Then the derivations of an example are the paths
// of a trellis. If both strings are known, it leaves one machine without arcs ε:ε, and the
// derivations are the paths of a grid (package semiring/grid). An E step gives values to
// these cells, sums over a trellis or a grid for each example, and takes the expected uses
// of cells to the parameters once.
//
// The first E step predicts from a sample what time either way takes, and chooses.
// Expectations.Latticeless says how many examples had no lattice, and Data.Way chooses by
// hand. The results are the same but for rounding. Where they would not be, an E step is made
// by lattices: for best paths, if a cell stands for several paths, and if an expression has
// no value at its θ, or no accurate one.
//
// # For implementers
//
// Sharded makes a Likelihood of what a model says of one shard of its data in a Tally, by an
// Accumulator if a shard uses few of the parameters; Reducer adds up shards in their order
// for other purposes. Divisible takes an E step apart, for several processes. SavedLaw and
// RegisterLaw write laws into files. A nil context, law, ring, machine or table of
// parameters, also one inside an interface, is a mistake of the calling program: functions
// panic with its name.
//
// # Sources
//
// Eisner 2002, "Parameter estimation for probabilistic finite-state transducers";
// Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for the free energy. Each method
// names its own.
package em
