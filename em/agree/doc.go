// Package agree trains several models to agree on what is hidden.
//
// M submodels p_m(x, z; θ_m) explain the same data x by the same hidden structures z, and each
// looks at another side of them: two hidden Markov models of one chain, or the two directions of
// a word alignment. Product EM maximizes the probability that all of them, independently,
// generate the same x and the same z: Σ_x ln Σ_z Π_m p_m(x, z). It is ordinary EM on other
// lattices, so that [em.Fit] trains it like any likelihood.
//
//	product, err := agree.Exact(data, problems...) // em.Problems, each with its own data
//	...
//	result, err := em.Fit(ctx, product, nil)
//
// Which function:
//
//   - the product of the models has a small lattice: [Exact]; the best z of it: [Marginal]
//   - it has none, and the models allow the same structures: [ParameterApproximate]
//   - they allow different ones, whose common ones cannot be summed: [DomainApproximate]
//   - they know different parts of a structure: [LoopyBelief], exact on trees, else a heuristic
//   - with the average of their statistics, or the product of posteriors: [Averaged],
//     [ProductOfPosteriors]; these heuristics may lower their objective
//   - each model by itself, to begin with: [Independent]; one of them: [Likelihood]
//   - a submodel of a cascade, graphs or forests: [Marked]; of a hidden Markov model:
//     hmm.Model.Submodel; others: the interface [Submodel]
//
// # Two hidden Markov models, a recipe
//
// Two models see one chain of states by different observations. Make both over one em.Params,
// with as many states, and take hmm.Model.Submodel of each, with sequences of the same lengths:
//
//	product, err := agree.Averaged(em.Fail, one, other)
//	...
//	result, err := em.Fit(ctx, product, &em.Options{Start: start})
//
// Then each model's Theta is result.Theta. (See models/hmm/example_agree_test.go. For Exact,
// write them as transducers from observations to states, as example_test.go of this package
// does.)
//
//   - Start where states last, with .9 on the diagonals of the transitions for instance, and
//     with random emissions. Models that were trained one by one may number the states
//     differently, and then have nothing to agree on.
//   - Averaged takes the M-th power of each model's own weights. Transitions, which a model
//     counts by its own posterior, go to 0 and 1 if that lasts: make some iterations of it, and
//     go on from there with Independent.
//   - LoopyBelief takes submodels that are made by Marked, and not those of package hmm.
//
// In general, agreement is easiest on what is certain: Σ_z Π_m p_m is largest where one z has
// all the probability. From a random start product EM may make the hidden structure trivial.
// Start from submodels that know something of it, and mean the same by the same z.
//
// # Objectives
//
// Let b_m be the log potentials of submodel m and b their sum. Let Z_m be the structures that
// submodel m allows, Z∩ and Z∪ their intersection and union. A_Z(b) is the log of the sum over Z
// of exp(bᵀφ(z)), a path or tree sum.
//
//	                      objective                rises   sums needed          takes
//	Independent           Σ_m A_{Z_m}(b_m)         yes     each model           likelihoods
//	Exact                 A_{Z∩}(b)                yes     the product of all   cascades
//	DomainApproximate     (1/M) Σ_m A_{Z_m}(b)     yes     the product, in      likelihoods
//	                                                       each domain
//	ParameterApproximate  (1/M) Σ_m A_{Z∩}(M b_m)  yes     each model           likelihoods
//	Averaged              the same, reported       no      each model           submodels
//	ProductOfPosteriors   Σ_m A_{Z_m}(b_m), ditto  no      each model           submodels
//	LoopyBelief           Bethe energy, ≈ exact    no      each model, again    submodels
//	                                                       and again
//
// Give the distribution of z to one submodel only. What two have is squared, tied or not, and one
// z may get all probability. The others are conditional: p_m(x | z), a cascade.Conditional that
// reads z, turned round by fst.Invert.
//
// At the same θ, exact ≤ Independent, exact ≤ ParameterApproximate, and DomainApproximate ≤
// A_{Z∪}(b). Where the product is no cascade's, such as that of two grammars, the exact
// objective is the likelihood of whatever lattice or forest it has.
//
// # Submodels
//
// All submodels have one em.Params. Groups of their own make them separate, common groups tie
// them, and each group's law is its prior. As machines, let z be the string that a cascade
// writes, and let each part of x be what a branch makes of it (cascade.Problem.Branches):
//
//	                        Stages                       Branches
//	submodel m alone        what it has for itself       its channel from z to x
//	exact                   what each has for itself     all channels
//	term of a domain        what m has for itself        all channels
//	term of a parameter     what m has for itself, and   its channel
//	                        what others allow, weight 1
//
// What m has for itself are acceptors of z: the structures that it allows and its private
// potentials. Exact composes its line of the table. The product of two cascades that read x₁ and
// x₂ and write z is x₁ ∘ p₁ ∘ p₂⁻¹ ∘ x₂ (example_test.go).
//
// Submodels normalized as a whole, exp(θᵀφ − A(θ)), have normalizers that do not agree on
// anything: em.Difference{Plus: a combination, Minus: Independent(normalizers...)}. If such
// submodels share parameters, and their parts of the data overlap, this is a composite
// likelihood: pseudo-likelihood or piecewise training (example_composite_test.go).
//
// # Why there is no mean field
//
// Mean field approximates the E step of product EM by a q that is a product over the choices of a
// structure, q(z) = Π_c q_c(z_c). It maximizes the lower bound Σ_m E_q[ln p_m(x, z)] + H(q) of the
// exact objective, one q_c after the other, and that bound rises. The features of submodels leave
// no case in which that is of use:
//
//   - In general the bound is not a function of what a submodel says. The smallest case has two
//     choices of two values. Of (¼, ¼, ¼, ¼) and (⅖, ⅒, ⅒, ⅖) for z = 00, 01, 10, 11 the path
//     sums and the posteriors of all features are equal. At the uniform q the means of ln p are
//     −1.39 and −1.61. Their enumeration takes time exponential in the number of choices.
//   - If ln p_m is linear in the features and any value of a choice goes with any other, the exact
//     q is a product, and LoopyBelief finds it, with the exact objective.
//   - If ln p_m is linear but only some combinations are allowed, all that q does not exclude must
//     be allowed, or the bound is −∞. The smallest case is two choices that must be equal. Then q
//     has a single structure, and no q_c can change alone: of weights .9 and .1 for 00 and 11,
//     mean field from 11 remains at ln .1, and product EM has ln 1. DomainApproximate takes the
//     exact sums over what each submodel allows in place of that.
//
// Sources: Liang, Klein and Jordan 2007, "Agreement-based learning"; Liang, Taskar and Klein
// 2006, "Alignment by agreement".
package agree
