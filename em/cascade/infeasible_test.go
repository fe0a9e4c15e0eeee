package cascade_test

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
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// cyclicPairs are data for a cyclicModel.
func cyclicPairs() cascade.Data {
	var data cascade.Data
	for i, pair := range [][2][]int32{{{1}, {1}}, {{1, 1}, {1, 2}}, {{1}, {2, 2}}, {{1, 2, 1}, {2, 1}}, {{1, 2}, {2, 2, 2}}, {{}, {}}} {
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(pair[0]...), Y: cascade.Labels(pair[1]...), Weight: em.Times(float64(1 + i%3))})
	}
	return data
}

// TestInfeasibleStarts: starts at which Z diverges are named, and the best of the others
// wins, resumed or not; without any other their error is Fit's.
func TestInfeasibleStarts(t *testing.T) {
	problem, _ := cyclicModel(t) // whose starts are drawn from exp(normal)
	l := differences(t, problem, cyclicPairs())[1]
	for _, m := range []em.Method{em.EM{}, em.LBFGS{}, em.SGD{}, em.Anneal{}} {
		infeasible := 0
		for seed := range trials.Seeds(2) {
			o := em.Options{Method: m, Restarts: 40, Iterations: 12, Start: []float64{3, 3, 3, 3}, Prune: em.Prune{After: 2}}
			o.Rand = rand.NewPCG(seed, 1)
			r, err := em.Fit(context.Background(), l, &o)
			if err != nil {
				if !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("%v: %v", m, err)
				}
				continue
			}
			for i, s := range r.Starts {
				if (s.Status == em.Infeasible) != strings.Contains(s.Reason, "diverges") {
					t.Errorf("%v: start %d is %v for the reason %q", m, i, s.Status, s.Reason)
				}
				if s.Status == em.Infeasible {
					infeasible++
				}
			}
			if r.Starts[0].Status != em.Infeasible || r.Starts[r.Start].Status == em.Infeasible || len(r.Theta) == 0 || r.Status == em.Infeasible {
				t.Errorf("%v: start %d has won, %v: %+v", m, r.Start, r.Status, r.Starts)
			}
			ctx, cancel := context.WithCancel(context.Background())
			o.Checkpoint, o.Rand, o.Observer = filepath.Join(t.TempDir(), "state"), rand.NewPCG(seed, 1), func(e em.Event) {
				if e.Iteration == 1 && e.Step != em.InfeasibleStep {
					cancel()
				}
			}
			if r, err := em.Fit(ctx, l, &o); !errors.Is(err, context.Canceled) || r.Status != em.Canceled {
				t.Errorf("%v: no break: %v", m, err)
			}
			o.Rand, o.Observer = rand.NewPCG(seed, 1), nil
			again, err := em.Fit(context.Background(), l, &o)
			if err != nil || !slices.Equal(again.Theta, r.Theta) || fmt.Sprint(again.Starts) != fmt.Sprint(r.Starts) {
				t.Errorf("%v: another result after a break: %v", m, err)
			}
		}
		if infeasible < 4 {
			t.Errorf("%v: only %d starts were infeasible", m, infeasible)
		}
		if _, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: []float64{3, 3, 3, 3}}); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%v: error %v, want ErrDiverges", m, err)
		}
	}
}

