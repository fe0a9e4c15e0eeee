package moments

import (
	"context"
	"encoding/binary"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
)

// Margin returns the largest number s such that mu is a mean of the statistics under weights of y
// that sum to 1 and are all at least s. It is positive inside the marginal polytope, 0 on the
// boundary, negative outside, and −Inf if mu is not a mean under any weights, of whatever sign.
// Values with the same statistics share their weight evenly.
//
// It is computed by linear programming, for families of up to a few hundred different values: a
// step takes time proportional to the values times the statistics, and to the cube of the
// statistics. The error wraps ErrInvalid if mu is not finite or has a wrong length,
// semiring.ErrLimit if the program is not solved after far more steps than usual, or the error of
// ctx.
func (f *Family) Margin(ctx context.Context, mu []float64) (float64, error) {
	m, d := f.phi.Dims()
	if len(mu) != d {
		return 0, invalid("%d means of %d statistics", len(mu), d)
	}
	for j, x := range mu {
		if x-x != 0 {
			return 0, invalid("the mean of statistic %s is %g", f.Name(j), x)
		}
	}
	// Split weights of at least s into s for each value, which contributes a multiple of the mean
	// of all rows, and an excess. The excesses sum to 1 − m·s, and the least sum is the gauge of mu
	// relative to that mean.
	rows, target, ok := f.centered(mu)
	if !ok {
		return math.Inf(-1), nil
	}
	sum, err := gauge(ctx, rows, target)
	if err != nil {
		return 0, nested.Errorf("moments: margin: %w", err)
	}
	return (1 - sum) / float64(m), nil
}

// centered returns the distinct rows of the statistics and mu, all minus the mean of the statistics
// over the values. Coordinates are those of the space that these rows span, in which the columns
// are orthonormal. It returns false if mu is not in that space.
func (f *Family) centered(mu []float64) (rows *mat.Dense, target []float64, ok bool) {
	m, d := f.phi.Dims()
	different, times := f.different()
	all, target := mat.NewDense(len(different), d, nil), make([]float64, d)
	unit := make([]float64, d) // the length of a statistic's range, in units of its magnitude
	column := make([]float64, len(different))
	for j := range d {
		magnitude := math.Abs(mu[j])
		for _, y := range different {
			magnitude = math.Max(magnitude, math.Abs(f.phi.At(y, j)))
		}
		_, exponent := math.Frexp(magnitude)
		// The scaling is exact except for underflow.
		scale := func(x float64) float64 { return math.Ldexp(x, -exponent) }
		// Differences from one row are 0 where the statistic does not vary.
		first, mean := scale(f.phi.At(different[0], j)), 0.0
		for i, y := range different {
			column[i] = scale(f.phi.At(y, j)) - first
			mean += column[i] * times[i] / float64(m)
		}
		unit[j] = floats.Max(column) - floats.Min(column)
		if unit[j] == 0 {
			unit[j] = 1
		}
		for i := range column {
			column[i] = (column[i] - mean) / unit[j]
		}
		all.SetCol(j, column)
		target[j] = (scale(mu[j]) - first - mean) / unit[j]
	}
	var svd mat.SVD
	if !svd.Factorize(all, mat.SVDThin) {
		return nil, nil, false
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance*values[0] {
		rank++
	}
	// all = U·Σ·Vᵀ: the rows of U are Σ⁻¹·Vᵀ times the rows of all.
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	rest, inner := mat.NewVecDense(d, target), make([]float64, rank)
	for k := range inner {
		direction := v.ColView(k)
		inner[k] = mat.Dot(rest, direction)
		rest.AddScaledVec(rest, -inner[k], direction)
		inner[k] /= values[k]
	}
	for j, x := range target {
		if math.Abs(x)*unit[j] > residualTolerance {
			return nil, nil, false
		}
	}
	if rank == 0 {
		return nil, nil, true
	}
	return mat.DenseCopyOf(u.Slice(0, len(different), 0, rank)), inner, true
}

// different returns the first value for each distinct row of statistics, and the number of values
// with that row.
func (f *Family) different() (values []int, times []float64) {
	m, _ := f.phi.Dims()
	number := map[string]int{}
	var key []byte
	for y := range m {
		key = key[:0]
		for _, x := range f.phi.RawRowView(y) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0)) // −0 is 0
		}
		i, ok := number[string(key)]
		if !ok {
			i = len(values)
			number[string(key)] = i
			values, times = append(values, y), append(times, 0)
		}
		times[i]++
	}
	return values, times
}
