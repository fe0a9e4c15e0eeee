package treebank

import (
	"errors"

	"example.org/pathsum/internal/tsv"
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
type Error = tsv.Error
