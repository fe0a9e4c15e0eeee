package treebank

import (
	"errors"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

var (
	// ErrFormat is wrapped by the error for a file that is not as its format wants it:
	// brackets that do not match, or a column that does not say what it should.
	ErrFormat = nested.ErrFormat
	// ErrInvalid is wrapped by the error for heads that do not make a tree, and for spans
	// that are none of the sentence, or that cross.
	ErrInvalid = nested.ErrInvalid
	// ErrProjective is wrapped by the error for heads whose tree has crossing arcs
	// where there may be none.
	ErrProjective = errors.New("not projective")
)

// Error is something wrong at a place in a file of trees.
type Error = text.Error
