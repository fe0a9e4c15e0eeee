package graph_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// torus is a random walk in a random environment on a square of side² states: each
// goes on to its four neighbours with a total of mass. Values fall off by many orders
// of magnitude with the distance, and slowly does a sum come together.
func torus(r *rand.Rand, side int, mass float64) *graph.Graph[float64] {
	n := side * side
	var arcs []arc
	for s := range n {
		i, j := s/side, s%side
		w := split(r, 4, mass)
		for d, q := range []int{(i+1)%side*side + j, (i+side-1)%side*side + j, i*side + (j+1)%side, i*side + (j+side-1)%side} {
			arcs = append(arcs, arc{s, q, w[d]})
		}
		arcs = append(arcs, arc{s, n, .01})
	}
	return loops(n+1, arcs)
}

// conjugatedTorus is one that is left with mass at no single state.
func conjugatedTorus(r *rand.Rand, side int, mass float64) *graph.Graph[semiring.ScaledFloat] {
	g := scaledGraph(torus(r, side, mass))
	h := make([]float64, g.NumStates())
	for s := range h {
		h[s] = r.NormFloat64()
	}
	return conjugated(g, h)
}

func TestTorus(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28)} {
		for _, gap := range []float64{1e-2, 1e-4, 1e-6} {
			r := graphtest.Rand(uint64(side))
			g, c := scaledGraph(torus(r, side, 1-gap)), conjugatedTorus(r, side, 1-gap)
			agreeBy(t, "bounded", g, graph.Bounded, 1e-12/gap)
			agreeBy(t, "bounded, conjugated", c, graph.Bounded, 1e-12/gap)
			agreeBy(t, "in stages", g, graph.InStages, 1e-12/gap)
			agreeBy(t, "in stages, conjugated", c, graph.InStages, 1e-12/gap)
		}
	}
	agree(t, "iterated", scaledGraph(torus(graphtest.Rand(1), 40, .99)), 1e-10)
}

// At mass 1 and above nothing converges, and it does not take long to find out.
func TestTorusDiverges(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28), 12 + trials.Serial(48)} {
		for _, mass := range []float64{1, 1 + 1e-9, 1.001, 2} {
			r := graphtest.Rand(uint64(side))
			for _, g := range []*graph.Graph[semiring.ScaledFloat]{
				scaledGraph(torus(r, side, mass)), conjugatedTorus(r, side, mass),
			} {
				if _, err := graph.Forward(g); !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("side %d, mass %v, forward: error %v, want semiring.ErrDiverges", side, mass, err)
				}
				if _, err := graph.Backward(g); !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("side %d, mass %v, backward: error %v, want semiring.ErrDiverges", side, mass, err)
				}
			}
		}
	}
}

// Elimination tells convergence from divergence whatever the units of states are.
func TestEliminationDecides(t *testing.T) {
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		radius := []float64{1, 1 + 1e-12, 1 + 1e-6, 1.5, 1e100, 1 - 1e-6, 1 - 1e-9, .5}[seed%8]
		g := irreducible(r, 2+r.IntN(60))
		for e := range g.Weights() {
			g.Weights()[e] *= radius
		}
		h := make([]float64, g.NumStates())
		for s := range h {
			h[s] = []float64{0, 3, 300}[seed/8%3] * r.NormFloat64()
		}
		c := conjugated(scaledGraph(g), h)
		_, errA := graph.ForwardBy(c, graph.Elimination)
		_, errB := graph.BackwardBy(c, graph.Elimination)
		for _, err := range []error{errA, errB} {
			if errors.Is(err, semiring.ErrDiverges) != (radius >= 1) {
				t.Fatalf("seed %d, radius %v: error %v", seed, radius, err)
			}
		}
	}
}
