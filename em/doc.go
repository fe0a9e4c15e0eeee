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
// hand (Group.Weight) or from a plain machine (Joint, Conditional); put them in a
// Problem; describe the data as Examples; call Fit. Instantiate turns a machine
// and the result's Theta into an ordinary machine over any ring of
// probabilities.
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
// # Sources
//
// Eisner 2002, "Parameter estimation for probabilistic finite-state transducers";
// Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for the free energy.
package em
