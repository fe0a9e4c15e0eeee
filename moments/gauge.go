package moments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// gauge returns the least sum of coefficients ≥ 0 with which the rows of v add up to target. The
// columns of v are orthonormal, and 0 is a mean of the rows with positive weights; so such
// coefficients exist, and the dual problem
//
//	maximize target·y where v_r·y ≤ 1 for every row r
//
// has a bounded polytope around the start y = 0. The search moves from vertex to vertex. At each
// vertex two systems of equations are solved from scratch, so rounding errors do not accumulate.
// The error is the error of ctx, or wraps semiring.ErrLimit after too many vertices or if rounding
// makes the result uncertain.
func gauge(ctx context.Context, v *mat.Dense, target []float64) (float64, error) {
	norm := floats.Norm(target, 2)
	if v == nil || norm == 0 {
		return 0, nil
	}
	rows, k := v.Dims()
	b := mat.NewVecDense(k, nil)
	b.ScaleVec(1/norm, mat.NewVecDense(k, target))
	w, err := firstVertex(v, b)
	if err != nil {
		return 0, err
	}
	limit := vertices * (rows + k)
	bland := false
	for range limit {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		leaving, err := w.solve(b, bland)
		if err != nil {
			return 0, err
		}
		if leaving < 0 {
			// The coefficients bound the sum from above, and y, scaled back into the polytope,
			// bounds it from below.
			w.slack.MulVec(v, w.y)
			if gap := mat.Max(w.slack) - 1; gap > largestGap {
				return 0, fmt.Errorf("%w: rounding leaves a relative gap of %.2g", semiring.ErrLimit, gap)
			}
			return norm * floats.Sum(w.coefficients.RawVector().Data), nil
		}
		before := mat.Dot(b, w.y)
		step, entering := w.step(bland)
		if entering < 0 {
			break
		}
		w.replace(leaving, entering)
		// Bland's rule eventually leaves every vertex, even if many planes meet there.
		bland = step*mat.Dot(b, w.direction) <= stall*math.Max(before, 1)
	}
	return 0, fmt.Errorf("%w: a linear program of %d values and %d statistics is not solved after %d steps", semiring.ErrLimit, rows, k, limit)
}

const (
	vertices   = 50    // limit per row and column: several hundred times the usual number
	pivot      = 1e-10 // slopes below this fraction of a direction are due to rounding
	stall      = 1e-13 // a relative increase that counts as 0
	negatives  = 1e-12 // of coefficients, relative to their sum
	largestGap = 1e-9
)

// vertex is a corner of the polytope of all y with v·y ≤ 1: the point where v_r·y is 1
// for the active rows r.
type vertex struct {
	v            *mat.Dense
	active       []int
	at           []bool // which rows are active
	y            *mat.VecDense
	coefficients *mat.VecDense // with which the active rows add up to the target
	direction    *mat.VecDense // the edge along which y leaves
	slope, slack *mat.VecDense // of every row, along the edge
}

// firstVertex moves uphill from 0, along the rows that it meets, until they determine a point.
func firstVertex(v *mat.Dense, b *mat.VecDense) (*vertex, error) {
	rows, k := v.Dims()
	w := &vertex{
		v: v, at: make([]bool, rows),
		y: mat.NewVecDense(k, nil), coefficients: mat.NewVecDense(k, nil), direction: mat.NewVecDense(k, nil),
		slope: mat.NewVecDense(rows, nil), slack: mat.NewVecDense(rows, nil),
	}
	var basis []*mat.VecDense // orthonormal, of the active rows
	// outside returns the part of x that is orthogonal to the active rows, normalized.
	outside := func(x mat.Vector) (*mat.VecDense, float64) {
		d := mat.VecDenseCopyOf(x)
		for range 2 { // once is not enough if the remainder is small
			for _, q := range basis {
				d.AddScaledVec(d, -mat.Dot(q, d), q)
			}
		}
		n := mat.Norm(d, 2)
		if n > 0 {
			d.ScaleVec(1/n, d)
		}
		return d, n
	}
	for len(w.active) < k {
		d, n := outside(b)
		if !(n > pivot) { // all directions are level: take the longest
			for j := range k {
				unit := mat.NewVecDense(k, nil)
				unit.SetVec(j, 1)
				if e, m := outside(unit); m > n {
					d, n = e, m
				}
			}
		}
		w.direction.CopyVec(d)
		step, r := w.step(false)
		if r < 0 {
			return nil, fmt.Errorf("%w: rounding leaves a marginal polytope open", semiring.ErrLimit)
		}
		w.y.AddScaledVec(w.y, step, d)
		w.active, w.at[r] = append(w.active, r), true
		q, _ := outside(v.RowView(r))
		basis = append(basis, q)
	}
	return w, nil
}

