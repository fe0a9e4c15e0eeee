package expr

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/semiring"
)

// ErrSyntax reports that a text is not a valid expression.
var ErrSyntax = errors.New("bad expression")

// Parse reads an expression in the format of Format; $3 is parameter 3. The error wraps ErrSyntax
// and contains the position. Parse(Format(w)) is w: the text of a sum shows its nesting, so
// "(a+b)+c" and "a+b+c" are different handles.
func (s *Space) Parse(text string) (W, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := parser{space: s, text: text}
	return p.all()
}

const maxNesting = 1000 // parentheses

type parser struct {
	space *Space // locked
	text  string
	rows  []W // the expressions of @0, @1, …
	pos   int
	depth int
}

// all reads the whole text.
func (p *parser) all() (W, error) {
	w, err := p.sum()
	if err == nil && p.pos < len(p.text) {
		err = p.expected("an operator")
	}
	if err != nil {
		return Zero, err
	}
	return w, nil
}

func (p *parser) expected(what string) error {
	rest := p.text[p.pos:]
	if len(rest) > 20 {
		rest = rest[:20] + "…"
	}
	return fmt.Errorf("%w: byte %d, at %q: expected %s", ErrSyntax, p.pos, rest, what)
}

// accept skips next if the text continues with it, and reports whether it did.
func (p *parser) accept(next string) bool {
	ok := strings.HasPrefix(p.text[p.pos:], next)
	if ok {
		p.pos += len(next)
	}
	return ok
}

// integer reads an integer that fits in 32 bits.
func (p *parser) integer() (int32, bool) {
	end := p.pos
	for end < len(p.text) && (p.text[end] >= '0' && p.text[end] <= '9' || p.text[end] == '-') {
		end++
	}
	n, err := strconv.ParseInt(p.text[p.pos:end], 10, 32)
	if err != nil || n == math.MinInt32 {
		return 0, false
	}
	p.pos = end
	return int32(n), true
}

// sum reads term+term+…
func (p *parser) sum() (W, error) {
	if p.depth++; p.depth > maxNesting {
		return Zero, p.expected("fewer parentheses")
	}
	defer func() { p.depth-- }()
	var terms []pair
	for {
		copies := p.copies()
		w, err := p.product()
		if err != nil {
			return Zero, err
		}
		terms = append(terms, pair{int32(w), copies})
		if !p.accept("+") {
			break
		}
	}
	w, ok := p.space.sumOf(terms)
	if !ok {
		return Zero, p.expected("fewer than 2^31 copies of a term")
	}
	return w, nil
}

// copies reads n# and returns n, or 1 if the text does not continue with n#.
func (p *parser) copies() int32 {
	start := p.pos
	if n, ok := p.integer(); ok && n > 0 && p.accept("#") {
		return n
	}
	p.pos = start
	return 1
}

// product reads power*power*… It builds the product after reading all factors: expressions stay
// in the space, so the products of the first two, three, … factors would take quadratic memory.
func (p *parser) product() (W, error) {
	c, factors := unit, []pair(nil)
	for first := true; ; first = false {
		start := p.pos
		x, err := p.power()
		if err != nil {
			return Zero, err
		}
		more := p.accept("*")
		if first && !more && x.n == 1 && x.c == unit {
			return x.of, nil
		}
		if x.n != 0 {
			var of semiring.ScaledFloat
			if of, factors, err = p.raise(factors, x, start); err != nil {
				return Zero, err
			}
			if of != unit {
				c = c.Mul(of)
			}
		}
		if !more {
			break
		}
	}
	factors, ok := gather(factors)
	if !ok {
		return Zero, p.expected("an exponent below 2^31")
	}
	return p.space.monomialOf(c, factors), nil
}

// power is (c ⊗ of)^n; one of c and of is 1.
type power struct {
	c  semiring.ScaledFloat
	of W
	n  int32
}

// raise returns the constant of x, which was read from position start and whose exponent is not
// 0, and appends its factors to dst. It returns an error if there are more factors than the text
// spells out: then x is a reference to a product, which would be copied.
func (p *parser) raise(dst []pair, x power, start int) (semiring.ScaledFloat, []pair, error) {
	c, factors := p.space.factors(x.of, new([1]pair))
	if len(factors) > p.pos-start {
		return c, nil, p.expected("no product as a part of a product before this")
	}
	if x.c != unit {
		c = x.c
	}
	c, dst, ok := raise(dst, c, factors, x.n)
	if !ok {
		return c, nil, p.expected("an exponent below 2^31")
	}
	return c, dst, nil
}

// gather puts factors in order and adds the exponents of equal ones; false if an exponent
// overflows.
func gather(factors []pair) ([]pair, bool) {
	slices.SortFunc(factors, func(a, b pair) int { return cmp.Compare(a.of, b.of) })
	merged := factors[:0]
	for i := 0; i < len(factors); {
		of, number := factors[i].of, int64(0)
		for ; i < len(factors) && factors[i].of == of; i++ {
			number += int64(factors[i].number)
		}
		if number > math.MaxInt32 || number < -math.MaxInt32 {
			return nil, false
		}
		if number != 0 {
			merged = append(merged, pair{of, int32(number)})
		}
	}
	return merged, true
}

