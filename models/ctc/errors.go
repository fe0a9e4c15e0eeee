package ctc

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// ErrInvalid is returned for input that makes no sense. It is em.ErrInvalid.
var ErrInvalid = nested.ErrInvalid

// ErrTooShort is returned for labels that need more frames than there are. It wraps
// em.ErrUnderivable.
var ErrTooShort = fmt.Errorf("%w: too few frames", em.ErrUnderivable)