// step returns the step length of y along the direction up to the first row that bounds it, and
// that row, or −1 if the direction is unbounded. Among ties it returns the steepest row, or by
// Bland's rule the first.
func (w *vertex) step(bland bool) (step float64, row int) {
	w.slope.MulVec(w.v, w.direction)
	w.slack.MulVec(w.v, w.y)
	least := pivot * mat.Norm(w.direction, 2)
	room := func(r int) float64 { return math.Max(0, 1-w.slack.AtVec(r)) }
	step, row = math.Inf(1), -1
	for r, active := range w.at {
		if s := w.slope.AtVec(r); !active && s > least {
			step = math.Min(step, (room(r)+stall)/s)
		}
	}
	for r, active := range w.at {
		s := w.slope.AtVec(r)
		if active || !(s > least) || room(r) > step*s {
			continue
		}
		if row < 0 || !bland && s > w.slope.AtVec(row) {
			row = r
		}
	}
	if row >= 0 {
		step = room(row) / w.slope.AtVec(row)
	}
	return step, row
}

// solve computes y and the coefficients of the active rows, and the direction in which y leaves one
// of them. It returns the index of that row in active: the row with the least coefficient, or by
// Bland's rule the first with a negative one. It returns −1 if no coefficient is negative.
func (w *vertex) solve(b *mat.VecDense, bland bool) (int, error) {
	k := len(w.active)
	a := mat.NewDense(k, k, nil)
	ones := mat.NewVecDense(k, nil)
	for i, r := range w.active {
		a.SetRow(i, w.v.RawRowView(r))
		ones.SetVec(i, 1)
	}
	var lu mat.LU
	lu.Factorize(a)
	if err := lu.SolveVecTo(w.y, false, ones); err != nil && !finiteVector(w.y) {
		return 0, nested.Errorf("a vertex of the marginal polytope: %w", err)
	}
	if err := lu.SolveVecTo(w.coefficients, true, b); err != nil && !finiteVector(w.coefficients) {
		return 0, nested.Errorf("a vertex of the marginal polytope: %w", err)
	}
	sum := 0.0
	for i := range k {
		sum += math.Abs(w.coefficients.AtVec(i))
	}
	leaving := -1
	for i, r := range w.active {
		c := w.coefficients.AtVec(i)
		if c >= -negatives*sum {
			continue
		}
		if leaving < 0 || bland && r < w.active[leaving] || !bland && c < w.coefficients.AtVec(leaving) {
			leaving = i
		}
	}
	if leaving < 0 {
		return leaving, nil
	}
	ones.Zero()
	ones.SetVec(leaving, -1)
	if err := lu.SolveVecTo(w.direction, false, ones); err != nil && !finiteVector(w.direction) {
		return 0, nested.Errorf("an edge of the marginal polytope: %w", err)
	}
	return leaving, nil
}

// finiteVector reports whether v is finite: whether a nearly singular system has a solution.
func finiteVector(v *mat.VecDense) bool {
	s := floats.Sum(v.RawVector().Data)
	return s-s == 0
}

// replace replaces the active row at index place by row.
func (w *vertex) replace(place, row int) {
	w.at[w.active[place]], w.at[row] = false, true
	w.active[place] = row
}
