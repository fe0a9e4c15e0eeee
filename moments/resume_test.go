package moments_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// A fit that is stopped after any iteration and resumed from its checkpoint has the same result,
// bit for bit, as an uninterrupted fit. A fit to other statistics, or with another ridge, does not
// resume.
func TestResume(t *testing.T) {
	r := random(31)
	f := must(moments.NewFamily(normal(r, 6, 4), nil))(t)
	total := f.Mean(distribution(r, 6))
	fit := func(ctx context.Context, total []float64, ridge float64, training em.Options) (*moments.Result, error) {
		training.Tolerance = 1e-12
		return moments.Fit(ctx, f.LogPartition(1), total, &moments.Options{Ridge: ridge, Shrink: .05, Training: &training})
	}
	for name, method := range map[string]em.Method{"L-BFGS": nil, "SGD": em.SGD{}} {
		want := must(fit(t.Context(), total, .01, em.Options{Method: method, Iterations: 12}))(t)
		if len(want.Objective) < 6 {
			t.Fatalf("%s: nothing to stop in %v", name, want.Objective)
		}
		for stop := range len(want.Objective) - 1 {
			file := filepath.Join(t.TempDir(), "state")
			ctx, cancel := context.WithCancel(t.Context())
			part, err := fit(ctx, total, .01, em.Options{Method: method, Iterations: 12, Checkpoint: file, Observer: func(e em.Event) {
				if e.Iteration == stop {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) || part == nil || len(part.Objective) >= len(want.Objective) {
				t.Fatalf("%s: stopped after %d: %v, %v", name, stop, part, err)
			}
			got := must(fit(t.Context(), total, .01, em.Options{Method: method, Iterations: 12, Checkpoint: file}))(t)
			if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) || !slices.Equal(got.Total, want.Total) || must(got.Margin(t.Context()))(t) != must(want.Margin(t.Context()))(t) {
				t.Errorf("%s: stopped after %d: %v, want %v", name, stop, got.Objective, want.Objective)
			}
			other := mat.NewVecDense(4, nil)
			other.AddScaledVec(mat.NewVecDense(4, total), 1e-15, mat.NewVecDense(4, []float64{1, 1, 1, 1}))
			for _, x := range []struct {
				total []float64
				ridge float64
			}{{other.RawVector().Data, .01}, {total, .02}} {
				if _, err := fit(t.Context(), x.total, x.ridge, em.Options{Method: method, Iterations: 12, Checkpoint: file}); !errors.Is(err, em.ErrCheckpoint) {
					t.Errorf("%s: another fit goes on from the checkpoint: %v", name, err)
				}
			}
		}
	}
}

// With the default options a fit converges: another thousand iterations move it by less than a
// hundredth of the standard error with 100,000 examples.
func TestDefaultsConverge(t *testing.T) {
	for seed := range trials.Seeds(10) {
		r := random(seed)
		m := 20 + r.IntN(30)
		f := must(moments.NewFamily(normal(r, m, 10), nil))(t)
		n := 1e5
		total := f.Mean(distribution(r, m))
		floats.Scale(n, total)
		fit := must(moments.Fit(t.Context(), f.LogPartition(n), total, nil))(t)
		o := exact(0)
		o.Training.Start = fit.Theta
		best := must(moments.Fit(t.Context(), f.LogPartition(n), total, o))(t)
		if fit.Status != em.Converged {
			t.Errorf("seed %d: %v", seed, fit.Status)
		}
		near(t, "theta", fit.Theta, best.Theta, 3e-5)
	}
}
