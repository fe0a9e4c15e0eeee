package solve_test

import (
	"errors"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/solve"
)

func TestTorus(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28)} {
		for _, gap := range []float64{1e-2, 1e-4, 1e-6} {
			r := graphtest.Rand(uint64(side))
			g, c := graphtest.Scaled(graphtest.Torus(r, side, 1-gap)), graphtest.ConjugatedTorus(r, side, 1-gap)
			agreeBy(t, "bounded", g, solve.Bounded, 1e-12/gap)
			agreeBy(t, "bounded, conjugated", c, solve.Bounded, 1e-12/gap)
			agreeBy(t, "in stages", g, solve.InStages, 1e-12/gap)
			agreeBy(t, "in stages, conjugated", c, solve.InStages, 1e-12/gap)
		}
	}
	agree(t, "iterated", graphtest.Scaled(graphtest.Torus(graphtest.Rand(1), 40, .99)), 1e-10)
}

// At mass 1 and above nothing converges, and it does not take long to find out.
func TestTorusDiverges(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28), 12 + trials.Serial(48)} {
		for _, mass := range []float64{1, 1 + 1e-9, 1.001, 2} {
			r := graphtest.Rand(uint64(side))
			for _, g := range []*graph.Graph[semiring.ScaledFloat]{
				graphtest.Scaled(graphtest.Torus(r, side, mass)), graphtest.ConjugatedTorus(r, side, mass),
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
		g := graphtest.Irreducible(r, 2+r.IntN(60))
		for e := range g.Weights() {
			g.Weights()[e] *= radius
		}
		h := make([]float64, g.NumStates())
		for s := range h {
			h[s] = []float64{0, 3, 300}[seed/8%3] * r.NormFloat64()
		}
		c := graphtest.Conjugated(graphtest.Scaled(g), h)
		_, errA := forwardBy(c, solve.Elimination)
		_, errB := backwardBy(c, solve.Elimination)
		for _, err := range []error{errA, errB} {
			if errors.Is(err, semiring.ErrDiverges) != (radius >= 1) {
				t.Fatalf("seed %d, radius %v: error %v", seed, radius, err)
			}
		}
	}
}
