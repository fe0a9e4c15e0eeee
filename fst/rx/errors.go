package rx

import (
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/internal/nested"
)

var (
	// ErrSyntax is returned, wrapped, for a text that is not an expression.
	ErrSyntax = errors.New("syntax error")
	// ErrInvalid is returned, wrapped, for an expression without a meaning, such as a probability
	// above 1 or a class without symbols.
	ErrInvalid = nested.ErrInvalid
	// ErrName is returned, wrapped, for a name that is not defined, is defined twice, or is defined
	// in terms of itself.
	ErrName = errors.New("bad name")
	// ErrGroup is returned, wrapped, for a group of parameters that does not exist or that has
	// other alternatives elsewhere.
	ErrGroup = errors.New("bad group of parameters")
)

// Error is an error with a position. Every error of this package is one.
type Error struct {
	// Definition is the name of the definition that contains the fault. It is empty for errors in
	// parsing, and for the expression passed to Compile.
	Definition string
	// File is the name of the file that contains the fault; empty for other texts.
	File string
	// Line and Column are the position of the fault, counted in characters from 1. They are 0 for
	// an expression that was not parsed from a text.
	Line, Column int
	// Expected describes the expected text at this position, if Err is an ErrSyntax.
	Expected string
	// Err is the cause. It wraps one of ErrSyntax, ErrInvalid, ErrName, ErrGroup, fst.ErrSymbol,
	// semiring.ErrLimit, fst.ErrMismatch, fst.ErrInvalid, semiring.ErrCapability and
	// semiring.ErrDiverges.
	Err error
}

// Error returns "rx: definition: file:line:column: cause".
func (e *Error) Error() string { return "rx: " + e.Unnamed() }

// Unnamed returns the message without the name of the package, for errors that wrap e.
func (e *Error) Unnamed() string {
	var b strings.Builder
	if e.Definition != "" {
		b.WriteString(e.Definition + ": ")
	}
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	}
	b.WriteString(nested.Text(e.Err))
	return b.String()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// position is the position of an expression in a text, zero if it was not parsed from a text.
type position struct {
	file         *string // its name, nil if the text is not from a file
	line, column int32
}

// fault returns err with a position and the text that was expected there.
func (p position) fault(expected string, err error) *Error {
	e := &Error{Expected: expected, Err: err}
	e.place(p)
	return e
}

// place sets the position of e.
func (e *Error) place(p position) {
	e.Line, e.Column = int(p.line), int(p.column)
	if p.file != nil {
		e.File = *p.file
	}
}

// String returns a description of p for an error message.
func (p position) String() string {
	switch {
	case p.line == 0:
		return "elsewhere"
	case p.file != nil:
		return fmt.Sprintf("at %s:%d:%d", *p.file, p.line, p.column)
	}
	return fmt.Sprintf("at %d:%d", p.line, p.column)
}

// invalid returns an error that wraps sentinel.
func invalid(sentinel error, format string, args ...any) error {
	return nested.Errorf("%w: "+format, append([]any{sentinel}, args...)...)
}
