package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// The simulated rows, and the features of each, unless flags say otherwise; and the part of
// the target's variance that features explain.
const (
	simulatedRows     = 20000
	simulatedFeatures = 6
	simulatedSignal   = .7
)

// simulate draws a table whose target is linear in the features, with noise. Features are
// normal: each a variable of its own and a mixture of those of all, times mixed.
func simulate(seed uint64, rows, features int, signal, mixed float64) *table {
	rng := rand.New(rand.NewPCG(seed, 1))
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	weights, mixing := normal(features), make([][]float64, features)
	for i := range mixing {
		mixing[i] = normal(features)
	}
	t := &table{target: "simulated target"}
	var targets []float64
	for range rows {
		z := normal(features)
		x, y := make([]float64, features), 0.0
		for i := range x {
			x[i] = z[i] + mixed*floats.Dot(mixing[i], z)
			y += weights[i] * x[i]
		}
		t.rows, targets = append(t.rows, row{x, y}), append(targets, y)
	}
	noise := stat.StdDev(targets, nil) * math.Sqrt(1/signal-1)
	for i := range t.rows {
		t.rows[i].target += noise * rng.NormFloat64()
	}
	return t
}
