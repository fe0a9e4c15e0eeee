package grid

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Scratch is working storage for the methods of a Machine. Its zero value is ready for
// use; one goroutine uses it at a time, for any number of machines and strings. Once it
// has grown to the largest of them, nothing is allocated.
type Scratch struct {
	pair     pair
	floats   numbers
	single   single
	kernel   counter // one of both
	exact    exact
	adding   adding
	choosing choosing
	number   [2]lines[float64]              // α and β
	weight   [2]lines[semiring.ScaledFloat] // the same
	slopes   slopes
	hessian  struct {
		hessianScratch
		tilting tilting
	}
}

// PathSum returns the sum over all paths that read x and write y of their weight, 0 if
// there is none.
func (m *Machine) PathSum(x, y []int32, s *Scratch) semiring.ScaledFloat {
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}
	}
	if sum, scale, ok := s.floatAlphas(); ok && sum >= leastTop {
		return s.pair.total(sum, scale)
	}
	return s.exactAlphas()
}

// floatAlphas computes α as numbers; the total is sum·2^scale. It returns false if they
// do not do.
func (s *Scratch) floatAlphas() (sum float64, scale int, ok bool) {
	if !s.pair.narrow {
		return 0, 0, false
	}
	s.floats.take(&s.pair)
	s.kernel = &s.floats
	if s.pair.single != nil {
		s.single.take(&s.floats)
		s.kernel = &s.single
	}
	if !s.number[0].forward(s.kernel, &s.pair) {
		return 0, 0, false
	}
	sum, scale = s.floats.end(s.number[0].row(&s.pair, s.pair.n))
	return sum, scale, true
}

// counter is a kernel of float64 numbers.
type counter interface {
	kernel[float64]
	// count adds to sum the posteriors of the arcs of the segment at hand, given α and β;
	// also those in the last row of all.
	count(sum, alpha, beta []float64)
}

// exactAlphas computes α as weights, and returns the total.
func (s *Scratch) exactAlphas() (sum semiring.ScaledFloat) {
	s.adding = adding{s.pair.Machine}
	s.exact = exact{&s.pair, &s.adding}
	s.weight[0].forward(&s.exact, &s.pair)
	last := s.weight[0].row(&s.pair, s.pair.n)
	for q, w := range s.pair.final {
		sum = sum.Add(last[s.pair.m*s.pair.states+q].Mul(w))
	}
	return sum
}

// Counts adds to sum weight times the expected number of uses of every part on a random
// path that reads x and writes y, drawn in proportion to its weight, and returns the path
// sum. If that is 0 nothing is added. The error wraps semiring.ErrNotFinite if the path
// sum is infinite, not a number, or without an inverse, and then nothing is added either.
//
// Posteriors less than 1e-150 may count as 0, otherwise they are as accurate as α and β.
// It goes over the arcs of the grid three times, or five where it has more than 2²⁰
// nodes. The result does not depend on what s was used for before.
func (m *Machine) Counts(x, y []int32, weight float64, sum Parts, s *Scratch) (semiring.ScaledFloat, error) {
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	c := counting{pair: &s.pair, s: s, weight: weight, sum: sum}
	if total, ok := c.byNumbers(); ok {
		return total, nil
	}
	return c.byWeights()
}

// counting is one call of Counts.
type counting struct {
	*pair
	s      *Scratch
	weight float64
	sum    Parts
}

// reckon computes α and β as float64 numbers, and returns the total. It returns false if
// they do not do, and if there is no path.
func (c *counting) reckon() (semiring.ScaledFloat, bool) {
	const heaviest = 0x1p256 // so that what it is multiplied by stays finite
	if !(c.weight <= heaviest) {
		return semiring.ScaledFloat{}, false
	}
	sum, scale, ok := c.s.floatAlphas()
	if !ok || sum == 0 || !c.s.number[1].backward(c.s.kernel, c.pair) || !c.s.floats.units(c.weight, sum, scale) {
		return semiring.ScaledFloat{}, false
	}
	return c.pair.total(sum, scale), true
}

// byNumbers is Counts by float64 numbers. It returns false, having added nothing, if they
// do not do, and if there is no path.
func (c *counting) byNumbers() (semiring.ScaledFloat, bool) {
	total, ok := c.reckon()
	if !ok {
		return total, false
	}
	k, f, p := c.s.kernel, &c.s.floats, c.pair
	alpha, beta := &c.s.number[0], &c.s.number[1]
	for segment := range p.segments() {
		p.enter(segment)
		alpha.forwardAgain(k, p, segment)
		beta.backwardAgain(k, p, segment)
		if segment == 0 {
			addProducts(c.sum.Initial, alpha.row(p, 0), beta.row(p, 0), f.unit[0])
		}
		if c.sum.Arc != nil {
			k.count(c.sum.Arc, alpha.rows, beta.rows)
		}
	}
	a, b := alpha.row(p, p.n), beta.row(p, p.n)
	addProducts(c.sum.Final, cellOf(p, a, p.m), cellOf(p, b, p.m), f.unit[p.n])
	return total, true
}

// addProducts adds to sum, unless it is nil, the products of a and b times unit.
func addProducts(sum, a, b []float64, unit float64) {
	a, b = a[:len(sum)], b[:len(sum)]
	for j := range sum {
		sum[j] += a[j] * unit * b[j]
	}
}

// byWeights is Counts by ScaledFloat weights, whatever they are.
func (c *counting) byWeights() (semiring.ScaledFloat, error) {
	total := c.s.exactAlphas()
	if total.IsZero() {
		return total, nil
	}
	scale, err := weights.Inverse(semiring.Scaled{}, semiring.Scaled{}, total)
	if err != nil {
		return total, nested.Errorf("grid: %w", err)
	}
	e, p := &c.s.exact, c.pair
	alpha, beta := &c.s.weight[0], &c.s.weight[1]
	beta.backward(e, p)
	for segment := range p.segments() {
		p.enter(segment)
		alpha.forwardAgain(e, p, segment)
		beta.backwardAgain(e, p, segment)
		p.prepare()
		for i := p.lo; i < p.hi; i++ {
			c.countExactly(i, scale)
		}
	}
	c.countExactly(p.n, scale)
	return total, nil
}

// countExactly adds the posteriors of row i, and of the arcs that lead from it to the
// next; scale is 1 / total.
func (c *counting) countExactly(i int, scale semiring.ScaledFloat) {
	p, q := c.pair, c.states
	a, b := c.s.weight[0].row(p, i), c.s.weight[1].row(p, i)
	product := func(a, b semiring.ScaledFloat) float64 { return c.weight * scale.Mul(a).Mul(b).Float64() }
	if i == 0 {
		for s := range c.sum.Initial {
			c.sum.Initial[s] += product(a[s], b[s])
		}
	}
	if i == p.n {
		for s := range c.sum.Final {
			last := p.m*q + s
			c.sum.Final[s] += product(a[last], b[last])
		}
	}
	if c.sum.Arc == nil {
		return
	}
	below := [2][]semiring.ScaledFloat{b, nil}
	if i < p.n {
		below[1] = c.s.weight[1].row(p, i+1)
	}
	for j := range p.m + 1 {
		p.leaving(i, j, func(k int32, from, down, to int) {
			c.sum.Arc[p.arc[k]] += product(a[from].Mul(p.weight[k]), below[down][to])
		})
	}
}
