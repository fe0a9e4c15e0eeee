package solve

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// elimination is the closure of rings with Star (see closedOf), commutative or not: every
// component is factored once, following the plan of the topology, and then solved
// for any number of right-hand sides.
//
// In a ring of probabilities that adds, what decides whether a cycle has a sum is
// whether its mass is certainly below 1. Where weights are nothing but a mass, not
// negative and in the range of float64, they are eliminated without subtraction (see
// leaky). Otherwise the masses are eliminated with a bound on their rounding errors;
// weights that are nothing but a mass take the result for their factors, and others are
// then eliminated themselves.
type elimination[W any] struct {
	g        *Graph[W]
	plan     *plan
	use      []bool
	factors  factors[W]
	factored []bool // by position of a component's first state

	ring ringArithmetic[W]
	mass *weights.Mass[W] // nil if the ring is no ring of probabilities that adds
	work []W              // for eliminate
	sum  W                // for solveForward and solveBackward
	// The same for masses.
	massWork    []bounded
	massFactors factors[bounded]

	// Scratch of factorLeaky.
	leaky   leaky
	numbers weights.Numbers[W]
	read    []float64

	inaccuracy *inaccuracy
}

func newElimination[W any](g *Graph[W], use []bool, pl *plan, a *inaccuracy) *elimination[W] {
	n := g.NumStates()
	e := &elimination[W]{
		g: g, plan: pl, use: use,
		factors: factors[W]{
			make([]W, len(pl.lower.col)), make([]W, len(pl.upper.col)), make([]W, n),
		},
		factored: make([]bool, n),
		ring:     ringArithmetic[W]{ring: g.Ring},
		mass:     weights.MassOf(g.Ring),
		numbers:  g.Numbers(),

		inaccuracy: a,
	}
	e.ring.closed, e.ring.missing = closedOf(g.Ring)
	return e
}

func (e *elimination[W]) forward(x []W, lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	solveForward(e.g.Products, e.plan, lo, hi, e.factors, x, &e.sum)
	return nil
}

func (e *elimination[W]) backward(x []W, lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	solveBackward(e.g.Products, e.plan, lo, hi, e.factors, x, &e.sum)
	return nil
}

// factor computes the factors of the component at positions lo … hi−1, unless
// they are there.
func (e *elimination[W]) factor(lo, hi int) error {
	if e.factored[lo] {
		return nil
	}
	if err := semiring.RequireSide(e.g.Ring, semiring.BothSides); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	part := e.factors.part(e.plan, lo, hi)
	known, err := e.factorLeaky(part, lo, hi)
	bound := e.leaky.bound
	if err == nil && !known && e.mass != nil {
		known, bound, err = e.factorMass(part, lo, hi)
	}
	if err == nil && e.mass != nil {
		err = e.inaccuracy.add(bound, e.plan.order[lo], lo, hi)
	}
	if err == nil && !known {
		err = e.factorRing(part, lo, hi)
	}
	e.factored[lo] = err == nil
	return err
}

// absent reports whether an arc has an end that is not in use.
func (e *elimination[W]) absent(s int32, arc int32) bool {
	return e.use != nil && !(e.use[s] && e.use[e.g.Topology.To[arc]])
}

func (e *elimination[W]) factorRing(part factors[W], lo, hi int) error {
	zero := e.g.Ring.Zero()
	if e.work == nil {
		e.work = make([]W, e.g.NumStates())
		for s := range e.work {
			e.work[s] = zero
		}
	}
	weight := func(s, arc int32) W {
		if e.absent(s, arc) {
			return zero
		}
		return e.g.Weight[arc]
	}
	e.ring.err = nil
	at, ok, err := eliminate(e.g.Topology, e.plan, lo, hi, &e.ring, zero, weight, part, e.work, workload{interrupted: e.g.Interrupted})
	if err != nil {
		return err
	}
	if e.ring.err != nil {
		return e.ring.err
	}
	if !ok {
		return diverges(e.plan.order[at], lo, hi, refusal(e.ring.closed, e.work[at]))
	}
	return nil
}

