package rx

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

var (
	// ErrSyntax is wrapped by the error for a text that is not an expression.
	ErrSyntax = errors.New("syntax error")
	// ErrInvalid is wrapped by the error for an expression that has no meaning,
	// such as one with a probability above 1 or a class without symbols.
	ErrInvalid = errors.New("invalid expression")
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
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("rx: ")
	if e.Definition != "" {
		b.WriteString(e.Definition + ": ")
	}
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// fault returns err with the position of n, unless it has one: the innermost there is.
func (n *node) fault(err error) error {
	var placed *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &placed):
		return n.pos.fault("", err)
	case placed.Line == 0: // a symbol of a text has the position of the text
		placed.place(n.pos)
	}
	return err
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
	return fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...)
}

// MaxDepth is how deep operators may be nested in an expression.
const MaxDepth = 10_000

// check returns what is wrong with e whatever the alphabet and the definitions
// are, nil for nothing. O(1).
func (e Expr) check() error {
	if bad := e.node().bad; bad != nil {
		return bad.fault(bad.problem())
	}
	return nil
}

// problem returns what is wrong with n apart from its operands.
func (n *node) problem() error {
	if n.depth > MaxDepth {
		return invalid(ErrInvalid, "operators nested %d deep, want at most %d", n.depth, MaxDepth)
	}
	switch n.op {
	case symbol:
		return checkSymbol(n.name)
	case oneOf, noneOf:
		return n.checkClass()
	case ref:
		return checkDefinition(n.name)
	case weight:
		return n.prob.check(math.MaxFloat64, "a weight")
	case probUnion, probStar:
		return n.prob.check(1, "a probability")
	case choice:
		return n.checkChoice()
	case rules:
		return n.checkRules()
	case repeat:
		if n.lo < 0 || n.lo > MaxRepeat || n.hi > MaxRepeat || n.hi != Unlimited && n.hi < n.lo {
			return invalid(ErrInvalid, "from %d to %d repetitions, want from 0 to %d in this order", n.lo, n.hi, MaxRepeat)
		}
	}
	return nil
}

func checkSymbol(name string) error {
	if name == "" || !utf8.ValidString(name) {
		return invalid(ErrInvalid, "%q names no symbol, want UTF-8 that is not empty", name)
	}
	return nil
}

// hasProb reports whether the operator of n has a probability.
func (n *node) hasProb() bool {
	return n.op == weight || n.op == probUnion || n.op == probStar || n.how.tossed
}

// checkDefinition says what is wrong with the name of a definition: that of a file may have
// any characters.
func checkDefinition(name string) error {
	if name == "" || !utf8.ValidString(name) {
		return invalid(ErrInvalid, "%q names no definition, want UTF-8 that is not empty", name)
	}
	return nil
}

func checkName(name string) error {
	for i, r := range name {
		if !inName(r, i > 0) {
			return invalid(ErrInvalid, "%q is no name, want letters, digits and _, a digit not first", name)
		}
	}
	if name == "" {
		return invalid(ErrInvalid, "a name is empty")
	}
	return nil
}

func (n *node) checkClass() error {
	if n.op == oneOf && len(n.spans) == 0 {
		return invalid(ErrInvalid, "a class is empty")
	}
	for _, s := range n.spans {
		if err := checkSymbol(s.first); err != nil {
			return err
		}
		if !s.single() && (!isRune(s.first) || !isRune(s.last) || runeOf(s.first) > runeOf(s.last)) {
			return invalid(ErrInvalid, "a range from %q to %q, want one from a character to a later one", s.first, s.last)
		}
	}
	return nil
}

func (p Prob) check(most float64, what string) error {
	if p.group != "" {
		for _, r := range p.alternative {
			if !inName(r, true) {
				return invalid(ErrInvalid, "%q is no name of an alternative, want letters, digits and _", p.alternative)
			}
		}
		switch {
		case p.alternative == "":
			return invalid(ErrInvalid, "an alternative of %s has no name", p.group)
		case most == 1 && !p.tosses():
			return invalid(ErrInvalid, "%s of %s, want a number or a coin", what, p)
		}
		return checkName(p.group)
	}
	switch {
	case p.cost && most == 1:
		return invalid(ErrInvalid, "%s of cost %v, want a number from 0 to 1 or a coin", what, p.number)
	case p.cost && (math.IsInf(p.number, 0) || math.IsNaN(p.number)):
		return invalid(ErrInvalid, "a cost of %v, want any finite number", p.number)
	case p.cost:
		return nil
	}
	if !(p.number >= 0 && p.number <= most) {
		limit := fmt.Sprint(most)
		if most > 1 {
			limit = "any finite number"
		}
		return invalid(ErrInvalid, "%s of %v, want 0 to %s", what, p.number, limit)
	}
	return nil
}

func (n *node) checkChoice() error {
	if err := checkName(n.name); err != nil {
		return err
	}
	if len(n.args) == 0 {
		return invalid(ErrInvalid, "no alternatives of %s", n.name)
	}
	if !n.named() {
		return nil
	}
	seen := map[string]bool{}
	for _, label := range n.labels {
		if err := checkName(label); err != nil {
			return invalid(ErrInvalid, "an alternative of %s: %w", n.name, err)
		}
		if seen[label] {
			return invalid(ErrInvalid, "%s has two alternatives %s", n.name, label)
		}
		seen[label] = true
	}
	return nil
}

// named reports whether alternatives of a choice have names.
func (n *node) named() bool {
	for _, label := range n.labels {
		if label != "" {
			return true
		}
	}
	return false
}
