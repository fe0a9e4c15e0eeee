package expr

import (
	"slices"

	"example.org/pathsum/semiring"
)

// Untempered returns w with leaves, parameters and constants, that EvaluateTempered does not
// change: it has the value of w at β = 1. It is for sums that Whole turns into one number; with
// other uses, derivatives are correct only at β = 1. It takes time linear in the number of
// subexpressions of w that are new to Untempered.
func (s *Space) Untempered(w W) W {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plainFrom(w)
}

// Whole returns w as one number. It has the value of w, and under EvaluateTempered the value of w
// raised to the power β. Whole(Untempered(z)) is the divisor that normalizes a model: (w/z)^β is
// w^β / z^β, where z is not the sum of powers.
//
// A product is split into factors, so Whole(a⊗b) is Whole(a) ⊗ Whole(b), and Whole(Untempered(p))
// is p for a parameter or a constant p.
func (s *Space) Whole(w W) W {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, n := s.at(w)
	switch {
	case w == Zero:
		return Zero
	case n.kind() != monomial || n.extra >= 0:
		return s.wholeOf(w)
	}
	product := One
	for _, f := range t.pairsOf(n) {
		product = s.factor(product, s.wholeOf(W(f.of)), f.number)
	}
	return product
}

// factor returns a ⊗ b^n.
func (s *Space) factor(a, b W, n int32) W {
	c, factors := s.factors(b, new([1]pair))
	c, power, ok := raise(s.buf[:0], c, factors, n)
	s.buf = power
	if ok {
		a, ok = s.product(a, s.monomialOf(c, power), 1)
	}
	if !ok {
		panic("expr: an exponent beyond ±(2³¹−1)")
	}
	return a
}

// wholeOf is Whole of an expression that is not a product.
func (s *Space) wholeOf(w W) W {
	t, n := s.at(w)
	switch n.kind() {
	case plainLeaf:
		return W(t.pairsOf(n)[0].of)
	case raised:
		of := powerTerms(t.pairsOf(n))
		return s.powerNode(s.wholeFrom(of[plainBase]), s.wholeFrom(of[plainExponent]))
	}
	return s.intern(whole, unit, []pair{{int32(w), 1}})
}

// madeOf returns w and its subexpressions, parts first, except expressions in s.plains.
func (s *Space) madeOf(w W) []W {
	if s.plains == nil {
		s.plains = map[W]W{Zero: Zero, One: One}
	}
	found, stack := map[W]bool{}, []W{w}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, known := s.plains[x]; known || found[x] {
			continue
		}
		found[x] = true
		t, n := s.at(x)
		if n.kind() == param || n.kind() == plainLeaf {
			continue
		}
		for _, p := range t.pairsOf(n) {
			stack = append(stack, W(p.of))
		}
	}
	list := make([]W, 0, len(found))
	for x := range found {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// plainOf returns Untempered(w), given Untempered of the parts of w in s.plains.
func (s *Space) plainOf(w W) W {
	t, n := s.at(w)
	pairs := t.pairsOf(n)
	switch n.kind() {
	case param:
		return s.leaf(w)
	case plainLeaf:
		return w
	case whole:
		return s.plains[W(pairs[0].of)]
	case raised:
		of := powerTerms(pairs)
		return s.powerNode(of[plainBase], of[plainExponent])
	case star:
		return s.intern(star, unit, []pair{{int32(s.plains[W(pairs[0].of)]), 1}})
	case sum:
		terms := make([]pair, len(pairs))
		for i, x := range pairs {
			terms[i] = pair{int32(s.plains[W(x.of)]), x.number}
		}
		out, ok := s.sumOf(terms)
		if !ok {
			panic("expr: 2³¹ copies of a term")
		}
		return out
	}
	product := One
	if c := t.constant(n); !same(c, unit) {
		product = s.leaf(s.monomialOf(c, nil))
	}
	for _, f := range pairs {
		product = s.factor(product, s.plains[W(f.of)], f.number)
	}
	return product
}

// leaf returns the expression of a parameter or constant at β = 1.
func (s *Space) leaf(w W) W { return s.intern(plainLeaf, unit, []pair{{int32(w), 1}}) }

// plain returns the value of a leaf at β = 1.
func (e *evaluator) plain(t *table, leaf W) (semiring.ScaledFloat, error) {
	if e.beta == 1 {
		return e.values[leaf], nil
	}
	untempered := evaluator{theta: e.theta, beta: 1}
	t, n := t.at(leaf)
	if n.kind() == param {
		return untempered.param(t.pairsOf(n)[0].of)
	}
	return untempered.monomial(t.constant(n), nil)
}
