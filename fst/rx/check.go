package rx

import (
	"errors"
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is the maximum nesting depth of operators in an expression.
const MaxDepth = 10_000

// check returns an error if e is invalid regardless of the alphabet and the definitions. O(1).
func (e Expr) check() error {
	if bad := e.node().bad; bad != nil {
		return bad.fault(bad.problem())
	}
	return nil
}

// problem returns an error if n is invalid apart from its operands.
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
	case each:
		return checkName(n.name)
	case tokens:
		return n.checkTokens()
	case variable:
		if len(n.args) > 0 {
			return invalid(ErrInvalid, "@%s is a variable, which takes no arguments", n.name)
		}
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

// checkDefinition returns an error if the name of a definition is empty or not UTF-8. Names of
// files may contain any characters.
func checkDefinition(name string) error {
	if name == "" || !utf8.ValidString(name) {
		return invalid(ErrInvalid, "%q names no definition, want UTF-8 that is not empty", name)
	}
	return nil
}

func checkName(name string) error {
	for i, r := range name {
		if !inName(r, i > 0) {
			return invalid(ErrInvalid, "%q is not a name, want letters, digits and _, a digit not first", name)
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
				return invalid(ErrInvalid, "%q is not a name of an alternative, want letters, digits and _", p.alternative)
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
		if most > 1 && p.number < 0 {
			limit += "; a negative cost is written <-1>, Cost(-1)"
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

// named reports whether an alternative of a choice has a name.
func (n *node) named() bool {
	for _, label := range n.labels {
		if label != "" {
			return true
		}
	}
	return false
}

// inName reports whether r may occur in a name, at its beginning or, if after, later.
func inName(r rune, after bool) bool {
	return r == '_' || unicode.IsLetter(r) || after && (unicode.IsDigit(r) || unicode.IsMark(r))
}

// fault returns err with the position of n, unless it has a position already: the innermost one is
// kept.
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
