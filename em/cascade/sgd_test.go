package cascade_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// TestAveragedSGD: the result is the mean of the points that the steps led to, which are
// those of SGD without it, also if training is broken off and goes on from a checkpoint.
func TestAveragedSGD(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	start := problem.Params.Random(rand.New(rand.NewPCG(2, 3)))
	coordinates := coordinatesOf(t, problem.Params, start)
	const iterations = 17
	mean, steps := make([]float64, coordinates.Dim()), 0
	add := func(theta []float64) {
		steps++
		floats.Add(mean, coordinates.Of(theta))
	}
	opts := em.Options{Method: em.SGD{Shards: 9, Rate: .3}, Start: start, Iterations: iterations, Tolerance: -1}
	opts.Observer = func(e em.Event) {
		if e.Iteration > 0 {
			add(e.Theta)
		}
	}
	last := fit(t, problem, data, &opts)
	add(last.Theta)
	if steps != iterations {
		t.Fatalf("%d steps, want %d", steps, iterations)
	}
	floats.Scale(1/float64(steps), mean)

	opts.Method, opts.Observer = em.SGD{Shards: 9, Rate: .3, Average: true}, nil
	averaged := fit(t, problem, data, &opts)
	if !slices.Equal(averaged.Objective, last.Objective) {
		t.Error("averaging changes the steps")
	}
	got := coordinates.Of(averaged.Theta)
	if !floats.EqualApprox(got, mean, 1e-12) || floats.EqualApprox(got, coordinates.Of(last.Theta), 1e-3) {
		t.Errorf("the result is %v, want %v", got, mean)
	}

	opts.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	opts.Observer = func(e em.Event) {
		if e.Iteration == 12 {
			cancel()
		}
	}
	if _, err := problem.Fit(ctx, cascade.Data{Examples: data}, &opts); err == nil {
		t.Fatal("training was not broken off")
	}
	opts.Observer = nil
	if resumed := fit(t, problem, data, &opts); !slices.Equal(resumed.Theta, averaged.Theta) {
		t.Errorf("%v after a break, %v without", resumed.Theta, averaged.Theta)
	}
}