// factorMass eliminates the masses of the weights. It reports whether part has been
// computed by it, otherwise it only checks that the component converges; and it returns
// a bound on the relative error of a star.
func (e *elimination[W]) factorMass(part factors[W], lo, hi int) (known bool, bound float64, err error) {
	if e.massWork == nil {
		e.massWork = make([]bounded, e.g.NumStates())
	}
	f := &e.massFactors
	f.lower, f.upper = rows.Resized(f.lower, len(part.lower)), rows.Resized(f.upper, len(part.upper))
	f.star = rows.Resized(f.star, len(part.star))
	unknown := false
	weight := func(s, arc int32) bounded {
		if e.absent(s, arc) {
			return bounded{}
		}
		m := e.mass.Of(e.g.Weight[arc])
		unknown = unknown || m.IsNaN()
		return newBounded(m)
	}
	at, ok, err := eliminate(e.g.Topology, e.plan, lo, hi, boundedArithmetic{}, bounded{}, weight, *f, e.massWork, workload{interrupted: e.g.Interrupted})
	if err != nil {
		return false, 0, err
	}
	if unknown && e.mass.Weight == nil {
		// Some weight has no mass that the ring could tell, a negative one
		// perhaps. Its Star alone decides.
		clear(e.massWork)
		return false, 0, nil
	}
	if !ok {
		return false, 0, diverges(e.plan.order[at], lo, hi, fmt.Sprintf("those found so far have a mass of %v", e.massWork[at].value()))
	}
	for _, x := range f.star {
		bound = max(bound, x.err/math.Abs(x.mant))
	}
	if e.mass.Weight == nil {
		return false, bound, nil
	}
	for n, x := range f.lower {
		part.lower[n] = e.mass.Weight(x.value())
	}
	for n, x := range f.upper {
		part.upper[n] = e.mass.Weight(x.value())
	}
	for n, x := range f.star {
		part.star[n] = e.mass.Weight(x.value())
	}
	return true, bound, nil
}

// ringArithmetic is the arithmetic of a ring for eliminate.
type ringArithmetic[W any] struct {
	ring    semiring.Semiring[W]
	closed  semiring.Closed[W]
	missing error // why closed is nil
	err     error // missing, once it mattered
}

func (a *ringArithmetic[W]) isZero(x W) bool { return a.ring.IsZero(x) }
func (a *ringArithmetic[W]) plus(x, y W) W   { return a.ring.Plus(x, y) }
func (a *ringArithmetic[W]) times(x, y W) W  { return a.ring.Times(x, y) }

func (a *ringArithmetic[W]) star(x W) (W, bool) {
	switch {
	case a.ring.IsZero(x):
		return a.ring.One(), true
	case a.missing != nil:
		a.err = a.missing
		return x, false
	}
	return a.closed.Star(x)
}

func (a *ringArithmetic[W]) addRow(work []W, col []int32, x W, u []W) {
	for n, c := range col {
		work[c] = a.ring.Plus(work[c], a.ring.Times(x, u[n]))
	}
}

// arithmetic is what elimination needs of numbers V: a ring's weights, or
// bounded numbers.
type arithmetic[V any] interface {
	isZero(a V) bool
	plus(a, b V) V
	times(a, b V) V
	star(a V) (V, bool)
	// addRow sets work[col[n]] to work[col[n]] ⊕ a ⊗ u[n] for all n.
	addRow(work []V, col []int32, a V, u []V)
}

// factors are the values of a plan for one weighting. With A the matrix of arc
// weights and paths "through k" those whose inner states were all eliminated
// before k,
//
//	star:  per position k, (⊕ paths from k to k through k)*
//	upper: per entry (k, j), ⊕ paths from k to j through k
//	lower: per entry (i, k), ⊕ paths from i to k through k, ⊗ star of k
type factors[V any] struct {
	lower, upper, star []V
}

// part returns the factors of positions lo … hi−1 alone.
func (f factors[V]) part(pl *plan, lo, hi int) factors[V] {
	return factors[V]{
		f.lower[pl.lower.row[lo]:pl.lower.row[hi]],
		f.upper[pl.upper.row[lo]:pl.upper.row[hi]],
		f.star[lo:hi],
	}
}

