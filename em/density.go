package em

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em/internal/normal"
	"example.org/pathsum/internal/nested"
)

// Density is a normal distribution that several goroutines may use at once.
type Density struct {
	blocks []normal.Block
	theta  []float64
	mean   []float64 // of theta
	// inverse holds the lower triangles of L⁻¹, where L·Lᵀ is a block's covariance.
	inverse []float64
	norm    float64 // the log density at the mean
}

// Density returns the distribution at theta, a valid θ of the group. The error
// wraps ErrParameter.
func (g Gaussian) Density(theta []float64) (*Density, error) {
	if err := g.Check(theta); err != nil {
		return nil, nested.Errorf("em: %w: %v", ErrParameter, err)
	}
	theta = slices.Clone(theta) // which training may change
	d := &Density{blocks: g.blocks(), theta: theta, mean: theta[1 : 1+g.Size()], norm: -float64(g.Size()) * math.Log(2*math.Pi) / 2}
	for _, b := range d.blocks {
		f := b.Factor(theta)
		d.inverse = f.AppendInverse(d.inverse)
		d.norm -= f.LogDet() / 2
	}
	return d, nil
}

// SetDensity writes a normal distribution to theta, the parameters of the group, so that Density
// returns it. The error wraps ErrParameter if sizes differ, the covariance matrix
// is not positive definite, or components of different blocks are correlated. theta is then
// unchanged.
func (g Gaussian) SetDensity(theta, mean []float64, covariance mat.Symmetric) error {
	n := g.Size()
	if c := covariance.SymmetricDim(); len(theta) != g.Len() || len(mean) != n || c != n {
		return nested.Errorf("em: %w: a mean of %d numbers and a covariance of %d×%d for %d parameters, want a law of %d components and %d parameters",
			ErrParameter, len(mean), c, c, len(theta), n, g.Len())
	}
	next := append(append(make([]float64, 0, len(theta)), 1), mean...)
	for _, b := range g.blocks() {
		for i := range b.N {
			for j := range b.Lo {
				if v := covariance.At(b.Lo+i, j); v != 0 {
					return nested.Errorf("em: %w: components %d and %d of different blocks have the covariance %g, want 0", ErrParameter, j, b.Lo+i, v)
				}
			}
			for j := range i + 1 {
				next = append(next, covariance.At(b.Lo+i, b.Lo+j))
			}
		}
	}
	for j, v := range mean {
		if v-v != 0 {
			return nested.Errorf("em: %w: component %d of the mean is %g, want a finite number", ErrParameter, j, v)
		}
	}
	if err := g.Check(next); err != nil {
		return nested.Errorf("em: %w: %v", ErrParameter, err)
	}
	copy(theta, next)
	return nil
}

// Mean returns the mean.
func (d *Density) Mean() []float64 { return slices.Clone(d.mean) }

// Covariance returns the covariance matrix, with zeros between components of different blocks.
func (d *Density) Covariance() *mat.SymDense {
	c := mat.NewSymDense(len(d.mean), nil)
	for _, b := range d.blocks {
		tri := b.In(d.theta)
		for i := range b.N {
			for j := range i + 1 {
				c.SetSym(b.Lo+i, b.Lo+j, tri[i*(i+1)/2+j])
			}
		}
	}
	return c
}

// Log returns the ln of the density of x, in time quadratic in the sizes of blocks.
// It does not allocate. A component that is NaN is missing: the result is the ln of the density of
// the others, 0 if all are missing, in time cubic in the sizes of blocks.
func (d *Density) Log(x []float64) float64 {
	squares, k := 0.0, 0
	for _, b := range d.blocks {
		for i := range b.N {
			v := 0.0
			for j := b.Lo; j <= b.Lo+i; j++ {
				v += d.inverse[k] * (x[j] - d.mean[j])
				k++
			}
			squares += v * v
		}
	}
	if squares != squares {
		return d.marginal(x)
	}
	return d.norm - squares/2
}

// Sample draws a vector, in time quadratic in the sizes of blocks.
func (d *Density) Sample(src rand.Source) []float64 {
	rng := rand.New(src)
	x, k := make([]float64, len(d.mean)), 0
	for _, b := range d.blocks {
		for i := range b.N { // L⁻¹·(x − mean) = z, row by row
			z := rng.NormFloat64()
			for j := b.Lo; j < b.Lo+i; j++ {
				z -= d.inverse[k] * (x[j] - d.mean[j])
				k++
			}
			x[b.Lo+i] = d.mean[b.Lo+i] + z/d.inverse[k]
			k++
		}
	}
	return x
}
