package semiringtest

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// kernel compares bulk operations with folds.
func (c *checker) kernel() {
	kernel, ok := semiring.As[semiring.Kernel[any]](c.ring)
	if !ok {
		return
	}
	c.require(c.claims.Has(semiring.Commutative), "Kernel: the ring claims to be Commutative")
	k := &kernelChecker{checker: c, kernel: kernel}
	k.prober, _ = semiring.As[semiring.Probabilistic[any]](c.ring)
	for trial := range max(1, c.trials/20) {
		for _, n := range []int{0, 1, 2, 7, 30} {
			k.try(n)
		}
		if trial == 0 {
			k.try(3000)
		}
	}
}

type kernelChecker struct {
	*checker
	kernel    semiring.Kernel[any]
	prober    semiring.Probabilistic[any]
	dot, dot2 any   // reused in every call
	kept      []any // results of the previous call
	keptText  string
	last      []any // operands of the previous call
	lastText  string
}

// try calls each method once for each combination of index slices of n terms.
func (c *kernelChecker) try(n int) {
	for combination := range 8 {
		w, k := c.operand(n, combination&1 != 0)
		x, i := c.operand(n, combination&2 != 0)
		y, j := c.operand(n, combination&4 != 0)
		if k == nil && i == nil {
			w = w[:n]
		}
		before := c.snapshot(slices.Concat(w, x, y)...)
		c.dots(n, w, k, x, i, y, j)
		if c.prober != nil && combination < 4 {
			c.marginals(n, w, k, x, i)
		}
		c.require(c.snapshot(slices.Concat(w, x, y)...) == before, "Kernel leaves its operands alone")
		// *dst was reused: it must not share storage with an earlier operand.
		c.require(c.snapshot(c.last...) == c.lastText, "Kernel leaves earlier operands alone")
		c.last, c.lastText = slices.Concat(w, x, y), before
	}
}

// operand returns at least n weights and, if indexed is set, n indices of them.
func (c *kernelChecker) operand(n int, indexed bool) ([]any, []int32) {
	weights := c.drawn(n + c.rng.IntN(3))
	if !indexed {
		return weights, nil
	}
	return weights, c.indices(n, len(weights))
}

func at(weights []any, index []int32, n int) any {
	if index != nil {
		n = int(index[n])
	}
	return weights[n]
}

func (c *kernelChecker) dots(n int, w []any, k []int32, x []any, i []int32, y []any, j []int32) {
	want, want2 := c.ring.Zero(), c.ring.Zero()
	for t := range n {
		product := c.ring.Times(at(w, k, t), at(x, i, t))
		want = c.ring.Plus(want, product)
		want2 = c.ring.Plus(want2, c.ring.Times(product, at(y, j, t)))
	}
	call := fmt.Sprintf(" (%d terms; indices nil: k %t, i %t, j %t)", n, k == nil, i == nil, j == nil)
	var dot, dot2 any
	c.kernel.Dot(&dot, w, k, x, i)
	c.kernel.Dot2(&dot2, w, k, x, i, y, j)
	c.equalCall("Dot = ⊕ w[k] ⊗ x[i]", dot, want, call)
	c.equalCall("Dot2 = ⊕ w[k] ⊗ x[i] ⊗ y[j]", dot2, want2, call)
	c.kernel.Dot(&c.dot, w, k, x, i)
	c.kernel.Dot2(&c.dot2, w, k, x, i, y, j)
	c.equalCall("Dot = ⊕ w[k] ⊗ x[i] when *dst is used again", c.dot, want, call)
	c.equalCall("Dot2 = ⊕ w[k] ⊗ x[i] ⊗ y[j] when *dst is used again", c.dot2, want2, call)
	c.require(c.snapshot(c.kept...) == c.keptText, "Kernel leaves earlier results alone")
	c.kept = []any{dot, dot2}
	c.keptText = c.snapshot(c.kept...)
}

func (c *checker) equalCall(law string, got, want any, call string) {
	if !c.near(got, want) {
		c.report(false, law, fmt.Sprintf("%s is not %s%s", c.show(got), c.show(want), call), nil)
	}
}

func (c *kernelChecker) marginals(n int, w []any, k []int32, x []any, i []int32) {
	a := c.draw()
	p := make([]float64, n+1)
	for t := range p {
		p[t] = math.Inf(-1) // no mass
	}
	c.kernel.Marginals(p, a, w, k, x, i)
	c.require(math.IsInf(p[n], -1), "Marginals sets n elements")
	for t := range n {
		product := c.ring.Times(c.ring.Times(a, at(w, k, t)), at(x, i, t))
		c.mass("Marginals = mass of a ⊗ w[k] ⊗ x[i]", p[t], c.prober.Log(product))
	}
}

// mass requires that p is the mass with logarithm log. A negative mass has no logarithm.
func (c *checker) mass(law string, p, log float64) {
	want := math.Exp(log)
	ok := p == want || math.Abs(p-want) <= max(c.tol, 1e-10)*want || want < 1e-300 && p < 1e-300
	c.report(ok || math.IsNaN(log), law, fmt.Sprintf("%v is not %v", p, want), nil)
}

