package rx

import (
	"math"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
)

// Rule is a context-dependent rewrite rule: it applies Change, which may be any transducer, between
// Left and Right: E / L __ R. The contexts are acceptors; the zero Expr matches everywhere.
type Rule struct{ Change, Left, Right Expr }

// RewriteOptions describes how rules are applied; see package rewrite. The zero RewriteOptions is
// from left to right, obligatory, with all matches as alternatives.
type RewriteOptions struct {
	Direction   rewrite.Direction
	Application rewrite.Application
	Match       rewrite.Match
	// Coin, if not nil, is the probability that an Optional rule is applied where it matches: a
	// number or a coin.
	Coin *Prob
}

// Rewrite returns the relation between strings over the alphabet and their outputs under the rules
// of list, one of which is applied at a position: E / L __ R, F / L __ R.
func Rewrite(m RewriteOptions, list ...Rule) Expr {
	n := node{op: rules, how: how{m.Direction, m.Application, m.Match, m.Coin != nil}}
	if m.Coin != nil {
		n.prob = *m.Coin
	}
	for _, r := range list {
		n.args = append(n.args, r.Change, r.Left, r.Right)
	}
	return newExpr(n)
}

// Edge returns the beginning of the string in a left context, and its end in a right context: $. It
// is an error elsewhere.
func Edge() Expr { return newExpr(node{op: edge}) }

// mark is a name after / and the setting that it stands for.
type mark struct {
	name string
	how
}

var marks = []mark{
	{"rtl", how{direction: rewrite.RightToLeft}},
	{"sim", how{direction: rewrite.Simultaneous}},
	{"opt", how{application: rewrite.Optional}},
	{"longest", how{match: rewrite.Longest}},
	{"shortest", how{match: rewrite.Shortest}},
}

// and returns the union of both settings. It returns false if both set the same field.
func (h how) and(other how) (how, bool) {
	clash := h.direction != 0 && other.direction != 0 || h.application != 0 && other.application != 0 || h.match != 0 && other.match != 0
	return how{h.direction + other.direction, h.application + other.application, h.match + other.match, h.tossed}, !clash
}

// has reports whether h has the setting of m, which has a single one.
func (h how) has(m mark) bool {
	return m.direction != 0 && m.direction == h.direction || m.application != 0 && m.application == h.application ||
		m.match != 0 && m.match == h.match
}

func (n *node) checkRules() error {
	if len(n.args) == 0 {
		return invalid(ErrInvalid, "no rules")
	}
	h := n.how
	known := h.direction >= rewrite.LeftToRight && h.direction <= rewrite.Simultaneous &&
		h.application >= rewrite.Obligatory && h.application <= rewrite.Optional && h.match >= rewrite.Any && h.match <= rewrite.Shortest
	switch {
	case !known:
		return invalid(ErrInvalid, "rules in direction %d, application %d, match %d", h.direction, h.application, h.match)
	case !h.tossed:
		return nil
	case h.application != rewrite.Optional:
		return invalid(ErrInvalid, "a coin for rules that are not optional")
	}
	return n.prob.check(1, "a probability")
}

// rules = union | rule { "," rule }
func (p *parser) rules() Expr {
	change := p.union()
	pos := p.pos
	if !p.accept("/") {
		return change
	}
	m := p.marks()
	list := []Rule{p.contexts(change)}
	for p.accept(",") {
		change := p.union()
		p.expect("/", "/ after the change of a rule")
		list = append(list, p.contexts(change))
	}
	return p.at(pos, Rewrite(m, list...))
}

