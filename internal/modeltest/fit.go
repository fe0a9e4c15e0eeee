package modeltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// fit trains the model of a seed on its data, or, with other, on changed data.
func (m *Model[M, X]) fit(ctx context.Context, seed uint64, other bool, opts em.Options) (M, *em.Result, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	model := m.New(rng)
	var data []X
	for range 4 {
		more, _ := m.data(rng, model)
		data = append(data, more...)
	}
	if other {
		data = append(data, data[0])
	}
	opts.Tolerance = -1
	r, err := m.Fit(ctx, model, data, &opts)
	return model, r, err
}

// left returns an error unless a model has the θ of a result.
func (m *Model[M, X]) left(model M, r *em.Result) error {
	if m.Theta != nil && !slices.Equal(m.Theta(model), r.Theta) {
		return fmt.Errorf("θ of the model is %v, of the result %v", m.Theta(model), r.Theta)
	}
	return nil
}

func differ(what string, a, b *em.Result) error {
	if !slices.Equal(a.Theta, b.Theta) || !slices.Equal(a.Objective, b.Objective) {
		return fmt.Errorf("%s: other bits: objectives %v and %v, θ %v and %v", what, a.Objective, b.Objective, a.Theta, b.Theta)
	}
	return nil
}

// iterations is the number of iterations of a run.
const iterations = 6

// workers checks that training has the same bits for any number of workers, that the objective
// never falls unless it is heuristic, and that the model has the θ of the result.
func workers[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	seed := rng.Uint64()
	var first *em.Result
	for _, n := range []int{1, 2, 7} {
		model, r, err := m.fit(context.Background(), seed, false, em.Options{Iterations: iterations, Workers: n})
		if err != nil {
			return err
		}
		if err := m.left(model, r); err != nil {
			return err
		}
		for i, o := range r.Objective[1:] {
			if before := r.Objective[i]; !m.Heuristic && o < before-tolerance*math.Abs(before) {
				return fmt.Errorf("the objective falls: %v", r.Objective)
			}
		}
		if first == nil {
			first = r
		}
		if err := differ(fmt.Sprintf("%d workers", n), r, first); err != nil {
			return err
		}
	}
	return nil
}

// resume checks that a run that stops and resumes from its checkpoint has the same bits as an
// uninterrupted run, and that a checkpoint of other data is an error.
func resume[M, X any](m *Model[M, X], rng *rand.Rand, t testing.TB) error {
	seed, ctx := rng.Uint64(), context.Background()
	_, want, err := m.fit(ctx, seed, false, em.Options{Iterations: iterations})
	if err != nil {
		return err
	}
	if len(want.Objective) < 3 {
		return nil // training had already ended
	}
	o := em.Options{Iterations: 2, Checkpoint: filepath.Join(t.TempDir(), "state")}
	if _, _, err := m.fit(ctx, seed, false, o); err != nil {
		return err
	}
	o.Iterations = iterations
	if _, _, err := m.fit(ctx, seed, true, o); !errors.Is(err, em.ErrCheckpoint) {
		return fmt.Errorf("the checkpoint of other data: error %w, want ErrCheckpoint", orNone(err))
	}
	model, got, err := m.fit(ctx, seed, false, o)
	if err != nil {
		return err
	}
	if err := m.left(model, got); err != nil {
		return err
	}
	return differ("resumed", got, want)
}

// canceled checks that a canceled run returns its result so far, the beginning of the whole
// run.
func canceled[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) error {
	seed := rng.Uint64()
	_, whole, err := m.fit(context.Background(), seed, false, em.Options{Iterations: iterations})
	if err != nil {
		return err
	}
	if len(whole.Objective) <= 3 {
		return nil // it ends before
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	model, r, err := m.fit(ctx, seed, false, em.Options{Iterations: iterations, Observer: func(e em.Event) {
		if e.Iteration == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != em.Canceled {
		return fmt.Errorf("canceled: %+v, error %w", r, orNone(err))
	}
	if !slices.Equal(r.Objective, whole.Objective[:3]) {
		return fmt.Errorf("canceled after 3 iterations: objectives %v of %v", r.Objective, whole.Objective)
	}
	return m.left(model, r)
}

// nilContext checks that a nil context causes a panic that names it.
func nilContext[M, X any](m *Model[M, X], rng *rand.Rand, _ testing.TB) (err error) {
	seed := rng.Uint64()
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "nil context") {
			err = fmt.Errorf("a nil context of Fit: panic %s, want one that names it", text)
		}
	}()
	m.fit(nil, seed, false, em.Options{Iterations: 1}) //lint:ignore SA1012 it is the test
	return nil
}
