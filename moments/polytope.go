package moments

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// Margin returns the largest number s such that mu is a mean of the statistics under
// weights of y that sum to 1 and of which none is below s. It is positive inside the
// marginal polytope, 0 on the boundary, negative outside, and −Inf where no weights at
// all have the mean mu. It is found by linear programming, for families of up to a few
// hundred values. The error wraps ErrInvalid if mu is not finite or of another length.
func (f *Family) Margin(mu []float64) (float64, error) {
	m, d := f.phi.Dims()
	if len(mu) != d {
		return 0, invalid("%d means of %d statistics", len(mu), d)
	}
	for j, x := range mu {
		if x-x != 0 {
			return 0, invalid("the mean of statistic %s is %g", f.Name(j), x)
		}
	}
	// The weights are 1/m − t plus what each has in excess; t and excesses are ≥ 0.
	a, b := mat.NewDense(d+1, m+1, nil), make([]float64, d+1)
	for y := range m {
		for j := range d {
			a.Set(j, y, f.phi.At(y, j))
		}
		a.Set(d, y, 1)
	}
	for i := range d + 1 {
		sum := floats.Sum(a.RawRowView(i))
		a.Set(i, m, -sum)
		if i < d {
			b[i] = mu[i] - sum/float64(m)
		}
	}
	a, b, ok := independent(a, b)
	if !ok {
		return math.Inf(-1), nil
	}
	cost := make([]float64, m+1)
	cost[m] = 1
	t, _, err := lp.Simplex(cost, a, b, 0, nil)
	switch {
	case errors.Is(err, lp.ErrInfeasible):
		return math.Inf(-1), nil
	case err != nil:
		return 0, fmt.Errorf("moments: margin: %w", err)
	}
	return 1/float64(m) - t, nil
}

// independent returns equations with the solutions of a·x = b of which none depends on
// the others, or false if there are no solutions.
func independent(a *mat.Dense, b []float64) (*mat.Dense, []float64, bool) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, nil, false
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance*values[0] {
		rank++
	}
	_, columns := a.Dims()
	basis := u.Slice(0, len(b), 0, rank)
	outA, outB := mat.NewDense(rank, columns, nil), mat.NewVecDense(rank, nil)
	outA.Mul(basis.T(), a)
	outB.MulVec(basis.T(), mat.NewVecDense(len(b), b))
	var rest mat.VecDense
	rest.MulVec(basis, outB)
	rest.SubVec(mat.NewVecDense(len(b), b), &rest)
	return outA, outB.RawVector().Data, mat.Norm(&rest, 2) <= residualTolerance*math.Max(values[0], floats.Norm(b, 2))
}
