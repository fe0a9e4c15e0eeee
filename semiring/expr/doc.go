// Package expr is the free commutative semiring over named parameters: how machines are
// parameterized.
//
// The idea: parameters are indeterminates. A machine whose weights are expressions in them
// is composed, ε-removed, pushed or summed once, and each weight of the result says how it
// depends on every parameter. A new θ then costs one sweep over a table of expressions and
// no operation on machines; a reverse sweep turns expected traversals of weights into
// expected uses of parameters.
//
//	s := expr.New()
//	again, stop := s.Param(0), s.Param(1)
//	loop, _ := s.Star(again)
//	total := s.Times(loop, stop) // again* ⊗ stop
//	…
//	values, err := s.Evaluate(nil, theta)
//	…
//	count[total] = 1 // one path, to be explained
//	…
//	s.Backpropagate(values, count, uses) // adds the expected uses of again and of stop
//
// Which function for which question:
//
//   - expressions: [Space.Param], [Space.Const], [Space.Plus], [Space.Times], [Space.Star];
//     powers by real exponents, given or learnt: [Space.RealPower], [Space.Power]
//   - their values at θ: [Space.Evaluate]; how accurate: [Space.Inaccuracy]
//   - their values at a temperature: [Space.EvaluateTempered]; what it leaves as it is:
//     [Space.Plain]; what it raises as one number: [Space.Whole]
//   - their values in any other ring: [Map]
//   - counts of parameters from counts of weights: [Space.Backpropagate]; derivatives along a
//     direction: [Space.Tangents]; second ones: [Space.BackpropagateAlong]
//   - text: [Space.String]; in and out: [Space.Format], [Space.Parse], [Space.FormatRows],
//     [Space.ParseRows]
//   - the ring in which equal functions are equal: [Space.Functions]
//   - handles of one goroutine's own: [Space.Fork]
//
// # When expressions are equal
//
// An expression is a handle W, four bytes, into a Space, which is the ring object. Equal
// expressions have equal handles (hash-consing). Equality is syntactic:
//
//   - a monomial, constant ⊗ product of powers, has one handle however it was
//     multiplied together, up to the rounding of its constant. Exponents are
//     integers; a quotient has negative ones, and a/a is 1 whatever a is.
//   - a sum is a multiset of expressions. Small ones are flat and sorted, so that
//     a ⊕ b = b ⊕ a, and (a ⊕ b) ⊕ c = a ⊕ (b ⊕ c) up to eight terms; longer ones
//     nest. Products are never multiplied out, and sums never factored.
//   - a star is whatever a* becomes later; only 0̄* is simplified.
//   - Plain and Whole say what a temperature does: a normalizer Z is Whole(Plain(Z)).
//   - a power by a real exponent is one number; those of products are taken apart.
//
// So two different handles may be equal as functions of θ. This is sound: algorithms that
// look for equal weights merge fewer states. Space.Functions is the ring in which they are
// the same.
//
// Constants are multiplied but never added: a sum keeps ½ ⊕ ½ as two copies of ½. Addition
// means something else in a ring with ⊕ = max, or after raising every leaf to a power. So
// expressions have one image in every commutative ring: by Space.Evaluate (real numbers),
// Space.EvaluateTempered (each leaf to the power β) and Map (any ring).
//
// Many goroutines may share a Space, but each does better with a Fork of it, which makes
// handles of its own from a common beginning. They depend on what its owner does and on
// nothing else.
//
// Notation: K a semiring (⊕, ⊗, 0̄, 1̄), a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, θ the vector of parameter
// values, Z the value of a path sum.
package expr
