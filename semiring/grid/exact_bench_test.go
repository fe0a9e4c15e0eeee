package grid_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/grid"
)

// Sums weight by weight: arcs lie too far apart for float64 numbers.
func BenchmarkFarApart(b *testing.B) {
	for _, states := range []int32{1, 3} {
		f, r := editor(states), graphtest.Rand(3)
		for k := range f.weights.Arc {
			f.weights.Arc[k] = f.weights.Arc[k].Mul(semiring.ScaledFromLog(-2000 * r.Float64()))
		}
		if err := f.machine.SetWeights(f.weights); err != nil {
			b.Fatal(err)
		}
		data := words(1, 100)
		x, y := data[0], data[1]
		var s grid.Scratch
		_, arcs := f.machine.GridSize(x, y, &s)
		count, change := f.zeros(), f.zeros()
		for name, run := range map[string]func() error{
			"PathSum":  func() error { f.machine.PathSum(x, y, &s); return nil },
			"Counts":   func() error { _, err := f.machine.Counts(x, y, 1, count, &s); return err },
			"BestPath": func() error { _, _, _, err := f.machine.BestPath(nil, x, y, &s); return err },
			"HessianVector": func() error {
				_, err := f.machine.HessianVector(x, y, grid.Parts{Arc: count.Arc}, 1, count, change, &s)
				return err
			},
		} {
			b.Run(fmt.Sprintf("%d/%s", states, name), func(b *testing.B) {
				defer benchtime.Per(b, int(arcs), "arc")()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
