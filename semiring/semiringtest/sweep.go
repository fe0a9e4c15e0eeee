package semiringtest

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
)

// pass is a method of a Sweeper.
type pass struct {
	name, law string
	call      func(x []any, order, row []int32, w []any, i []int32)
	columns   func(order []int32, p int) []int32 // that row order[p] may refer to
	term      func(x []any, s, i int32, w any)   // what entry w of row s does to x
}

// sweep tries whole passes against folds.
func (c *checker) sweep() {
	sweeper, ok := semiring.As[semiring.Sweeper[any]](c.ring)
	if !ok {
		return
	}
	c.require(c.claims.Has(semiring.Commutative), "Sweeper: the ring claims to be Commutative")
	passes := []pass{
		{
			"Sweep", "x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", sweeper.Sweep,
			func(order []int32, p int) []int32 { return order[:p] },
			func(x []any, s, i int32, w any) { x[s] = c.ring.Plus(x[s], c.ring.Times(w, x[i])) },
		},
		{
			"Spread", "x[i] = x[i] ⊕ ⊕ x[s] ⊗ w", sweeper.Spread,
			func(order []int32, p int) []int32 { return order[p+1:] },
			func(x []any, s, i int32, w any) { x[i] = c.ring.Plus(x[i], c.ring.Times(x[s], w)) },
		},
	}
	for range max(1, c.trials/20) {
		for _, n := range []int{0, 1, 2, 9} {
			for _, pass := range passes {
				order := identity(n)
				c.tryPass(pass, nil, order)
				c.rng.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
				c.tryPass(pass, order, order)
			}
		}
	}
}

// tryPass makes one call of a pass that takes the rows of a random system as in taken,
// for which order stands.
func (c *checker) tryPass(pass pass, order, taken []int32) {
	n := len(taken)
	position := make([]int, n)
	for p, s := range taken {
		position[s] = p
	}
	row, i := []int32{0}, []int32{}
	for s := range n {
		if columns := pass.columns(taken, position[s]); len(columns) > 0 {
			for range c.rng.IntN(4) {
				i = append(i, columns[c.rng.IntN(len(columns))])
			}
		}
		row = append(row, int32(len(i)))
	}
	w, x := c.drawn(len(i)+c.rng.IntN(2)), c.drawn(n)
	want := slices.Clone(x)
	for _, s := range taken {
		for e := row[s]; e < row[s+1]; e++ {
			pass.term(want, s, i[e], w[e])
		}
	}
	before := slices.Clone(x)
	text := c.snapshot(slices.Concat(before, w)...)
	pass.call(x, order, row, w, i)
	for s := range x {
		c.equalCall(pass.name+": "+pass.law, x[s], want[s], fmt.Sprintf(" (%d rows; nil: order %t)", n, order == nil))
	}
	c.require(c.snapshot(slices.Concat(before, w)...) == text, pass.name+" leaves weights alone and replaces those of x")
}

func identity(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}
