// Package tsv reads tab-separated files.
//
// The idea: a file is a sequence of rows, read as they are needed and never held as a whole; in
// the place of a line that is wrong stands an error that says in which file and line it is and
// what was expected, and it is the caller's choice to stop there. Rows yields the columns of each
// line, Pairs a pair of sides with a count. Every row is accounted for: no line is a comment, and
// an empty line is an error as well. Package text has the lines below them.
package tsv

import "errors"

// What can be wrong with the columns of a line; a *text.Error wraps one of these.
var (
	ErrNoTab     = errors.New("no tab")
	ErrColumns   = errors.New("wrong number of columns")
	ErrEmptySide = errors.New("empty side")
	ErrCount     = errors.New("bad count")
)
