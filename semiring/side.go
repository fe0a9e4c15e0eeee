package semiring

import "fmt"

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

// Distributes returns s: a Side is a OneSided.
func (s Side) Distributes() Side { return s }

// OneSided is the capability, or rather the shortcoming, of an algebra in which ⊗
// distributes over ⊕ from some sides only: LeftString is the example. All other
// axioms of a Semiring hold. A ring without it distributes from both sides.
type OneSided interface {
	Distributes() Side
}

// Distributes returns the sides from which ⊗ distributes over ⊕ in s, BothSides
// unless s is OneSided.
func Distributes[W any](s Semiring[W]) Side {
	if one, ok := As[OneSided](s); ok {
		return one.Distributes()
	}
	return BothSides
}

// RequireSide returns an error, wrapping ErrCapability, unless ⊗ distributes over
// ⊕ from every side in side.
func RequireSide[W any](s Semiring[W], side Side) error {
	if has := Distributes(s); has&side != side {
		return fmt.Errorf("%w: %T distributes from %v, want %v", ErrCapability, s, has, side)
	}
	return nil
}
