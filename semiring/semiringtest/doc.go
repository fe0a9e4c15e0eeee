// Package semiringtest tests the axioms and claims of a semiring.
//
// The idea: algorithms trust a ring K = (⊕, ⊗, 0̄, 1̄). They reorder sums, factor products out,
// replace cycles by a* and take a faster route if the ring claims a law. A ring that violates a
// law gives wrong answers without any error. So every ring should come with a test like this:
//
//	func TestMinutes(t *testing.T) {
//		draw := func(r *rand.Rand) int { return r.IntN(50) - 1 } // with 0̄ and 1̄ among them
//		semiringtest.Test(t, minutes{}, draw, nil)
//	}
//
// Which function:
//
//   - in a test, which fails with every violated law: [Test]
//   - elsewhere, with the violations as errors: [Check], [Violation]
//   - the number of trials, and the tolerance of comparisons: [Options]
//
// # Tests
//
// The caller supplies a function that draws weights. The axioms are tested on random triples a,
// b, c. Then the documented properties of every capability that semiring.As finds are tested:
//
//   - Lawful: the laws claimed (commutative, idempotent, selective, bounded,
//     k-closed, cancellative).
//   - OneSided: distributivity from exactly the sides that are named.
//   - Closed: 0̄* = 1̄, a* = 1̄ ⊕ a⊗a* = 1̄ ⊕ a*⊗a, (a⊕b)* = (a*⊗b)*⊗a* and
//     (a⊗b)* = 1̄ ⊕ a⊗(b⊗a)*⊗b if the stars exist, the latter two if ⊗
//     distributes from both sides; a* = 1̄ if bounded.
//   - Divider: a ⊗ (a\b) = b and (b/a) ⊗ a = b, 1̄\a = a/1̄ = a, no division by 0̄; a product
//     that has an inverse, divided by itself in another order of its factors, is 1̄, even
//     though cancellation leaves a residue of rounding.
//   - Negater: a ⊕ −a = 0̄.
//   - Ordered: a total order; ⊕ takes the first of two weights, and 0̄ comes last.
//   - Metric: symmetric, not negative, 0 for equal weights and not for 0̄ and 1̄.
//   - Probabilistic: Log is the inverse of FromLog, ⊗ adds logarithms, and ⊕ is between the maximum
//     and the sum of masses.
//   - Keyer, Textual: equal keys for equal weights only; Parse is the inverse of Format.
//   - Reverser: its own inverse, and an anti-homomorphism.
//   - Kernel: equal to a fold by ⊕ and ⊗ for every combination of index slices,
//     also if *dst is reused, with storage of its own.
//   - Scatterer: equal to folds.
//   - Sweeper: equal to folds row by row, in any order of all or of some rows.
//   - TermSweeper: the same sums, and shares equal to quotients of masses.
//
// A ring that has some methods of a capability must have all of them, with the declared
// signatures: otherwise it would silently lack the capability.
//
// All operations are checked for modified arguments.
//
// Weights are compared by Metric up to a tolerance, exactly if the ring has no Metric, or by a
// function of the caller (see Options).
package semiringtest
