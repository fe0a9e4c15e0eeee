package em

import (
	"fmt"
	"math"
)

// Density is a normal distribution ready for use by several goroutines.
type Density struct {
	blocks []block
	mean   []float64
	// inverse holds the lower triangles of L⁻¹, L·Lᵀ being a block's covariance.
	inverse []float64
	norm    float64 // the log density at the mean
}

// Density returns the distribution at theta, a legal θ of the group. The error
// is that of Check, wrapping ErrParameter.
func (g Gaussian) Density(theta []float64) (*Density, error) {
	if err := g.Check(theta); err != nil {
		return nil, fmt.Errorf("em: %w: %v", ErrParameter, err)
	}
	d := &Density{blocks: g.blocks(), mean: theta[1 : 1+g.Size()], norm: -float64(g.Size()) * math.Log(2*math.Pi) / 2}
	for _, b := range d.blocks {
		f := b.factor(theta)
		for i := range b.n {
			for j := range i + 1 {
				d.inverse = append(d.inverse, f.w.At(j, i))
			}
		}
		d.norm -= f.logDet() / 2
	}
	return d, nil
}

// Log returns the ln of the density of x, in time quadratic in the sizes of blocks.
// It allocates nothing.
func (d *Density) Log(x []float64) float64 {
	squares, k := 0.0, 0
	for _, b := range d.blocks {
		for i := range b.n {
			v := 0.0
			for j := b.lo; j <= b.lo+i; j++ {
				v += d.inverse[k] * (x[j] - d.mean[j])
				k++
			}
			squares += v * v
		}
	}
	return d.norm - squares/2
}
