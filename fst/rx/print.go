package rx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// String returns e in the syntax of Parse: Parse(e.String()) equals e if e is valid.
func (e Expr) String() string {
	var p printer
	p.expr(e, lowest)
	return p.String()
}

// Levels of the grammar. An operand of a higher level needs no parentheses.
const (
	lowest = iota
	rewritings
	unions
	sets
	concatenations
	factors
	repetitions
	pairs
	atoms
)

var levels = [...]int{
	concat: concatenations, symbol: atoms, oneOf: atoms, noneOf: atoms, ref: atoms, weight: atoms, choice: atoms,
	union: unions, probUnion: unions, rules: rewritings, compose: lowest, cross: pairs, edge: atoms, each: atoms, variable: atoms, tokens: atoms,
	intersect: sets, subtract: sets, complement: factors,
	repeat: repetitions, probStar: repetitions,
	minimal: repetitions, otherwise: unions,
	invert: repetitions, projectIn: repetitions, projectOut: repetitions, reverse: repetitions,
}

// operators are the names after ^.
var operators = map[string]func(Expr) Expr{"inv": Invert, "in": ProjectIn, "out": ProjectOut, "rev": Reverse, "min": Minimal}

type printer struct {
	strings.Builder
	// word means that a following letter, digit or dot would extend the last word.
	word bool
}

func (p *printer) put(s string) {
	p.WriteString(s)
	p.word = false
}

func (p *printer) putWord(s string) {
	p.WriteString(s)
	p.word = true
}

// expr writes e, in parentheses if its level is below level.
func (p *printer) expr(e Expr, level int) {
	n := e.node()
	if e.n == nil {
		p.put("()")
		return
	}
	if levels[n.op] < level {
		p.put("(")
		p.expr(e, lowest)
		p.put(")")
		return
	}
	switch n.op {
	case concat:
		for i, a := range n.args {
			if p.word || i > 0 && joins(n.args[i-1], a) {
				p.put(" ")
			}
			p.expr(a, factors)
		}
	case symbol:
		p.put(quoted(n.name))
	case oneOf, noneOf:
		p.class(n)
	case ref:
		p.putWord("@" + reference(n.name))
		if len(n.args) > 0 {
			p.arguments(n.args)
		}
	case weight:
		p.put("<" + n.prob.String() + ">")
	case union:
		p.list(n.args, " | ", sets)
	case probUnion:
		p.expr(n.args[0], sets)
		p.put(" +" + n.prob.subscript() + " ")
		p.expr(n.args[1], sets)
	case otherwise:
		p.list(n.args, " || ", sets)
	case intersect:
		p.list(n.args, " & ", concatenations)
	case subtract:
		p.expr(n.args[0], concatenations)
		p.put(" - ")
		p.expr(n.args[1], concatenations)
	case complement:
		p.put("~")
		p.expr(n.args[0], factors)
	case choice:
		p.choice(n)
	case rules:
		p.rules(n)
	case edge:
		p.put("$")
	case each:
		p.put("{@" + n.name + " in ")
		p.expr(n.args[0], atoms)
		p.put(": ")
		p.expr(n.args[1], lowest)
		p.put("}")
	case tokens:
		p.tokens(n)
	case variable:
		p.putWord("@" + n.name)
		if len(n.args) > 0 {
			p.arguments(n.args)
		}
	case cross:
		for i, a := range n.args {
			if i > 0 {
				p.put(":")
			}
			p.operand(a, atoms)
		}
	case compose:
		p.list(n.args, " >> ", rewritings)
	default:
		p.operand(n.args[0], repetitions)
		p.postfix(n)
	}
}

// operand writes e as expr does, but with parentheses around a weight, which would otherwise seem
// to belong to adjacent text.
func (p *printer) operand(e Expr, level int) {
	if e.node().op == weight {
		level = atoms + 1
	}
	p.expr(e, level)
}

// joins reports whether e and f need a blank between them: without it, an operand of a colon at the
// end of e or the beginning of f would seem to include a symbol of the other.
func joins(e, f Expr) bool {
	last, first := e.node(), f.node()
	for last.op == complement {
		last = last.args[0].node()
	}
	for levels[first.op] == repetitions {
		first = first.args[0].node()
	}
	crossed := last.op == cross || first.op == cross
	if last.op == cross {
		last = last.args[1].node()
	}
	if first.op == cross {
		first = first.args[0].node()
	}
	return crossed && last.bare() && first.bare()
}

