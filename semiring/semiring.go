package semiring

// Semiring is an algebra (K, ⊕, ⊗, 0̄, 1̄): ⊕ is associative and commutative with
// unit 0̄; ⊗ is associative with unit 1̄, distributes over ⊕ on both sides, and
// 0̄ annihilates it. A Semiring value carries whatever the algebra needs (a
// dimension, a base ring, a table of expressions), is immutable to its users,
// and is safe for concurrent use.
//
// Weights are values: no operation modifies its arguments, and a result may
// share storage with them. Whatever a ring can do beyond these five methods is a
// capability, found with As.
type Semiring[W any] interface {
	// Zero returns 0̄, the weight of no path.
	Zero() W
	// One returns 1̄, the weight of the empty path.
	One() W
	// Plus returns a ⊕ b, the choice between paths.
	Plus(a, b W) W
	// Times returns a ⊗ b, a followed by b.
	Times(a, b W) W
	// IsZero reports whether a is exactly 0̄.
	IsZero(a W) bool
}
