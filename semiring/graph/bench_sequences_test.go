package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// decoded returns a lattice as a decoder of strings has it, one layer of states per symbol
// read. A state is the last label written, and every label is written with a mass that
// depends on layer, label and state, whose logarithm has the given deviation; so do
// ε-arcs, which write none.
func decoded(r *rand.Rand, layers, width, arcs int, deviation float64) (*graph.Graph[semiring.ScaledFloat], []int32) {
	row, to, label, weight := []int32{0}, []int32{}, []int32{}, []semiring.ScaledFloat{}
	for layer := 1; layer <= layers; layer++ {
		likely := make([]float64, width)
		for l := range likely {
			likely[l] = deviation * r.NormFloat64()
		}
		for q := range width {
			for i := range arcs {
				l := r.IntN(width)
				x := likely[l] + r.NormFloat64()
				if i == 0 {
					to, label = append(to, int32(layer*width+q)), append(label, 0)
					x = deviation*r.NormFloat64() - 1
				} else {
					to, label = append(to, int32(layer*width+l)), append(label, int32(1+l))
				}
				weight = append(weight, semiring.ScaledFromLog(x))
			}
			row = append(row, int32(len(to)))
		}
	}
	final := make([]semiring.ScaledFloat, (layers+1)*width)
	for q := range width {
		row = append(row, int32(len(to)))
		final[layers*width+q] = semiring.NewScaled(1)
	}
	g, err := graph.New(semiring.Scaled{}, row, to, weight, []graph.Start[semiring.ScaledFloat]{{Weight: semiring.NewScaled(1)}}, final)
	if err != nil {
		panic(err)
	}
	return g, label
}

// Ten sequences of lattices of 300 states and 3000 arcs, beside a backward pass and the
// sequences of the 200 best paths, which have but a part of their mass.
func BenchmarkBestSequences(b *testing.B) {
	for _, deviation := range []float64{1, 2, 4} {
		g, labels := decoded(graphtest.Rand(1), 14, 20, 10, deviation)
		name := fmt.Sprintf("deviation %g/", deviation)
		b.Run(name+"sum", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n, mass := 0, semiring.ScaledFloat{}
				for s, err := range graph.BestSequences(g, labels, nil) {
					if err != nil {
						b.Fatal(err)
					}
					mass = mass.Add(s.Weight)
					if n++; n == 10 {
						break
					}
				}
				b.ReportMetric(mass.Log(), "ln-mass")
			}
		})
		best := graph.Map(g, semiring.Tropical{}, func(w semiring.ScaledFloat) semiring.Cost { return semiring.Cost(-w.Log()) })
		b.Run(name+"paths", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				paths, err := graph.BestPaths(best)
				if err != nil {
					b.Fatal(err)
				}
				n, sums := 0, map[string]float64{}
				for p := range paths {
					sums[fmt.Sprint(sequence(p, labels))] += math.Exp(-float64(p.Weight))
					if n++; n == 200 {
						break
					}
				}
			}
		})
		b.Run(name+"Backward", func(b *testing.B) {
			for b.Loop() {
				if _, err := graph.Backward(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
