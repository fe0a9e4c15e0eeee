package em

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em/internal/normal"
)

// AddExpected is AddCounts for x with missing components, which are NaN. For these it adds their
// expected counts given the others in their block, under the distribution d at the current θ. The M
// step of such counts is EM's. A vector without a NaN counts as in AddCounts. It takes time cubic
// in the sizes of blocks with missing components.
//
// Source: Little and Rubin 2002, section 11.2.
func (g Gaussian) AddExpected(counts []float64, d *Density, x []float64, p float64) {
	if !slices.ContainsFunc(x, math.IsNaN) {
		g.AddCounts(counts, x, p)
		return
	}
	full := slices.Clone(x)
	for _, b := range d.blocks {
		v := d.view(b, x)
		if len(v.missing) == 0 {
			continue
		}
		mean, covariance := v.conditional()
		tri := b.In(counts)
		for i, r := range v.missing {
			full[b.Lo+r] = mean[i]
			for j, c := range v.missing[:i+1] {
				tri[r*(r+1)/2+c] += p * covariance.At(i, j)
			}
		}
	}
	g.AddCounts(counts, full, p)
}

// view is a block of a normal distribution, with the observed components of a vector.
type view struct {
	seen, missing  []int // components, relative to the first of the block
	mean           []float64
	covariance     *mat.SymDense
	residual       *mat.VecDense // of the components in seen
	seenCovariance mat.Cholesky
}

// view returns the block b for x, whose missing components are NaN.
func (d *Density) view(b normal.Block, x []float64) *view {
	v := &view{mean: d.mean[b.Lo : b.Lo+b.N], covariance: mat.NewSymDense(b.N, nil)}
	tri := b.In(d.theta)
	var residual []float64
	for i := range b.N {
		for j := range i + 1 {
			v.covariance.SetSym(i, j, tri[i*(i+1)/2+j])
		}
		if y := x[b.Lo+i]; math.IsNaN(y) {
			v.missing = append(v.missing, i)
		} else {
			v.seen = append(v.seen, i)
			residual = append(residual, y-v.mean[i])
		}
	}
	if len(v.seen) > 0 {
		v.residual = mat.NewVecDense(len(residual), residual)
		seen := mat.NewSymDense(len(v.seen), nil)
		for i, r := range v.seen {
			for j, c := range v.seen[:i+1] {
				seen.SetSym(i, j, v.covariance.At(r, c))
			}
		}
		v.seenCovariance.Factorize(seen) // positive definite, as the whole is
	}
	return v
}

// conditional returns the mean and the covariance of the missing components given the others:
// μₘ + K·(x − μₛ) and Σₘₘ − K·Σₛₘ, K = Σₘₛ·Σₛₛ⁻¹.
func (v *view) conditional() ([]float64, *mat.SymDense) {
	n := len(v.missing)
	mean, covariance := make([]float64, n), mat.NewSymDense(n, nil)
	var gain mat.Dense // Kᵀ
	cross := new(mat.Dense)
	if len(v.seen) > 0 {
		cross = mat.NewDense(len(v.seen), n, nil)
		for i, r := range v.seen {
			for j, c := range v.missing {
				cross.Set(i, j, v.covariance.At(r, c))
			}
		}
		// An error means that the covariance is nearly singular; the result is still the best one.
		_ = v.seenCovariance.SolveTo(&gain, cross)
	}
	for i, r := range v.missing {
		mean[i] = v.mean[r]
		if len(v.seen) > 0 {
			mean[i] += mat.Dot(gain.ColView(i), v.residual)
		}
		for j, c := range v.missing[:i+1] {
			s := v.covariance.At(r, c)
			if len(v.seen) > 0 {
				s -= (mat.Dot(gain.ColView(i), cross.ColView(j)) + mat.Dot(gain.ColView(j), cross.ColView(i))) / 2
			}
			covariance.SetSym(i, j, s)
		}
	}
	return mean, covariance
}

// marginal returns the ln of the density of the components of x that are not NaN.
func (d *Density) marginal(x []float64) float64 {
	sum := 0.0
	for _, b := range d.blocks {
		v := d.view(b, x)
		if len(v.seen) == 0 {
			continue
		}
		var solved mat.VecDense
		_ = v.seenCovariance.SolveVecTo(&solved, v.residual) // as in conditional
		sum -= (float64(len(v.seen))*math.Log(2*math.Pi) + v.seenCovariance.LogDet() + mat.Dot(v.residual, &solved)) / 2
	}
	return sum
}
