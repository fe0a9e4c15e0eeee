package semiring

import (
	"fmt"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/typename"
)

// Laws is a set of laws that a ring claims beyond the semiring axioms. An
// algorithm reads them to choose a faster route, so a false claim gives wrong
// answers; semiringtest.Check tries every claim.
type Laws uint16

// The laws. A selective ring is idempotent, and a bounded ring is idempotent and
// k-closed; the constants include what they imply.
const (
	// Commutative: a ⊗ b = b ⊗ a.
	Commutative Laws = 1 << iota
	// Idempotent: a ⊕ a = a.
	Idempotent
	selective
	bounded
	// KClosed: for every a that has a star, the sums 1̄ ⊕ a ⊕ … ⊕ aⁿ are a* from
	// some n on. Then a cycle that has a sum has it after finitely many rounds, and
	// relaxation along arcs comes to an end (M. Mohri, Semiring frameworks and
	// algorithms for shortest-distance problems, 2002, where n is one k for all a).
	KClosed
	// Cancellative: a ⊗ b = a ⊗ c only if b = c, b ⊗ a = c ⊗ a only if b = c, for
	// a ≠ 0̄; rounding apart.
	Cancellative
	// Selective: a ⊕ b is a or b (the "path property" of OpenFst). Such a ring
	// has the capability Ordered.
	Selective = selective | Idempotent
	// Bounded: 1̄ ⊕ a = 1̄, so that a* = 1̄ and no cycle improves a path.
	Bounded = bounded | Idempotent | KClosed
)

// String returns the laws, with | between them; what a law implies is named too.
func (l Laws) String() string {
	return named.Set(l, "Laws", "commutative", "idempotent", "selective", "bounded", "k-closed", "cancellative")
}

// Has reports whether l includes every law of m.
func (l Laws) Has(m Laws) bool { return l&m == m }

// LawsOf returns the laws that s claims, none if it is not Lawful.
func LawsOf[W any](s Semiring[W]) Laws { return lawsOf(s) }

// lawsOf is LawsOf for a ring of any type.
func lawsOf(s any) Laws {
	if l, ok := capability[Lawful](s); ok {
		return l.Laws()
	}
	return 0
}

// RequireCommutative returns an error, wrapping ErrCapability, unless s claims that ⊗ is
// commutative.
func RequireCommutative[W any](s Semiring[W]) error {
	if !LawsOf(s).Has(Commutative) {
		return notCommutative(s)
	}
	return nil
}

func notCommutative(s any) error {
	return fmt.Errorf("%w: %s does not claim to be commutative, by a method Laws that returns semiring.Commutative", ErrCapability, typename.Of(s))
}

// RequireClosed returns the star of s: its own, or that of a ring that claims to be Bounded,
// which is 1̄. The error wraps ErrCapability, and says which method the ring lacks.
func RequireClosed[W any](s Semiring[W]) (Closed[W], error) {
	closed, err := Require[Closed[W]](s)
	if err != nil && LawsOf(s).Has(Bounded) {
		return &ones[W]{s}, nil
	}
	return closed, err
}

// ones is the star of a bounded ring.
type ones[W any] struct{ ring Semiring[W] }

func (o *ones[W]) Star(W) (W, bool) { return o.ring.One(), true }

// Side is a set of sides from which ⊗ distributes over ⊕.
type Side uint8

// The sides.
const (
	// LeftSide: a ⊗ (b ⊕ c) = a⊗b ⊕ a⊗c. A sum over paths that starts at their
	// ends (graph.Backward, graph.PathSum) needs it.
	LeftSide Side = 1 << iota
	// RightSide: (a ⊕ b) ⊗ c = a⊗c ⊕ b⊗c. A sum over paths that starts at their
	// starts (graph.Forward) needs it.
	RightSide
	// BothSides is what every semiring has, and what a closure of cycles needs that
	// replaces paths in their middle.
	BothSides = LeftSide | RightSide
)

// String names the sides: "the left", "the right", "both sides" or "no side".
func (s Side) String() string {
	return [...]string{"no side", "the left", "the right", "both sides"}[s&BothSides]
}

// OneSided is the capability, or rather the shortcoming, of an algebra in which ⊗
// distributes over ⊕ from some sides only: LeftString is the example. All other
// axioms of a Semiring hold. A ring without it distributes from both sides.
type OneSided interface {
	Distributes() Side
}

// Distributes returns the sides from which ⊗ distributes over ⊕ in s, BothSides
// unless s is OneSided.
func Distributes[W any](s Semiring[W]) Side { return distributes(s) }

// distributes is Distributes for a ring of any type.
func distributes(s any) Side {
	if one, ok := capability[OneSided](s); ok {
		return one.Distributes()
	}
	return BothSides
}

// RequireSide returns an error, wrapping ErrCapability, unless ⊗ distributes over
// ⊕ from every side in side.
func RequireSide[W any](s Semiring[W], side Side) error { return requireSide(s, side) }

// requireSide is RequireSide for a ring of any type.
func requireSide(s any, side Side) error {
	if has := distributes(s); has&side != side {
		return fmt.Errorf("%w: %s distributes from %v, want %v", ErrCapability, typename.Of(s), has, side)
	}
	return nil
}
