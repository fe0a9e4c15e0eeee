package grammar

import (
	"math/big"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// brackets are the rules of CCM: all binary bracketings. O(n³) edges.
func (r *rules) brackets() {
	forest.Join(r.Deduction, "constituent",
		func(a item) (int16, bool) { return a.j, a.kind == bracket },
		func(b item) (int16, bool) { return b.i, b.kind == bracket },
		func(a, b item) { r.Derive(item{kind: bracket, i: a.i, j: b.j}, r.constituent(a.i, b.j), a, b) })
	r.Rule("top", func(a item) {
		if a.kind == bracket && int(a.j-a.i) == r.n {
			r.Derive(item{kind: top}, expr.One, a, item{kind: spans})
		}
	})
	for i := range int16(r.n) {
		r.Derive(item{kind: bracket, i: i, j: i + 1}, expr.One)
	}
}

// halves are the rules of DMV. The arguments of a head on its two sides are independent. The two
// sides of a word are therefore separate items, and so is an argument before its outer side is
// known (Eisner 1996; Eisner and Satta 1999). O(n³) edges.
func (r *rules) halves() {
	r.Rule("stop", func(a item) {
		switch a.kind {
		case open:
			r.Derive(item{right, a.i, a.j, a.h}, r.stop(stopRight, a.h, a.j == a.h+1), a)
		case openLeft:
			r.Derive(item{left, a.i, a.j, a.h}, r.stop(stopLeft, a.h, a.i == a.h), a)
		}
	})
	forest.Join(r.Deduction, "begin to attach right",
		func(a item) (int16, bool) { return a.j, a.kind == open },
		func(b item) (int16, bool) { return b.i, b.kind == left },
		func(a, b item) {
			r.Derive(item{hookRight, a.h, b.h, a.h}, r.attach(a.h, b.h, a.j == a.h+1), a, b)
		})
	forest.Join(r.Deduction, "attach right",
		func(a item) (int16, bool) { return a.j, a.kind == hookRight },
		func(b item) (int16, bool) { return b.h, b.kind == right },
		func(a, b item) { r.Derive(item{open, a.i, b.j, a.h}, expr.One, a, b) })
	forest.Join(r.Deduction, "begin to attach left",
		func(b item) (int16, bool) { return b.j, b.kind == right },
		func(a item) (int16, bool) { return a.i, a.kind == openLeft },
		func(b, a item) {
			r.Derive(item{hookLeft, b.h, a.h, a.h}, r.attach(a.h, b.h, a.i == a.h), b, a)
		})
	forest.Join(r.Deduction, "attach left",
		func(b item) (int16, bool) { return b.h, b.kind == left },
		func(a item) (int16, bool) { return a.i, a.kind == hookLeft },
		func(b, a item) { r.Derive(item{openLeft, b.i, a.h + 1, a.h}, expr.One, b, a) })
	forest.Join(r.Deduction, "top",
		func(a item) (int16, bool) { return a.h, a.kind == left && a.i == 0 },
		func(b item) (int16, bool) { return b.h, b.kind == right && int(b.j) == r.n },
		func(a, b item) { r.Derive(item{kind: top}, r.weights[part{what: root, x: a.h}], a, b) })
	for h := range int16(r.n) {
		r.Derive(item{open, h, h + 1, h}, expr.One)
		r.Derive(item{openLeft, h, h + 1, h}, expr.One)
	}
}

// heads are the rules of the product: all trees of DMV, in which the words below a head, as it
// takes its arguments to the right and then those to the left, are constituents of a binary tree.
// The span of a head with arguments on both sides must be known as a whole; the argument is summed
// over its head words before it is joined to that span. O(n⁴) edges.
func (r *rules) heads() {
	r.Rule("stop", func(a item) {
		switch a.kind {
		case open:
			r.Derive(item{shut, a.i, a.j, a.h}, r.stop(stopRight, a.h, a.j == a.h+1), a)
		case shut:
			r.Derive(item{whole, a.i, a.j, a.h}, r.stop(stopLeft, a.h, a.i == a.h), a)
		}
	})
	r.Rule("offer", func(a item) {
		if a.kind != whole {
			return
		}
		for h := range a.i {
			r.Derive(item{hookRight, a.i, a.j, h}, r.attach(h, a.h, h+1 == a.i), a)
		}
		for h := a.j; int(h) < r.n; h++ {
			r.Derive(item{hookLeft, a.i, a.j, h}, r.attach(h, a.h, h == a.j), a)
		}
	})
	type place struct{ head, at int16 }
	forest.Join(r.Deduction, "attach right",
		func(a item) (place, bool) { return place{a.h, a.j}, a.kind == open },
		func(b item) (place, bool) { return place{b.h, b.i}, b.kind == hookRight },
		func(a, b item) { r.Derive(item{open, a.i, b.j, a.h}, r.constituent(a.i, b.j), a, b) })
	forest.Join(r.Deduction, "attach left",
		func(b item) (place, bool) { return place{b.h, b.j}, b.kind == hookLeft },
		func(a item) (place, bool) { return place{a.h, a.i}, a.kind == shut },
		func(b, a item) { r.Derive(item{shut, b.i, a.j, a.h}, r.constituent(b.i, a.j), b, a) })
	r.Rule("top", func(a item) {
		if a.kind == whole && int(a.j-a.i) == r.n {
			r.Derive(item{kind: top}, r.weights[part{what: root, x: a.h}], a, item{kind: spans})
		}
	})
	for h := range int16(r.n) {
		r.Derive(item{open, h, h + 1, h}, expr.One)
	}
}

// base derives the weights of all spans apart from the tree, and the probability of each
// bracketing.
func (r *rules) base() {
	var all []item
	for _, p := range r.parts {
		if p.what == yieldBase || p.what == contextBase {
			one := item{span, p.x, p.y, int16(p.what)}
			r.Derive(one, r.weights[p])
			all = append(all, one)
		}
	}
	r.Derive(item{kind: spans}, r.space.Const(semiring.NewScaled(1).Div(bracketings(r.n))), all...)
}

// bracketings returns the number of binary trees over n words, the Catalan number of n−1.
func bracketings(n int) semiring.ScaledFloat {
	c := new(big.Int).Binomial(2*int64(n)-2, int64(n)-1)
	f, _ := new(big.Float).SetInt(c.Div(c, big.NewInt(int64(n)))).Float64()
	return semiring.NewScaled(f)
}
