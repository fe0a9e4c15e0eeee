package em_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

// TestOwnMethod interrupts a method of another package after each of its iterations, with
// several starts, and expects the bits of an uninterrupted run.
func TestOwnMethod(t *testing.T) {
	options := func(file string) *em.Options {
		return &em.Options{Method: momentum{Rate: .5}, Iterations: 12, Starts: [][]float64{{.3, .7, .9, .1}}, Prune: em.Prune{After: 5}, Checkpoint: file}
	}
	want, err := em.Fit(context.Background(), bag(em.Multinomial{}), options(""))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, s := range want.Starts {
		all += len(s.Objective)
		if !slices.IsSorted(s.Objective) {
			t.Errorf("the objective falls: %v", s.Objective)
		}
	}
	for stop := range all - 1 {
		file := filepath.Join(t.TempDir(), "state")
		ctx, cancel := context.WithCancel(context.Background())
		o := options(file)
		seen := 0
		o.Observer = func(em.Event) {
			if seen++; seen > stop {
				cancel()
			}
		}
		if _, err := em.Fit(ctx, bag(em.Multinomial{}), o); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d: error %v", stop+1, err)
		}
		got, err := em.Fit(context.Background(), bag(em.Multinomial{}), options(file))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
			t.Errorf("stopped after %d iterations: %v, want %v", stop+1, got.Theta, want.Theta)
		}
		// A checkpoint of other settings belongs to another run.
		o = options(file)
		o.Method = momentum{Rate: .25}
		if _, err := em.Fit(context.Background(), bag(em.Multinomial{}), o); !errors.Is(err, em.ErrCheckpoint) {
			t.Errorf("error %v, want ErrCheckpoint", err)
		}
	}
}

// falling is a method that moves to another θ, whatever the objective is there.
type falling struct {
	em.EM
	To *[4]float64
}

func (falling) String() string { return "falling" }

func (m falling) Complete(*em.Options) (em.Method, error) { return m, nil }

func (m falling) Begin(*em.Trainer, *em.Start) (em.Ascent, error) { return &falls{to: m.To[:]}, nil }

type falls struct {
	to    []float64
	query em.Query
}

func (*falls) State() any { return nil }

func (a *falls) Ask(t *em.Trainer, s *em.Start) []em.Query {
	a.query = t.Ask(s.Next())
	return []em.Query{a.query}
}

func (a *falls) Tell(t *em.Trainer, _ *em.Start, found []*em.Expectations) (em.Point, error) {
	p := t.Point(a.query, found[0])
	p.Rises = false
	return p, nil
}

func (a *falls) Step(_ context.Context, _ *em.Trainer, s *em.Start, _ bool) (bool, error) {
	s.Theta = slices.Clone(a.to)
	return len(s.Objective) == 2, nil
}

// The result of a method whose objective may fall is never below the start.
func TestNeverBelowTheStart(t *testing.T) {
	start := []float64{.8, .2, .5, .5}
	r, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Method: falling{To: &[4]float64{.01, .99, .99, .01}}, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != em.Stalled || !slices.Equal(r.Theta, start) || r.Last() != r.Objective[0] {
		t.Errorf("%v at %v, %v; want the start", r.Status, r.Theta, r.Objective)
	}
}
