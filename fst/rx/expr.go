package rx

import (
	"slices"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/internal/nested"
)

// Expr is an expression: a weighted relation between strings, written with symbols, operators and
// names. It is an immutable value that goroutines may share; its zero value is the pair of empty
// strings, written (). Make one with Parse or with the functions below. The functions do not fail:
// Compiler.Compile reports invalid expressions. Parse reports them itself.
type Expr struct{ n *node }

// node is an operator with its operands. Fields that the operator does not use are zero.
type node struct {
	op     op
	pos    position
	args   []Expr
	name   string   // of a symbol, a definition or a group
	word   string   // containing a symbol, if it could be the name of a definition
	labels []string // of the alternatives of a choice
	spans  []Span
	prob   Prob
	lo, hi int   // of a repetition
	how    how   // rules are applied
	depth  int   // 1 more than the depth of the deepest operand
	bad    *node // the first invalid node in this expression, or nil
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
	minimal
	otherwise
	rules // operands: the change, left and right context of each
	edge
	each     // operands: a set of symbols and an expression
	variable // of an enclosing each
	tokens   // operands: an expression and the classes that separate tokens
)

// how is the manner in which rules are applied.
type how struct {
	direction   rewrite.Direction
	application rewrite.Application
	match       rewrite.Match
	tossed      bool // by a coin, the probability of the node
}

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

// Equal reports whether e and f are the same expression. Positions are ignored.
func (e Expr) Equal(f Expr) bool {
	a, b := e.node(), f.node()
	return a == b || a.op == b.op && a.name == b.name && a.prob == b.prob && a.lo == b.lo && a.hi == b.hi && a.how == b.how &&
		slices.Equal(a.labels, b.labels) && slices.Equal(a.spans, b.spans) && slices.EqualFunc(a.args, b.args, Expr.Equal)
}

// Symbol returns the symbol with any name: a. It stands for the pair of the symbol and itself.
func Symbol(name string) Expr { return newExpr(node{op: symbol, name: name}) }

// Text returns the concatenation of the characters of s, each of them a symbol.
func Text(s string) Expr {
	var es []Expr
	for _, r := range s {
		es = append(es, Symbol(string(r)))
	}
	return Concat(es...)
}

// Ref returns a reference to the definition of name: @name.
func Ref(name string) Expr { return Call(name) }

// Call returns a reference to a definition with parameters, with args in their place: @name(E, F).
// Without args it is Ref.
func Call(name string, args ...Expr) Expr {
	return newExpr(node{op: ref, name: name, args: slices.Clone(args)})
}

// Weight returns the pair of empty strings with a weight, any number from 0 to
// infinity or a probability: <0.5>.
func Weight(p Prob) Expr { return newExpr(node{op: weight, prob: p}) }

// Concat returns the concatenation of es: E F. Without es it is the pair of empty strings.
func Concat(es ...Expr) Expr {
	switch len(es) {
	case 0:
		return Expr{}
	case 1:
		return es[0]
	}
	return newExpr(node{op: concat, args: slices.Clone(es)})
}

// Union returns the union of e and more, adding weights: E | F.
func Union(e Expr, more ...Expr) Expr { return several(union, e, more) }

// Compose returns the composition of e and more, each of which reads the output of its predecessor:
// E >> F.
func Compose(e Expr, more ...Expr) Expr { return several(compose, e, more) }

// Intersect returns the intersection of e and more, which must be acceptors, multiplying weights: E
// & F.
func Intersect(e Expr, more ...Expr) Expr { return several(intersect, e, more) }

// Subtract returns the strings of e that are not in f, with their weights in e: E - F. Both must be
// acceptors. A string with the weight Zero in f is not in f.
func Subtract(e, f Expr) Expr { return newExpr(node{op: subtract, args: []Expr{e, f}}) }

// Complement returns the strings over the alphabet that are not in e, an acceptor, each with weight
// One: ~E.
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

// ProbStar returns e a random number of times: E*_p. It repeats with probability p and stops
// otherwise.
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

// Unlimited, as the maximum of Repeat, means no upper limit.
const Unlimited = -1

// MaxRepeat is the greatest number of repetitions that Repeat accepts as a limit.
const MaxRepeat = 1000

// Repeat returns e at least lo and at most hi times: E{lo,hi}. With hi = Unlimited it is E{lo,}.
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

// ProjectIn returns the input strings of e: E^in.
func ProjectIn(e Expr) Expr { return newExpr(node{op: projectIn, args: []Expr{e}}) }

// ProjectOut returns the output strings of e: E^out.
func ProjectOut(e Expr) Expr { return newExpr(node{op: projectOut, args: []Expr{e}}) }

// Reverse returns e with both strings of each pair reversed: E^rev.
func Reverse(e Expr) Expr { return newExpr(node{op: reverse, args: []Expr{e}}) }

// Minimal returns e with fewer states and arcs, if possible: E^min. The relation is the same, and
// weights of arcs are neither divided nor moved.
func Minimal(e Expr) Expr { return newExpr(node{op: minimal, args: []Expr{e}}) }

// Otherwise returns e, and f for the inputs that e does not read: E || F. An input that e reads
// only with the weight Zero counts as not read.
func Otherwise(e, f Expr) Expr { return newExpr(node{op: otherwise, args: []Expr{e, f}}) }

