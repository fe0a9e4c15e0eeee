package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// everyMethod lists all methods, with settings for which a few iterations suffice.
var everyMethod = []em.Method{
	em.EM{},
	em.Incremental{Shards: 30},
	em.Stepwise{Shards: 30},
	em.Anneal{From: .3, Iterations: 2},
	em.Squarem{},
	em.LBFGS{Memory: 3},
	em.SGD{Shards: 30},
}

// gradient reports whether a method follows the gradient in coordinates.
func gradient(m em.Method) bool {
	switch m.(type) {
	case em.LBFGS, em.SGD:
		return true
	}
	return false
}

// stochastic reports whether a method's objective may fall.
func stochastic(m em.Method) bool {
	switch m.(type) {
	case em.Stepwise, em.SGD:
		return true
	}
	return false
}

// mixture is a problem with a concave likelihood: a symbol is drawn from one of several known
// distributions, which are mixed in unknown proportions, truth. The data have exactly the
// proportions of truth, so truth is the optimum.
func mixture(t testing.TB, law em.Law, overlap float64) (problem cascade.Problem, data []cascade.Example, truth []float64) {
	rng := rand.New(rand.NewPCG(11, 12))
	truth = []float64{.5, .3, .2}
	const symbols = 6
	params := em.NewParams()
	mix := params.Group("mix", len(truth), law)
	k := params.Space()
	m := fst.NewBuilder(k)
	s, end := m.AddState(), m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(end, k.One())
	var total [symbols + 1]float64
	for c, pi := range truth {
		var f [symbols + 1]float64
		sum := 0.0
		for o := 1; o <= symbols; o++ {
			f[o] = overlap + rng.ExpFloat64()
			sum += f[o]
		}
		for o := int32(1); o <= symbols; o++ {
			m.AddArc(s, arc(epsilon, o, k.Times(mix.Weight(c), k.Const(semiring.NewScaled(f[o]/sum))), end))
			total[o] += pi * f[o] / sum
		}
	}
	const copies = 21
	for i := range copies * symbols {
		o := int32(1 + i%symbols)
		data = append(data, cascade.Example{Y: cascade.Labels(o), Weight: em.Times(1000 * total[o] / copies)})
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, data, truth
}

// TestAnnealSchedule: a β ends after its number of E steps or within the tolerance, whichever
// comes first; the start ends at the last β only.
func TestAnnealSchedule(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	start := problem.Params.Random(rand.New(rand.NewPCG(2, 3)))
	for _, c := range []struct {
		tolerance float64 // -1: no gain is within it, 1: any gain is
		want      []float64
		status    em.Status
	}{
		{-1, []float64{.2, .2, .2, .6, .6, .6, 1, 1, 1, 1, 1}, em.IterationLimit},
		{1, []float64{.2, .2, .6, .6, 1, 1}, em.Converged},
	} {
		var got []float64
		r := fit(t, problem, data, &em.Options{Method: em.Anneal{From: .2, Factor: 3, Iterations: 3}, Start: start,
			Iterations: 11, Tolerance: c.tolerance, Observer: func(e em.Event) { got = append(got, e.Temperature) }})
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }
		if !slices.EqualFunc(got, c.want, near) || r.Status != c.status {
			t.Errorf("tolerance %g: β = %v and %v, want %v and %v", c.tolerance, got, r.Status, c.want, c.status)
		}
	}
}

// TestStepwiseSteps: the running counts, θ and the objective follow the formulas of Stepwise from
// E steps over its minibatches, at a temperature too.
func TestStepwiseSteps(t *testing.T) {
	const iterations, power, beta, size = 9, .6, .5, 30
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	theta := problem.Params.Random(rand.New(rand.NewPCG(2, 3)))
	r, err := em.Fit(context.Background(), l, &em.Options{Method: em.Stepwise{Power: power, Shards: size}, Start: theta,
		Temperature: beta, Iterations: iterations, Tolerance: -1})
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
	seen := make([]float64, (l.Shards()+size-1)/size) // log likelihood of each minibatch
	running := make([]float64, len(theta))
	for i := range iterations {
		first, last, eta := 0, len(seen), 1.0
		if i > 0 {
			first = (i - 1) % len(seen)
			last, eta = first+1, math.Pow(float64(i+1), -power)
		}
		floats.Scale(1-eta, running)
		for b := first; b < last; b++ {
			e, err := l.Expect(context.Background(), em.Query{Theta: theta, Temperature: beta, Lo: b * size, Hi: min((b+1)*size, l.Shards())})
			if err != nil {
				t.Fatal(err)
			}
			seen[b] = e.LogLikelihood
			floats.AddScaled(running, eta*float64(len(seen))/float64(last-first), e.Counts)
		}
		if want := floats.Sum(seen) / beta; !near(r.Objective[i], want) {
			t.Errorf("iteration %d: objective %.15g, want %.15g", i, r.Objective[i], want)
		}
		theta = make([]float64, len(running))
		floats.ScaleTo(theta, 1/floats.Sum(running), running)
	}
	if !slices.EqualFunc(r.Theta, theta, near) {
		t.Errorf("θ = %v, want %v", r.Theta, theta)
	}
}

