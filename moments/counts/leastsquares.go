package counts

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LeastSquares minimizes, for each label b that was counted,
//
//	½·Σ_regions (Σ_j w(x_j, b) − count of b)² + ridge/2·Σ_a (w(a, b) − 1/labels)²,
//
// by conjugate gradients. Elements may be negative or greater than 1. Without a ridge it
// is the solution of least norm. A ridge below about 1 determines little but what the
// counts leave open, and takes more iterations. The error wraps moments.ErrInvalid if the
// ridge is not a finite number ≥ 0.
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

// scale returns the preconditioner. Of a frequent symbol it is the inverse of the diagonal
// of Mᵀ·M. Of the others it is a constant: where regions cannot tell symbols from each
// other the ridge alone does, in as many iterations as it meets different scales. Without
// a ridge all are 1, so that a search from 0 never leaves the row space.
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

// frequent symbols occur more often than this, times the positions of a mean region.
const frequent = 4

// descent is the search for the labels from lo to hi. Its matrices have a row per symbol
// and a column for each of these labels, which have nothing to do with each other.
type descent struct {
	d          *Data
	lo, labels int // the first label, and how many
	ridge      float64
	scale      []float64
	w, r, p, g []float64 // where it is, the negative gradient, the direction, Mᵀ·M·p
}

func newDescent(d *Data, lo, hi int, ridge float64, scale, w, h []float64) *descent {
	c := &descent{d: d, lo: lo, labels: hi - lo, ridge: ridge, scale: scale}
	for a := range d.symbols {
		c.w = append(c.w, w[a*d.labels+lo:a*d.labels+hi]...)
		c.r = append(c.r, h[a*d.labels+lo:a*d.labels+hi]...)
	}
	c.p, c.g = make([]float64, len(c.w)), make([]float64, len(c.w))
	// The ridge is about the start, where it has no gradient.
	d.normal(c.g, c.w, c.labels, lo, hi)
	floats.AddScaled(c.r, -1, c.g)
	return c
}

// run searches until all labels are done, and returns the number of iterations and the
// largest residual.
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
				alpha[b] = 0 // done: whatever labels it is searched for with
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

// quotient returns x/y, 0 where there is nothing left to do.
func quotient(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x / y
}
