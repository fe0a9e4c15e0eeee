package ctc

import "example.org/pathsum/internal/nested"

// ErrInvalid is returned for input that makes no sense. It is em.ErrInvalid.
var ErrInvalid = nested.ErrInvalid
