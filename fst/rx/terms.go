package rx

import (
	"cmp"
	"slices"

	"example.org/pathsum/semiring"
)

// one returns x, which is not 0̄, as one term.
func (r *scaledExprs) one(x scaledSum) scaled {
	if len(x) == 1 {
		return x[0]
	}
	terms := slices.Clone(x)
	for i := range terms {
		if terms[i].fault != nil {
			return terms[i]
		}
	}
	for again := true; again; {
		terms = r.weighed(terms)
		terms, again = r.chosen(terms)
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return together(terms)
}

// weighed returns terms with those of the same parameters as one, if their numbers add up.
func (r *scaledExprs) weighed(terms []scaled) []scaled {
	var out []scaled
	for len(terms) > 0 {
		var same, other []scaled
		total := semiring.ScaledFloat{}
		for _, t := range terms {
			if slices.Equal(t.powers, terms[0].powers) {
				same = append(same, t)
				total = total.Add(t.number)
			} else {
				other = append(other, t)
			}
		}
		terms = other
		if len(same) > 1 && (r.adds || r.tosses && neat(total.Float64()) == 1) {
			same = []scaled{tossed(same)}
		}
		out = append(out, same...)
	}
	return out
}

// tossed returns terms that differ in their numbers alone as one: each has the probability
// number/sum of those from it on. A number near 1 is one that 1−p would say badly: then the
// smallest come first.
func tossed(terms []scaled) scaled {
	rest := func() []semiring.ScaledFloat {
		sums := make([]semiring.ScaledFloat, len(terms)+1)
		for i := len(terms) - 1; i >= 0; i-- {
			sums[i] = sums[i+1].Add(terms[i].number)
		}
		return sums
	}
	sums := rest()
	for i, t := range terms[:len(terms)-1] {
		if t.number.Div(sums[i]).Float64() > 1-1e-3 {
			slices.SortStableFunc(terms, func(a, b scaled) int { return a.number.Cmp(b.number) })
			sums = rest()
			break
		}
	}
	all := terms[len(terms)-1]
	for i := len(terms) - 2; i >= 0; i-- {
		p := terms[i].number.Div(sums[i]).Float64()
		if p == 0 { // too small for a number
			return together(terms)
		}
		all = eitherOf(Number(neat(p)), terms[i], all)
	}
	all.number = sums[0]
	return all
}

// chosen looks for terms that have all alternatives of a group, and else the same constant:
// true if it has made them one.
func (r *scaledExprs) chosen(terms []scaled) ([]scaled, bool) {
	for _, t := range terms {
		for _, factor := range t.powers {
			if factor.n < 1 {
				continue
			}
			group := factor.of.group
			rest := product(t.powers, []power{{factor.of, 1}}, -1)
			alternatives := r.alternatives(group)
			var found []int
			for _, alternative := range alternatives {
				want := product(rest, []power{{Param(group, alternative), 1}}, 1)
				at := slices.IndexFunc(terms, func(o scaled) bool { return o.number == t.number && slices.Equal(o.powers, want) })
				if at < 0 {
					break
				}
				found = append(found, at)
			}
			if len(found) < len(alternatives) {
				continue
			}
			var of []scaled
			for _, at := range found {
				of = append(of, terms[at])
			}
			made := choose(group, alternatives, of)
			made.powers = rest
			var out []scaled
			for i, t := range terms {
				switch {
				case i == slices.Min(found):
					out = append(out, made)
				case !slices.Contains(found, i):
					out = append(out, t)
				}
			}
			return out, true
		}
	}
	return terms, false
}

// choose returns the choice between terms, the alternatives of a group, with the constant of
// the first.
func choose(group string, names []string, terms []scaled) scaled {
	first := terms[0]
	if !slices.ContainsFunc(terms, func(t scaled) bool { return !t.same(first) }) {
		return first
	}
	if slices.Equal(names, []string{heads, tails}) {
		return eitherOf(Coin(group), first, terms[1])
	}
	var as []Alternative
	first.size = 0
	for i, t := range terms {
		name := names[i]
		if isDigit(rune(name[0])) {
			name = ""
		}
		as = append(as, Alternative{name, t.expr})
		first.size = min(first.size+t.size+1, maxSize)
	}
	first.expr = Choice(group, as...)
	return first
}

// comparableSize is the size up to which expressions are compared.
const comparableSize = 4096

// same reports whether two small terms have the same expression.
func (s scaled) same(t scaled) bool {
	return s.size == t.size && s.size <= comparableSize && s.expr.Equal(t.expr)
}

// eitherOf returns E +_p F with the constant of E; E E*_p +_p () is E*_p.
func eitherOf(p Prob, e, f scaled) scaled {
	if e.same(f) {
		return e
	}
	out := e
	out.size = min(e.size+f.size+1, maxSize)
	loop, whole := Expr{}, false
	switch {
	case f.expr.n == nil && e.size <= comparableSize:
		loop, whole = repeated(p, e.expr)
	case e.expr.n == nil && f.size <= comparableSize:
		q := p.Not()
		q.number = neat(q.number)
		loop, whole = repeated(q, f.expr)
	}
	if out.expr = loop; !whole {
		out.expr = ProbUnion(p, e.expr, f.expr)
	}
	return out
}

// repeated returns E*_p if e is E E*_p.
func repeated(p Prob, e Expr) (Expr, bool) {
	n := e.node()
	if n.op != concat || len(n.args) < 2 {
		return e, false
	}
	last := n.args[len(n.args)-1]
	l := last.node()
	return last, l.op == probStar && l.prob == p && Concat(n.args[:len(n.args)-1]...).Equal(l.args[0])
}

// together returns terms as one, with what all have in common in front.
func together(terms []scaled) scaled {
	common := slices.Clone(terms[0].powers)
	for _, t := range terms[1:] {
		common = shared(common, t.powers)
	}
	out := scaled{number: one, powers: common, size: 1}
	var es []Expr
	for _, t := range terms {
		t.powers = product(t.powers, common, -1)
		e, err := t.weighted()
		out.fault = cmp.Or(out.fault, err)
		out.size = min(out.size+t.size+1, maxSize)
		es = append(es, e)
	}
	out.expr = Union(es[0], es[1:]...)
	return out
}
