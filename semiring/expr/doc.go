// Package expr is the free commutative semiring over named parameters: how
// machines are parameterized.
//
// Parameters are indeterminates. A machine whose weights are expressions in them
// can be composed, ε-removed, pushed or summed once; a weight of the result says
// how it depends on every parameter, so a new θ costs one sweep over a table of
// expressions and no operation on machines. Counts go the other way: expected
// traversals of weights turn, by one reverse sweep, into expected uses of
// parameters.
//
// An expression is a handle W, four bytes, into a Space, which is the ring
// object. Equal expressions have equal handles (hash-consing), where equality is
// syntactic:
//
//   - a monomial, constant ⊗ product of powers, has one handle however it was
//     multiplied together, up to the rounding of its constant. Exponents are
//     integers; a quotient has negative ones, and a/a is 1 whatever a is.
//   - a sum is a multiset of expressions. Small ones are flat and sorted, so that
//     a ⊕ b = b ⊕ a, and (a ⊕ b) ⊕ c = a ⊕ (b ⊕ c) up to eight terms; longer ones
//     nest. Nothing is multiplied out, and nothing is factored.
//   - a star is whatever a* becomes later; only 0̄* is simplified.
//   - Plain and Whole say what a temperature does: a normalizer Z is Whole(Plain(Z)).
//
// Two different handles may therefore be equal as functions of θ. This is sound:
// algorithms that look for equal weights merge fewer states. Space.Functions is the
// ring in which they are the same. Constants are
// multiplied but never added: a sum keeps ½ ⊕ ½ as two copies of ½, because
// addition means something else in a ring with ⊕ = max, or after raising every
// leaf to a power. So expressions have one image in every commutative ring:
// Space.Evaluate (real numbers), Space.EvaluateTempered (each leaf to the power
// β) and Map (any ring).
//
// Many goroutines may share a Space, but each of them does better with a Fork of
// it, which makes its own handles from a common beginning: those then depend on
// what its owner does and on nothing else.
//
// Notation: K a semiring (⊕, ⊗, 0̄, 1̄), a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, θ the vector of
// parameter values, Z the value of a path sum.
package expr
