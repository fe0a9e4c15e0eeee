package solve

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// elimination is the closure of rings with Star, their own or by doubling, commutative or
// not. Every component is factored once, following the plan of the topology, and then
// solved for any number of right-hand sides.
//
// In a ring of probabilities that adds, what decides whether a cycle has a sum is
// whether its mass is certainly below 1. Where weights are nothing but a mass, not
// negative and in the range of float64, they are eliminated without subtraction (see
// leakElimination). Otherwise the masses are eliminated with a bound on their rounding errors;
// weights that are nothing but a mass take the result for their factors, and others are
// then eliminated themselves.
type elimination[W any] struct {
	*engine[W]
	plan    *plan
	factors factors[W]
	done    []bool  // by position of a component's first state: it is factored
	numbers numbers // nil but in rings of numbers

	// Scratch of the ways to factor a component, and of solveForward and solveBackward.
	leak    leakElimination
	masses  masses
	massRow []bounded
	bounds  factors[bounded]
	weights *ringWeights[W] // nil: not needed yet
	row     []W
	sum     W
}

// factors are the values of a plan for one weighting. With A the matrix of arc
// weights and paths "through k" those whose inner states were all eliminated
// before k,
//
//	star:  per position k, (⊕ paths from k to k through k)*
//	upper: per entry (k, j), ⊕ paths from k to j through k
//	lower: per entry (i, k), ⊕ paths from i to k through k, ⊗ star of k
type factors[T any] struct {
	lower, upper, star []T
	// Of a component alone the first entries are these of the plan.
	lowerBase, upperBase, starBase int32
}

// factored is an elimination as an algorithm for numbers sees it.
type factored interface {
	closure
	// has reports whether the component at positions from lo on is factored.
	has(lo int) bool
}

func newElimination[W any](e *engine[W], pl *plan) *elimination[W] {
	n := e.topology.NumStates()
	e.use.known()
	made := &elimination[W]{
		engine: e, plan: pl,
		factors: factors[W]{lower: make([]W, len(pl.lower.col)), upper: make([]W, len(pl.upper.col)), star: make([]W, n)},
		done:    make([]bool, n),
	}
	if e.numeric {
		made.numbers = newNumbered(e)
	}
	return made
}

func (e *elimination[W]) has(lo int) bool { return e.done[lo] }

func (e *elimination[W]) forward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	e.solveForward(lo, hi)
	return nil
}

func (e *elimination[W]) backward(lo, hi int) error {
	if err := e.factor(lo, hi); err != nil {
		return err
	}
	e.solveBackward(lo, hi)
	return nil
}

// factor computes the factors of the component at positions lo … hi−1, unless
// they are there.
func (e *elimination[W]) factor(lo, hi int) error {
	if e.done[lo] {
		return nil
	}
	if err := e.lacks.bothSides(); err != nil {
		return nested.Errorf("graph: %w", err)
	}
	known, err := e.factorLeaks(lo, hi)
	bound := e.leak.bound
	if err == nil && !known && e.adds {
		known, bound, err = e.factorMass(lo, hi)
	}
	if err == nil && e.adds {
		err = e.inaccuracy.add(bound, e.plan.order[lo], lo, hi)
	}
	if err == nil && !known {
		err = e.factorRing(lo, hi)
	}
	e.done[lo] = err == nil
	return err
}

// inside returns where arcs inside the component at positions lo … hi−1 lead.
func (e *elimination[W]) inside(lo, hi int) inside {
	t := e.topology
	return inside{t.Row, t.To, e.plan.position, int32(lo), int32(hi), e.use.use}
}

// factorLeaks is elimination without subtraction. It returns false where that does not do: in
// rings whose weights are more than numbers, and for weights that are negative or out of
// range. The error wraps semiring.ErrDiverges.
func (e *elimination[W]) factorLeaks(lo, hi int) (known bool, err error) {
	l := &e.leak
	l.bound, l.exact, l.pace = 0, e.exact, workload{interrupted: e.interrupted}
	if e.numbers == nil || !l.read(e.numbers, e.plan, e.inside(lo, hi)) {
		return false, nil
	}
	switch result, columns := l.factor(e.plan); result {
	case certain:
		e.take(columns)
		return true, nil
	case uncertain:
		return false, diverges(e.plan.order[lo+l.at], lo, hi, fmt.Sprintf("those found so far have a mass of %v", l.mass))
	case interrupted:
		return false, e.interrupted()
	default:
		return false, nil
	}
}

// take stores the factors of e.leak, of rows or of columns. The factors of the transpose of A are
// the other way round, with the stars on the other side.
func (e *elimination[W]) take(columns bool) {
	l, lo, hi := &e.leak, e.leak.lo, e.leak.lo+e.leak.n
	weight := func(x float64) W { return e.mass.Weight(semiring.NewScaled(x)) }
	store := func(dst []W, x []float64) {
		for n, y := range x {
			dst[n] = weight(y)
		}
	}
	f := &e.factors
	store(f.star[lo:], l.star)
	if !columns {
		store(f.lower[e.plan.lower.row[lo]:], l.lower)
		store(f.upper[e.plan.upper.row[lo]:], l.upper)
		return
	}
	up, low := e.plan.upper.in, e.plan.lower.in
	for n, x := range l.lower {
		m := up.Row[lo] + int32(n)
		k := int(e.plan.position[up.Other[m]]) - lo
		f.upper[up.Arc[m]] = weight(x / l.star[k])
	}
	for p := lo; p < hi; p++ {
		for m := low.Row[p]; m < low.Row[p+1]; m++ {
			f.lower[low.Arc[m]] = weight(l.upper[m-low.Row[lo]] * l.star[p-lo])
		}
	}
}

