package expr

import (
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
)

// textLimit bounds the text of an expression for readers: the text of an expression with shared
// parts may be exponentially longer than its size in a Space.
const textLimit = 240

// String returns w as text for diagnostics, truncated with … if it is long. It looks like the
// text of Format, but with the names set by SetNamer and without marks for Untempered and Whole.
func (s *Space) String(w W) string {
	t, names := s.snapshot()
	return t.text(w, names)
}

// Format writes w as sums of products in full:
//
//	0.5*$1*$2^-1   ½ θ₁/θ₂
//	$1+2#$2        θ₁ ⊕ θ₂ ⊕ θ₂
//	$1*star($2+1)  θ₁ ⊗ (θ₂ ⊕ 1̄)*
//	whole(!$1+!2)  Whole(Untempered(θ₁ ⊕ 2))
//	power(0.5,$1)  Power(½, θ₁), which is ½ to the power ln θ₁
//
// The text contains no spaces. Parse reads it.
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
	marks bool // whether to mark Plain and Whole
	names func(int32) string
}

func (p *printer) mark(text string) {
	if p.marks {
		p.WriteString(text)
	}
}

// full reports whether the text has reached the limit. Then recursion stops; every level of the
// recursion writes at least one character, so its depth is bounded.
func (p *printer) full() bool { return p.Len() >= p.limit }

// sum writes w in a context in which a sum needs no parentheses.
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

// product writes w in a context in which a product needs no parentheses.
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
	case raised:
		of := powerTerms(of)
		p.WriteString("power(")
		p.sum(t, of[powerBase])
		p.WriteByte(',')
		p.sum(t, of[powerExponent])
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

// FormatRows writes expressions and all of their subexpressions as the rows of a table. Rows have
// the format of Format, except that @7 refers to the expression of row 7; references are to
// earlier rows. place holds the row of each expression of ws. A shared part is written once, so
// the text is proportional to the size of the table, not of the expression trees. ParseRows reads
// the table.
//
// Rows are in order of handles. FormatRows takes time to write the rows and for a pass over the
// handles up to the largest of ws.
func (s *Space) FormatRows(ws []W) (rows []string, place []int32) {
	t, _ := s.snapshot()
	// row is −1 for a part of an expression, later replaced by the number of its row plus 1.
	row := make([]int32, t.len())
	for _, w := range ws {
		row[w] = -1
	}
	for w := W(t.len() - 1); w >= 0; w-- {
		if row[w] == 0 {
			continue
		}
		l, n := t.at(w)
		if n.kind() == param {
			continue
		}
		for _, x := range l.pairsOf(n) {
			row[x.of] = -1
		}
	}
	p := rowPrinter{row: row}
	for w := range W(t.len()) {
		if row[w] == 0 {
			continue
		}
		rows = append(rows, p.text(&t, w))
		row[w] = int32(len(rows))
	}
	place = make([]int32, len(ws))
	for i, w := range ws {
		place[i] = row[w] - 1
	}
	return rows, place
}

// rowPrinter writes rows; row is as in FormatRows.
type rowPrinter struct {
	strings.Builder
	row []int32
}

// text returns the row of w.
func (p *rowPrinter) text(t *table, w W) string {
	t, n := t.at(w)
	p.Reset()
	of := t.pairsOf(n)
	switch n.kind() {
	case param:
		p.WriteString("$" + strconv.Itoa(int(of[0].of)))
	case star:
		p.WriteString("star(")
		p.refer(of[0])
		p.WriteByte(')')
	case raised:
		of := powerTerms(of)
		p.WriteString("power(")
		p.refer(pair{of: int32(of[powerBase])})
		p.WriteByte(',')
		p.refer(pair{of: int32(of[powerExponent])})
		p.WriteByte(')')
	case plainLeaf:
		p.WriteByte('!')
		p.refer(of[0])
	case whole:
		p.WriteString("whole(")
		p.refer(of[0])
		p.WriteByte(')')
	case sum:
		for i, x := range of {
			if i > 0 {
				p.WriteByte('+')
			}
			if x.number != 1 {
				p.WriteString(strconv.Itoa(int(x.number)) + "#")
			}
			p.refer(x)
		}
	default:
		first := len(of) > 0 && n.extra < 0 // no constant
		if !first {
			p.WriteString(t.constant(n).String())
		}
		for _, f := range of {
			if !first {
				p.WriteByte('*')
			}
			first = false
			p.refer(f)
			if f.number != 1 {
				p.WriteString("^" + strconv.Itoa(int(f.number)))
			}
		}
	}
	return p.String()
}

func (p *rowPrinter) refer(x pair) { p.WriteString("@" + strconv.Itoa(int(p.row[x.of]-1))) }

// ParseRows reads a table in the format of FormatRows and returns the expression of each row.
// Rows without @ have the format of Parse. An empty space numbers the expressions of the rows in
// order, so sums are added in the original order. Memory is proportional to the text: a product
// of several factors may not refer to a product, which would be copied.
//
// The error wraps ErrSyntax and contains the row and the position.
func (s *Space) ParseRows(rows []string) ([]W, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ws := make([]W, 0, len(rows))
	for i, text := range rows {
		p := parser{space: s, text: text, rows: ws}
		w, err := p.all()
		if err != nil {
			return nil, nested.Errorf("expression %d: %w", i, err)
		}
		ws = append(ws, w)
	}
	return ws, nil
}
