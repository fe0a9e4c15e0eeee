package crf

import "fmt"

// Kind says over what the probability of a labeling is normalized.
type Kind int

const (
	// Chain: over all labelings of the sequence. This is the linear-chain
	// conditional random field (Lafferty, McCallum and Pereira 2001).
	Chain Kind = iota
	// Node: over the labels of each position by itself, without weights between
	// neighbours: multinomial logistic regression.
	Node
	// MEMM: over the labels of each position given the label before it. This is
	// the maximum-entropy Markov model (McCallum, Freitag and Pereira 2000).
	MEMM
)

var kinds = [...]string{Chain: "crf", Node: "node", MEMM: "memm"}

// String returns "crf", "node" or "memm".
func (k Kind) String() string {
	if k.valid() {
		return kinds[k]
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// ParseKind returns the kind with the given name.
func ParseKind(name string) (Kind, error) {
	for k, s := range kinds {
		if s == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("crf: %w: kind %q, want one of %q", ErrInvalid, name, kinds)
}

func (k Kind) valid() bool { return k >= 0 && int(k) < len(kinds) }

// hasTransitions reports whether there are weights between neighbours.
func (k Kind) hasTransitions() bool { return k != Node }
