package rx

import (
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/internal/nested"
)

var (
	// ErrSyntax is wrapped by the error for a text that is not an expression.
	ErrSyntax = errors.New("syntax error")
	// ErrInvalid is wrapped by the error for an expression that has no meaning,
	// such as one with a probability above 1 or a class without symbols.
	ErrInvalid = nested.ErrInvalid
	// ErrName is wrapped by the error for a name that is not defined, is defined
	// twice, or is defined in terms of itself.
	ErrName = errors.New("bad name")
	// ErrGroup is wrapped by the error for a group of parameters that does not
	// exist or that has other alternatives elsewhere.
	ErrGroup = errors.New("bad group of parameters")
)

// Error is an error with a position. Every error of this package is one.
type Error struct {
	// Definition is the name of the definition that the fault is in; empty in
	// errors of what reads texts, and for the expression given to Compile.
	Definition string
	// File is the name of the file that the fault is in; empty for other texts.
	File string
	// Line and Column are where the fault is, counted in characters from 1; 0 in an
	// expression that no text was parsed for.
	Line, Column int
	// Expected says what should have stood there, if Err is an ErrSyntax.
	Expected string
	// Err says what is wrong. It wraps one of ErrSyntax, ErrInvalid, ErrName,
	// ErrGroup, fst.ErrSymbol, semiring.ErrLimit, fst.ErrMismatch, fst.ErrInvalid,
	// semiring.ErrCapability and semiring.ErrDiverges.
	Err error
}

// Error returns "rx: definition: file:line:column: what is wrong".
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

// position is where an expression was in a text, zero if it was in none.
type position struct {
	file         *string // its name, nil if the text was in no file
	line, column int32
}

// fault returns err with a position and what was expected there.
func (p position) fault(expected string, err error) *Error {
	e := &Error{Expected: expected, Err: err}
	e.place(p)
	return e
}

// place gives e a position.
func (e *Error) place(p position) {
	e.Line, e.Column = int(p.line), int(p.column)
	if p.file != nil {
		e.File = *p.file
	}
}

// String returns where p is.
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
