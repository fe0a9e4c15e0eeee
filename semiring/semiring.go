package semiring

import "errors"

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

// Sums over graphs, forests and machines go wrong in the same ways: their errors wrap
// these.
var (
	// ErrCapability is wrapped by the error for an algorithm that needs more of a
	// ring than the ring offers.
	ErrCapability = errors.New("semiring lacks a capability")
	// ErrDiverges is wrapped by the error for a star, or a cycle, whose sum
	// 1̄ ⊕ a ⊕ a⊗a ⊕ … has no value in the ring.
	ErrDiverges = errors.New("sum diverges")
	// ErrInaccurate is wrapped by the error for a sum that rounding has spoilt: cycles
	// come so close to having no sum that more than 1e-9 of it is uncertain.
	ErrInaccurate = errors.New("sum is inaccurate")
	// ErrNotFinite is wrapped by the error for a weight, a sum, or what is computed
	// from it, that is infinite or not a number, where only a finite one is of use.
	ErrNotFinite = errors.New("not a finite number")
	// ErrNegative is wrapped by the error for a negative number where there may be
	// none, such as a weight that is to be a probability.
	ErrNegative = errors.New("negative number")
	// ErrShape is wrapped by the error for arrays that do not fit together, or do
	// not fit the graph or forest that they are for.
	ErrShape = errors.New("shapes do not fit")
	// ErrLimit is wrapped by the error for what outgrows a limit: the one given, or
	// 2³¹−1 states, arcs, nodes, edges or tails, or what an elimination may fill.
	ErrLimit = errors.New("limit exceeded")
)
