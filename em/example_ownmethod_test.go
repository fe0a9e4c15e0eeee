package em_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// momentum is gradient ascent in the coordinates of the laws, with momentum: each step includes a
// multiple of the previous one. A step that lowers the objective is rejected, and the next step is
// half as long.
type momentum struct {
	Rate  float64 // (default .02)
	Decay float64 // factor of the previous step (default .9)
}

func (momentum) String() string { return "momentum" }

func (m momentum) Complete(*em.Options) (em.Method, error) {
	if m.Rate == 0 {
		m.Rate = .02
	}
	if m.Decay == 0 {
		m.Decay = .9
	}
	if !(m.Rate > 0) || !(m.Decay >= 0 && m.Decay < 1) {
		return nil, fmt.Errorf("momentum: %w: rate %g, decay %g, want positive ones, decay below 1", em.ErrInvalid, m.Rate, m.Decay)
	}
	return m, nil
}

// Pass returns 1: each E step is over all data.
func (momentum) Pass(int) int { return 1 }

func (m momentum) Begin(t *em.Trainer, s *em.Start) (em.Ascent, error) {
	if err := t.NeedsDerivatives(); err != nil {
		return nil, err
	}
	coordinates, err := t.Coordinates(s.Theta)
	if err != nil {
		return nil, err
	}
	a := &moving{coordinates: coordinates, decay: m.Decay}
	a.memory.Rate = m.Rate
	a.memory.At = coordinates.Of(s.Theta)
	a.memory.Velocity, a.memory.Gradient = make([]float64, coordinates.Dim()), make([]float64, coordinates.Dim())
	return a, nil
}

// moving is the Ascent of momentum.
type moving struct {
	coordinates *em.Coordinates
	decay       float64
	query       em.Query
	memory      struct { // in a checkpoint
		Rate         float64
		At, Velocity []float64 // coordinates of s.Theta, and the step to s.Trial
		Gradient     []float64 // at s.Theta
	}
}

func (a *moving) State() any { return &a.memory }

func (a *moving) Ask(t *em.Trainer, s *em.Start) []em.Query {
	a.query = t.Ask(s.Next())
	return []em.Query{a.query}
}

func (a *moving) Tell(t *em.Trainer, s *em.Start, found []*em.Expectations) (em.Point, error) {
	m := &a.memory
	var e *em.Expectations // nil: the E step failed
	if found != nil {
		e = found[0]
	}
	p := t.Point(a.query, e)
	if s.Trial != nil && !(s.Rise(p) >= 0) {
		p.Step, p.Period = em.RejectedStep, 0
		m.Rate /= 2
		clear(m.Velocity)
		s.Trial = nil
		return p, nil
	}
	p.Step = em.GradientStep
	floats.Add(m.At, m.Velocity) // no step yet at the start
	s.Theta, s.Trial = s.Next(), nil
	a.coordinates.Gradient(m.Gradient, s.Theta, e.Counts)
	s.GradientNorm = floats.Norm(m.Gradient, math.Inf(1))
	return p, t.Bounded(s.Theta, e.Counts)
}

func (a *moving) Step(_ context.Context, _ *em.Trainer, s *em.Start, settled bool) (bool, error) {
	m := &a.memory
	if settled {
		return true, nil
	}
	floats.Scale(a.decay, m.Velocity)
	floats.AddScaled(m.Velocity, m.Rate, m.Gradient)
	to := make([]float64, len(m.At))
	floats.AddTo(to, m.At, m.Velocity)
	s.Trial = a.coordinates.Theta(to)
	return false, nil
}

// A custom method. An interrupted run of it resumes from its checkpoint with the same
// result.
func ExampleMethod() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	options := &em.Options{Method: momentum{}, Tolerance: 1e-8, Checkpoint: filepath.Join(dir, "state"), Observer: func(e em.Event) {
		if e.Iteration == 3 {
			cancel()
		}
	}}
	_, err = em.Fit(ctx, bag(em.Multinomial{}), options)
	fmt.Println(err)
	resumed, err := em.Fit(context.Background(), bag(em.Multinomial{}), options)
	if err != nil {
		log.Fatal(err)
	}
	whole, err := em.Fit(context.Background(), bag(em.Multinomial{}), &em.Options{Method: momentum{}, Tolerance: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: heads %.2f and %.2f, the same: %t\n", whole.Status, whole.Theta[0], whole.Theta[2],
		resumed.Theta[0] == whole.Theta[0] && resumed.LogLikelihood == whole.LogLikelihood)
	// Output:
	// em: canceled after 4 iterations: context canceled
	// converged: heads 0.80 and 0.52, the same: true
}
