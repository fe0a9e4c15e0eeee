package solve

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
)

// elimination is the closure of rings with Star, their own or by doubling, commutative or
// not. Every component is factored once, following the plan of the topology, and then
// solved for any number of right-hand sides.
//
// In a ring of probabilities that adds, what decides whether a cycle has a sum is
// whether its mass is certainly below 1. Where weights are nothing but a mass, not
// negative and in the range of float64, they are eliminated without subtraction (see
// leaky). Otherwise the masses are eliminated with a bound on their rounding errors;
// weights that are nothing but a mass take the result for their factors, and others are
// then eliminated themselves.
type elimination struct {
	g        *problem
	plan     *plan
	use      []bool
	factors  factors
	factored []bool // by position of a component's first state

	work   *ringWork // nil: not needed yet
	masses boundedWork

	// Scratch of factorLeaky.
	leaky leaky
	read  []float64

	inaccuracy *inaccuracy
}

// factors are the values of a plan for one weighting. With A the matrix of arc
// weights and paths "through k" those whose inner states were all eliminated
// before k,
//
//	star:  per position k, (⊕ paths from k to k through k)*
//	upper: per entry (k, j), ⊕ paths from k to j through k
//	lower: per entry (i, k), ⊕ paths from i to k through k, ⊗ star of k
type factors struct {
	lower, upper, star table
}

func newElimination(g *problem, use []bool, pl *plan, a *inaccuracy) *elimination {
	n := g.topology.NumStates()
	return &elimination{
		g: g, plan: pl, use: use,
		factors:    factors{g.newTable(len(pl.lower.col)), g.newTable(len(pl.upper.col)), g.newTable(n)},
		factored:   make([]bool, n),
		inaccuracy: a,
	}
}

func (e *elimination) forward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	e.solveForward(lo, hi)
	return nil
}

func (e *elimination) backward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	e.solveBackward(lo, hi)
	return nil
}

// factor computes the factors of the component at positions lo … hi−1, unless
// they are there.
func (e *elimination) factor(lo, hi int) error {
	if e.factored[lo] {
		return nil
	}
	if err := e.g.requireBothSides(); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	known, err := e.factorLeaky(lo, hi)
	bound := e.leaky.bound
	if err == nil && !known && e.g.adds {
		known, bound, err = e.factorMass(lo, hi)
	}
	if err == nil && e.g.adds {
		err = e.inaccuracy.add(bound, e.plan.order[lo], lo, hi)
	}
	if err == nil && !known {
		err = e.factorRing(lo, hi)
	}
	e.factored[lo] = err == nil
	return err
}

// absent reports whether an arc has an end that is not in use.
func (e *elimination) absent(s int32, arc int32) bool {
	return e.use != nil && !(e.use[s] && e.use[e.g.topology.To[arc]])
}

func (e *elimination) factorRing(lo, hi int) error {
	if e.work == nil {
		e.work = newRingWork(e)
	}
	e.work.err, e.work.in = nil, e.inside(lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, e.work, workload{interrupted: e.g.interrupted})
	if err != nil {
		return err
	}
	if e.work.err != nil {
		return e.work.err
	}
	if !ok {
		return diverges(e.plan.order[at], lo, hi, e.work.refusal(at))
	}
	return nil
}

// factorMass eliminates the masses of the weights. It reports whether the factors have
// been computed by it, otherwise it only checks that the component converges; and it
// returns a bound on the relative error of a star.
func (e *elimination) factorMass(lo, hi int) (known bool, bound float64, err error) {
	m := &e.masses
	m.begin(e, lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, m, workload{interrupted: e.g.interrupted})
	if err != nil {
		return false, 0, err
	}
	if m.unknown && !e.g.numeric {
		// Some weight has no mass that the ring could tell, a negative one
		// perhaps. Its Star alone decides.
		clear(m.row)
		return false, 0, nil
	}
	if !ok {
		return false, 0, diverges(e.plan.order[at], lo, hi, fmt.Sprintf("those found so far have a mass of %v", m.row[at].value()))
	}
	for _, x := range m.stars {
		bound = max(bound, x.err/math.Abs(x.mant))
	}
	if !e.g.numeric {
		return false, bound, nil
	}
	m.take(e.factors)
	return true, bound, nil
}

// elements are what elimination computes: factors, by their places in the plan, and a row
// under work, by positions, which is all Zero before and after.
type elements interface {
	// addArcs adds the weights of the arcs of s inside the component to the row.
	addArcs(s int32)
	// reduce makes row[r] ⊗ star[r] the factor lower[n], and row[r] Zero. Unless that was
	// Zero before it adds lower[n] ⊗ upper[begin+m] to row[at[m]], for all m, and
	// returns true.
	reduce(n, r int32, at []int32, begin int32) bool
	// close makes the star of row[p] that of p, and row[at[m]] the factor upper[begin+m],
	// for all m; all of these in the row become Zero. If there is no star it returns
	// false and leaves the row as it is.
	close(p int32, at []int32, begin int32) bool
}

