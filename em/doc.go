// Package em trains machines whose weights are expressions over parameters.
//
// The idea: a model is a cascade of transducers f_θ = T₁ ∘ … ∘ Tₙ; an example is a
// pair (X, Y) of regular sets of which one string each was drawn. Composing
// X ∘ f_θ ∘ Y leaves a lattice of all derivations of the example. The posterior
// probability of each of its arcs is a path sum, and since an arc's weight says
// by which parameters it was made (see package expr), the posteriors add up to
// the expected number of uses of each parameter: all that an M step needs. It
// does not matter how many machines there are, what was hidden, or which
// operations built them; nothing here knows about states.
//
// # Use
//
// Make a Params; build machines whose weights are groups of its parameters, by
// hand (Group.Weight), from a plain machine (Joint, Conditional) or from a regular
// expression (package fst/rx); put them in a Problem; describe the Data as Examples,
// or as a stream of them; call Fit with the Problem's Likelihood. Instantiate turns a
// machine and the result's Theta into an ordinary machine over any ring of
// probabilities; Model.Save keeps machines and parameters for later.
//
// Fit knows nothing of machines: whatever offers expected counts as a Likelihood is
// trained by the same loop, trellises (package models/hmm) and forests included. Models
// that write down their lattices without composing any hand them to NewGraphs. Models
// that derive their data by trees, grammars for instance, hand the forests of all
// derivations to NewForests. Examples that differ only in what the edges weigh, as
// sentences of one length do, share a forest whose weights are arguments.
//
// # Laws
//
// Which parameters are estimated together, and how, is a group's law:
//
//	law          parameters                    M step                     coordinates
//	Multinomial  probabilities that sum to 1   relative frequencies       ln θᵢ/θ_last
//	Dirichlet    the same, with a prior        posterior mode             ln θᵢ/θ_last
//	Variational  the same, integrated out      pseudo-counts              ln θᵢ
//	LogLinear    strengths of features, and    L-BFGS to the optimum or   ln of strengths
//	             probabilities made of them    for some steps, scaling
//	Gaussian     a mean and a covariance       moments, posterior mode    mean, Cholesky factor
//	Fixed        anything                      none                       none
//
// An M step maximizes Σ counts·ln value + log prior, or at least raises it. Methods
// that follow a gradient use coordinates without constraints instead, the Coordinates of
// a Params, which has first and (but for Variational) second derivatives. A law of
// one's own needs the methods of Law, and those of Coordinated for a
// gradient.
//
// What is normalized is a matter of groups for Multinomial and its like: Joint and
// Conditional normalize at each state, JointLogLinear and ConditionalLogLinear do so
// with features, and GlobalLogLinear not at all. Whole machines are normalized
//
//	over all pairs    Normalize              or Problem.NormalizedLikelihood, for a cascade
//	for each input    NormalizeConditional   or Problem.ConditionalLikelihood, if it is observed
//
// The machines that Normalize and NormalizeConditional return are stages of a cascade
// like any other, with the normalizers as expressions in their weights.
// MarkovianJoint and MarkovianConditional say whether a machine is normalized at each
// state, and where mass gets lost.
//
// # Objectives
//
// Each is a Likelihood, with exact derivatives by the values of the parameters:
//
//	Problem.Likelihood             Σ ln ⟦f⟧(X, Y)                   all methods
//	Forests                        Σ ln tree sum                    all methods
//	Problem.ConditionalLikelihood  Σ ln ⟦f⟧(X, Y) − ln ⟦f⟧(X, all)  without blocks, or a gradient
//	Problem.NormalizedLikelihood   Σ ln ⟦f⟧(X, Y) − ln Z            without blocks, or a gradient
//	Difference                     one likelihood less another      without blocks, or a gradient
//	Risk                           −Σ expected loss                 by gradient
//
// Package agree makes one of the likelihoods of several models that are to agree.
//
// Priors come with the parameters' laws. Hessian-vector products (Query.Tangent) of
// all but Risk give the observed information: FisherInformation says how well the data
// determine the parameters, or which they do not.
//
// # Notation
//
// θ are the parameters, ⟦f⟧(x,y) the sum over the paths of f that read x and write
// y of the product of their weights, and P(example) = Σ ⟦f_θ⟧(x,y) over x in X and
// y in Y. All probabilities are held as semiring.ScaledFloat, so no length of a
// string and no size of a lattice makes them underflow; log likelihoods are in
// nats and are accurate to about 1e-15 times the length of the longest path,
// relative to each example's own.
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
// EM, Squarem, Incremental, LBFGS and, at each β, Anneal never lower their
// objective, and Fit ends with ErrDecreased if one does. Stepwise and SGD may. Every
// method has the same bits for any number of workers, and after any number of stops
// and resumptions from Options.Checkpoint.
//
// # Cost
//
// An E step takes time in proportion to the arcs of the lattices, and an M step next
// to none. Pairs of strings of 9 letters under a one-state channel, 280 arcs each:
// processor time of an E step with lattices kept from the one before and with all
// built anew, and the size of the process (BenchmarkScaling):
//
//	examples        kept              rebuilt
//	  1 000      2.6 ms    15 MB     15 ms   15 MB
//	 10 000       20 ms    39 MB    143 ms   17 MB
//	100 000      185 ms   284 MB    1.6 s    40 MB
//	1 000 000    2.1 s   2715 MB     17 s   207 MB
//
// Shards are independent, so that two workers together take about the processor time
// of one.
//
// Ten iterations on ciphertext, 26 million arcs in each, one worker, by the memory that
// lattices may take (Data.CacheBytes; BenchmarkBudget):
//
//	budget    1 GiB    128 MiB   64 MiB   16 MiB   none
//	time      1.5 s    2.6 s     2.8 s    4.0 s    4.7 s
//	process   228 MB   149 MB    87 MB    37 MB    23 MB
//
// # Sources
//
// Eisner 2002, "Parameter estimation for probabilistic finite-state transducers";
// Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for the free energy. Those of
// the methods are named at each.
//
// A nil context, law, ring, machine or table of parameters, also one inside an interface, is
// a mistake of the program that calls: functions that are given it panic with its name.
package em
