package cascade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// TestRangeOfForests: a trial step to a θ where a star diverges, or a total is not finite, is
// shortened for a likelihood of forests exactly as for one of lattices.
func TestRangeOfForests(t *testing.T) {
	const length = 200
	for name, weigh := range map[string]func(k *expr.Space, w expr.W) expr.W{
		// wⁿ·(1 − w), whose normalizer is a star of w.
		"star": func(k *expr.Space, w expr.W) expr.W {
			loop, _ := k.Star(w)
			total := k.Const(semiring.NewScaled(1))
			for range length {
				total = k.Times(total, w)
			}
			total, _ = k.RDiv(total, loop)
			return total
		},
	} {
		params := em.NewParams()
		g := params.Group("w", 1, positive{})
		k := params.Space()
		ring := semiring.Semiring[expr.W](k)
		weights := []expr.W{weigh(k, g.Weight(0))}
		lattices, err := cascade.Derivations{Examples: 1, Graph: func(int) (*graph.Graph[expr.W], error) {
			return graph.New(ring, []int32{0, 1, 1}, []int32{1}, weights, []graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
		}}.Likelihood(params)
		if err != nil {
			t.Fatal(err)
		}
		forests, err := cascade.Derivations{Examples: 1, Forest: func(int) (*forest.Forest[expr.W], error) {
			return forest.New(ring, []int32{0, 1}, []int32{0, 0}, nil, weights, []forest.Root[expr.W]{{Node: 0, Weight: expr.One}})
		}}.Likelihood(params)
		if err != nil {
			t.Fatal(err)
		}
		var traces [][]float64
		for _, l := range []em.Likelihood{lattices, forests} {
			refused := 0
			r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12, Observer: func(e em.Event) {
				if math.IsInf(e.Objective, -1) {
					refused++
				}
			}})
			if err != nil {
				t.Fatalf("%s: %T: %v", name, l, err)
			}
			if want := length / (length + 1.); math.Abs(r.Theta[0]-want) > 1e-6 || refused == 0 {
				t.Errorf("%s: %T: w is %.9f after %d refused trials, want %.9f", name, l, r.Theta[0], refused, want)
			}
			traces = append(traces, r.Objective)
		}
		if !slices.Equal(traces[0], traces[1]) {
			t.Errorf("%s: objectives %v of lattices and %v of forests", name, traces[0], traces[1])
		}
	}
}

// TestRangeOfTrials: for any error of a sum without a value, of a graph, a forest or an
// expression, SQUAREM and L-BFGS shorten the step, with the same result.
func TestRangeOfTrials(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	for trial, m := range map[int]em.Method{2: em.Squarem{}, 1: em.LBFGS{}} {
		var traces [][]float64
		for _, fault := range []error{semiring.ErrDiverges, semiring.ErrNotFinite, semiring.ErrInaccurate, expr.ErrDivision, expr.ErrParam, em.ErrParameter} {
			r, err := em.Fit(context.Background(), &distorted{Likelihood: l, distort: func(call int, _ *em.Expectations) error {
				if call == trial {
					return fault
				}
				return nil
			}}, &em.Options{Method: m, Start: problem.Params.Random(rand.New(rand.NewPCG(1, 1))), Iterations: 12})
			if err != nil {
				t.Errorf("%v, %v: %v", m, fault, err)
				continue
			}
			traces = append(traces, r.Objective)
		}
		for _, trace := range traces {
			if !slices.Equal(trace, traces[0]) {
				t.Errorf("%v: objectives %v and %v", m, trace, traces[0])
			}
		}
	}
}

// positive is the law of arbitrary positive weights.
type positive struct{ logarithms }

func (positive) Start(theta []float64) {
	for i := range theta {
		theta[i] = .5
	}
}

func (positive) Random([]float64, rand.Source) {}

func (positive) Maximize(_, _ []float64) error { return em.ErrMethod }

