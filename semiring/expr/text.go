package expr

import (
	"math"
	"strconv"
	"strings"
)

// textLimit bounds the text of an expression for a reader: one that shares its
// parts may be exponentially longer, written out, than it is in a Space.
const textLimit = 240

// String returns w as text for diagnostics, cut short with … where it is long.
// It looks like Format's, with the names given to SetNamer, and does not say what is
// Plain or Whole.
func (s *Space) String(w W) string {
	t, names := s.snapshot()
	return t.text(w, names)
}

// Format writes w as sums of products in full:
//
//	0.5*$1*$2^-1   ½ θ₁/θ₂
//	$1+2#$2        θ₁ ⊕ θ₂ ⊕ θ₂
//	$1*star($2+1)  θ₁ ⊗ (θ₂ ⊕ 1̄)*
//	whole(!$1+!2)  Whole(Plain(θ₁ ⊕ 2))
//
// There are no spaces in it. Parse reads it.
func (s *Space) Format(w W) string {
	t, _ := s.snapshot()
	p := printer{limit: math.MaxInt, marks: true, names: func(p int32) string { return "$" + strconv.Itoa(int(p)) }}
	p.sum(&t, w)
	return p.String()
}

// text is Space.String.
func (t *table) text(w W, names func(int32) string) string {
	if names == nil {
		names = func(p int32) string { return "θ" + strconv.Itoa(int(p)) }
	}
	p := printer{limit: textLimit, names: names}
	p.sum(t, w)
	if p.full() {
		p.WriteString("…")
	}
	return p.String()
}

type printer struct {
	strings.Builder
	limit int
	marks bool // what is plain and what is whole
	names func(int32) string
}

func (p *printer) mark(text string) {
	if p.marks {
		p.WriteString(text)
	}
}

// full reports whether the text is long enough. Then nothing is opened any more;
// every level of the recursion has written something, so its depth is bounded.
func (p *printer) full() bool { return p.Len() >= p.limit }

// sum writes w where a sum may stand without parentheses.
func (p *printer) sum(t *table, w W) {
	t, n := t.at(w)
	if n.kind() != sum {
		p.product(t, w)
		return
	}
	for i, x := range t.pairsOf(n) {
		if p.full() {
			break
		}
		if i > 0 {
			p.WriteByte('+')
		}
		if x.number != 1 {
			p.WriteString(strconv.Itoa(int(x.number)) + "#")
		}
		p.product(t, W(x.of))
	}
}

// product writes w where a product may stand without parentheses.
func (p *printer) product(t *table, w W) {
	t, n := t.at(w)
	if n.kind() != monomial {
		p.atom(t, w)
		return
	}
	factors := t.pairsOf(n)
	first := len(factors) > 0 && n.extra < 0 // no constant
	if !first {
		p.WriteString(t.constant(n).String())
	}
	for _, f := range factors {
		if p.full() {
			break
		}
		if !first {
			p.WriteByte('*')
		}
		first = false
		p.atom(t, W(f.of))
		if f.number != 1 {
			p.WriteString("^" + strconv.Itoa(int(f.number)))
		}
	}
}

func (p *printer) atom(t *table, w W) {
	if p.full() {
		return
	}
	t, n := t.at(w)
	of := t.pairsOf(n)
	switch n.kind() {
	case param:
		p.WriteString(p.names(of[0].of))
	case star:
		p.WriteString("star(")
		p.sum(t, W(of[0].of))
		p.WriteByte(')')
	case plainLeaf:
		p.mark("!")
		p.product(t, W(of[0].of))
	case whole:
		p.mark("whole")
		p.WriteByte('(')
		p.sum(t, W(of[0].of))
		p.WriteByte(')')
	default:
		p.WriteByte('(')
		p.sum(t, w)
		p.WriteByte(')')
	}
}
