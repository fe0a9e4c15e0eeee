package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// deletions is a conditional machine over (a:b | a:ε)*, with Y = b observed and X hidden: Σ P(b |
// aⁿ) over n is 1/P(a:b), and has no maximum.
func deletions(t testing.TB) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	g := params.Group("a", 2, em.Multinomial{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	m.AddArc(s, arc(a, b, g.Weight(0), s))
	m.AddArc(s, arc(a, epsilon, g.Weight(1), s))
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, []cascade.Example{{Y: cascade.Labels(b)}}
}

// TestStalled: on a slope without an end L-BFGS returns its best point and does not report
// convergence. No method does, unless it ends at a small gradient.
func TestStalled(t *testing.T) {
	problem, data := deletions(t)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	best := math.Inf(-1)
	r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Start: []float64{.5, .5}, Iterations: 1000,
		Observer: func(e em.Event) { best = max(best, e.Objective) }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != em.Stalled || r.Starts[0].Status != em.Stalled || !(last(r) > best-.1) || best < 30 || r.GradientNorm < .1 {
		t.Errorf("%v at %g, %v, with the gradient %g; the best of all was %g", r.Status, last(r), r.Theta, r.GradientNorm, best)
	}
	e, err := l.Expect(context.Background(), em.Query{Theta: r.Theta})
	if err != nil || e.LogLikelihood != last(r) {
		t.Errorf("the objective at %v is %g, want %g: %v", r.Theta, e.LogLikelihood, last(r), err)
	}
	r, err = em.Fit(context.Background(), l, &em.Options{Method: em.SGD{}, Start: []float64{.5, .5}, Iterations: 1000})
	if err != nil || r.Status != em.IterationLimit {
		t.Errorf("SGD: %v, %v", r, err)
	}
}

// TestNeverConvergedOnASlope: for random machines whose input is unknown, many without a maximum,
// L-BFGS returns Converged only if the gradient is small.
func TestNeverConvergedOnASlope(t *testing.T) {
	status := map[em.Status]int{}
	for seed := range trials.Seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 77))
		params := em.NewParams()
		k := params.Space()
		m := fst.NewBuilder(k)
		states := 1 + rng.Int32N(3)
		for range states {
			m.AddState()
		}
		m.AddStart(0, k.One())
		for s := range states {
			g := params.Group(fmt.Sprint("g", len(params.Groups())), 3+rng.IntN(4), em.Multinomial{})
			for i := range g.Len() - 1 {
				m.AddArc(s, arc(1+rng.Int32N(2), rng.Int32N(3), g.Weight(i), rng.Int32N(states)))
			}
			m.SetFinal(s, []weight{k.One(), g.Weight(g.Len() - 1)}[rng.IntN(2)])
		}
		var data []cascade.Example
		for range 1 + rng.IntN(4) {
			data = append(data, cascade.Example{Y: cascade.Labels(randomLabels(rng, 3)...)})
		}
		l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, cascade.Data{Examples: data, Underivable: em.Skip})
		r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Start: params.Random(rng), Iterations: 2000, Tolerance: 1e-9})
		if err != nil {
			continue // no sum exists at the start
		}
		status[r.Status]++
		if r.Status == em.Converged && r.GradientNorm > 1e-3*max(1, math.Abs(last(r))) {
			t.Errorf("seed %d: converged at %g with the gradient %g", seed, last(r), r.GradientNorm)
		}
	}
	if status[em.Stalled] < 20 || status[em.Converged] < 20 {
		t.Errorf("statuses %v", status)
	}
}

// distorted is a likelihood that replaces some E steps, by their number.
type distorted struct {
	em.Likelihood
	calls   int
	distort func(call int, e *em.Expectations) error
}

func (d *distorted) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	e, err := d.Likelihood.Expect(ctx, q)
	if err == nil {
		err = d.distort(d.calls, e)
	}
	d.calls++
	return e, err
}

// TestSquaremTakesBack: an extrapolation is taken back if the M step after it shows that its
// objective was wrong, or if this M step leads out of range. The rest is EM.
func TestSquaremTakesBack(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	start := problem.Params.Random(rand.New(rand.NewPCG(1, 1)))
	want, err := em.Fit(context.Background(), l, &em.Options{Start: start, Iterations: 12})
	if err != nil {
		t.Fatal(err)
	}
	for name, distort := range map[string]func(call int, e *em.Expectations) error{
		"too high": func(call int, e *em.Expectations) error {
			if call == 2 { // the E step of the first extrapolation
				e.LogLikelihood += 1000
			}
			return nil
		},
		"out of range": func(call int, e *em.Expectations) error {
			if call == 2 {
				e.LogLikelihood += 1000
			}
			if call == 3 {
				return semiring.ErrDiverges
			}
			return nil
		},
	} {
		var trace []float64
		steps := map[em.Step]int{}
		r, err := em.Fit(context.Background(), &distorted{Likelihood: l, distort: distort}, &em.Options{Method: em.Squarem{}, Start: start, Iterations: 14, Tolerance: -1,
			Observer: func(e em.Event) {
				steps[e.Step]++
				if e.Step == em.MStep || e.Step == em.FirstStep {
					trace = append(trace, e.Objective)
				}
			}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if steps[em.Extrapolation] != 1 || steps[em.RejectedStep]+steps[em.InfeasibleStep] != 1 {
			t.Errorf("%s: steps %v", name, steps)
		}
		if n := min(len(trace), len(want.Objective)); n < 10 || !slices.Equal(trace[:n], want.Objective[:n]) {
			t.Errorf("%s: objectives %v (%d), those of EM are %v", name, trace, r.Iterations(), want.Objective)
		}
	}
	// A fall without an extrapolation is an error as before.
	_, err = em.Fit(context.Background(), &distorted{Likelihood: l, distort: func(call int, e *em.Expectations) error {
		if call == 1 {
			e.LogLikelihood -= 1000
		}
		return nil
	}}, &em.Options{Method: em.Squarem{}, Start: start})
	if !errors.Is(err, em.ErrDecreased) {
		t.Errorf("error %v, want ErrDecreased", err)
	}
}

// TestMissingX: the error for a sum without a value names X if it is unknown.
func TestMissingX(t *testing.T) {
	problem, data := deletions(t)
	known := cascade.Example{X: cascade.Labels(a), Y: cascade.Labels(b)}
	for _, d := range []cascade.Data{
		{Examples: append([]cascade.Example{known}, data...)},
		{Stream: cascade.Sequence(func(yield func(cascade.Example, error) bool) { _ = yield(known, nil) && yield(data[0], nil) })},
	} {
		_, err := em.Fit(context.Background(), likelihood(t, problem, d), &em.Options{Start: []float64{1e-18, 1}})
		if !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("error %v, want ErrDiverges", err)
		}
		wantIn(t, err, "example 1", "the sum over all strings of X is not bounded: give X in the data, or compose a machine", "such as a language model of X")
	}
	l := differences(t, problem, cascade.Data{Examples: data})[0]
	_, err := l.Expect(context.Background(), em.Query{Theta: []float64{.5, .5}})
	wantIn(t, err, "normalization", "strings of X")
}
