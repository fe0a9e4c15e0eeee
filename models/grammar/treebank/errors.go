package treebank

import (
	"errors"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

var (
	// ErrFormat is wrapped by the error for a file with invalid format: unbalanced brackets, or an
	// invalid column.
	ErrFormat = nested.ErrFormat
	// ErrInvalid is wrapped by the error for heads that are not a tree, and for spans that are
	// outside the sentence or cross.
	ErrInvalid = nested.ErrInvalid
	// ErrProjective is wrapped by the error for heads whose tree has crossing arcs if a projective
	// tree is required.
	ErrProjective = errors.New("not projective")
)

// Error is an error at a position in a file of trees.
type Error = text.Error