// Prob is a probability: a number or a cost, a side of a named coin, or an alternative of a group.
// Coins with the same name are one coin, wherever they are tossed. The same holds for groups.
type Prob struct {
	number      float64
	cost        bool   // number is −ln of the probability
	group       string // "" for a number
	alternative string
}

// heads and tails are the alternatives of a coin.
const heads, tails = "heads", "tails"

// Number returns the probability p.
func Number(p float64) Prob { return Prob{number: p + 0} } // −0 becomes 0

// Cost returns the number e^−c in any ring, which costs c in the tropical ring, written <+2> or
// <-0.5>. It is only a weight: ProbUnion and ProbStar do not accept it.
func Cost(c float64) Prob { return Prob{number: c + 0, cost: true} }

// Coin returns the probability that the coin with this name shows heads. A coin is a group of two
// alternatives, heads and tails.
func Coin(name string) Prob { return Param(name, heads) }

// Param returns the probability of an alternative of a group, written group.alternative in angle
// brackets. It is only a weight, unless the group is a coin: ProbUnion and ProbStar require a
// number or a coin.
func Param(group, alternative string) Prob { return Prob{group: group, alternative: alternative} }

// Not returns 1−p, for a number or a coin.
func (p Prob) Not() Prob {
	switch {
	case p.cost:
		panic("rx: Not: a cost has no other side")
	case p.group == "":
		return Number(1 - p.number)
	case p.alternative == heads:
		return Param(p.group, tails)
	case p.alternative == tails:
		return Param(p.group, heads)
	}
	panic("rx: Not: an alternative of a group has no other side")
}

// tosses reports whether p is a number or a side of a coin, and so has a complement.
func (p Prob) tosses() bool {
	return p.group == "" && !p.cost || p.alternative == heads || p.alternative == tails
}

// Span is a part of a class of symbols: one symbol, or all single-character symbols of the alphabet
// in a range, including both ends.
type Span struct{ first, last string }

// One returns the symbol of this name.
func One(name string) Span { return Span{name, name} }

// Range returns the characters from first to last, by their code points.
func Range(first, last rune) Span { return Span{string(first), string(last)} }

// OneOf returns one of the symbols of spans: [abx-z].
func OneOf(spans ...Span) Expr { return class(oneOf, spans) }

// NoneOf returns one of the symbols of the alphabet that are not in spans:
// [^abx-z].
func NoneOf(spans ...Span) Expr { return class(noneOf, spans) }

// Any returns one of the symbols of the alphabet: a dot.
func Any() Expr { return NoneOf() }

func class(o op, spans []Span) Expr {
	return newExpr(node{op: o, spans: slices.Clone(spans)})
}

// single reports whether s is one symbol.
func (s Span) single() bool { return s.first == s.last }

// has reports whether the range s contains the symbol name.
func (s Span) has(name string) bool {
	return isRune(name) && runeOf(s.first) <= runeOf(name) && runeOf(name) <= runeOf(s.last)
}

func isRune(name string) bool {
	r, n := utf8.DecodeRuneInString(name)
	return n == len(name) && (r != utf8.RuneError || n > 1)
}

func runeOf(name string) rune {
	r, _ := utf8.DecodeRuneInString(name)
	return r
}

// labelOf returns the label of the symbol name.
func labelOf(alphabet *fst.Symbols, name string) (int32, error) {
	label, ok := alphabet.Find(name)
	switch {
	case !ok:
		return 0, invalid(fst.ErrSymbol, "%q is not in the alphabet", name)
	case label == fst.Epsilon:
		return 0, invalid(fst.ErrSymbol, "%q is ε, which is written ()", name)
	}
	return label, nil
}

// label returns the label of the symbol n. If n is not in the alphabet, the error suggests a
// reference when the word around the symbol is the name of a definition.
func (k *compilation[W]) label(n *node) (int32, error) {
	label, err := labelOf(k.alphabet, n.name)
	if _, ok := k.alphabet.Find(n.name); ok || n.word == "" {
		return label, err
	}
	_, isExpr := k.definitions[n.word]
	_, isMachine := k.machines[n.word]
	if isExpr || isMachine {
		return 0, nested.Errorf("%w; a reference to the definition of %s is written @%s", err, n.word, n.word)
	}
	return 0, nested.Errorf("%w, and there is no definition of %s, which would be written @%s", err, n.word, n.word)
}

// members returns the labels of a class, ascending.
func (n *node) members(alphabet *fst.Symbols) ([]int32, error) {
	listed := map[int32]bool{}
	var ranges []Span
	for _, s := range n.spans {
		if !s.single() {
			ranges = append(ranges, s)
			continue
		}
		label, err := labelOf(alphabet, s.first)
		if err != nil {
			return nil, err
		}
		listed[label] = true
	}
	var labels []int32
	for label, name := range alphabet.All() {
		in := listed[label]
		for _, s := range ranges {
			in = in || s.has(name)
		}
		if label != fst.Epsilon && in == (n.op == oneOf) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return nil, invalid(ErrInvalid, "no symbol of the alphabet is in %s", Expr{n})
	}
	return labels, nil
}

// Definition gives an expression a name.
type Definition struct {
	Name string
	// Params are the names that stand, after @ in Expr, for the arguments of a reference.
	Params []string
	Expr   Expr
	at     position
}
