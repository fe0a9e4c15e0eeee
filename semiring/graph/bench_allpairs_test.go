package graph_test

import (
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// denseGraph has an arc from every state to every other, and mass .9 out of each.
func denseGraph(b *testing.B, n int) *graph.Graph[float64] {
	r := graphtest.Rand(1)
	row, to, w := []int32{0}, []int32{}, []float64{}
	for range n {
		for q := range n {
			to, w = append(to, int32(q)), append(w, 1.8*r.Float64()/float64(n))
		}
		row = append(row, int32(len(to)))
	}
	return must(graph.New(semiring.Real{}, row, to, w, nil, make([]float64, n)))(b)
}

// shortLoops is a chain of n states with arcs back over short distances.
func shortLoops(b *testing.B, n int) *graph.Graph[float64] {
	r := graphtest.Rand(2)
	row, to, w := []int32{0}, []int32{}, []float64{}
	for s := range n {
		to, w = append(to, int32((s+1)%n)), append(w, .5)
		to, w = append(to, int32(max(0, s-r.IntN(4)))), append(w, .4*r.Float64())
		row = append(row, int32(len(to)))
	}
	return must(graph.New(semiring.Real{}, row, to, w, nil, make([]float64, n)))(b)
}

// lehmann is the closure of a matrix of numbers, written by hand.
func lehmann(g *graph.Graph[float64]) [][]float64 {
	n := g.NumStates()
	d := make([][]float64, n)
	for s := range d {
		d[s] = make([]float64, n)
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			d[s][g.To()[e]] += g.Weights()[e]
		}
	}
	for k := range d {
		star := 1 / (1 - d[k][k])
		for i := range d {
			if i == k || d[i][k] == 0 {
				continue
			}
			x := d[i][k] * star
			to := d[i]
			for j, y := range d[k] {
				to[j] += x * y
			}
			to[k] = x
		}
		for j := range d[k] {
			d[k][j] *= star
		}
		d[k][k] = star
	}
	return d
}

// The loop by hand computes what AllPairs does.
func TestLehmannByHand(t *testing.T) {
	for seed := range trials.Seeds(50) {
		g := graphtest.Substochastic(graphtest.Rand(seed), tiny, .9)
		for p, row := range must(graph.AllPairs(g))(t) {
			if hand := lehmann(g)[p]; !nearSlices(row, hand, near) {
				t.Fatalf("seed %d: from state %d: %v, want %v", seed, p, hand, row)
			}
		}
	}
}

// BenchmarkAllPairs includes the elimination, but not its plan.
func BenchmarkAllPairs(b *testing.B) {
	for name, g := range map[string]*graph.Graph[float64]{
		"dense 300":  denseGraph(b, 300),
		"loops 1000": shortLoops(b, 1000),
	} {
		pairs := float64(g.NumStates()) * float64(g.NumStates())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := graph.AllPairs(g); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
		})
		b.Run(name+" by hand", func(b *testing.B) {
			for b.Loop() {
				lehmann(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
		})
	}
}
