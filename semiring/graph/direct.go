package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// direct is the elimination of a component in float64. It carries no bounds on
// rounding errors, unlike elimination, and takes a fraction of the time: what it finds
// is checked in the equations instead, and so is the convergence of the component,
// as it is in iteration.
type direct struct {
	plan     *plan
	factors  factors[float64]
	products products[float64]
	x        []float64 // per state of the graph
	sum      float64   // scratch of solve
}

// solveDirect replaces x like closure. The error wraps errOpen if x is left as it was
// because the check has failed.
func (l *linear[W]) solveDirect(x []W, lo, hi int, from reading, pl *plan) error {
	k := l.block(lo, hi, from)
	defer k.close()
	q, err := k.equations(x, nil)
	if err != nil {
		return err
	}
	if k.signed {
		return errOpen
	}
	d := l.directs[lo]
	if d == nil {
		if d, err = l.newDirect(lo, hi, pl); err != nil {
			return err
		}
		if l.directs == nil {
			l.directs = map[int]*direct{}
		}
		l.directs[lo] = d
	}
	if err := l.converge(k, func() (radius, error) { return d.spectralRadius(q, lo, hi, from), nil }); err != nil {
		return err
	}
	y, size, residual := d.solve(q, lo, hi, from)
	return l.accept(q, x, y, size, residual, errOpen)
}

// newDirect eliminates the component at positions lo … hi−1, whose weights must be in
// the range of float64. The error wraps errOpen.
func (l *linear[W]) newDirect(lo, hi int, pl *plan) (*direct, error) {
	d := &direct{
		plan:     pl,
		factors:  factors[float64]{make([]float64, len(pl.lower.col)), make([]float64, len(pl.upper.col)), make([]float64, len(pl.order))},
		products: newProducts(semiring.Real{}),
		x:        make([]float64, len(pl.order)),
	}
	l.use.known()
	weight := func(s, arc int32) float64 {
		if l.use.skips(s) || l.use.skips(l.g.topology.to[arc]) {
			return 0
		}
		return l.mass.of(l.g.weight[arc]).Float64()
	}
	if at, ok := eliminate(l.g.topology, pl, lo, hi, floatArithmetic{}, 0, weight, d.factors.part(pl, lo, hi), d.x); !ok {
		return nil, fmt.Errorf("%w: elimination stops at state %d", errOpen, pl.order[at])
	}
	return d, nil
}

// spectralRadius bounds the spectral radius of A by (1 − A)⁻¹·1. Below 1 that decides,
// and just above it is close to the eigenvector, with the other sign.
func (d *direct) spectralRadius(q *equations, lo, hi int, from reading) radius {
	const smoothings = 8 // of what rounding has left
	v, y := make([]float64, q.len()), make([]float64, q.len())
	for i, pivot := range q.pivot {
		v[i] = 1 / pivot
	}
	d.apply(v, q, lo, hi, from)
	for i, x := range v {
		v[i] = math.Abs(x)
	}
	scaleToOne(v)
	best := noRadius
	for range smoothings {
		best.narrow(q.rowRatios(y, v))
		if best.verdict != undecided {
			break
		}
		q.relax(v)
	}
	return best
}

// solve returns the solution of x = A·x + b, the size of its parts and its residual.
func (d *direct) solve(q *equations, lo, hi int, from reading) (x, size []float64, residual float64) {
	const refinements = 5
	x, size = make([]float64, q.len()), make([]float64, q.len())
	r := append([]float64(nil), q.b...)
	for range refinements {
		d.apply(r, q, lo, hi, from)
		for i, e := range r {
			x[i] = math.Abs(x[i] + e)
		}
		q.sweep(x, q.b)
		var above int
		if residual, above = q.residual(size, x, q.b); above == 0 {
			break
		}
		q.product(r, x)
		for i := range r {
			r[i] += q.b[i] - x[i]
		}
	}
	return x, size, residual
}

// apply replaces v by (1 − A)⁻¹·v.
func (d *direct) apply(v []float64, q *equations, lo, hi int, from reading) {
	for i, s := range q.states {
		d.x[s] = v[i] * q.pivot[i]
	}
	if from.backward() {
		solveBackward(&d.products, d.plan, lo, hi, d.factors, d.x, &d.sum)
	} else {
		solveForward(&d.products, d.plan, lo, hi, d.factors, d.x, &d.sum)
	}
	for i, s := range q.states {
		v[i] = d.x[s]
	}
}

// floatArithmetic is the arithmetic of float64 for eliminate. Pivots may be negative:
// whether that means anything is not for it to say.
type floatArithmetic struct{}

func (floatArithmetic) isZero(a float64) bool      { return a == 0 }
func (floatArithmetic) plus(a, b float64) float64  { return a + b }
func (floatArithmetic) times(a, b float64) float64 { return a * b }

func (floatArithmetic) star(a float64) (float64, bool) {
	pivot := 1 - a
	if pivot == 0 {
		pivot = rounding
	}
	return 1 / pivot, pivot-pivot == 0
}

func (floatArithmetic) addRow(work []float64, col []int32, a float64, u []float64) {
	u = u[:len(col)]
	for n, c := range col {
		work[c] += a * u[n]
	}
}