// TestScaledStarts: the strengths of a log-linear machine with loops are 1 at the start by
// default, and random ones as large. They are scaled down until Z is finite, which an
// observer is told, and every method comes to the same optimum.
func TestScaledStarts(t *testing.T) {
	params := em.NewParams()
	cyclic, _ := cyclicModel(t)
	f := cascade.GlobalLogLinear(params, "g", fst.Map(cyclic.Stages[0], semiring.Boolean{}, func(weight) bool { return true }),
		func(s int32, e *fst.Arc[bool]) []em.Feature {
			if e == nil {
				return nil
			}
			return []em.Feature{{Name: fmt.Sprint(s, e.In, e.Out)}, {Name: "any"}}
		}, em.LogLinearOptions{Sigma: 3})
	machine := cascade.Normalize(f)
	problem := func(f cascade.Stage) cascade.Problem {
		return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	}
	difference := differences(t, problem(f), cyclicPairs())[1]
	best := math.NaN()
	for _, c := range []struct {
		l      em.Likelihood
		m      em.Method
		within float64
	}{{difference, em.EM{}, 0}, {difference, em.LBFGS{}, 1e-4}, {difference, em.SGD{}, .5}, {difference, em.Anneal{}, 1e-4}, {likelihood(t, problem(machine), cyclicPairs()), em.LBFGS{}, 1e-4}} {
		told := map[int]int{}
		o := em.Options{Method: c.m, Restarts: 3, Rand: rand.NewPCG(1, 2), Iterations: 3000, Tolerance: 1e-10, Observer: func(e em.Event) {
			if e.Step == em.InfeasibleStep {
				told[e.Start]++
				if !math.IsInf(e.Objective, -1) || !math.IsNaN(e.Gain) || len(e.Theta) == 0 || e.Iteration != 0 {
					t.Errorf("event %+v", e)
				}
			}
		}}
		r, err := em.Fit(context.Background(), c.l, &o)
		if err != nil {
			t.Errorf("%v: %v", c.m, err)
			continue
		}
		if told[0] == 0 || len(told) < 2 {
			t.Errorf("%v: the observer was told of %v", c.m, told)
		}
		for i, s := range r.Starts {
			if s.Status == em.Infeasible {
				t.Errorf("%v: start %d is infeasible: %s", c.m, i, s.Reason)
			}
		}
		if got := last(r); math.IsNaN(best) {
			best = got
		} else if math.Abs(got-best) > c.within {
			t.Errorf("%T, %v: objective %.8f, want %.8f", c.l, c.m, got, best)
		}
		if _, err := em.Fit(context.Background(), c.l, &em.Options{Method: c.m, Start: params.Start()}); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%v: from a start that the caller chose: error %v, want ErrDiverges", c.m, err)
		}
	}
}

// last returns the last objective.
func last(r *em.Result) float64 { return r.Last() }

// TestSGDBacksOff: steps of stochastic gradients that go to where Z diverges are halved, and
// each minibatch is still seen in each pass.
func TestSGDBacksOff(t *testing.T) {
	trials.SkipUnderRace(t)
	problem, _ := cyclicModel(t)
	data := cyclicPairs()
	l := differences(t, problem, data)[1]
	start := []float64{.1, .1, .1, .1}
	want, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Start: start, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for _, average := range []bool{false, true} {
		rejected, visited := 0, 0
		r, err := em.Fit(context.Background(), l, &em.Options{Method: em.SGD{Rate: 6, Average: average, Shards: 2}, Start: start, Iterations: 20000, Tolerance: -1,
			Observer: func(e em.Event) {
				switch e.Step {
				case em.RejectedStep:
					rejected++
				default:
					visited += e.Examples
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if rejected == 0 {
			t.Error("no step was too long")
		}
		if want := 6 + 2*(20000-1-rejected); visited != want {
			t.Errorf("%d examples visited in %d iterations of which %d were rejected, want %d", visited, r.Iterations(), rejected, want)
		}
		e, err := l.Expect(context.Background(), em.Query{Theta: r.Theta})
		if err != nil || e.LogLikelihood < last(want)-.01 {
			t.Errorf("average %v: %g (%v), want %g", average, e.LogLikelihood, err, last(want))
		}
	}
}

// TestAnnealRaises: the loop of a hidden string has a mass above 1 at a low β. Annealing
// goes on to where sums exist, says so, and ends where EM does.
func TestAnnealRaises(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 7, em.Multinomial{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, g.Weight(6))
	for i, out := range []int32{1, 2, epsilon, epsilon, epsilon, epsilon} {
		m.AddArc(s, arc(int32(i), out, g.Weight(i), s))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	data := []cascade.Example{{Y: cascade.Labels(1, 2, 1)}, {Y: cascade.Labels(1)}, {X: cascade.Labels(4, 1, 3), Y: cascade.Labels(2)}}
	failed, first := []float64(nil), 0.0
	r := fit(t, problem, data, &em.Options{Method: em.Anneal{}, Iterations: 2000, Tolerance: 1e-13, Observer: func(e em.Event) {
		switch {
		case e.Step == em.InfeasibleStep:
			failed = append(failed, e.Temperature)
		case e.Iteration == 0:
			first = e.Temperature
		}
	}})
	if len(failed) < 3 || !slices.Equal(failed[:3], []float64{.1, .2, .4}) || first != .8 {
		t.Errorf("no sums at β = %v, the first at %g", failed, first)
	}
	want := fit(t, problem, data, &em.Options{Iterations: 2000, Tolerance: 1e-13})
	if math.Abs(last(r)-last(want)) > 1e-6 {
		t.Errorf("objective %.9f, EM comes to %.9f", last(r), last(want))
	}
}
