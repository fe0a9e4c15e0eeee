package cascade_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestTrainThroughEpsilonCycle: an ε:ε loop of weight θ₀ before one of two arcs.
// The expected number of turns is θ₀/(1−θ₀) per example, so one iteration leaves
// θ₀ as it is and shares the rest in proportion to the counts.
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
