// Package agree trains several models to agree on what is hidden.
//
// The idea: M submodels p_m(x, z; θ_m) explain the same data x by the same hidden
// structures z, each looking at another side of them: two hidden Markov models of one
// chain of states, the two directions of a word alignment. Trained one by one each
// finds the z that suits it. Product EM maximizes the probability that all of them,
// independently, generate the same x and the same z,
//
//	Σ_x ln Σ_z Π_m p_m(x, z),
//
// and is ordinary EM on other lattices: this package has no E step over paths and no
// M step of its own. It combines likelihoods of the submodels into one for em.Fit,
// which knows about methods, restarts, checkpoints and cancellation, reports the
// objective of every iteration and, where theory says that it cannot fall, asserts it.
//
// # Algorithms
//
// Let b_m be the log potentials of submodel m, b their sum, Z_m the structures that
// submodel m allows, Z∩ and Z∪ their intersection and union, and A_Z(b) the log of the
// sum over Z of exp(bᵀφ(z)), which is a path or tree sum.
//
//	                                 objective                rises   sums needed
//	Independent                      Σ_m A_{Z_m}(b_m)         yes     each model
//	exact: a likelihood as it is     A_{Z∩}(b)                yes     the product of all
//	DomainApproximate                (1/M) Σ_m A_{Z_m}(b)     yes     the product, in each domain
//	ParameterApproximate             (1/M) Σ_m A_{Z∩}(M b_m)  yes     each model
//	Averaged                         the same, reported       no      each model
//	ProductOfPosteriors              Σ_m A_{Z_m}(b_m), ditto  no      each model
//
// At the same θ, exact ≤ Independent; exact ≤ ParameterApproximate; and
// DomainApproximate ≤ A_{Z∪}(b). Take the exact one where its lattice is small enough;
// domain-approximate where the submodels allow different structures and their common
// ones cannot be summed; parameter-approximate where they allow the same ones but the
// product has no small lattice.
//
// To agree is easiest on what is certain: Σ_z Π_m p_m is largest where one z has all
// the probability, and from a start at random product EM may make the hidden structure
// trivial. Start from submodels that know something, trained independently for
// instance.
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
//	exact                   those of all submodels       those of all
//	term of a domain        what m has for itself        those of all
//	term of a parameter     what m has for itself, and   its channel
//	                        what others allow, weight 1
//
// where “what m has for itself” are acceptors of z: the structures that it allows and
// its private potentials. The exact product of two submodels is their composition
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
