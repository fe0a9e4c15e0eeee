package moments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
)

// Family is the exponential family of a y that has few values: p_θ(y) = exp(φ(y)·θ −
// A(θ)). It is safe for concurrent use.
type Family struct {
	phi    *mat.Dense // a row per y
	params *em.Params
	names  []string
}

// NewFamily returns the family with φ(y) = row y of phi. Names are those of the
// statistics, the columns; nil stands for their numbers. The error wraps ErrInvalid if
// there are no values or statistics, an entry is not finite, or names are not as many.
func NewFamily(phi mat.Matrix, names []string) (*Family, error) {
	m, d := phi.Dims()
	if m == 0 || d == 0 || names != nil && len(names) != d {
		return nil, invalid("a family of %d values and %d statistics with %d names", m, d, len(names))
	}
	if i, j, ok := finite(phi); !ok {
		return nil, invalid("statistic %d of value %d is %g", j, i, phi.At(i, j))
	}
	law, err := em.NewLogLinear(d, nil, em.LogLinearOptions{})
	if err != nil {
		return nil, err
	}
	f := &Family{phi: mat.DenseCopyOf(phi), params: em.NewParams(), names: slices.Clone(names)}
	f.params.Group("theta", d, law).SetNames(f.Name)
	return f, nil
}

// finite returns the place of the first entry that is not a finite number.
func finite(m mat.Matrix) (row, column int, ok bool) {
	rows, columns := m.Dims()
	for i := range rows {
		for j := range columns {
			if x := m.At(i, j); x-x != 0 {
				return i, j, false
			}
		}
	}
	return 0, 0, true
}

// Dims returns the numbers of values of y and of statistics.
func (f *Family) Dims() (values, statistics int) { return f.phi.Dims() }

// Name returns the name of statistic j.
func (f *Family) Name(j int) string {
	if f.names == nil {
		return fmt.Sprint(j)
	}
	return f.names[j]
}

// Probabilities returns p_θ(y) for each y, which are NaN where theta is not finite. It
// panics if theta has not an element per statistic.
func (f *Family) Probabilities(theta []float64) []float64 {
	p := f.scores(theta)
	if sum := floats.Sum(p); sum-sum != 0 {
		// Only differences count, and nothing else need be in the range of float64.
		const far = 1030 // more than the exponent of any number
		small := slices.Clone(theta)
		floats.Scale(math.Ldexp(1, -far), small)
		p = f.scores(small)
		top := floats.Max(p)
		for y, s := range p {
			p[y] = math.Ldexp(s-top, far)
		}
	}
	a := floats.LogSumExp(p)
	for y := range p {
		p[y] = math.Exp(p[y] - a)
	}
	return p
}

// scores returns φ(y)·θ for each y.
func (f *Family) scores(theta []float64) []float64 {
	m, d := f.phi.Dims()
	if len(theta) != d {
		panic("moments: one weight per statistic is wanted")
	}
	s := mat.NewVecDense(m, nil)
	s.MulVec(f.phi, mat.NewVecDense(d, theta))
	return s.RawVector().Data
}

// Mean returns Σ p(y)·φ(y), where p has an element per y and need not be a
// distribution. It panics if p has another length.
func (f *Family) Mean(p []float64) []float64 {
	m, d := f.phi.Dims()
	if len(p) != m {
		panic("moments: Mean: one number per value is wanted")
	}
	mu := mat.NewVecDense(d, nil)
	mu.MulVec(f.phi.T(), mat.NewVecDense(m, p))
	return mu.RawVector().Data
}

// Information returns the covariance of the statistics under p_θ, the Fisher
// information of θ where y is seen. Squares of statistics that are beyond the range of
// float64 are infinite or NaN. It panics as Probabilities does.
func (f *Family) Information(theta []float64) *mat.SymDense {
	return covariance(f.phi, f.Probabilities(theta))
}

// covariance returns that of the rows of m, drawn by p.
func covariance(m *mat.Dense, p []float64) *mat.SymDense {
	rows, d := m.Dims()
	mean := make([]float64, d)
	for i := range rows {
		floats.AddScaled(mean, p[i], m.RawRowView(i))
	}
	c, row := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range rows {
		floats.SubTo(row, m.RawRowView(i), mean)
		c.SymRankOne(c, p[i], mat.NewVecDense(d, row))
	}
	return c
}