// factorMass eliminates the masses of the weights. It reports whether the factors have
// been computed by it, otherwise it only checks that the component converges; and it
// returns a bound on the relative error of a star.
func (e *elimination[W]) factorMass(lo, hi int) (known bool, bound float64, err error) {
	if e.massRow == nil {
		e.massRow = make([]bounded, e.topology.NumStates())
		e.masses.mass = func(arc int32) semiring.ScaledFloat { return e.mass.Of(e.weight[arc]) }
	}
	m, f := &e.masses, &e.bounds
	m.in, m.unknown = e.inside(lo, hi), false
	f.cover(e.plan, lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, m, f, e.massRow, workload{interrupted: e.interrupted})
	if err != nil {
		return false, 0, err
	}
	if m.unknown && !e.numeric {
		// Some weight has no mass that the ring could tell, a negative one
		// perhaps. Its Star alone decides.
		clear(e.massRow)
		return false, 0, nil
	}
	if !ok {
		return false, 0, diverges(e.plan.order[at], lo, hi, fmt.Sprintf("those found so far have a mass of %v", e.massRow[at].value()))
	}
	for _, x := range f.star {
		bound = max(bound, x.err/math.Abs(x.mant))
	}
	if !e.numeric {
		return false, bound, nil
	}
	store := func(dst []W, src []bounded) {
		for n, x := range src {
			dst[n] = e.mass.Weight(x.value())
		}
	}
	store(e.factors.lower[f.lowerBase:], f.lower)
	store(e.factors.upper[f.upperBase:], f.upper)
	store(e.factors.star[f.starBase:], f.star)
	return true, bound, nil
}

// cover makes room for the factors of the component at positions lo … hi−1 alone.
func (f *factors[T]) cover(pl *plan, lo, hi int) {
	lower, upper := pl.lower.row, pl.upper.row
	f.lowerBase, f.upperBase, f.starBase = lower[lo], upper[lo], int32(lo)
	f.lower = rows.Resized(f.lower, int(lower[hi]-lower[lo]))
	f.upper = rows.Resized(f.upper, int(upper[hi]-upper[lo]))
	f.star = rows.Resized(f.star, hi-lo)
}

// factorRing eliminates the weights themselves.
func (e *elimination[W]) factorRing(lo, hi int) error {
	if e.weights == nil {
		e.weights, e.row = newRingWeights(e.engine), rows.Filled(e.topology.NumStates(), e.zero)
	}
	w := e.weights
	w.err, w.in = nil, e.inside(lo, hi)
	at, ok, err := eliminate(e.plan, lo, hi, w, &e.factors, e.row, workload{interrupted: e.interrupted})
	switch {
	case err != nil:
		return err
	case w.err != nil:
		return w.err
	case !ok:
		return diverges(e.plan.order[at], lo, hi, w.refusal(e.row[at]))
	}
	return nil
}

// arithmetic is what elimination does with the elements of a matrix.
type arithmetic[T any] interface {
	// addArcs adds the weights of the arcs of s inside the component to the row, by positions.
	addArcs(row []T, s int32)
	zero() T
	isZero(x T) bool
	times(x, y T) T
	// addRow adds x ⊗ upper[m] to row[at[m]], for all m.
	addRow(row []T, at []int32, x T, upper []T)
	star(x T) (T, bool)
}

// eliminate computes the factors of the component at positions lo … hi−1, row by row. The row
// under work is Zero before and after. If a star has no value, eliminate returns its position and
// false, and leaves the row unfinished. The error comes from pace.
func eliminate[T any](pl *plan, lo, hi int, a arithmetic[T], f *factors[T], row []T, pace workload) (at int, ok bool, err error) {
	zero := a.zero()
	for p := lo; p < hi; p++ {
		a.addArcs(row, pl.order[p])
		for n := pl.lower.row[p]; n < pl.lower.row[p+1]; n++ {
			r := pl.position[pl.lower.col[n]]
			x, lower := row[r], &f.lower[n-f.lowerBase]
			row[r], *lower = zero, zero
			if a.isZero(x) {
				continue
			}
			*lower = a.times(x, f.star[r-f.starBase])
			begin, end := pl.upper.row[r], pl.upper.row[r+1]
			a.addRow(row, pl.upperAt[begin:end], *lower, f.upper[begin-f.upperBase:])
			if err := pace.done(int(end-begin) + 1); err != nil {
				return p, false, err
			}
		}
		star, ok := a.star(row[p])
		if !ok {
			return p, false, nil
		}
		f.star[int32(p)-f.starBase], row[p] = star, zero
		begin, end := pl.upper.row[p], pl.upper.row[p+1]
		upper := f.upper[begin-f.upperBase:]
		for n, r := range pl.upperAt[begin:end] {
			upper[n], row[r] = row[r], zero
		}
	}
	return 0, true, nil
}

