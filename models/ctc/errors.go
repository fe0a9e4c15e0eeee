package ctc

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

var (
	// ErrInvalid reports invalid input. It is em.ErrInvalid.
	ErrInvalid = nested.ErrInvalid

	// ErrTooShort reports labels that require more frames than there are. It wraps
	// em.ErrUnderivable.
	ErrTooShort = fmt.Errorf("%w: too few frames", em.ErrUnderivable)
)
