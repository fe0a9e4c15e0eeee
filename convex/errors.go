package convex

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by errors about arguments that make no sense: β ≤ 0, numbers that
// are not finite, shapes that do not fit, cyclic parents.
var ErrInvalid = errors.New("invalid")

// ErrRelaxation is wrapped by the error for a model that the relaxation does not cover.
// It names the variable.
var ErrRelaxation = errors.New("cannot be relaxed")

func invalid(format string, args ...any) error {
	return fmt.Errorf("convex: %w: "+format, append([]any{ErrInvalid}, args...)...)
}

func uncovered(format string, args ...any) error {
	return fmt.Errorf("convex: "+format+" %w", append(args, ErrRelaxation)...)
}
