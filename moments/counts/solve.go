package counts

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/simplex"
	"example.org/pathsum/moments"
)

// Solution is an estimate of the distribution of labels for each symbol.
type Solution struct {
	// W holds w(a, b) in row a and column b. Of symbols in no region it is uniform.
	W *mat.Dense
	// Gap bounds by how much the objective is above its minimum (Constrained only).
	Gap float64
	// Residual is the largest part of a label's gradient that is left, relative to
	// that at the start (LeastSquares only).
	Residual float64
	// Iterations is the number made; each takes time in proportion to the positions of
	// all regions times the labels.
	Iterations int
}

// Stop says when to end: at a relative Residual (LeastSquares) or a Gap (Constrained) of
// at most Tolerance, or after so many Iterations.
type Stop struct {
	Tolerance  float64
	Iterations int
}

// LeastSquares minimizes, for each label b that was counted,
//
//	½·Σ_regions (Σ_j w(x_j, b) − count of b)² + ridge/2·Σ_a (w(a, b) − 1/labels)²,
//
// by conjugate gradients, which a ridge of 1 makes several times as fast as one of 1e-3.
// Elements may be negative or greater than 1. Without a ridge it is the solution of least
// norm. The error wraps moments.ErrInvalid if the ridge is not
// a finite number ≥ 0.
func (d *Data) LeastSquares(ridge float64, stop Stop) (*Solution, error) {
	if err := checkRidge(ridge); err != nil {
		return nil, err
	}
	n, k := d.symbols*d.labels, d.labels
	w, scale := make([]float64, n), make([]float64, d.symbols)
	for a := range scale {
		// Without a ridge the search begins at 0 and is not scaled, for then it never
		// leaves the row space.
		scale[a] = 1
		if ridge > 0 {
			scale[a] = 1 / (ridge + d.square[a])
		}
	}
	r, p, g := d.target(), make([]float64, n), make([]float64, n)
	if ridge > 0 {
		fill(w, 1/float64(k))
		d.normal(g, w)
		floats.AddScaled(r, -1, g)
	}
	for i := range r {
		p[i] = r[i] * scale[i/k]
	}
	rho := d.products(r, r, scale)
	start := append([]float64(nil), rho...)
	s := &Solution{W: mat.NewDense(d.symbols, k, w), Residual: relative(rho, start)}
	for s.Residual > stop.Tolerance && s.Iterations < stop.Iterations {
		d.normal(g, p)
		floats.AddScaled(g, ridge, p)
		alpha := d.products(p, g, nil)
		for b := range alpha {
			alpha[b] = quotient(rho[b], alpha[b])
		}
		next := d.step(w, r, p, g, alpha, scale)
		for b := range rho {
			rho[b] = quotient(next[b], rho[b])
		}
		for a, x := range scale {
			row := p[a*k : (a+1)*k]
			for b, y := range r[a*k : (a+1)*k] {
				row[b] = x*y + rho[b]*row[b]
			}
		}
		rho = next
		s.Residual = relative(rho, start)
		s.Iterations++
	}
	for _, a := range d.Unseen() {
		fill(w[a*k:(a+1)*k], 1/float64(k))
	}
	return s, nil
}

// step moves w by alpha·p and its negative gradient r by −alpha·g, and returns the
// products of r with itself.
func (d *Data) step(w, r, p, g, alpha, scale []float64) []float64 {
	k := d.labels
	for a := range d.symbols {
		for b, x := range alpha {
			w[a*k+b] += x * p[a*k+b]
			r[a*k+b] -= x * g[a*k+b]
		}
	}
	return d.products(r, r, scale)
}

// products returns Σ_a scale(a)·x(a, b)·y(a, b) for each label b; a nil scale is 1.
func (d *Data) products(x, y, scale []float64) []float64 {
	k := d.labels
	sum := make([]float64, k)
	for a := range d.symbols {
		s := 1.0
		if scale != nil {
			s = scale[a]
		}
		row := y[a*k : (a+1)*k]
		for b, v := range x[a*k : (a+1)*k] {
			sum[b] += s * v * row[b]
		}
	}
	return sum
}

// relative returns the root of the largest now[b]/start[b].
func relative(now, start []float64) float64 {
	worst := 0.0
	for b, x := range now {
		worst = math.Max(worst, quotient(x, start[b]))
	}
	return math.Sqrt(worst)
}

// quotient returns x/y, 0 where there is nothing left to do.
func quotient(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x / y
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// Constrained minimizes the sum of what LeastSquares minimizes over all labels, under the
// constraint that each row of w is a distribution. Errors are those of LeastSquares.
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
		d.normal(g, w)
		for i := range g {
			g[i] += ridge*(w[i]-uniform) - h[i]
		}
	})
	return &Solution{W: mat.NewDense(d.symbols, d.labels, w), Gap: s.Gap, Iterations: s.Iterations}, nil
}

func checkRidge(ridge float64) error {
	if !(ridge >= 0) || math.IsInf(ridge, 1) {
		return fmt.Errorf("counts: %w: ridge %g, want a finite number ≥ 0", moments.ErrInvalid, ridge)
	}
	return nil
}
