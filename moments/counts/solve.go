package counts

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/simplex"
	"example.org/pathsum/moments"
)

// Solution is an estimate of the distribution of labels for each symbol.
type Solution struct {
	// W holds w(a, b) in row a and column b. Rows of symbols that occur in no region are uniform.
	W *mat.Dense
	// Gap is an upper bound of the objective minus its minimum (Constrained only).
	Gap float64
	// Residual is the largest remaining gradient of a label, relative to its gradient at the start
	// (LeastSquares only).
	Residual float64
	// Iterations is the number of iterations for the label that took the most. Each takes time
	// proportional to the positions of all regions.
	Iterations int
}

// Stop is a stopping criterion: a relative Residual (LeastSquares) or a Gap (Constrained) of at
// most Tolerance, or the given number of Iterations.
type Stop struct {
	Tolerance  float64
	Iterations int
}

// Constrained minimizes the sum, over all labels, of the objective of LeastSquares, under the
// constraint that each row of w is a distribution. Errors are as for LeastSquares.
func (d *Data) Constrained(ridge float64, stop Stop) (*Solution, error) {
	if err := checkRidge(ridge); err != nil {
		return nil, err
	}
	w, uniform := make([]float64, d.symbols*d.labels), 1/float64(d.labels)
	fill(w, uniform)
	bound := make([]float64, d.symbols) // the sums of the rows of Mᵀ·M, and the ridge
	for a, x := range d.width {
		bound[a] = math.Max(x+ridge, 1)
	}
	h := d.target()
	s := simplex.Minimize(w, d.labels, simplex.Stop{Gap: stop.Tolerance, Iterations: stop.Iterations}, bound, func(g, w []float64) {
		d.blocks(func(lo, hi int) { d.normal(g[lo:], w[lo:], d.labels, lo, hi) })
		for i := range g {
			g[i] += ridge*(w[i]-uniform) - h[i]
		}
	})
	return &Solution{W: mat.NewDense(d.symbols, d.labels, w), Gap: s.Gap, Iterations: s.Iterations}, nil
}

