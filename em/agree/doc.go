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
//	both, err := agree.DomainApproximate(one, other) // each an em.Likelihood
//	...
//	result, err := em.Fit(ctx, both, nil)
//
// # Which function for which objective
//
// Let b_m be the log potentials of submodel m and b their sum. Let Z_m be the structures
// that submodel m allows, Z∩ and Z∪ their intersection and union. A_Z(b) is the log of
// the sum over Z of exp(bᵀφ(z)), a path or tree sum.
//
//	                                 objective                rises   sums needed
//	Independent                      Σ_m A_{Z_m}(b_m)         yes     each model
//	exact: a likelihood as it is     A_{Z∩}(b)                yes     the product of all
//	DomainApproximate                (1/M) Σ_m A_{Z_m}(b)     yes     the product, in each domain
//	ParameterApproximate             (1/M) Σ_m A_{Z∩}(M b_m)  yes     each model
//	Averaged                         the same, reported       no      each model
//	ProductOfPosteriors              Σ_m A_{Z_m}(b_m), ditto  no      each model
//
// At the same θ, exact ≤ Independent, exact ≤ ParameterApproximate, and
// DomainApproximate ≤ A_{Z∪}(b). Take
//
//   - the exact objective where its lattice is small enough;
//   - DomainApproximate where the submodels allow different structures and their common
//     ones cannot be summed;
//   - ParameterApproximate where they allow the same ones but the product has no small
//     lattice.
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
// private potentials. The exact product of two submodels is their composition
// x₁ ∘ p₁ ∘ p₂ ∘ x₂, as in the example.
//
// Averaged and ProductOfPosteriors need the posteriors of single features of z. A model
// that offers them is a Submodel; Likelihood makes it a term of the others.
//
// Submodels normalized as a whole, exp(θᵀφ − A(θ)), have normalizers that do not agree
// on anything: em.Difference{Plus: a combination, Minus: Independent(normalizers...)}.
//
// # Sources
//
// Liang, Klein and Jordan 2007, "Agreement-based learning"; Liang, Taskar and Klein
// 2006, "Alignment by agreement".
package agree
