// Package nested makes the errors of the library. The idea: a message names a single package,
// the package whose function was called. An error stores the name of its package apart from its
// text, and an error that wraps it uses the text alone: "em: example 3: no path", if the error
// of package fst is "fst: no path".
package nested

import (
	"errors"
	"fmt"
	"strings"
)

// These two values are exported by packages under the same names, so that a caller of several
// packages tests for one error.
var (
	ErrInvalid = errors.New("invalid input")
	ErrFormat  = errors.New("bad format")
)

// An Unnamed error can return its message without the name of its package.
type Unnamed interface {
	error
	// Unnamed returns the message without the name of the package at its beginning.
	Unnamed() string
}

// failure is an error of a package, or of no package if it has no name.
type failure struct {
	name, text string
	wrapped    error
}

func (f *failure) Error() string   { return f.name + f.text }
func (f *failure) Unnamed() string { return f.text }
func (f *failure) Unwrap() error   { return f.wrapped }

// packageName returns the beginning of a format that names a package, such as "em: ", or "".
func packageName(format string) string {
	name, _, ok := strings.Cut(format, ": ")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }) {
		return ""
	}
	return format[:len(name)+len(": ")]
}

// Errorf is fmt.Errorf with two differences. The error stores the name of its package, if the
// format begins with one, as in "em: %w". Errors among args are wrapped unchanged, but their
// messages are shortened. They omit the name of their package, and the message of a preceding
// error in args, such as a sentinel, if they begin with it.
func Errorf(format string, args ...any) error {
	f := &failure{name: packageName(format)}
	plain := make([]any, len(args))
	var before []string // messages of the errors so far, with ": "
	for i, a := range args {
		plain[i] = a
		if err, ok := a.(error); ok && err != nil {
			text := Text(err)
			for again := true; again; {
				again = false
				for _, b := range before {
					rest, ok := strings.CutPrefix(text, b)
					text, again = rest, again || ok
				}
			}
			plain[i] = &failure{text: text, wrapped: err}
			before = append(before, err.Error()+": ")
		}
	}
	f.wrapped = fmt.Errorf(format, plain...)
	f.text = strings.TrimPrefix(f.wrapped.Error(), f.name)
	return f
}

// Text returns the message of an error without the name of its package.
func Text(err error) string {
	if u, ok := err.(Unnamed); ok {
		return u.Unnamed()
	}
	return err.Error()
}
