package cascade_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/semiring"
)

func TestBadStart(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	n := problem.Params.Len()
	start := func(change func([]float64)) []float64 {
		theta := problem.Params.Start()
		change(theta)
		return theta
	}
	for says, theta := range map[string][]float64{
		"all parameters are zero":  make([]float64, n),
		"channel[3] is NaN":        start(func(v []float64) { v[3] = math.NaN() }),
		"channel[0] is -1":         start(func(v []float64) { v[0] = -1 }),
		"channel[34] is +Inf":      start(func(v []float64) { v[34] = math.Inf(1) }),
		"parameters sum to":        start(func(v []float64) { v[1] += .1 }),
		"2 values for 35 paramete": {.5, .5},
	} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Start: theta})
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("error %v, want ErrParameter", err)
		}
		wantIn(t, err, says)
	}
}

func TestBadOptions(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for says, opts := range map[string]em.Options{
		"iterations":           {Iterations: -1},
		"temperature NaN":      {Temperature: math.NaN()},
		"temperature -1":       {Temperature: -1},
		"tolerance":            {Tolerance: math.NaN()},
		"-2 restarts":          {Restarts: -2},
		"source of randomness": {Restarts: 2},
		"workers":              {Workers: -1},
		"unknown EStep(9)":     {EStep: 9},
	} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &opts)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

func TestBadProblem(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	other, _ := noisyProblem(t, em.Multinomial{})
	with := func(e cascade.Example) []cascade.Example { return append(data[:2:2], e) }
	for says, c := range map[string]struct {
		problem cascade.Problem
		data    []cascade.Example
	}{
		"no examples":            {problem, nil},
		"no machine":             {cascade.Problem{Params: problem.Params}, data},
		"machine 0":              {cascade.Problem{Params: problem.Params, Stages: other.Stages}, data},
		"is nil":                 {cascade.Problem{Params: problem.Params, Stages: []cascade.Stage{nil}}, data},
		"example 2 has weight":   {problem, with(cascade.Example{Weight: em.Times(-1)})},
		"example 2 (x): label 0": {problem, with(cascade.Example{Name: "x", X: cascade.Labels(1, 0)})},
		"example 2: the weights": {problem, with(cascade.Example{X: cascade.Set(anything(t, other.Params, 1))})},
	} {
		_, err := c.problem.Fit(context.Background(), cascade.Data{Examples: c.data}, nil)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

// TestUnderivable: examples without a derivation fail the run or are named,
// whether the machines exclude them or a parameter that is zero.
func TestUnderivable(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	data[7] = cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(99), Name: "unknown symbol"}
	data[250] = cascade.Example{X: cascade.Labels(2), Y: cascade.Side{}}
	start := problem.Params.Start()
	for i := 2*6 - 1; i < 3*6-1; i++ { // nothing reads symbol 2
		start[i], start[0] = 0, start[0]+start[i]
	}
	opts := &em.Options{Start: start, Iterations: 4}
	set := cascade.Data{Examples: data}
	_, err := problem.Fit(context.Background(), set, opts)
	if !errors.Is(err, em.ErrUnderivable) {
		t.Fatalf("error %v, want ErrUnderivable", err)
	}
	wantIn(t, err, "of 300 examples")

	set.Underivable = em.Skip
	r, err := problem.Fit(context.Background(), set, opts)
	if err != nil {
		t.Fatal(err)
	}
	structural, zero := 0, 0
	for i, s := range r.Skipped {
		if i > 0 && r.Skipped[i-1].Index >= s.Index {
			t.Errorf("skipped examples out of order: %v, %v", r.Skipped[i-1], s)
		}
		if s.Structural {
			structural++
			if s.Index != 7 || s.String() != "example 7 (unknown symbol): label 'c' (99) at position 0 of Y is written by no arc" {
				t.Errorf("skipped %v", s)
			}
		} else {
			zero++
		}
	}
	if structural != 1 || zero == 0 {
		t.Errorf("%d structural, %d of probability zero", structural, zero)
	}
}

func TestBadData(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for says, d := range map[string]cascade.Data{
		"unknown policy":   {Examples: data, Underivable: 7},
		"lattice limit -5": {Examples: data, LatticeLimit: -5},
	} {
		_, err := problem.Likelihood(d)
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}

func TestLatticeLimit(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	few := cascade.Data{Examples: data, LatticeLimit: 100, Way: cascade.ByLattice}
	_, err := problem.Fit(context.Background(), few, nil)
	if !errors.Is(err, semiring.ErrLimit) {
		t.Fatalf("error %v, want ErrLimit", err)
	}
	wantIn(t, err, "lattice of example")
	few.Way = cascade.BySize // examples that can do without a lattice do
	e, err := likelihood(t, problem, few).Expect(context.Background(), em.Query{Theta: problem.Params.Start()})
	if err != nil || e.Latticeless != len(data) {
		t.Errorf("%d of %d examples without a lattice, error %v", e.Latticeless, len(data), err)
	}
}
