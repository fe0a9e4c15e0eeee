package semiringtest

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// terms compares the shares of a TermSweeper with quotients of masses.
func (c *checker) terms() {
	sweeper, ok := semiring.As[semiring.TermSweeper[any]](c.ring)
	if !ok {
		return
	}
	c.require(c.claims.Has(semiring.Commutative), "TermSweeper: the ring claims to be Commutative")
	prober, ok := semiring.As[semiring.Probabilistic[any]](c.ring)
	if c.require(ok, "TermSweeper: the ring is Probabilistic"); !ok {
		return
	}
	for range max(1, c.trials/20) {
		for _, n := range []int{0, 1, 2, 9} {
			order := identity(n)
			c.tryTerms(sweeper, prober, nil, order)
			c.rng.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
			c.tryTerms(sweeper, prober, order, order)
		}
	}
}

// tryTerms makes one call of SweepTerms on a random system, as trySweep does.
func (c *checker) tryTerms(sweeper semiring.TermSweeper[any], prober semiring.Probabilistic[any], order, taken []int32) {
	row, i := c.system(taken, earlier)
	w, x := c.drawn(len(i)), c.drawn(len(taken))
	old := slices.Clone(x)
	text := c.snapshot(slices.Concat(old, w)...)
	term, own, unit := make([]float64, len(i)), make([]float64, len(x)), make([]float64, len(x))
	for _, numbers := range [][]float64{term, own, unit} {
		for n := range numbers {
			numbers[n] = math.NaN() // storage may hold anything
		}
	}
	ok := sweeper.SweepTerms(term, own, unit, x, order, row, w, i)
	c.require(c.snapshot(slices.Concat(old, w)...) == text, "SweepTerms leaves weights alone and replaces those of x")
	regular := true // all sums have shares, however small the range of the ring
	for _, s := range taken {
		want, terms := old[s], [][2]float64{{own[s], prober.Log(old[s])}}
		for e := row[s]; e < row[s+1]; e++ {
			product := c.ring.Times(w[e], x[i[e]])
			want = c.ring.Plus(want, product)
			terms = append(terms, [2]float64{term[e], prober.Log(product)})
		}
		c.equalCall("SweepTerms: x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", x[s], want, "")
		sum := prober.Log(x[s])
		for _, t := range terms {
			regular = regular && (math.Abs(t[1]) < 300 || math.IsInf(t[1], -1))
			if ok {
				c.share(t[0]*unit[s], t[1], sum)
			}
		}
	}
	c.require(ok || !regular, "SweepTerms has shares of sums of numbers in range")
}

// share requires that p is the share of the mass with logarithm term in the mass with logarithm
// sum. Negative masses have no logarithm.
func (c *checker) share(p, term, sum float64) {
	const least = 0x1p-470
	want := 0.0
	if !math.IsInf(sum, -1) {
		want = math.Exp(term - sum)
	}
	ok := p == want || math.Abs(p-want) <= max(c.tol, 1e-10)*want+least
	c.report(ok || math.IsNaN(want), "SweepTerms: term · unit is the share of w ⊗ x[i]", fmt.Sprintf("%v is not %v", p, want), nil)
}
