// Package agree trains several models to agree on what is hidden.
//
// The idea: M submodels p_m(x, z; θ_m) explain the same data x by the same hidden
// structures z, each looking at another side of them: two hidden Markov models of one
// chain of states, the two directions of a word alignment. Product EM maximizes the
// probability that all of them, independently, generate the same x and the same z,
//
//	Σ_x ln Σ_z Π_m p_m(x, z),
//
// and is ordinary EM on other lattices: the package has no E step over paths and no M
// step of its own.
//
//	both, err := agree.Exact(data, one, other) // each an em.Problem with its own data
//	...
//	result, err := em.Fit(ctx, both, nil)
//
// # Which function for which objective
//
// Let b_m be the log potentials of submodel m and b their sum. Let Z_m be the structures
// that submodel m allows, Z∩ and Z∪ their intersection and union. A_Z(b) is the log of
// the sum over Z of exp(bᵀφ(z)), a path or tree sum.
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
// Where the product is no cascade's, such as that of two grammars, the exact objective is
// the likelihood of whatever lattice or forest it has.
//
// At the same θ, exact ≤ Independent, exact ≤ ParameterApproximate, and
// DomainApproximate ≤ A_{Z∪}(b). Take
//
//   - the exact objective where its lattice is small enough;
//   - DomainApproximate where the submodels allow different structures and their common
//     ones cannot be summed;
//   - ParameterApproximate where they allow the same ones but the product has no small
//     lattice;
//   - LoopyBelief where they know different parts of a structure, or the exact objective
//     is to be approximated itself: it is exact if nothing connects them in two ways, and
//     a heuristic otherwise.
//
// To agree is easiest on what is certain: Σ_z Π_m p_m is largest where one z has all
// the probability. From a random start product EM may make the hidden structure trivial.
// Start from submodels that know something, trained independently for instance.
//
// # Submodels
//
// All submodels have one em.Params. Groups of their own make them separate, common
// groups tie them; each group's law is its prior. The terms of Independent,
// DomainApproximate and ParameterApproximate are likelihoods of any kind, with the same
// examples in each. As machines, let z be the string that a cascade writes and let each
// part of x be what a branch makes of it (em.Problem.Branches):
//
//	                        Cascade                      Branches
//	submodel m alone        what it has for itself       its channel from z to x
//	exact                   what each has for itself     all channels
//	term of a domain        what m has for itself        all channels
//	term of a parameter     what m has for itself, and   its channel
//	                        what others allow, weight 1
//
// What m has for itself are acceptors of z: the structures that it allows and its
// private potentials. Exact composes its line of the table. The product of two cascades
// that read x₁ and x₂ and write z is x₁ ∘ p₁ ∘ p₂⁻¹ ∘ x₂, as in the example.
//
// Averaged, ProductOfPosteriors and LoopyBelief need the posteriors of single features of z,
// and count by what becomes of them. The last one tells them to other submodels as well
// (Tilted). A model that offers that is a Submodel:
//
//	hidden Markov models         hmm.Model.Submodel
//	cascades                     Marked, with em.Problem.Corpus
//	graphs and forests           Marked, with em.Derivations.Corpus
//	others                       the interface Submodel
//
// The features of a cascade, graph or forest are marked in its weights, by parameters of
// value 1. Likelihood makes a Submodel a term of the other functions, too. Such terms go
// through the examples together, and add their counts up in one vector.
//
// Submodels normalized as a whole, exp(θᵀφ − A(θ)), have normalizers that do not agree
// on anything: em.Difference{Plus: a combination, Minus: Independent(normalizers...)}.
// With submodels of overlapping parts of the data that share their parameters this is a
// composite likelihood: pseudo-likelihood, for instance, or piecewise training. See the example
// of that name.
//
// # Sources
//
// Liang, Klein and Jordan 2007, "Agreement-based learning"; Liang, Taskar and Klein
// 2006, "Alignment by agreement".
package agree
