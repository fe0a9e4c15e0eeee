// Package agree trains several models to agree on their hidden structures.
//
// M submodels p_m(x, z; θ_m) explain the same data x by the same hidden structures z, and each
// models a different aspect of them: two hidden Markov models of one chain, or the two directions
// of a word alignment. Product EM maximizes the probability that all of them, independently,
// generate the same x and the same z: Σ_x ln Σ_z Π_m p_m(x, z). It is ordinary EM on other
// lattices. So [em.Fit] trains it like any likelihood.
//
//	product, err := agree.Exact(data, problems...) // problems[i] has data[i]
//	...
//	result, err := em.Fit(ctx, product, nil)
//
// Which function:
//
//   - the product of the models has a small lattice: [Exact]; its best z: [Marginal]
//   - the product has no small lattice, and the models allow the same structures:
//     [ParameterApproximate]
//   - the models allow different structures, and a sum over the common ones is intractable:
//     [DomainApproximate]
//   - the models cover different parts of a structure: [LoopyBelief], exact on trees, else a
//     heuristic
//   - heuristics that use the average of the statistics, or the product of posteriors, and may
//     lower their objective: [Averaged], [ProductOfPosteriors]
//   - each model by itself, for a start: [Independent]; a single model: [Likelihood]
//   - a submodel made from a cascade, graphs or forests: [Marked]; from a hidden Markov model:
//     hmm.Model.Submodel; from anything else: the interface [Submodel]
//
// # Two hidden Markov models, a recipe
//
// Two models explain different observations by one chain of states. Make both over one em.Params,
// with the same number of states. Take hmm.Model.Submodel of each, with sequences of the same
// lengths:
//
//	product, err := agree.Averaged(em.Fail, one, other)
//	...
//	result, err := em.Fit(ctx, product, &em.Options{Start: start})
//
// Then each model's Theta is result.Theta. (See models/hmm/example_agree_test.go. For Exact,
// write the models as transducers from observations to states, as in example_test.go of this
// package.)
//
//   - Start from persistent states, with .9 on the diagonals of the transitions for instance, and
//     with random emissions. Models that were trained separately may number the states
//     differently, and then cannot agree.
//   - Averaged takes the M-th power of each model's own weights. Each model counts its
//     transitions by its own posterior. Over many iterations they converge to 0 and 1. So run a
//     few iterations of Averaged, and continue from the result with Independent.
//   - LoopyBelief accepts submodels made by Marked, and rejects the submodels of package hmm.
//
// Product EM favours certainty: Σ_z Π_m p_m is largest if one z has all the probability. From a
// random start it may make the hidden structure trivial. Start from submodels that have learnt
// some of the structure and that use z with the same meaning.
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
// Give the distribution of z to one submodel only. A factor that two submodels contain is
// squared, whether its parameters are tied or not, and one z may get all probability. Make the
// other submodels conditional: p_m(x | z), a cascade.Conditional that reads z, inverted by
// fst.Invert.
//
// At the same θ, exact ≤ Independent, exact ≤ ParameterApproximate, and DomainApproximate ≤
// A_{Z∪}(b). If the product is not a cascade, such as a product of two grammars, the exact
// objective is the likelihood of the product's lattice or forest.
//
// # Submodels
//
// All submodels share one em.Params. Separate groups make submodels independent, common groups
// tie them, and each group's law is its prior. As machines, let z be the output string of a
// cascade, and let each part of x be the output of a branch (cascade.Problem.Branches):
//
//	                        Stages                       Branches
//	submodel m alone        its own part                 its channel from z to x
//	exact                   the own parts of all         all channels
//	term of a domain        the own part of m            all channels
//	term of a parameter     the own part of m, and the   its channel
//	                        supports of the others, weight 1
//
// In this table, the stages that a submodel has for itself are acceptors of z: the structures
// that it allows and its private potentials. Exact composes its row of the table. The product of
// two cascades that read x₁ and x₂ and write z is x₁ ∘ p₁ ∘ p₂⁻¹ ∘ x₂ (example_test.go).
//
// Submodels normalized as a whole, exp(θᵀφ − A(θ)), need no agreement of their normalizers: use
// em.Difference{Plus: a combination, Minus: Independent(normalizers...)}. If such submodels share
// parameters, and their parts of the data overlap, this is a composite likelihood:
// pseudo-likelihood or piecewise training (example_composite_test.go).
//
// # Why there is no mean field
//
// Mean field approximates the E step of product EM by a q that is a product over the choices of a
// structure, q(z) = Π_c q_c(z_c). It maximizes the lower bound Σ_m E_q[ln p_m(x, z)] + H(q) of
// the exact objective, one q_c after the other, and that bound rises. For the features of
// submodels it is never useful:
//
//   - In general the posteriors and path sums of a submodel do not determine the bound. The
//     smallest case has two choices of two values. Give z = 00, 01, 10, 11 the weights (¼, ¼, ¼,
//     ¼) or (⅖, ⅒, ⅒, ⅖). Both have the same path sums and posteriors of all features. At the
//     uniform q the means of ln p are −1.39 and −1.61. Computing these means by enumeration takes
//     time exponential in the number of choices.
//   - If ln p_m is linear in the features and the values of the choices combine freely, the exact
//     q is a product. LoopyBelief finds it, with the exact objective.
//   - If ln p_m is linear but only some combinations are allowed, every structure of positive
//     probability under q must be allowed, or the bound is −∞. The smallest case is two choices
//     that must be equal. Then q has a single structure, and no q_c can change alone. With
//     weights .9 and .1 for 00 and 11, mean field from 11 remains at ln .1, while product EM
//     reaches ln 1. DomainApproximate instead takes exact sums over the structures that each
//     submodel allows.
//
// Sources: Liang, Klein and Jordan 2007, "Agreement-based learning"; Liang, Taskar and Klein
// 2006, "Alignment by agreement".
package agree
