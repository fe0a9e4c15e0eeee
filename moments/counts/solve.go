package counts

import (
	"fmt"
	"math"

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
	// Iterations is the number made, for the label that took the most; each takes time
	// in proportion to the positions of all regions.
	Iterations int
}

// Stop says when to end: at a relative Residual (LeastSquares) or a Gap (Constrained) of
// at most Tolerance, or after so many Iterations.
type Stop struct {
	Tolerance  float64
	Iterations int
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
		d.blocks(func(lo, hi int) { d.normal(g[lo:], w[lo:], d.labels, lo, hi) })
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

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}
