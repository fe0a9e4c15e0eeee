package em

import "math/rand/v2"

// Sample draws a vector, in time quadratic in the sizes of blocks.
func (d *Density) Sample(src rand.Source) []float64 {
	rng := rand.New(src)
	x, k := make([]float64, len(d.mean)), 0
	for _, b := range d.blocks {
		for i := range b.n { // L⁻¹·(x − mean) = z, row by row
			z := rng.NormFloat64()
			for j := b.lo; j < b.lo+i; j++ {
				z -= d.inverse[k] * (x[j] - d.mean[j])
				k++
			}
			x[b.lo+i] = d.mean[b.lo+i] + z/d.inverse[k]
			k++
		}
	}
	return x
}