// TestConvex: if there is one optimum, every method finds it.
func TestConvex(t *testing.T) {
	problem, data, truth := mixture(t, em.Multinomial{}, .5)
	start := problem.Params.Random(rand.New(rand.NewPCG(2, 3)))
	for _, m := range everyMethod {
		tolerance, accuracy := 1e-14, 1e-5
		if stochastic(m) {
			tolerance, accuracy = 1e-8, 1e-2
		}
		r := fit(t, problem, data, &em.Options{Method: m, Start: start, Iterations: 30000, Tolerance: tolerance})
		if r.Status != em.Converged {
			t.Errorf("%v: %v", m, r.Status)
		}
		for i, want := range truth {
			if math.Abs(r.Theta[i]-want) > accuracy {
				t.Errorf("%v: θ%d is %.6f after %d iterations, want %g", m, i, r.Theta[i], r.Iterations(), want)
			}
		}
	}
}

// TestMethodsClimb: every method improves the objective as far as EM does, or nearly if it is
// stochastic or may reach another maximum. Methods that claim monotonicity do not lower it.
func TestMethodsClimb(t *testing.T) {
	for name, law := range map[string]em.Law{
		"multinomial": em.Multinomial{},
		"smooth":      em.Dirichlet{Alpha: 1.5},
		"Bayes":       em.Variational{Alpha: .3},
	} {
		problem, data := noisyProblem(t, law)
		start := problem.Params.Random(rand.New(rand.NewPCG(7, 7)))
		want := fit(t, problem, data, &em.Options{Start: start, Iterations: 200})
		best := want.Objective[want.Iterations()-1]
		for _, m := range everyMethod {
			slack := 1e-6
			switch m.(type) {
			case em.Stepwise, em.LBFGS:
				slack = 4e-4
			case em.SGD:
				slack = 4e-3
			}
			temperature := 0.0
			r := fit(t, problem, data, &em.Options{Method: m, Start: start, Iterations: 300, Observer: func(e em.Event) {
				if same := e.Temperature == temperature; same == math.IsNaN(e.Gain) {
					t.Errorf("%s, %v: gain %g from temperature %g to %g", name, m, e.Gain, temperature, e.Temperature)
				}
				temperature = e.Temperature
				if e.Step != em.RejectedStep && !stochastic(m) && e.Gain < -1e-9*math.Abs(e.Objective) {
					t.Errorf("%s, %v: objective fell by %g at iteration %d", name, m, -e.Gain, e.Iteration)
				}
			}})
			if got := r.Objective[r.Iterations()-1]; got < best-slack*math.Abs(best) {
				t.Errorf("%s, %v: %.4f after %d iterations, EM reaches %.4f", name, m, got, r.Iterations(), best)
			}
			if err := problem.Params.Check(r.Theta); err != nil {
				t.Errorf("%s, %v: %v", name, m, err)
			}
		}
	}
}

