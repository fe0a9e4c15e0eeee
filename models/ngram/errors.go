package ngram

import (
	"errors"
	"fmt"
)

var (
	// ErrInvalid is wrapped by errors about arguments and data that make no
	// sense.
	ErrInvalid = errors.New("invalid n-gram model")
	// ErrEmpty is wrapped by the error for data without a string of positive
	// weight.
	ErrEmpty = errors.New("no data")
)

// ErrFormat is wrapped by errors about a text or data that hold no model.
var ErrFormat = errors.New("bad model file")

// ParseError says where a text is wrong. It wraps ErrFormat, unless the text could not
// be read on.
type ParseError struct {
	File string // as the reader was told
	Line int    // from 1
	Err  error
}

// Error returns file:line: what is wrong.
func (e *ParseError) Error() string { return fmt.Sprintf("ngram: %s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *ParseError) Unwrap() error { return e.Err }
