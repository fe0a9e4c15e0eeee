package em_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestGradientOfDegenerateGaussians: as EM does, L-BFGS says which distribution has specialized in
// too few points, and otherwise ends at a mode no lower than its start.
func TestGradientOfDegenerateGaussians(t *testing.T) {
	points := [][]float64{{1}, {2}, {9}, {3}, {2}, {1}, {4}, {5}, {7}, {6}, {8}}
	law, err := em.NewGaussian(1).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	degenerate, modes := 0, 0
	for seed := range trials.Seeds(60) {
		m := newNormals(3, law, points[:3+seed%9])
		start := m.params.Random(rand.NewPCG(seed, 11))
		r, err := em.Fit(context.Background(), m, &em.Options{Method: em.LBFGS{}, Start: start, Iterations: 3000})
		if errors.Is(err, em.ErrNoMode) {
			degenerate++
			wantIn(t, err, "L-BFGS: group component", "has the variance")
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		modes++
		if r.Last() < r.Objective[0] || r.Last() > 0 {
			t.Errorf("seed %d: from %g to %g, %v", seed, r.Objective[0], r.Last(), r.Status)
		}
		for _, g := range m.params.Groups()[1:] {
			if v := g.In(r.Theta)[2]; v < 1e-9 {
				t.Errorf("seed %d: %s has the variance %g", seed, g, v)
			}
		}
	}
	if degenerate < 10 || modes < 10 {
		t.Errorf("%d starts degenerated, and %d found a mode", degenerate, modes)
	}
}

// TestCollapse: a component of a mixture that specializes in one point ends its start, not
// the others.
func TestCollapse(t *testing.T) {
	points := [][]float64{{1}, {1.2}, {.9}, {1.1}, {3}, {3.2}, {9}}
	law, err := em.NewGaussian(1).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	r, err := em.Fit(context.Background(), newNormals(2, law, points), &em.Options{Restarts: 20, Rand: rand.NewPCG(1, 2), Iterations: 300})
	if err != nil {
		t.Fatal(err)
	}
	collapsed := 0
	for i, s := range r.Starts {
		if s.Status == em.Infeasible {
			collapsed++
			if !strings.Contains(s.Reason, "posterior has no mode") || i == r.Start {
				t.Errorf("start %d of which %d has won: %q", i, r.Start, s.Reason)
			}
		}
	}
	if collapsed == 0 || collapsed == len(r.Starts) {
		t.Errorf("%d starts have collapsed", collapsed)
	}
}