// TestMethodsOptions: every method works with the other options, and its objective does not fall
// unless it may, or Fit would return an error.
func TestMethodsOptions(t *testing.T) {
	for name, c := range map[string]struct {
		law  em.Law
		opts em.Options
	}{
		"Viterbi":   {em.Dirichlet{Alpha: 1.1}, em.Options{EStep: em.Viterbi}},
		"sharpened": {em.Multinomial{}, em.Options{Temperature: 2}},
		"flattened": {em.Multinomial{}, em.Options{Temperature: .5}},
		"sparse":    {em.Dirichlet{Alpha: .6}, em.Options{}},
	} {
		for _, m := range everyMethod {
			problem, data := noisyProblem(t, c.law)
			opts := c.opts
			opts.Method, opts.Iterations = m, 60
			opts.Start = problem.Params.Random(rand.New(rand.NewPCG(1, 4)))
			r, err := problem.Fit(context.Background(), cascade.Data{Examples: data, Underivable: em.Skip}, &opts)
			if name == "sparse" && gradient(m) {
				if !errors.Is(err, em.ErrNoMode) {
					t.Errorf("%s, %v: error %v, want ErrNoMode", name, m, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %v: %v", name, m, err)
				continue
			}
			if err := problem.Params.Check(r.Theta); err != nil {
				t.Errorf("%s, %v: %v", name, m, err)
			}
			if first, last := r.Objective[0], r.Objective[r.Iterations()-1]; !(last > first) && m != (em.Anneal{From: .3, Iterations: 2}) {
				t.Errorf("%s, %v: objective went from %g to %g", name, m, first, last)
			}
		}
	}
}

// TestMethodsDifference: on a conditional likelihood every applicable method reaches the relative
// frequencies of the observed substitutions of each symbol.
func TestMethodsDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	params := em.NewParams()
	g := params.Group("substitution", 6, em.Multinomial{})
	k := params.Space()
	b := fst.NewBuilder(k)
	s := b.AddState()
	b.AddStart(s, k.One())
	b.SetFinal(s, k.One())
	for i := range int32(6) {
		b.AddArc(s, arc(1+i/3, 1+i%3, g.Weight(int(i)), s))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, b)}}
	var data []cascade.Example
	var n [2][3]float64
	for range 100 {
		var x, y []int32
		for range rng.IntN(6) {
			i, o := rng.Int32N(2), min(rng.Int32N(3), rng.Int32N(3))
			x, y = append(x, 1+i), append(y, 1+o)
			n[i][o]++
		}
		data = append(data, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)})
	}
	want := 0.0
	for _, row := range n {
		for _, c := range row {
			want += c * math.Log(c/(row[0]+row[1]+row[2]))
		}
	}
	l, err := problem.ConditionalLikelihood(cascade.Data{Examples: data})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range everyMethod {
		opts := &em.Options{Method: m, Iterations: 5000, Tolerance: 1e-13, Start: params.Random(rng)}
		accuracy := 1e-9
		if stochastic(m) {
			opts.Tolerance, accuracy = 1e-6, 5e-3
		}
		r, err := em.Fit(context.Background(), l, opts)
		switch m.(type) {
		case em.Incremental, em.Stepwise:
			if !errors.Is(err, em.ErrMethod) {
				t.Errorf("%v: error %v, want ErrMethod", m, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		if got := r.Objective[r.Iterations()-1]; math.Abs(got-want) > accuracy*math.Abs(want) {
			t.Errorf("%v: %.9f after %d iterations, want %.9f", m, got, r.Iterations(), want)
		}
	}
}

// TestMethodsSameBits: workers do not change a bit of any method's result.
func TestMethodsSameBits(t *testing.T) {
	problem, data := noisyProblem(t, em.Dirichlet{Alpha: 1.1})
	for _, m := range everyMethod {
		run := func(workers int) *em.Result {
			return fit(t, problem, data, &em.Options{Method: m, Iterations: 9, Workers: workers})
		}
		want := run(1)
		for _, workers := range []int{2, 7} {
			if !sameBits(run(workers), want) {
				t.Errorf("%v: other bits with %d workers", m, workers)
			}
		}
	}
}

func TestBadMethods(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for says, m := range map[string]em.Method{
		"incremental EM: -1 shards":     em.Incremental{Shards: -1},
		"stepwise EM: power 0.5":        em.Stepwise{Power: .5},
		"stepwise EM: -1 shards":        em.Stepwise{Shards: -1},
		"annealed EM: from temperature": em.Anneal{From: 2},
		"annealed EM: factor 1":         em.Anneal{Factor: 1},
		"annealed EM: -1 iterations":    em.Anneal{Iterations: -1},
		"L-BFGS: memory for -1":         em.LBFGS{Memory: -1},
		"SGD: rate -1":                  em.SGD{Rate: -1},
		"SGD: -1 shards":                em.SGD{Shards: -1},
	} {
		_, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, &em.Options{Method: m})
		if !errors.Is(err, em.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		wantIn(t, err, says)
	}
}