func checkRidge(ridge float64) error {
	if !(ridge >= 0) || math.IsInf(ridge, 1) {
		return nested.Errorf("counts: %w: ridge %g, want a finite number ≥ 0", moments.ErrInvalid, ridge)
	}
	return nil
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// LeastSquares minimizes, for each label b that was counted,
//
//	½·Σ_regions (Σ_j w(x_j, b) − count of b)² + ridge/2·Σ_a (w(a, b) − 1/labels)²,
//
// by conjugate gradients. Elements may be negative or greater than 1. Without a ridge it is the
// solution of least norm. A ridge below about 1 affects mainly the directions that the counts do
// not determine, and takes more iterations. The error wraps moments.ErrInvalid if the ridge is not
// a finite number ≥ 0.
func (d *Data) LeastSquares(ridge float64, stop Stop) (*Solution, error) {
	if err := checkRidge(ridge); err != nil {
		return nil, err
	}
	w, h, scale := make([]float64, d.symbols*d.labels), d.target(), d.scale(ridge)
	if ridge > 0 {
		fill(w, 1/float64(d.labels))
	}
	s := &Solution{W: mat.NewDense(d.symbols, d.labels, w)}
	var mu sync.Mutex
	d.blocks(func(lo, hi int) {
		c := newDescent(d, lo, hi, ridge, scale, w, h)
		iterations, residual := c.run(stop)
		for a := range d.symbols {
			copy(w[a*d.labels+lo:a*d.labels+hi], c.w[a*c.labels:])
		}
		mu.Lock()
		defer mu.Unlock()
		s.Iterations, s.Residual = max(s.Iterations, iterations), math.Max(s.Residual, residual)
	})
	for _, a := range d.Unseen() {
		fill(s.W.RawRowView(a), 1/float64(d.labels))
	}
	return s, nil
}

// scale returns the preconditioner. For a frequent symbol it is the inverse of the diagonal of Mᵀ·M
// + ridge. For other symbols it is a constant: if regions do not distinguish symbols, only the
// ridge does, and the number of iterations grows with the number of different scales. Without a
// ridge all elements are 1, so that a search from 0 never leaves the row space.
func (d *Data) scale(ridge float64) []float64 {
	positions := 0.0
	for i := range d.annotations {
		positions += float64(d.annotations[i].Hi - d.annotations[i].Lo)
	}
	mean := positions / float64(len(d.annotations))
	scale := make([]float64, d.symbols)
	for a := range scale {
		scale[a] = 1
		if ridge > 0 {
			scale[a] = 1 / math.Max(ridge+d.square[a], frequent*mean)
		}
	}
	return scale
}

// frequent is the least frequency of frequent symbols, in units of the mean number of positions of
// a region.
const frequent = 4

// descent is the search for the labels from lo to hi. Its matrices have a row per symbol and a
// column for each of these labels, which are independent problems.
type descent struct {
	d          *Data
	lo, labels int // the first label and the number of labels
	ridge      float64
	scale      []float64
	w, r, p, g []float64 // the current point, the negative gradient, the direction, Mᵀ·M·p
}

func newDescent(d *Data, lo, hi int, ridge float64, scale, w, h []float64) *descent {
	c := &descent{d: d, lo: lo, labels: hi - lo, ridge: ridge, scale: scale}
	for a := range d.symbols {
		c.w = append(c.w, w[a*d.labels+lo:a*d.labels+hi]...)
		c.r = append(c.r, h[a*d.labels+lo:a*d.labels+hi]...)
	}
	c.p, c.g = make([]float64, len(c.w)), make([]float64, len(c.w))
	// The ridge is centred at the start, where its gradient is 0.
	d.normal(c.g, c.w, c.labels, lo, hi)
	floats.AddScaled(c.r, -1, c.g)
	return c
}

// run iterates until all labels have converged or the iterations are used up, and returns the
// number of iterations and the largest residual.
func (c *descent) run(stop Stop) (iterations int, residual float64) {
	rho, alpha, beta := make([]float64, c.labels), make([]float64, c.labels), make([]float64, c.labels)
	c.products(rho, c.r, c.r, c.scale)
	start := append([]float64(nil), rho...)
	for ; ; iterations++ {
		residual = 0
		for b, x := range rho {
			residual = math.Max(residual, math.Sqrt(quotient(x, start[b])))
		}
		if residual <= stop.Tolerance || iterations >= stop.Iterations {
			return iterations, residual
		}
		for a, x := range c.scale {
			row := c.p[a*c.labels:][:c.labels]
			for b, y := range c.r[a*c.labels:][:c.labels] {
				row[b] = x*y + beta[b]*row[b]
			}
		}
		c.d.normal(c.g, c.p, c.labels, c.lo, c.lo+c.labels)
		floats.AddScaled(c.g, c.ridge, c.p)
		c.products(alpha, c.p, c.g, nil)
		for b := range alpha {
			alpha[b] = quotient(rho[b], alpha[b])
			if math.Sqrt(quotient(rho[b], start[b])) <= stop.Tolerance {
				alpha[b] = 0 // converged: independent of the other labels in the block
			}
		}
		for a := range c.scale {
			for b, x := range alpha {
				c.w[a*c.labels+b] += x * c.p[a*c.labels+b]
				c.r[a*c.labels+b] -= x * c.g[a*c.labels+b]
			}
		}
		copy(beta, rho)
		c.products(rho, c.r, c.r, c.scale)
		for b := range beta {
			beta[b] = quotient(rho[b], beta[b])
		}
	}
}

// products sets sum to Σ_a scale(a)·x(a, b)·y(a, b) for each label b; a nil scale is 1.
func (c *descent) products(sum, x, y, scale []float64) {
	clear(sum)
	for a := range c.scale {
		s := 1.0
		if scale != nil {
			s = scale[a]
		}
		row := y[a*c.labels:][:c.labels]
		for b, v := range x[a*c.labels:][:c.labels] {
			sum[b] += s * v * row[b]
		}
	}
}

// quotient returns x/y, or 0 if x or y is 0, as after convergence.
func quotient(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x / y
}

// regions are the linear system Σ_a times(i, a)·w(a, b) = count(i, b), with equations only for
// counted labels. Matrices are dense and in row-major order, except times, which is sparse.
type regions struct {
	row    []int32 // the first entry of each region, and their number
	symbol []int32
	times  []float64
	count  []float64 // regions × labels
	asked  []float64 // regions × labels: 1 for counted labels, 0 for others
	width  []float64 // per symbol: Σ_i times(i, a)·positions of region i
	square []float64 // per symbol: Σ_i times(i, a)²
}

func (d *Data) newRegions() regions {
	n := len(d.annotations)
	r := regions{row: []int32{0}, count: make([]float64, n*d.labels), asked: make([]float64, n*d.labels), width: make([]float64, d.symbols), square: make([]float64, d.symbols)}
	var region []int
	for i := range d.annotations {
		a := &d.annotations[i]
		region = append(region[:0], d.region(a)...)
		slices.Sort(region)
		for k, s := range region {
			if k == 0 || s != region[k-1] {
				r.symbol, r.times = append(r.symbol, int32(s)), append(r.times, 0)
			}
			r.times[len(r.times)-1]++
			r.width[s] += float64(len(region))
		}
		for e := r.row[i]; int(e) < len(r.symbol); e++ {
			r.square[r.symbol[e]] += r.times[e] * r.times[e]
		}
		r.row = append(r.row, int32(len(r.symbol)))
		for k, b := range a.Labels {
			r.count[i*d.labels+b], r.asked[i*d.labels+b] = float64(a.Counts[k]), 1
		}
	}
	return r
}

// Unseen returns the symbols that occur in no region, whose labels cannot be learnt from the data.
func (d *Data) Unseen() []int {
	var unseen []int
	for a, w := range d.width {
		if w == 0 {
			unseen = append(unseen, a)
		}
	}
	return unseen
}

// normal sets g to Mᵀ·M·w over the equations of each label from lo to hi, M being times. g and w
// have a column for each of these labels and a row per symbol; stride is the distance between the
// beginnings of rows.
func (d *Data) normal(g, w []float64, stride, lo, hi int) {
	n := hi - lo
	for a := range d.symbols {
		clear(g[a*stride:][:n])
	}
	r := make([]float64, n)
	for i := range d.annotations {
		clear(r)
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(r, d.times[e], w[int(d.symbol[e])*stride:][:n])
		}
		for b, x := range d.asked[i*d.labels:][lo:hi] {
			r[b] *= x
		}
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(g[int(d.symbol[e])*stride:][:n], d.times[e], r)
		}
	}
}

// target returns Mᵀ·count.
func (d *Data) target() []float64 {
	h := make([]float64, d.symbols*d.labels)
	for i := range d.annotations {
		for e := d.row[i]; e < d.row[i+1]; e++ {
			floats.AddScaled(h[int(d.symbol[e])*d.labels:][:d.labels], d.times[e], d.count[i*d.labels:][:d.labels])
		}
	}
	return h
}

// blocks calls f for ranges of labels concurrently. Labels are independent of each other, so the
// result does not depend on the ranges, bit for bit.
func (d *Data) blocks(f func(lo, hi int)) {
	n := min(runtime.GOMAXPROCS(0), d.labels)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { f(k*d.labels/n, (k+1)*d.labels/n) })
	}
	wg.Wait()
}
