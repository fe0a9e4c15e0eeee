package counts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/moments/counts"
)

// corpus returns 3,400 sequences of 24 symbols, Zipf's 11,000, whose labels of 45 are
// mostly the one of their symbol.
func corpus(r *rand.Rand) (sequences, labels [][]int) {
	zipf := rand.NewZipf(r, 1.1, 2, 10999)
	for range 3400 {
		x, y := make([]int, 24), make([]int, 24)
		for j := range x {
			x[j] = int(zipf.Uint64())
			y[j] = x[j] * 7 % 45
			if r.Float64() < .1 {
				y[j] = r.IntN(45)
			}
		}
		sequences, labels = append(sequences, x), append(labels, y)
	}
	return sequences, labels
}

// 81,600 positions of 45 labels, to a residual of 1e-4; BenchmarkPass is the least that an
// iteration can take on one processor.
func BenchmarkLeastSquares(b *testing.B) {
	sequences, labels := corpus(random(1))
	d, err := counts.New(11000, 45, sequences, counts.Simulate(labels, 45, 24, random(2)))
	if err != nil {
		b.Fatal(err)
	}
	for _, ridge := range []float64{1e-3, 1e-2, .1, 1} {
		b.Run(fmt.Sprint("ridge ", ridge), func(b *testing.B) {
			n := 0
			for b.Loop() {
				s, err := d.LeastSquares(ridge, counts.Stop{Tolerance: 1e-4, Iterations: 500})
				if err != nil {
					b.Fatal(err)
				}
				n = s.Iterations
			}
			b.ReportMetric(float64(n), "iterations")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n)/(81600*45), "ns/cell")
		})
	}
}

// A plain loop over the positions of all regions and the labels, there and back.
func BenchmarkPass(b *testing.B) {
	sequences, _ := corpus(random(1))
	w, g, r := make([]float64, 11000*45), make([]float64, 11000*45), make([]float64, 45)
	for b.Loop() {
		for _, x := range sequences {
			clear(r)
			for _, a := range x {
				for k, v := range w[a*45:][:45] {
					r[k] += v
				}
			}
			for _, a := range x {
				row := g[a*45:][:45]
				for k, v := range r {
					row[k] += v
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(81600*45), "ns/cell")
}

func BenchmarkConstrained(b *testing.B) {
	sequences, labels := corpus(random(1))
	d, err := counts.New(11000, 45, sequences, counts.Simulate(labels, 45, 24, random(2)))
	if err != nil {
		b.Fatal(err)
	}
	gap := math.Inf(1)
	for b.Loop() {
		s, err := d.Constrained(1e-3, counts.Stop{Iterations: 100})
		if err != nil {
			b.Fatal(err)
		}
		gap = s.Gap
	}
	b.ReportMetric(gap, "gap")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100/(81600*45), "ns/cell")
}

// An E step over regions of several sizes, by the numbers of states and arcs that are kept.
func BenchmarkBeam(b *testing.B) {
	sequences, labels := corpus(random(1))
	for _, width := range []int{12, 24} {
		d, err := counts.New(11000, 45, sequences[:100], counts.Simulate(labels[:100], 45, width, random(2)))
		if err != nil {
			b.Fatal(err)
		}
		t := d.Tagger(em.Multinomial{})
		l, theta := t.Beam(500), t.Params.Random(random(3))
		states, err := t.BeamStates(b.Context(), 500, theta)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(width, " positions"), func(b *testing.B) {
			defer benchtime.Per(b, states, "state")()
			arcs := int64(0)
			for b.Loop() {
				e, err := l.Expect(b.Context(), em.Query{Theta: theta, Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				arcs = e.Arcs
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
		})
	}
}
