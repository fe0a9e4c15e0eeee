package trellis_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// Sums weight by weight: cells lie too far apart for float64 numbers.
func BenchmarkFarApart(b *testing.B) {
	for _, n := range []int{3, 30} {
		r := graphtest.Rand(1)
		cells := make([]weight, n*n)
		for i := range cells {
			cells[i] = semiring.ScaledFromLog(-2000 * r.Float64())
		}
		const steps = 200
		block := must(trellis.NewBlock(n, n, cells))
		t := must(trellis.New(cells[:n], []*trellis.Block{block}, make([]int32, steps), nil, nil))
		p, v, s := zeros(t, steps, block), zeros(t, steps, block), new(trellis.Scratch)
		for i := range v.Block[0] {
			v.Block[0][i] = float64(i % 7)
		}
		for name, run := range map[string]func() error{
			"Counts":        func() error { _, err := t.Counts(1, p, s); return err },
			"HessianVector": func() error { _, err := t.HessianVector(v, 1, p, s); return err },
			"BestPath":      func() error { _, _, err := t.BestPath(nil, s); return err },
			"PathSum":       func() error { t.PathSum(s); return nil },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				defer benchtime.Per(b, n*n*steps, "arc")()
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