// eliminate computes the factors of the component at positions lo … hi−1, row by row. If
// a star has no value, eliminate returns its position and false, and leaves the row
// unfinished. The error comes from pace.
func eliminate(pl *plan, lo, hi int, a elements, pace workload) (at int, ok bool, err error) {
	for p := lo; p < hi; p++ {
		a.addArcs(pl.order[p])
		for n := pl.lower.row[p]; n < pl.lower.row[p+1]; n++ {
			r := pl.position[pl.lower.col[n]]
			begin, end := pl.upper.row[r], pl.upper.row[r+1]
			if !a.reduce(n, r, pl.upperAt[begin:end], begin) {
				continue
			}
			if err := pace.done(int(end-begin) + 1); err != nil {
				return p, false, err
			}
		}
		begin, end := pl.upper.row[p], pl.upper.row[p+1]
		if !a.close(int32(p), pl.upperAt[begin:end], begin) {
			return p, false, nil
		}
	}
	return 0, true, nil
}

// inside returns where arcs inside the component at positions lo … hi−1 lead.
func (e *elimination) inside(lo, hi int) inside {
	t := e.g.topology
	return inside{t.Row, t.To, e.plan.position, int32(lo), int32(hi), e.use}
}

// ringWork are the elements of a ring.
type ringWork struct {
	*elimination
	in      inside
	row     table
	closed  bool    // the ring has Star
	missing error   // why it has neither that nor distances
	err     error   // missing, once it mattered
	last    float64 // how far the last step of the latest star went, if it has distances
}

func newRingWork(e *elimination) *ringWork {
	n := e.g.topology.NumStates()
	w := &ringWork{elimination: e, row: e.g.newTable(n)}
	for p := range int32(n) {
		e.g.set(place{w.row, p}, zero)
	}
	err := e.g.requireClosed()
	if w.closed = err == nil; !w.closed && !e.g.isMeasured() {
		w.missing = nested.Errorf("graph: %w, nor Metric or Keyer, nor Laws that say semiring.Bounded", err)
	}
	return w
}

func (w *ringWork) addArcs(s int32) { w.g.addArcs(w.row, s, &w.in) }

func (w *ringWork) reduce(n, r int32, at []int32, begin int32) bool {
	return w.g.reduce(&w.factors, w.row, n, r, at, begin)
}

func (w *ringWork) close(p int32, at []int32, begin int32) bool {
	star, x := place{w.factors.star, p}, place{w.row, p}
	if w.g.isZero(x) {
		w.g.set(star, one)
	} else if !w.star(star, x) {
		return false
	}
	w.g.set(x, zero)
	w.g.move(w.factors.upper, begin, w.row, at)
	return true
}

// star sets dst to the star of x, false if that has no value or the ring no stars.
func (w *ringWork) star(dst, x place) (ok bool) {
	switch {
	case w.missing != nil:
		w.err = w.missing
	case w.closed:
		ok = w.g.star(dst, x)
	default:
		w.last, ok = w.g.double(dst, x)
	}
	return ok
}

// refusal says why the star at position p, which was asked for last, has no value.
func (w *ringWork) refusal(p int) string {
	if w.closed {
		return fmt.Sprintf("the star of %s has no value", w.g.text(place{w.row, int32(p)}))
	}
	return undoubled(w.last)
}

// solveBackward replaces the sums x, at the states of positions lo … hi−1, by the
// solution of x' = A ⊗ x' ⊕ x.
func (e *elimination) solveBackward(lo, hi int) {
	g, pl := e.g, e.plan
	for k := lo; k < hi; k++ {
		if begin, end := pl.lower.row[k], pl.lower.row[k+1]; begin < end {
			g.addBefore(pl.order[k], e.factors.lower, begin, pl.lower.col[begin:end])
		}
	}
	for k := hi - 1; k >= lo; k-- {
		s := pl.order[k]
		if begin, end := pl.upper.row[k], pl.upper.row[k+1]; begin < end {
			g.addBefore(s, e.factors.upper, begin, pl.upper.col[begin:end])
		}
		g.times(sumOf(s), place{e.factors.star, int32(k)}, sumOf(s))
	}
}

// solveForward replaces the sums x, at the states of positions lo … hi−1, by the solution
// of x' = x' ⊗ A ⊕ x.
func (e *elimination) solveForward(lo, hi int) {
	g, pl := e.g, e.plan
	upper, lower := pl.upper.in, pl.lower.in
	for k := lo; k < hi; k++ {
		s := pl.order[k]
		if begin, end := upper.Row[k], upper.Row[k+1]; begin < end {
			g.addAfter(s, e.factors.upper, upper.Arc[begin:end], upper.Other[begin:end])
		}
		g.times(sumOf(s), sumOf(s), place{e.factors.star, int32(k)})
	}
	for k := hi - 1; k >= lo; k-- {
		if begin, end := lower.Row[k], lower.Row[k+1]; begin < end {
			g.addAfter(pl.order[k], e.factors.lower, lower.Arc[begin:end], lower.Other[begin:end])
		}
	}
}