// bare reports whether n is a symbol that is written without quotes.
func (n *node) bare() bool { return n.op == symbol && isBare(quoted(n.name)) }

func (p *printer) list(es []Expr, between string, level int) {
	for i, e := range es {
		if i > 0 {
			p.put(between)
		}
		p.expr(e, level)
	}
}

func (p *printer) postfix(n *node) {
	switch {
	case n.op == probStar:
		p.putWord("*" + n.prob.subscript())
	case n.op == invert:
		p.putWord("^inv")
	case n.op == projectIn:
		p.putWord("^in")
	case n.op == projectOut:
		p.putWord("^out")
	case n.op == reverse:
		p.putWord("^rev")
	case n.op == minimal:
		p.putWord("^min")
	case n.lo == 0 && n.hi == Unlimited:
		p.put("*")
	case n.lo == 1 && n.hi == Unlimited:
		p.put("+")
	case n.lo == 0 && n.hi == 1:
		p.put("?")
	case n.hi == Unlimited:
		p.put(fmt.Sprintf("{%d,}", n.lo))
	case n.hi == n.lo:
		p.put(fmt.Sprintf("{%d}", n.lo))
	default:
		p.put(fmt.Sprintf("{%d,%d}", n.lo, n.hi))
	}
}

func (p *printer) class(n *node) {
	if n.op == noneOf && len(n.spans) == 0 {
		p.put(".")
		return
	}
	p.put("[")
	if n.op == noneOf {
		p.put("^")
	}
	for _, s := range n.spans {
		p.put(quoted(s.first))
		if !s.single() {
			p.put("-" + quoted(s.last))
		}
	}
	p.put("]")
}

func (p *printer) choice(n *node) {
	p.put("{" + n.name + ": ")
	for i, e := range n.args {
		if i > 0 {
			p.put(" | ")
		}
		if n.labels[i] != "" {
			p.put(n.labels[i] + " = ")
		}
		p.expr(e, sets)
	}
	p.put("}")
}

// String returns p as it is written between < and >: 0.5, λ, 1-λ or δ.x.
func (p Prob) String() string {
	switch {
	case p.cost:
		return fmt.Sprintf("%+g", p.number)
	case p.group == "":
		return strconv.FormatFloat(p.number, 'g', -1, 64)
	case p.alternative == heads:
		return p.group
	case p.alternative == tails:
		return "1-" + p.group
	}
	return p.group + "." + p.alternative
}

// subscript returns p as it is written after +, * and ^opt: _0.5, _λ or _(1-λ).
func (p Prob) subscript() string {
	if p.alternative == tails {
		return "_(" + p.String() + ")"
	}
	return "_" + p.String()
}

// quoted returns the symbol of this name as it is written in an expression.
func quoted(name string) string {
	if isRune(name) {
		switch r := runeOf(name); {
		case isSymbol(r):
			return name
		case isPunct(r):
			return `\` + name
		}
	}
	return between('\'', name)
}

// escape returns r as it is written between quotes.
func escape(quote, r rune) string {
	switch {
	case r == quote || r == '\\':
		return `\` + string(r)
	case r == ' ' || unicode.IsPrint(r):
		return string(r)
	}
	return fmt.Sprintf(`\u{%x}`, r)
}

// String returns d in the syntax of ParseDefinitions: name = expression; or name(a, b) =
// expression;
func (d Definition) String() string {
	params := ""
	if len(d.Params) > 0 {
		params = "(" + strings.Join(d.Params, ", ") + ")"
	}
	return reference(d.Name) + params + " = " + d.Expr.String() + ";"
}

// reference returns the name of a definition as it is written in a text.
func reference(name string) string {
	if checkName(name) == nil {
		return name
	}
	return between('"', name)
}

// between returns s between quotes.
func between(quote rune, s string) string {
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		b.WriteString(escape(quote, r))
	}
	b.WriteRune(quote)
	return b.String()
}
