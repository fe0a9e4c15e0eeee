package graph_test

import (
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring/graph"
)

// randomSets is a random graph of n states and 5·n arcs with sets for weights, most
// of it one component.
func randomSets(b *testing.B, n int) *graph.Graph[uint8] {
	r := graphtest.Rand(3)
	row, to, w, final := []int32{0}, []int32{}, []uint8{}, make([]uint8, n)
	for s := range n {
		for range 5 {
			to, w = append(to, int32(r.IntN(n))), append(w, uint8(r.IntN(256)|r.IntN(256)))
		}
		row, final[s] = append(row, int32(len(to))), uint8(1<<r.IntN(2000))
	}
	return must(graph.New(subsets{}, row, to, w, []graph.Start[uint8]{{State: 0, Weight: 255}}, final))(b)
}

// setsByHand is Forward by a queue of states, first in first out.
func setsByHand(g *graph.Graph[uint8]) []uint8 {
	x, queued, queue := make([]uint8, g.NumStates()), make([]bool, g.NumStates()), []int32{0}
	x[0] = 255
	for len(queue) > 0 {
		s := queue[0]
		queue, queued[s] = queue[1:], false
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			t := g.To()[e]
			if sum := x[t] | x[s]&g.Weights()[e]; sum != x[t] {
				if x[t] = sum; !queued[t] {
					queue, queued[t] = append(queue, t), true
				}
			}
		}
	}
	return x
}

// BenchmarkRelaxation is relaxation of one large component, where a ring of no more
// than the generic operations is asked for everything.
func BenchmarkRelaxation(b *testing.B) {
	g := randomSets(b, 20_000)
	if alpha, err := graph.Forward(g); err != nil || !nearSlices(alpha, setsByHand(g), func(a, b uint8) bool { return a == b }) {
		b.Fatal("the loop by hand computes something else", err)
	}
	b.Run("forward", func(b *testing.B) {
		defer perArc(b, g.NumArcs())()
		for b.Loop() {
			if _, err := graph.Forward(g); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by hand", func(b *testing.B) {
		defer perArc(b, g.NumArcs())()
		for b.Loop() {
			setsByHand(g)
		}
	})
}
