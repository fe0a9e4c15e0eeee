package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// countdown is a context that is done once it was looked at so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// Sums over cycles that take long can be interrupted wherever they are, and nothing is
// left behind: the next sum over the same topology is what it would have been.
func TestLongSumsAreInterrupted(t *testing.T) {
	r := graphtest.Rand(1)
	dense := complete(r, 250, .999)
	grid := graphtest.Torus(r, 40, 1-1e-9)
	path := graph.Map(dense, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(x - 1e-6) })
	checkInterrupted(t, "dense", dense, 3)
	checkInterrupted(t, "dense, signed", graph.Map(dense, semiring.Scaled{}, func(x float64) semiring.ScaledFloat {
		return semiring.NewScaled(x - 1e-9)
	}), 3)
	checkInterrupted(t, "grid", grid, 3)
	checkInterrupted(t, "random", graphtest.Irreducible(r, 5000), 2)
	checkInterrupted(t, "expectation", graph.Map(dense, semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), func(x float64) semiring.Expected[float64, float64] {
		return semiring.Expected[float64, float64]{P: x, V: x}
	}), 3)
	checkInterrupted(t, "best path", path, 1)
	best, err := semiring.KBest(semiring.Tropical{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	checkInterrupted(t, "best paths", graph.Map(dense, best, func(x float64) semiring.Ranked[semiring.Cost] {
		return semiring.Ranked[semiring.Cost]{semiring.Cost(x)}
	}), 1)
}

func checkInterrupted[W any](t *testing.T, name string, g *graph.Graph[W], least int) {
	t.Helper()
	want, wantErr := graph.PathSum(renewed(g))
	interruptions := 0
	for looks := 0; ; looks += 1 + looks/2 {
		ctx := &countdown{context.Background(), looks}
		got, err := graph.PathSum(g.WithContext(ctx))
		if !errors.Is(err, context.Canceled) {
			if (err == nil) != (wantErr == nil) || err == nil && g.Ring().IsZero(want) != g.Ring().IsZero(got) {
				t.Errorf("%s: %v, error %v after %d interruptions, want %v, %v", name, got, err, interruptions, want, wantErr)
			}
			break
		}
		interruptions++
	}
	if interruptions < least {
		t.Errorf("%s: interrupted %d times only", name, interruptions)
	}
	if _, err := graph.AllPairs(g.WithContext(&countdown{context.Background(), 0})); g.NumStates() < 1000 && !errors.Is(err, context.Canceled) {
		t.Errorf("%s: all pairs: error %v", name, err)
	}
	again, err := graph.PathSum(g)
	if metric, ok := semiring.As[semiring.Metric[W]](g.Ring()); ok && err == nil && metric.Dist(again, want) != 0 {
		t.Errorf("%s: %v after interruptions, want %v", name, again, want)
	}
}

// renewed returns g with a topology of its own.
func renewed[W any](g *graph.Graph[W]) *graph.Graph[W] {
	c, err := graph.New(g.Ring(), slices.Clone(g.Row()), slices.Clone(g.To()), g.Weights(), g.Starts(), g.Finals())
	if err != nil {
		panic(err)
	}
	return c
}
