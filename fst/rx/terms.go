package rx

import (
	"cmp"
	"fmt"
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
		before := len(terms)
		terms = r.chosen(r.weighed(terms))
		again = len(terms) < before
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return together(terms)
}

// weighed merges terms with the same parameters if their numbers add up to 1, or if the ring adds.
func (r *scaledExprs) weighed(terms []scaled) []scaled {
	if !r.tosses {
		return terms
	}
	var same [][]scaled
	number := map[string]int{} // index in same, by parameters
	for _, t := range terms {
		k := key(t.powers)
		n, ok := number[k]
		if !ok {
			n = len(same)
			number[k] = n
			same = append(same, nil)
		}
		same[n] = append(same[n], t)
	}
	var out []scaled
	for _, terms := range same {
		if len(terms) == 1 || !r.adds && neat(total(terms).Float64()) != 1 {
			out = append(out, terms...)
		} else {
			out = append(out, tossed(terms))
		}
	}
	return out
}

// key returns a text that is unique to powers.
func key(powers []power) string {
	var b []byte
	for _, f := range powers {
		b = fmt.Appendf(b, "%s.%s^%d ", f.of.group, f.of.alternative, f.n)
	}
	return string(b)
}

func total(terms []scaled) semiring.ScaledFloat {
	sum := semiring.ScaledFloat{}
	for _, t := range terms {
		sum = sum.Add(t.number)
	}
	return sum
}

// tossed merges terms that differ only in their numbers: the first with its share as a probability,
// or the others. More than many terms are split in half, to keep the nesting shallow. If the first
// share is near 1, the sides are exchanged, because 1−p would be inaccurate.
func tossed(terms []scaled) scaled {
	const many = 32
	if len(terms) == 1 {
		return terms[0]
	}
	cut := 1
	if len(terms) > many {
		cut = len(terms) / 2
	}
	first, others := tossed(terms[:cut]), tossed(terms[cut:])
	if first.number.Div(others.number).Float64() > 1e3 {
		first, others = others, first
	}
	sum := first.number.Add(others.number)
	p := first.number.Div(sum).Float64()
	if p == 0 { // too small for a number
		return together([]scaled{first, others})
	}
	all := eitherOf(Number(neat(p)), first, others)
	all.number = sum
	return all
}

// chosen merges terms whose constants differ only in one factor, if the factors are all
// alternatives of a group.
func (r *scaledExprs) chosen(terms []scaled) []scaled {
	at := map[string]int{}
	place := func(number semiring.ScaledFloat, powers []power) string {
		return fmt.Sprint(number.Mant, number.Exp, " ", key(powers))
	}
	for i, t := range terms {
		at[place(t.number, t.powers)] = i
	}
	gone := make([]bool, len(terms))
	for i, t := range terms {
		for _, factor := range t.powers {
			group := factor.of.group
			alternatives := r.alternatives(group)
			if gone[i] || factor.n < 1 || factor.of.alternative != alternatives[0] {
				continue
			}
			rest := product(t.powers, []power{{factor.of, 1}}, -1)
			var found []int
			for _, alternative := range alternatives {
				n, ok := at[place(t.number, product(rest, []power{{Param(group, alternative), 1}}, 1))]
				if !ok || gone[n] {
					break
				}
				found = append(found, n)
			}
			if len(found) < len(alternatives) {
				continue
			}
			var of []scaled
			for _, n := range found {
				of = append(of, terms[n])
				gone[n] = true
			}
			made := choose(group, alternatives, of)
			made.powers = rest
			n := slices.Min(found)
			gone[n] = false
			terms[n] = made
			delete(at, place(t.number, of[slices.Index(found, n)].powers))
			break
		}
	}
	out := terms[:0]
	for i, t := range terms {
		if !gone[i] {
			out = append(out, t)
		}
	}
	return out
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
		first.loose = first.loose || t.loose
	}
	first.expr = Choice(group, as...)
	return first
}

// comparableSize is the maximum size of expressions that are compared.
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
	out.loose = e.loose || f.loose
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

// together returns the union of terms, with their common factors in front.
func together(terms []scaled) scaled {
	common := slices.Clone(terms[0].powers)
	for _, t := range terms[1:] {
		common = shared(common, t.powers)
	}
	out := scaled{number: one, powers: common, size: 1, loose: true}
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
