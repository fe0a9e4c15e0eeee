package moments

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by errors about arguments that make no sense.
var ErrInvalid = errors.New("invalid")

// ErrUnidentifiable is wrapped by the error for a statistic, which it names, that the
// observations say nothing certain about, or that is a combination of others.
var ErrUnidentifiable = errors.New("statistic is not identifiable")

// ErrOutside is wrapped by the error for statistics that no distribution of the model
// has: they lie outside the marginal polytope, or so near to its boundary that the
// maximum of the likelihood is out of reach.
var ErrOutside = errors.New("statistics outside the marginal polytope")

func invalid(format string, args ...any) error {
	return fmt.Errorf("moments: %w: "+format, append([]any{ErrInvalid}, args...)...)
}
