package regression

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Default arguments of Simulate.
const (
	SimulatedRows     = 20000
	SimulatedFeatures = 6
	SimulatedSignal   = .7
	SimulatedMixture  = .4
)

// Simulate draws a table whose target is linear in the features, with noise; features explain
// the fraction signal of its variance. Features are normal: each is the sum of its own variable
// and a mixture of the variables of all, times mixed.
func Simulate(seed uint64, rows, features int, signal, mixed float64) *Table {
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
	t := &Table{Target: "simulated target"}
	for i := range features {
		t.Features = append(t.Features, fmt.Sprintf("feature %d", i+1))
	}
	var targets []float64
	for range rows {
		z := normal(features)
		x, y := make([]float64, features), 0.0
		for i := range x {
			x[i] = z[i] + mixed*floats.Dot(mixing[i], z)
			y += weights[i] * x[i]
		}
		t.Rows, targets = append(t.Rows, Row{x, y}), append(targets, y)
	}
	noise := stat.StdDev(targets, nil) * math.Sqrt(1/signal-1)
	for i := range t.Rows {
		t.Rows[i].Target += noise * rng.NormFloat64()
	}
	return t
}
