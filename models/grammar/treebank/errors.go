package treebank

import (
	"errors"
	"fmt"
)

var (
	// ErrBrackets is wrapped by the error for brackets that do not match, or what is
	// in or outside of them that should not be.
	ErrBrackets = errors.New("bad brackets")
	// ErrTooLong is wrapped by the error for a tree or a sentence that is larger than
	// any should be: the bounds are far beyond what people write or say.
	ErrTooLong = errors.New("too long")
)

// Error is something wrong at a place in a file of trees.
type Error struct {
	File string
	// Line and Column count from 1, columns in characters.
	Line, Column int
	Err          error
}

// Error returns "file:line:column: what is wrong".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }
