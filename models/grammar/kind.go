package grammar

import (
	"fmt"
	"slices"
)

// Kind is a kind of model.
type Kind int

const (
	// DMV is the dependency model with valence: who is the head of whom.
	DMV Kind = iota
	// CCM is the constituent-context model: which spans are constituents.
	CCM
	// Product is both on the same trees, trained to agree.
	Product
)

var kindNames = []string{"dmv", "ccm", "product"}

// String returns "dmv", "ccm" or "product".
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// ParseKind returns the kind of that name. The error wraps ErrInvalid.
func ParseKind(name string) (Kind, error) {
	if k := slices.Index(kindNames, name); k >= 0 {
		return Kind(k), nil
	}
	return 0, fmt.Errorf("grammar: %w: unknown kind of model %q", ErrInvalid, name)
}

func (k Kind) valid() bool      { return k >= DMV && k <= Product }
func (k Kind) hasHeads() bool   { return k != CCM }
func (k Kind) hasContext() bool { return k != DMV }