// inside says where the arcs inside a component lead: to the position of their state, from
// lo to hi−1. Those with an end that is not in use count as Zero.
type inside struct {
	row, to, position []int32
	lo, hi            int32
	use               []bool // nil: all
}

// absent reports whether an arc of s has an end that is not in use.
func (in *inside) absent(s, arc int32) bool {
	return in.use != nil && !(in.use[s] && in.use[in.to[arc]])
}

// ringWeights are the arithmetic of a ring.
type ringWeights[W any] struct {
	e        *engine[W]
	in       inside
	closed   semiring.Closed[W]   // nil: the ring has no Star
	distance func(a, b W) float64 // nil unless stars are by doubling
	missing  error                // why it has neither that nor distances
	err      error                // missing, once it mattered
	last     float64              // how far the last step of the latest star went, if it has distances
}

func newRingWeights[W any](e *engine[W]) *ringWeights[W] {
	w := &ringWeights[W]{e: e}
	closed, err := semiring.RequireClosed(e.ring)
	if err == nil {
		w.closed = closed
	} else if w.distance = DistanceOf(e.ring); w.distance == nil {
		w.missing = nested.Errorf("graph: %w, nor Metric or Keyer, nor Laws that say semiring.Bounded", e.lacks.star())
	}
	return w
}

func (w *ringWeights[W]) zero() W         { return w.e.zero }
func (w *ringWeights[W]) isZero(x W) bool { return w.e.ring.IsZero(x) }
func (w *ringWeights[W]) times(x, y W) W  { return w.e.ring.Times(x, y) }

func (w *ringWeights[W]) addArcs(row []W, s int32) {
	in, ring := &w.in, w.e.ring
	for e := in.row[s]; e < in.row[s+1]; e++ {
		if r := in.position[in.to[e]]; in.lo <= r && r < in.hi {
			weight := w.e.weight[e]
			if in.absent(s, e) {
				weight = w.e.zero
			}
			row[r] = ring.Plus(row[r], weight)
		}
	}
}

func (w *ringWeights[W]) addRow(row []W, at []int32, x W, upper []W) {
	ring := w.e.ring
	for m, c := range at {
		row[c] = ring.Plus(row[c], ring.Times(x, upper[m]))
	}
}

func (w *ringWeights[W]) star(x W) (star W, ok bool) {
	switch {
	case w.isZero(x):
		return w.e.one, true
	case w.missing != nil:
		w.err = w.missing
		return star, false
	case w.closed != nil:
		return w.closed.Star(x)
	}
	star, w.last, ok = doubled(w.e.ring, w.distance, x)
	return star, ok
}

// refusal says why the star of x, which was asked for last, has no value.
func (w *ringWeights[W]) refusal(x W) string {
	if w.closed != nil {
		return fmt.Sprintf("the star of %v has no value", x)
	}
	return undoubled(w.last)
}

// solveBackward replaces the sums x, at the states of positions lo … hi−1, by the
// solution of x' = A ⊗ x' ⊕ x.
func (e *elimination[W]) solveBackward(lo, hi int) {
	pl, f, x := e.plan, &e.factors, e.x
	add := func(s int32, f []W, col []int32) {
		if len(col) > 0 {
			e.sum = *new(W) // its storage is now that of a sum
			weights.Before(e.products, &e.sum, f[:len(col)], nil, x, col)
			x[s] = e.ring.Plus(x[s], e.sum)
		}
	}
	for k := lo; k < hi; k++ {
		begin, end := pl.lower.row[k], pl.lower.row[k+1]
		add(pl.order[k], f.lower[begin:], pl.lower.col[begin:end])
	}
	for k := hi - 1; k >= lo; k-- {
		s := pl.order[k]
		begin, end := pl.upper.row[k], pl.upper.row[k+1]
		add(s, f.upper[begin:], pl.upper.col[begin:end])
		x[s] = e.ring.Times(f.star[k], x[s])
	}
}

// solveForward replaces the sums x, at the states of positions lo … hi−1, by the solution
// of x' = x' ⊗ A ⊕ x.
func (e *elimination[W]) solveForward(lo, hi int) {
	pl, f, x := e.plan, &e.factors, e.x
	add := func(s int32, f []W, in *rows.Adjacency, k int) {
		if begin, end := in.Row[k], in.Row[k+1]; begin < end {
			e.sum = *new(W)
			weights.After(e.products, &e.sum, f, in.Arc[begin:end], x, in.Other[begin:end])
			x[s] = e.ring.Plus(x[s], e.sum)
		}
	}
	for k := lo; k < hi; k++ {
		s := pl.order[k]
		add(s, f.upper, &pl.upper.in, k)
		x[s] = e.ring.Times(x[s], f.star[k])
	}
	for k := hi - 1; k >= lo; k-- {
		add(pl.order[k], f.lower, &pl.lower.in, k)
	}
}
