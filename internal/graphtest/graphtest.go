// Package graphtest makes random graphs for tests, reproducible by seed.
package graphtest

import (
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Shape bounds a random graph.
type Shape struct {
	States  int     // at most; may be 0
	Arcs    int     // at most
	Acyclic bool    // arcs go from a state to a later one in some random order
	Starts  int     // start entries at most
	Finals  float64 // probability that a state is final
	Zero    float64 // probability that a weight is Zero
}

// Rand returns the source of random numbers for a seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

// New returns a random graph. It may have parallel arcs, self-loops, several starts at one
// state, and dead and unreachable parts. Weights that are not Zero come from weight.
func New[W any](r *rand.Rand, ring semiring.Semiring[W], shape Shape, weight func(r *rand.Rand) W) *graph.Graph[W] {
	draw := func() W {
		if r.Float64() < shape.Zero {
			return ring.Zero()
		}
		return weight(r)
	}
	n := r.IntN(shape.States + 1)
	rank := r.Perm(n)
	out := make([][]int32, n)
	arcs := 0
	if n > 0 {
		arcs = r.IntN(shape.Arcs + 1)
	}
	for range arcs {
		s, t := r.IntN(n), r.IntN(n)
		if shape.Acyclic {
			if s == t {
				continue
			}
			if rank[s] > rank[t] {
				s, t = t, s
			}
		}
		out[s] = append(out[s], int32(t))
	}
	row, to, weights := []int32{0}, []int32{}, []W{}
	for _, next := range out {
		for _, t := range next {
			to, weights = append(to, t), append(weights, draw())
		}
		row = append(row, int32(len(to)))
	}
	var starts []graph.Start[W]
	final := make([]W, n)
	for s := range final {
		final[s] = ring.Zero()
		if r.Float64() < shape.Finals {
			final[s] = draw()
		}
	}
	if n > 0 {
		for range r.IntN(shape.Starts + 1) {
			starts = append(starts, graph.Start[W]{State: int32(r.IntN(n)), Weight: draw()})
		}
	}
	g, err := graph.New(ring, row, to, weights, starts, final)
	if err != nil {
		panic(err)
	}
	return g
}