// marks = { "^" name | "^opt_" prob }, each direction, application and match at most once.
func (p *parser) marks() (m RewriteOptions) {
	var all how
	for {
		p.blanks()
		pos := p.pos
		if !p.accept("^") {
			return RewriteOptions{all.direction, all.application, all.match, m.Coin}
		}
		name := "opt"
		if p.accept("opt_") {
			coin := p.subscript()
			m.Coin = &coin
		} else {
			name = p.while(func(r rune, before int) bool { return inName(r, before > 0) })
		}
		i := slices.IndexFunc(marks, func(m mark) bool { return m.name == name })
		if i < 0 {
			p.stop(pos, "rtl, sim, opt, longest or shortest", invalid(ErrSyntax, "^ without rtl, sim, opt, longest or shortest"))
			return m
		}
		var ok bool
		if all, ok = all.and(marks[i].how); !ok {
			p.stop(pos, "a context or __", invalid(ErrSyntax, "^%s after another direction, application or match", name))
			return m
		}
	}
}

// rule = union "/" marks contexts; contexts = [ union ] "__" [ union ]
func (p *parser) contexts(change Expr) Rule {
	context := func() (e Expr) {
		if p.blanks(); p.beginsFactor() {
			e = p.union()
		}
		return e
	}
	p.inContexts++
	defer func() { p.inContexts-- }()
	r := Rule{Change: change, Left: context()}
	p.expect("__", "__ between the contexts of a rule")
	r.Right = context()
	return r
}

func (p *printer) rules(n *node) {
	for i := 0; i < len(n.args); i += 3 {
		if i > 0 {
			p.put(", ")
		}
		p.expr(n.args[i], unions)
		p.put(" /")
		for _, m := range marks {
			if i > 0 || !n.how.has(m) {
				continue
			}
			if p.put("^" + m.name); m.application != 0 && n.how.tossed {
				p.put(n.prob.subscript())
			}
		}
		p.put(" ")
		if left := n.args[i+1]; left.n != nil {
			p.expr(left, unions)
			p.put(" ")
		}
		p.put("__")
		if right := n.args[i+2]; right.n != nil {
			p.put(" ")
			p.expr(right, unions)
		}
	}
}

// rewriting returns the machine of rules.
func (k *compilation[W]) rewriting(n *node) (*fst.FST[W], error) {
	begin := k.unused(math.MaxInt32)
	o := rewrite.Options[W]{
		Alphabet: k.letters(), Begin: begin, End: k.unused(begin - 1),
		Direction: n.how.direction, Application: n.how.application, Match: n.how.match,
	}
	if n.how.tossed {
		yes, no, err := k.probability(n)
		if err != nil {
			return nil, n.fault(err)
		}
		o.Coin = &rewrite.Coin[W]{Heads: yes, Tails: no}
	}
	var compiled []rewrite.Rule[W]
	for args := range slices.Chunk(n.args, 3) {
		var rule rewrite.Rule[W]
		var err error
		if rule.Change, err = k.in(0, args[0]); err != nil {
			return nil, err
		}
		if rule.Left, err = k.context(o.Begin, args[1]); err != nil {
			return nil, err
		}
		if rule.Right, err = k.context(o.End, args[2]); err != nil {
			return nil, err
		}
		compiled = append(compiled, rule)
	}
	o.Limit = max(1, k.left)
	f, err := rewrite.Compile(compiled, &o)
	return k.made(n, f, err)
}

// unused returns the greatest label up to most that is not in the alphabet.
func (k *compilation[W]) unused(most int32) int32 {
	for {
		if _, ok := k.alphabet.Name(most); !ok {
			return most
		}
		most--
	}
}

// in returns the machine of e, with edge as the label of $.
func (k *compilation[W]) in(edge int32, e Expr) (*fst.FST[W], error) {
	defer func(outside int32) { k.edge = outside }(k.edge)
	k.edge = edge
	f, err := k.machine(e)
	return f, e.node().fault(err)
}

// context returns the acceptor of e, nil if it is empty.
func (k *compilation[W]) context(edge int32, e Expr) (fst.Machine[W], error) {
	if e.n == nil {
		return nil, nil
	}
	f, err := k.in(edge, e)
	if err == nil && !slices.Equal(f.In(), f.Out()) {
		err = e.node().fault(invalid(ErrInvalid, "a context that is not an acceptor"))
	}
	return f, err
}
