// Package semiringtest tries whether a semiring keeps what it promises.
//
// The idea: algorithms trust a ring K = (⊕, ⊗, 0̄, 1̄). They reorder sums, factor products
// out, replace cycles by a* and take a faster route wherever the ring claims a law. A ring
// that breaks its word gives wrong answers without any error. So every ring should come
// with a test like this:
//
//	func TestMinutes(t *testing.T) {
//		draw := func(r *rand.Rand) int { return r.IntN(50) - 1 } // with 0̄ and 1̄ among them
//		semiringtest.Test(t, minutes{}, draw, nil)
//	}
//
// [Test] fails with every law that is broken; [Check] returns them as errors, each a [Violation].
// [Options] has the number of trials and how close weights pass for equal.
//
// # What is tried
//
// Weights are drawn by a function that the caller supplies. On random triples a, b, c the
// axioms are tried, and then, for every capability that semiring.As finds, what its
// documentation says:
//
//   - Lawful: the laws claimed (commutative, idempotent, selective, bounded,
//     k-closed, cancellative).
//   - OneSided: distributivity from the sides that are named, and no more.
//   - Closed: 0̄* = 1̄, a* = 1̄ ⊕ a⊗a* = 1̄ ⊕ a*⊗a, (a⊕b)* = (a*⊗b)*⊗a* and
//     (a⊗b)* = 1̄ ⊕ a⊗(b⊗a)*⊗b wherever the stars exist, the latter two if ⊗
//     distributes from both sides; a* = 1̄ if bounded.
//   - Divider: a ⊗ (a\b) = b and (b/a) ⊗ a = b, 1̄\a = a/1̄ = a, no division by 0̄; a product
//     that has an inverse, divided by itself in another order of its factors, is 1̄, though
//     what cancels in it leaves a residue of rounding.
//   - Negater: a ⊕ −a = 0̄.
//   - Ordered: a total order; ⊕ takes the first of two weights, and 0̄ comes last.
//   - Metric: symmetric, not negative, 0 for equal weights and not for 0̄ and 1̄.
//   - Prober: Log undoes FromLog, ⊗ adds logarithms, and ⊕ is between the maximum
//     and the sum of masses.
//   - Keyer, Texter: equal keys for equal weights alone; Parse undoes Format.
//   - Reverser: its own inverse, and an anti-homomorphism.
//   - Kernel: equal to a fold by ⊕ and ⊗ for every combination of index slices,
//     also when *dst is used again, with storage of its own.
//   - Scatterer: equal to folds as well.
//   - Sweeper: equal to folds row by row, in any order of rows.
//
// A ring that has some methods of a capability must have all, as declared: otherwise
// it would be a ring without the capability, and nobody would notice.
//
// No operation may modify its arguments, and that is watched throughout.
//
// Weights are compared by Metric up to a tolerance, exactly if the ring has none,
// or by a function of the caller's (Options).
package semiringtest
