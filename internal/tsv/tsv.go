// Package tsv reads tab-separated files.
//
// The idea: a file is a sequence of rows, read on demand and never held as a whole. A bad line
// yields an error with the file, the line and the expected contents, and the caller decides
// whether to stop. Rows yields the columns of each line, Pairs a pair of sides with a count.
// Every line is significant: there are no comments, and an empty line is an error. Package text
// reads the underlying lines.
package tsv

import "errors"

// Errors in the columns of a line; a *text.Error wraps one of these.
var (
	ErrNoTab     = errors.New("no tab")
	ErrColumns   = errors.New("wrong number of columns")
	ErrEmptySide = errors.New("empty side")
	ErrCount     = errors.New("bad count")
)
