package rx

import (
	"slices"

	"example.org/pathsum/fst/rewrite"
)

// Expr is an expression: a weighted relation between strings, written with
// symbols, operators and names. It is an immutable value that goroutines may
// share; its zero value is the pair of empty strings, written (). Make one with
// Parse or with the functions below, which cannot fail: what is wrong with an
// expression is said by Compiler.Compile, and by Parse at once.
type Expr struct{ n *node }

// node is an operator with its operands. Fields that the operator has no use for
// are zero.
type node struct {
	op     op
	pos    position
	args   []Expr
	name   string   // of a symbol, a definition or a group
	labels []string // of the alternatives of a choice
	spans  []Span
	prob   Prob
	lo, hi int   // of a repetition
	how    how   // rules are applied
	depth  int   // 1 more than that of the deepest operand
	bad    *node // the first node within this one that is not valid, or nil
}

type op uint8

const (
	concat op = iota // without operands: the empty string
	symbol
	oneOf
	noneOf
	ref
	weight
	union
	probUnion
	choice
	repeat
	probStar
	cross
	compose
	intersect
	subtract
	complement
	invert
	projectIn
	projectOut
	reverse
	rules // with the change, left and right context of each as operands
	edge
)

// how is the way in which rules are applied.
type how struct {
	direction   rewrite.Direction
	application rewrite.Application
}

// position is where an expression was in a text, zero if it was in none.
type position struct{ line, column int }

var empty node

func newExpr(n node) Expr {
	for _, a := range n.args {
		n.depth = max(n.depth, a.node().depth)
		if n.bad == nil {
			n.bad = a.node().bad
		}
	}
	n.depth++
	if n.bad == nil && n.problem() != nil {
		n.bad = &n
	}
	return Expr{&n}
}

// node returns the node of e.
func (e Expr) node() *node {
	if e.n == nil {
		return &empty
	}
	return e.n
}

// Equal reports whether e and f are the same expression, wherever they were
// read.
func (e Expr) Equal(f Expr) bool {
	a, b := e.node(), f.node()
	return a == b || a.op == b.op && a.name == b.name && a.prob == b.prob && a.lo == b.lo && a.hi == b.hi && a.how == b.how &&
		slices.Equal(a.labels, b.labels) && slices.Equal(a.spans, b.spans) && slices.EqualFunc(a.args, b.args, Expr.Equal)
}

// Symbol returns the symbol of this name, whatever the name: a. It stands for the
// pair of the symbol and itself.
func Symbol(name string) Expr { return newExpr(node{op: symbol, name: name}) }

// Text returns the characters of s, each of them a symbol, one after the other.
func Text(s string) Expr {
	var es []Expr
	for _, r := range s {
		es = append(es, Symbol(string(r)))
	}
	return Concat(es...)
}

// Ref returns what name is defined as: @name.
func Ref(name string) Expr { return newExpr(node{op: ref, name: name}) }

// Weight returns the pair of empty strings with a weight, any number from 0 to
// infinity or a probability: <0.5>.
func Weight(p Prob) Expr { return newExpr(node{op: weight, prob: p}) }

// Concat returns the concatenation of es, the pair of empty strings if there are
// none: E F.
func Concat(es ...Expr) Expr {
	switch len(es) {
	case 0:
		return Expr{}
	case 1:
		return es[0]
	}
	return newExpr(node{op: concat, args: slices.Clone(es)})
}

// Union returns e or one of more, weights added: E | F.
func Union(e Expr, more ...Expr) Expr { return several(union, e, more) }

// Compose returns e, then the first of more, and so on, each reading what the one
// before it writes: E >> F.
func Compose(e Expr, more ...Expr) Expr { return several(compose, e, more) }

// Intersect returns the strings of e and of all of more, acceptors, weights multiplied:
// E & F.
func Intersect(e Expr, more ...Expr) Expr { return several(intersect, e, more) }

// Subtract returns the strings of e that f does not have, acceptors, with their weights
// in e: E - F. A string that f has with the weight Zero alone, it does not have.
func Subtract(e, f Expr) Expr { return newExpr(node{op: subtract, args: []Expr{e, f}}) }

// Complement returns the strings over the alphabet that e, an acceptor, does not have,
// each with weight One: ~E.
func Complement(e Expr) Expr { return newExpr(node{op: complement, args: []Expr{e}}) }

func several(o op, e Expr, more []Expr) Expr {
	if len(more) == 0 {
		return e
	}
	return newExpr(node{op: o, args: append([]Expr{e}, more...)})
}

// ProbUnion returns e with probability p and otherwise f: E +_p F.
func ProbUnion(p Prob, e, f Expr) Expr {
	return newExpr(node{op: probUnion, prob: p, args: []Expr{e, f}})
}

// ProbStar returns e a random number of times: with probability p once more, and
// otherwise no more: E*_p.
func ProbStar(p Prob, e Expr) Expr { return newExpr(node{op: probStar, prob: p, args: []Expr{e}}) }

// Alternative is one of the expressions of a Choice. The names of all of them are
// either empty or different from each other.
type Alternative struct {
	Name string
	Expr Expr
}

// Choice returns one of the alternatives, with the probabilities of a named
// group: {group: E | F | G}, or with names {group: x = E | y = F | z = G}.
func Choice(group string, alternatives ...Alternative) Expr {
	n := node{op: choice, name: group}
	for _, a := range alternatives {
		n.args = append(n.args, a.Expr)
		n.labels = append(n.labels, a.Name)
	}
	return newExpr(n)
}

// Unlimited is a number of repetitions without an upper limit.
const Unlimited = -1

// MaxRepeat is the greatest number of repetitions that is a limit.
const MaxRepeat = 1000

// Repeat returns e at least lo and at most hi times: E{lo,hi}. No hi means hi =
// Unlimited: E{lo,}.
func Repeat(e Expr, lo, hi int) Expr {
	return newExpr(node{op: repeat, lo: lo, hi: hi, args: []Expr{e}})
}

// Star returns e any number of times: E*.
func Star(e Expr) Expr { return Repeat(e, 0, Unlimited) }

// Plus returns e any number of times, but at least once: E+.
func Plus(e Expr) Expr { return Repeat(e, 1, Unlimited) }

// Optional returns e or the pair of empty strings: E?.
func Optional(e Expr) Expr { return Repeat(e, 0, 1) }

// Cross returns the pairs of a string of e and a string of f, both of them
// acceptors: E:F.
func Cross(e, f Expr) Expr { return newExpr(node{op: cross, args: []Expr{e, f}}) }

// Invert returns e with its tapes exchanged: E^inv.
func Invert(e Expr) Expr { return newExpr(node{op: invert, args: []Expr{e}}) }

// ProjectIn returns what e reads: E^in.
func ProjectIn(e Expr) Expr { return newExpr(node{op: projectIn, args: []Expr{e}}) }

// ProjectOut returns what e writes: E^out.
func ProjectOut(e Expr) Expr { return newExpr(node{op: projectOut, args: []Expr{e}}) }

// Reverse returns e with both strings of each pair reversed: E^rev.
func Reverse(e Expr) Expr { return newExpr(node{op: reverse, args: []Expr{e}}) }
