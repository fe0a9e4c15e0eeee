package msa

import (
	"errors"

	"example.org/pathsum/internal/tsv"
)

var (
	// ErrFormat is wrapped by the error for text that is not as its format wants it.
	ErrFormat = errors.New("bad format")
	// ErrSymbol is wrapped by the error for a symbol that is no nucleotide.
	ErrSymbol = errors.New("unknown symbol")
	// ErrLength is wrapped by the error for rows of unequal lengths.
	ErrLength = errors.New("unequal lengths")
	// ErrSpecies is wrapped by the error for a species without a name, or there twice.
	ErrSpecies = errors.New("bad species")
	// ErrLimit is wrapped by the error for an alignment of more than MaxCells.
	ErrLimit = errors.New("alignment too large")
)

// MaxCells is the greatest number of cells of an alignment that is read, a byte each.
const MaxCells = 1 << 30

// Error is an error about a line of a file.
type Error = tsv.Error