// eliminate computes the part f of the factors that belongs to the component at
// positions lo … hi−1, row by row; weight returns the weights of arcs. work has
// an entry per position, all Zero, and is left so. If a star has no value, eliminate
// returns its position and false, and leaves work unfinished. The error comes from pace.
func eliminate[V any](t *rows.Topology, pl *plan, lo, hi int, a arithmetic[V], zero V,
	weight func(s, arc int32) V, f factors[V], work []V, pace workload) (at int, ok bool, err error) {
	lowerBase, upperBase := pl.lower.row[lo], pl.upper.row[lo]
	for p := lo; p < hi; p++ {
		s := pl.order[p]
		for e := t.Row[s]; e < t.Row[s+1]; e++ {
			q := t.To[e]
			if r := int(pl.position[q]); lo <= r && r < hi {
				work[r] = a.plus(work[r], weight(s, e))
			}
		}
		for n := pl.lower.row[p]; n < pl.lower.row[p+1]; n++ {
			r := pl.position[pl.lower.col[n]]
			x := work[r]
			work[r] = zero
			if a.isZero(x) {
				f.lower[n-lowerBase] = zero
				continue
			}
			x = a.times(x, f.star[int(r)-lo])
			f.lower[n-lowerBase] = x
			begin, end := pl.upper.row[r], pl.upper.row[r+1]
			a.addRow(work, pl.upperAt[begin:end], x, f.upper[begin-upperBase:end-upperBase])
			if err := pace.done(int(end-begin) + 1); err != nil {
				return p, false, err
			}
		}
		star, ok := a.star(work[p])
		if !ok {
			return p, false, nil
		}
		work[p] = zero
		f.star[p-lo] = star
		for n := pl.upper.row[p]; n < pl.upper.row[p+1]; n++ {
			r := pl.upperAt[n]
			f.upper[n-upperBase] = work[r]
			work[r] = zero
		}
	}
	return 0, true, nil
}

// solveBackward replaces x, at the states of positions lo … hi−1, by the
// solution of x' = A ⊗ x' ⊕ x. sum is scratch.
func solveBackward[W any](p *weights.Products[W], pl *plan, lo, hi int, f factors[W], x []W, sum *W) {
	var empty W
	for k := lo; k < hi; k++ {
		if begin, end := pl.lower.row[k], pl.lower.row[k+1]; begin < end {
			*sum = empty // its storage is now x's
			p.Before(sum, f.lower[begin:end], nil, x, pl.lower.col[begin:end])
			s := pl.order[k]
			x[s] = p.Ring.Plus(x[s], *sum)
		}
	}
	for k := hi - 1; k >= lo; k-- {
		s := pl.order[k]
		if begin, end := pl.upper.row[k], pl.upper.row[k+1]; begin < end {
			*sum = empty
			p.Before(sum, f.upper[begin:end], nil, x, pl.upper.col[begin:end])
			x[s] = p.Ring.Plus(x[s], *sum)
		}
		x[s] = p.Ring.Times(f.star[k], x[s])
	}
}

// solveForward replaces x, at the states of positions lo … hi−1, by the solution
// of x' = x' ⊗ A ⊕ x. sum is scratch.
func solveForward[W any](p *weights.Products[W], pl *plan, lo, hi int, f factors[W], x []W, sum *W) {
	var empty W
	upper, lower := pl.upper.in, pl.lower.in
	for k := lo; k < hi; k++ {
		s := pl.order[k]
		if begin, end := upper.Row[k], upper.Row[k+1]; begin < end {
			*sum = empty
			p.After(sum, f.upper, upper.Arc[begin:end], x, upper.Other[begin:end])
			x[s] = p.Ring.Plus(x[s], *sum)
		}
		x[s] = p.Ring.Times(x[s], f.star[k])
	}
	for k := hi - 1; k >= lo; k-- {
		if begin, end := lower.Row[k], lower.Row[k+1]; begin < end {
			*sum = empty
			p.After(sum, f.lower, lower.Arc[begin:end], x, lower.Other[begin:end])
			s := pl.order[k]
			x[s] = p.Ring.Plus(x[s], *sum)
		}
	}
}
