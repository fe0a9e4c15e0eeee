package main

import "math/rand/v2"

// The simulated rows and the features of each, which are correlated.
const (
	simulatedRows     = 20000
	simulatedFeatures = 6
)

// simulate draws a table whose target is linear in the features, with noise.
func simulate(seed uint64) *table {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func() []float64 {
		x := make([]float64, simulatedFeatures)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	weights, mixing := normal(), make([][]float64, simulatedFeatures)
	for i := range mixing {
		mixing[i] = normal()
	}
	t := &table{target: "simulated target"}
	for range simulatedRows {
		z := normal()
		x, y := make([]float64, simulatedFeatures), 0.0
		for i := range x {
			x[i] = z[i]
			for k := range z {
				x[i] += .4 * mixing[i][k] * z[k]
			}
			y += weights[i] * x[i]
		}
		t.rows = append(t.rows, row{x, y + rng.NormFloat64()})
	}
	return t
}
