package semiringtest

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// trees tries the bulk operations that sums over trees need.
func (c *checker[W]) trees() {
	kernel, isKernel := semiring.As[semiring.TreeKernel[W]](c.ring)
	prober, isProber := semiring.As[semiring.Prober[W]](c.ring)
	scatterer, isScatterer := semiring.As[semiring.Scatterer[W]](c.ring)
	if isScatterer {
		c.require(c.claims.Has(semiring.Commutative), "Scatterer: the ring claims to be Commutative")
	}
	for range max(1, c.trials/20) {
		for _, n := range []int{0, 1, 2, 9} {
			if isKernel && isProber {
				c.marginals2(kernel, prober, n)
			}
			if isScatterer {
				c.scatter(scatterer, n)
			}
		}
	}
}

// drawn returns n weights.
func (c *checker[W]) drawn(n int) []W {
	weights := make([]W, n)
	for i := range weights {
		weights[i] = c.draw()
	}
	return weights
}

// indices returns n indices below bound.
func (c *checker[W]) indices(n, bound int) []int32 {
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(c.rng.IntN(bound))
	}
	return index
}

func (c *checker[W]) marginals2(kernel semiring.TreeKernel[W], prober semiring.Prober[W], n int) {
	a, w, x, y := c.draw(), c.drawn(n+1), c.drawn(n+1), c.drawn(n+1)
	var k []int32
	if c.rng.IntN(2) == 0 {
		k = c.indices(n, n+1)
	}
	i, j := c.indices(n, n+1), c.indices(n, n+1)
	before := c.snapshot(slices.Concat(w, x, y, []W{a})...)
	p := make([]float64, n)
	kernel.Marginals2(p, a, w, k, x, i, y, j)
	c.require(c.snapshot(slices.Concat(w, x, y, []W{a})...) == before, "Marginals2 leaves its operands alone")
	for t := range n {
		l := prober.Log(c.ring.Times(c.ring.Times(c.ring.Times(a, at(w, k, t)), x[i[t]]), y[j[t]]))
		if math.IsNaN(l) { // a negative mass
			continue
		}
		want := math.Exp(l)
		ok := p[t] == want || math.Abs(p[t]-want) <= max(c.tol, 1e-10)*want || want < 1e-300 && p[t] < 1e-300
		c.report(ok, "Marginals2 = mass of a ⊗ w[k] ⊗ x[i] ⊗ y[j]", fmt.Sprintf("%v is not %v", p[t], want), nil)
	}
}

func (c *checker[W]) scatter(scatterer semiring.Scatterer[W], n int) {
	a, w, x, sum := c.draw(), c.drawn(n), c.drawn(n+1), c.drawn(n+1)
	i, j := c.indices(n, n+1), c.indices(n, n+1)
	want := slices.Clone(sum)
	for t := range n {
		aw := c.ring.Times(a, w[t])
		want[i[t]] = c.ring.Plus(want[i[t]], c.ring.Times(aw, x[j[t]]))
		want[j[t]] = c.ring.Plus(want[j[t]], c.ring.Times(aw, x[i[t]]))
	}
	before := c.snapshot(slices.Concat(w, x, []W{a})...)
	scatterer.Scatter2(sum, a, w, x, i, j)
	c.require(c.snapshot(slices.Concat(w, x, []W{a})...) == before, "Scatter2 leaves its operands alone")
	for t, got := range sum {
		if !c.near(got, want[t]) {
			c.report(false, "Scatter2 adds a ⊗ w ⊗ x[j] to sum[i] and a ⊗ w ⊗ x[i] to sum[j]",
				fmt.Sprintf("%s is not %s", c.show(got), c.show(want[t])), nil)
		}
	}
}
