package tsv

import (
	"errors"
	"fmt"
)

// What can be wrong with a line; an *Error wraps one of these.
var (
	ErrNoTab     = errors.New("no tab")
	ErrColumns   = errors.New("wrong number of columns")
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrEmptySide = errors.New("empty side")
	ErrCount     = errors.New("bad count")
	ErrTooLong   = errors.New("line too long")
)

// Error is something wrong in a line of a file: a line that is not as expected,
// or one that could not be read.
type Error struct {
	File string
	Line int // from 1
	Err  error
}

// Error returns "file:line: what is wrong".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }
