package ctc

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

var (
	// ErrInvalid is returned for input that makes no sense. It is em.ErrInvalid.
	ErrInvalid = nested.ErrInvalid

	// ErrTooShort is returned for labels that need more frames than there are. It wraps
	// em.ErrUnderivable.
	ErrTooShort = fmt.Errorf("%w: too few frames", em.ErrUnderivable)
)