// TestRefusedTrial: strings over one symbol, each of weight wⁿ, are normalized by their sum, 1/(1
// − w), if w < 1. The search for the best w, close to 1, overshoots and returns.
func TestRefusedTrial(t *testing.T) {
	params := em.NewParams()
	g := params.Group("w", 1, positive{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	m.AddArc(s, arc(a, a, g.Weight(0), s))
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	const length = 200
	x := make([]int32, length)
	for i := range x {
		x[i] = a
	}
	l, err := problem.NormalizedLikelihood(cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(x...)}}})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	var logged bytes.Buffer
	observe := em.LogTo(slog.New(slog.NewJSONHandler(&logged, nil)))
	r, err := em.Fit(context.Background(), l, &em.Options{Method: em.LBFGS{}, Tolerance: 1e-12, Observer: func(e em.Event) {
		if math.IsInf(e.Objective, -1) && e.Step == em.RejectedStep {
			refused++
		}
		observe(e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := length / (length + 1.); math.Abs(r.Theta[0]-want) > 1e-8 || refused == 0 {
		t.Errorf("w is %.12f after %d refused trials, want %.12f", r.Theta[0], refused, want)
	}
	// Every event is a line of valid JSON.
	lines := bytes.Split(bytes.TrimSpace(logged.Bytes()), []byte("\n"))
	if len(lines) != r.Iterations() {
		t.Errorf("%d lines for %d iterations", len(lines), r.Iterations())
	}
	for i, line := range lines {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil || v["iteration"] != float64(i) || v["method"] != "L-BFGS" {
			t.Errorf("line %d is %s (%v)", i, line, err)
		}
		for key, value := range v {
			if text, ok := value.(string); ok && bytes.Contains([]byte(text), []byte("ERROR")) {
				t.Errorf("line %d: %s is %s", i, key, text)
			}
		}
	}
}

// TestTrainThroughEpsilonCycle: an ε:ε loop of weight θ₀ before one of two arcs. The expected
// number of loops is θ₀/(1−θ₀) per example. So one iteration does not change θ₀ and divides the
// rest in proportion to the counts.
func TestTrainThroughEpsilonCycle(t *testing.T) {
	for _, states := range []int{1, 2, 3} { // states on the ε-cycle
		params := em.NewParams()
		g := params.Group("g", 3, em.Multinomial{})
		k := params.Space()
		m := fst.NewBuilder(k)
		first := m.AddState()
		m.AddStart(first, k.One())
		at, w := first, g.Weight(0)
		for range states - 1 {
			next := m.AddState()
			m.AddArc(at, arc(epsilon, epsilon, w, next))
			at, w = next, k.One()
		}
		m.AddArc(at, arc(epsilon, epsilon, w, first))
		end := m.AddState()
		m.AddArc(first, arc(a, p, g.Weight(1), end))
		m.AddArc(first, arc(a, q, g.Weight(2), end))
		m.SetFinal(end, k.One())
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
		data := []cascade.Example{
			{X: cascade.Labels(a), Y: cascade.Labels(p), Weight: em.Times(3)},
			{X: cascade.Labels(a), Y: cascade.Labels(q)},
		}
		start := []float64{.4, .3, .3}
		e, err := likelihood(t, problem, cascade.Data{Examples: data}).Expect(context.Background(), em.Query{Theta: start})
		if err != nil {
			t.Fatal(err)
		}
		if want := 4 * math.Log(.5); math.Abs(e.LogLikelihood-want) > 1e-12 {
			t.Errorf("%d states: log likelihood %g, want %g", states, e.LogLikelihood, want)
		}
		for i, want := range []float64{4 * .4 / .6, 3, 1} {
			if math.Abs(e.Counts[i]-want) > 1e-12 {
				t.Errorf("%d states: count %d is %g, want %g", states, i, e.Counts[i], want)
			}
		}
		r, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Start: start, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{.4, .45, .15} {
			if math.Abs(r.Theta[i]-want) > 1e-12 {
				t.Errorf("%d states: θ%d is %g, want %g", states, i, r.Theta[i], want)
			}
		}
	}
}

// TestDivergentExample: a loop of weight 1 has no total, and the example is
// named.
func TestDivergentExample(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 2, em.Fixed{Values: []float64{1, 1}})
	k := params.Space()
	m := fst.NewBuilder(k)
	s, end := m.AddState(), m.AddState()
	m.AddStart(s, k.One())
	m.AddArc(s, arc(epsilon, epsilon, g.Weight(0), s))
	m.AddArc(s, arc(a, p, g.Weight(1), end))
	m.SetFinal(end, k.One())
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}
	_, err := problem.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(a), Name: "the loop"}}}, nil)
	if !errors.Is(err, semiring.ErrDiverges) {
		t.Fatalf("error %v, want ErrDiverges", err)
	}
	wantIn(t, err, "the loop")
}

// TestLongString: 10⁶ symbols whose total is far below the smallest float64.
func TestLongString(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 3, em.Multinomial{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.AddArc(s, arc(a, p, g.Weight(0), s))
	m.AddArc(s, arc(b, p, g.Weight(1), s))
	m.SetFinal(s, g.Weight(2))
	n := trials.Serial(1000000)
	y := make([]int32, n)
	for i := range y {
		y[i] = p
	}
	theta := []float64{1e-30, 3e-30, 1 - 4e-30}
	e, err := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}},
		cascade.Data{Examples: []cascade.Example{{Y: cascade.Labels(y...)}}}).Expect(context.Background(), em.Query{Theta: theta})
	if err != nil {
		t.Fatal(err)
	}
	want := float64(n) * math.Log(4e-30)
	if math.Abs(e.LogLikelihood-want) > 1e-12*math.Abs(want) {
		t.Errorf("log likelihood %.17g, want %.17g", e.LogLikelihood, want)
	}
	if math.Abs(e.Counts[0]-float64(n)/4) > 1e-8*float64(n) {
		t.Errorf("count %g, want %g", e.Counts[0], float64(n)/4)
	}
}