// trees checks the bulk operations that sums over trees use.
func (c *checker) trees() {
	kernel, isKernel := semiring.As[semiring.Kernel[any]](c.ring)
	prober, isProber := semiring.As[semiring.Probabilistic[any]](c.ring)
	scatterer, isScatterer := semiring.As[semiring.Scatterer[any]](c.ring)
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

// drawn returns n random weights.
func (c *checker) drawn(n int) []any {
	weights := make([]any, n)
	for i := range weights {
		weights[i] = c.draw()
	}
	return weights
}

// indices returns n random indices below bound.
func (c *checker) indices(n, bound int) []int32 {
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(c.rng.IntN(bound))
	}
	return index
}

func (c *checker) marginals2(kernel semiring.Kernel[any], prober semiring.Probabilistic[any], n int) {
	a, w, x, y := c.draw(), c.drawn(n+1), c.drawn(n+1), c.drawn(n+1)
	var k []int32
	if c.rng.IntN(2) == 0 {
		k = c.indices(n, n+1)
	}
	i, j := c.indices(n, n+1), c.indices(n, n+1)
	before := c.snapshot(slices.Concat(w, x, y, []any{a})...)
	p := make([]float64, n)
	kernel.Marginals2(p, a, w, k, x, i, y, j)
	c.require(c.snapshot(slices.Concat(w, x, y, []any{a})...) == before, "Marginals2 leaves its operands alone")
	for t := range n {
		product := c.ring.Times(c.ring.Times(a, at(w, k, t)), x[i[t]])
		c.mass("Marginals2 = mass of a ⊗ w[k] ⊗ x[i] ⊗ y[j]", p[t], prober.Log(c.ring.Times(product, y[j[t]])))
	}
}

func (c *checker) scatter(scatterer semiring.Scatterer[any], n int) {
	a, w, x, sum := c.draw(), c.drawn(n), c.drawn(n+1), c.drawn(n+1)
	i, j := c.indices(n, n+1), c.indices(n, n+1)
	want := slices.Clone(sum)
	for t := range n {
		aw := c.ring.Times(a, w[t])
		want[i[t]] = c.ring.Plus(want[i[t]], c.ring.Times(aw, x[j[t]]))
		want[j[t]] = c.ring.Plus(want[j[t]], c.ring.Times(aw, x[i[t]]))
	}
	before := c.snapshot(slices.Concat(w, x, []any{a})...)
	scatterer.Scatter2(sum, a, w, x, i, j)
	c.require(c.snapshot(slices.Concat(w, x, []any{a})...) == before, "Scatter2 leaves its operands alone")
	for t, got := range sum {
		c.equalCall("Scatter2 adds a ⊗ w ⊗ x[j] to sum[i] and a ⊗ w ⊗ x[i] to sum[j]", got, want[t], "")
	}
}

// bulkSweep is a method of a Sweeper.
type bulkSweep struct {
	name, law string
	call      func(x []any, order, row []int32, w []any, i []int32)
	columns   func(order []int32, p int) []int32 // the columns that row order[p] may refer to
	term      func(x []any, s, i int32, w any)   // applies entry w of row s, in column i, to x
}

// sweep compares the methods of a Sweeper with folds.
func (c *checker) sweep() {
	sweeper, ok := semiring.As[semiring.Sweeper[any]](c.ring)
	if !ok {
		return
	}
	c.require(c.claims.Has(semiring.Commutative), "Sweeper: the ring claims to be Commutative")
	sweeps := []bulkSweep{
		{
			"Sweep", "x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", sweeper.Sweep,
			earlier,
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
			for _, sweep := range sweeps {
				order := identity(n)
				c.trySweep(sweep, nil, order)
				c.rng.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
				c.trySweep(sweep, order, order)
				c.trySweep(sweep, order[:c.rng.IntN(n+1)], order)
			}
		}
	}
}

// trySweep makes one call of a method on a random system with the given order of rows, which may
// be nil or partial. taken lists all rows in the same order; a row refers only to the columns
// that are allowed in this order.
func (c *checker) trySweep(sweep bulkSweep, order, taken []int32) {
	n := len(taken)
	row, i := c.system(taken, sweep.columns)
	w, x := c.drawn(len(i)+c.rng.IntN(2)), c.drawn(n)
	want := slices.Clone(x)
	visited := order
	if order == nil {
		visited = taken
	}
	for _, s := range visited {
		for e := row[s]; e < row[s+1]; e++ {
			sweep.term(want, s, i[e], w[e])
		}
	}
	before := slices.Clone(x)
	text := c.snapshot(slices.Concat(before, w)...)
	sweep.call(x, order, row, w, i)
	for s := range x {
		c.equalCall(sweep.name+": "+sweep.law, x[s], want[s], fmt.Sprintf(" (%d of %d rows; nil: order %t)", len(visited), n, order == nil))
	}
	c.require(c.snapshot(slices.Concat(before, w)...) == text, sweep.name+" leaves weights alone and replaces those of x")
}

// system returns the columns of random rows. columns returns the columns that row taken[p] may
// refer to.
func (c *checker) system(taken []int32, columns func(taken []int32, p int) []int32) (row, i []int32) {
	position := make([]int, len(taken))
	for p, s := range taken {
		position[s] = p
	}
	row, i = []int32{0}, []int32{}
	for s := range taken {
		if columns := columns(taken, position[s]); len(columns) > 0 {
			for range c.rng.IntN(4) {
				i = append(i, columns[c.rng.IntN(len(columns))])
			}
		}
		row = append(row, int32(len(i)))
	}
	return row, i
}

// earlier returns the rows that precede position p of an order.
func earlier(order []int32, p int) []int32 { return order[:p] }

func identity(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}