// power reads atom^n, or atom, which is the power 1.
func (p *parser) power() (power, error) {
	x, err := p.atom()
	if err != nil || !p.accept("^") {
		return x, err
	}
	var ok bool
	if x.n, ok = p.integer(); !ok || x.n < 0 && (x.of == Zero || x.c.Mant == 0) {
		return x, p.expected("an exponent")
	}
	return x, nil
}

// atom reads a parameter, a reference, a star, a sum in parentheses or a number, which is not yet
// made an expression.
func (p *parser) atom() (power, error) {
	end := p.pos
	for end < len(p.text) {
		c := p.text[end]
		exponent := c == '+' && end > p.pos && (p.text[end-1] == 'e' || p.text[end-1] == 'E')
		if strings.IndexByte("+*^#()$@,", c) >= 0 && !exponent {
			break
		}
		end++
	}
	if end > p.pos { // avoids the cost of an error for each $
		if c, err := semiring.ParseScaled(p.text[p.pos:end]); err == nil {
			p.pos = end
			return power{c, One, 1}, nil
		}
	}
	w, err := p.expression()
	return power{unit, w, 1}, err
}

// expression reads an atom other than a number.
func (p *parser) expression() (W, error) {
	switch {
	case p.accept("$"):
		n, ok := p.integer()
		if !ok || n < 0 {
			return Zero, p.expected("the number of a parameter")
		}
		return p.space.intern(param, unit, []pair{{n, 0}}), nil
	case p.accept("@"):
		n, ok := p.integer()
		if !ok || n < 0 || int(n) >= len(p.rows) {
			return Zero, p.expected(fmt.Sprintf("the number of one of %d expressions before", len(p.rows)))
		}
		return p.rows[n], nil
	case p.accept("!"):
		return p.plain()
	case p.accept("whole("):
		w, err := p.closed()
		if err != nil || w <= One {
			return w, err
		}
		return p.space.intern(whole, unit, []pair{{int32(w), 1}}), nil
	case p.accept("power("):
		return p.powerOfTwo()
	case p.accept("star("):
		w, err := p.closed()
		if err != nil || w == Zero {
			return One, err
		}
		return p.space.intern(star, unit, []pair{{int32(w), 1}}), nil
	case p.accept("("):
		return p.closed()
	}
	return Zero, p.expected("a number, $, !, @, (, star(, whole( or power(")
}

// powerOfTwo reads a,w) after power(.
func (p *parser) powerOfTwo() (W, error) {
	a, err := p.sum()
	if err != nil {
		return Zero, err
	}
	if !p.accept(",") {
		return Zero, p.expected("a comma")
	}
	start := p.pos
	w, err := p.closed()
	if err != nil {
		return Zero, err
	}
	// A product would be split into factors, which could be longer than the text of the row.
	for _, x := range []W{a, w} {
		if t, n := p.space.at(x); n.kind() == monomial && n.size() > p.pos || x == Zero || t.constant(n).Mant < 0 {
			p.pos = start
			return Zero, p.expected("factors that are positive and no reference to a product")
		}
	}
	return p.space.powerOf(a, w), nil
}

// plain reads the leaf after a !.
func (p *parser) plain() (W, error) {
	if strings.HasPrefix(p.text[p.pos:], "!") {
		return Zero, p.expected("one ! only")
	}
	x, err := p.atom()
	if err != nil {
		return Zero, err
	}
	w := x.of
	if w == One {
		w = p.space.monomialOf(x.c, nil)
	}
	if t, n := p.space.at(w); w <= One || n.kind() != param && (n.kind() != monomial || len(t.pairsOf(n)) > 0) {
		return Zero, p.expected("a parameter or a number other than 0 and 1 before this")
	}
	return p.space.leaf(w), nil
}

// closed reads sum).
func (p *parser) closed() (W, error) {
	w, err := p.sum()
	if err == nil && !p.accept(")") {
		err = p.expected(") or an operator")
	}
	return w, err
}

// sumOf returns the sum of terms in any order, without flattening nested sums; false if a
// multiplicity overflows.
func (t *table) sumOf(terms []pair) (W, bool) {
	slices.SortFunc(terms, func(a, b pair) int { return cmp.Compare(a.of, b.of) })
	var merged []pair
	for _, x := range terms {
		last := len(merged) - 1
		switch {
		case x.of == int32(Zero):
		case last >= 0 && merged[last].of == x.of:
			if merged[last].number > math.MaxInt32-x.number {
				return Zero, false
			}
			merged[last].number += x.number
		default:
			merged = append(merged, x)
		}
	}
	switch {
	case len(merged) == 0:
		return Zero, true
	case len(merged) == 1 && merged[0].number == 1:
		return W(merged[0].of), true
	}
	return t.intern(sum, unit, merged), true
}
