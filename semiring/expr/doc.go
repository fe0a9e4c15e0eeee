// Package expr is the free commutative semiring over named parameters. Machines are parameterized
// with its expressions.
//
// The idea: parameters are indeterminates. A machine whose weights are expressions in them is
// composed, ε-removed, pushed or summed once, and each weight of the result is an expression in
// the parameters. A new θ then takes one sweep over a table of expressions and no operation on
// machines. A reverse sweep turns expected traversals of weights into expected uses of
// parameters.
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
//     powers by real exponents, fixed or learnt: [Space.RealPower], [Space.Power]
//   - their values at θ: [Space.Evaluate]; how accurate: [Space.RelativeError]
//   - their values at a temperature: [Space.EvaluateTempered]; expressions that do not change
//     with it: [Space.Untempered]; expressions that it raises as one number: [Space.Whole]
//   - their values in any other ring: [Map]
//   - counts of parameters from counts of weights: [Space.Backpropagate]; derivatives along a
//     direction: [Space.Tangents]; second derivatives: [Space.BackpropagateAlong]
//   - text for readers: [Space.String]; for files: [Space.Format], [Space.Parse],
//     [Space.FormatRows], [Space.ParseRows]
//   - the ring in which equal functions are equal: [Space.Functions]
//   - separate handles for a goroutine: [Space.Fork]
//
// # When expressions are equal
//
// An expression is a handle W, four bytes, into a Space, which is the ring object. Equal
// expressions have equal handles (hash-consing). Equality is syntactic:
//
//   - a monomial, constant ⊗ product of powers, has one handle for any order of multiplication,
//     up to the rounding of its constant. Exponents are integers; a quotient has negative
//     exponents, and a/a is 1 for every a.
//   - a sum is a multiset of expressions. Small sums are flat and sorted, so a ⊕ b = b ⊕ a, and
//     (a ⊕ b) ⊕ c = a ⊕ (b ⊕ c) up to eight terms; longer sums nest. Products are not expanded,
//     and sums are not factored.
//   - a star is kept as a*; only 0̄* is simplified.
//   - Untempered and Whole determine the effect of a temperature: a normalizer Z is
//     Whole(Untempered(Z)).
//   - a power by a real exponent is one number; powers of products are split into factors.
//
// So two different handles may be equal as functions of θ. This is sound: algorithms that compare
// weights merge fewer states. In the ring Space.Functions such handles are equal.
//
// Constants are multiplied but never added: a sum keeps ½ ⊕ ½ as two copies of ½. In a ring with
// ⊕ = max, or after raising every leaf to a power, the sum would have another value. So
// expressions have a well-defined image in every commutative ring: by Space.Evaluate (real
// numbers), Space.EvaluateTempered (each leaf to the power β) and Map (any ring).
//
// Many goroutines may share a Space, but a Fork per goroutine is faster. A fork starts with the
// common expressions and then makes its own handles, which depend only on the operations of its
// owner.
//
// Notation: K a semiring (⊕, ⊗, 0̄, 1̄), a* = 1̄ ⊕ a ⊕ a⊗a ⊕ …, θ the vector of parameter
// values, Z the value of a path sum.
package expr
