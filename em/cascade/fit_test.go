package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
)

// channel returns a one-state transducer over n input and n output symbols with
// insertions and deletions, all its arcs in one group, and stop weight 1.
func channel(t testing.TB, params *em.Params, law em.Law, n int32) *fst.FST[weight] {
	name := "channel"
	if params.Find(name) != nil {
		name = fmt.Sprintf("channel %d", len(params.Groups()))
	}
	g := params.Group(name, int((n+1)*(n+1)-1), law)
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	for i := range (n+1)*(n+1) - 1 {
		m.AddArc(s, arc((i+1)/(n+1), (i+1)%(n+1), g.Weight(int(i)), s))
	}
	return freeze(t, m)
}

// noisyPairs draws pairs of strings over n symbols: the second is the first,
// shifted by one symbol, with errors.
func noisyPairs(rng *rand.Rand, count int, n int32) []cascade.Example {
	var data []cascade.Example
	for range count {
		var in, out []int32
		for range 1 + rng.IntN(8) {
			s := 1 + rng.Int32N(n)
			in = append(in, s)
			switch u := rng.Float64(); {
			case u < .1:
			case u < .2:
				out = append(out, 1+rng.Int32N(n), s%n+1)
			default:
				out = append(out, s%n+1)
			}
		}
		data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
	}
	return data
}

func noisyProblem(t testing.TB, law em.Law) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel(t, params, law, 5)}}
	return problem, noisyPairs(rand.New(rand.NewPCG(3, 4)), 300, 5)
}

func likelihood(t testing.TB, problem cascade.Problem, data cascade.Data) em.Excluder {
	t.Helper()
	l, err := problem.Likelihood(data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fit(t *testing.T, problem cascade.Problem, data []cascade.Example, opts *em.Options) *em.Result {
	t.Helper()
	r, err := problem.Fit(context.Background(), cascade.Data{Examples: data}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameBits reports whether two results are the same to the last bit.
func sameBits(a, b *em.Result) bool { return reflect.DeepEqual(a, b) }

// TestMonotone: every variant's objective rises until it converges.
func TestMonotone(t *testing.T) {
	for name, c := range map[string]struct {
		law  em.Law
		opts em.Options
	}{
		"marginal":  {em.Multinomial{}, em.Options{}},
		"Viterbi":   {em.Multinomial{}, em.Options{EStep: em.Viterbi}},
		"annealed":  {em.Multinomial{}, em.Options{Temperature: .5}},
		"sharpened": {em.Multinomial{}, em.Options{Temperature: 2}},
		"smooth":    {em.Dirichlet{Alpha: 1.5}, em.Options{}},
		"sparse":    {em.Dirichlet{Alpha: .6}, em.Options{}},
	} {
		problem, data := noisyProblem(t, c.law)
		c.opts.Start = problem.Params.Random(rand.New(rand.NewPCG(7, 7)))
		c.opts.Iterations = 60
		r := fit(t, problem, data, &c.opts)
		if len(r.Objective) < 3 {
			t.Errorf("%s: only %d iterations", name, len(r.Objective))
		}
		for i := 1; i < len(r.Objective); i++ {
			if fell := r.Objective[i-1] - r.Objective[i]; fell > 1e-9*math.Abs(r.Objective[i]) {
				t.Errorf("%s: objective fell by %g at iteration %d", name, fell, i)
			}
		}
		if first, last := r.Objective[0], r.Objective[len(r.Objective)-1]; last <= first {
			t.Errorf("%s: objective went from %g to %g", name, first, last)
		}
		if err := problem.Params.Check(r.Theta); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSameBits: workers and cache do not change the result.
func TestSameBits(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	run := func(workers int, cache int64) *em.Result {
		l := likelihood(t, problem, cascade.Data{Examples: data, CacheBytes: cache})
		r, err := em.Fit(context.Background(), l, &em.Options{Iterations: 8, Restarts: 2, Workers: workers, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := run(1, 0)
	for _, c := range []struct {
		workers int
		cache   int64
	}{{2, 0}, {7, 0}, {64, 0}, {1, -1}, {3, -1}, {2, 20000}} {
		got := run(c.workers, c.cache)
		if !sameBits(got, want) {
			t.Errorf("%d workers with cache %d: other bits", c.workers, c.cache)
		}
	}
	if len(want.Starts) != 3 {
		t.Fatalf("%d starts", len(want.Starts))
	}
	for i, s := range want.Starts {
		if s.Objective[len(s.Objective)-1] > want.Objective[len(want.Objective)-1] {
			t.Errorf("start %d won over %d", want.Start, i)
		}
	}
}

// TestWeightsAreRepetitions: an example of weight 3 equals three examples.
func TestWeightsAreRepetitions(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	weighted := slices.Clone(data[:40])
	repeated := slices.Clone(data[:40])
	for i := range 10 {
		weighted[i].Weight = em.Times(3)
		repeated = append(repeated, data[i], data[i])
	}
	one := fit(t, problem, weighted, &em.Options{Iterations: 5})
	two := fit(t, problem, repeated, &em.Options{Iterations: 5})
	for i := range one.Theta {
		if math.Abs(one.Theta[i]-two.Theta[i]) > 1e-12 {
			t.Errorf("θ%d is %g with weights, %g with repetitions", i, one.Theta[i], two.Theta[i])
		}
	}
}

// TestCascadeIsComposition: a cascade trains like its composition.
func TestCascadeIsComposition(t *testing.T) {
	params := em.NewParams()
	stages := []cascade.Stage{channel(t, params, em.Multinomial{}, 3), channel(t, params, em.Multinomial{}, 3), channel(t, params, em.Multinomial{}, 3)}
	start := params.Random(rand.New(rand.NewPCG(1, 9)))
	data := noisyPairs(rand.New(rand.NewPCG(5, 5)), 30, 3)
	data[3].X = cascade.Side{}
	data[4].Y = cascade.Side{}
	opts := &em.Options{Start: start, Iterations: 3}
	want := fit(t, cascade.Problem{Params: params, Stages: stages}, data, opts)
	first, err := fst.Expand(fst.Compose(stages[0], stages[1]), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := fit(t, cascade.Problem{Params: params, Stages: []cascade.Stage{first, stages[2]}}, data, opts)
	for i := range want.Theta {
		if math.Abs(got.Theta[i]-want.Theta[i]) > 1e-10 {
			t.Errorf("θ%d is %g composed, %g in a cascade", i, got.Theta[i], want.Theta[i])
		}
	}
}

// TestCancel: a canceled run returns its current result and an error.
func TestCancel(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	r, err := problem.Fit(ctx, cascade.Data{Examples: data}, &em.Options{Observer: func(e em.Event) {
		if e.Iteration == 4 {
			cancel(stop)
		}
	}})
	if !errors.Is(err, stop) {
		t.Fatalf("error %v, want %v", err, stop)
	}
	if r == nil || r.Status != em.Canceled || r.Iterations() != 5 {
		t.Fatalf("result %+v", r)
	}
	want := fit(t, problem, data, &em.Options{Iterations: 5})
	if !slices.Equal(r.Theta, want.Theta) {
		t.Error("a canceled run has other parameters than a shorter one")
	}
	r, err = problem.Fit(ctx, cascade.Data{Examples: data}, nil)
	if !errors.Is(err, stop) || r == nil || r.Status != em.Canceled || r.Iterations() != 0 {
		t.Errorf("canceled beforehand: %+v, %v", r, err)
	}
}

// TestNeverConverges: with a negative tolerance all iterations are made, even if the objective is
// 0 and cannot rise.
func TestNeverConverges(t *testing.T) {
	problem, _ := noisyProblem(t, em.Multinomial{})
	start := make([]float64, problem.Params.Len())
	start[0] = 1
	r := fit(t, problem, []cascade.Example{{X: cascade.Labels(), Y: cascade.Labels()}}, &em.Options{Start: start, Iterations: 7, Tolerance: -1})
	if r.Iterations() != 7 || r.Objective[6] != 0 {
		t.Errorf("%d iterations, objective %v", r.Iterations(), r.Objective)
	}
}

// TestStarts: training from several θ returns the result of the best one by itself.
func TestStarts(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	var starts [][]float64
	var alone []*em.Result
	best := 0
	for i := range 4 {
		starts = append(starts, problem.Params.Random(rand.NewPCG(uint64(i), 3)))
		alone = append(alone, fit(t, problem, data, &em.Options{Start: starts[i], Iterations: 8}))
		if last := func(r *em.Result) float64 { return r.Objective[len(r.Objective)-1] }; last(alone[i]) > last(alone[best]) {
			best = i
		}
	}
	seen := map[int]int{} // starts of the events
	r := fit(t, problem, data, &em.Options{Start: starts[0], Starts: starts[1:], Iterations: 8,
		Observer: func(e em.Event) { seen[e.Start] = e.Starts }})
	if r.Start != best || len(r.Starts) != 4 || !slices.Equal(r.Theta, alone[best].Theta) || !slices.Equal(r.Objective, alone[best].Objective) {
		t.Errorf("start %d of %d with objective %v, want %d with %v", r.Start, len(r.Starts), r.Objective, best, alone[best].Objective)
	}
	for i, s := range r.Starts {
		if seen[i] != 4 || !slices.Equal(s.Objective, alone[i].Objective) {
			t.Errorf("start %d of %d: objective %v, by itself %v", i, seen[i], s.Objective, alone[i].Objective)
		}
	}
	// Random starts come after given ones.
	r = fit(t, problem, data, &em.Options{Start: starts[0], Starts: starts[1:2], Restarts: 1, Rand: rand.NewPCG(5, 5), Iterations: 8})
	random := fit(t, problem, data, &em.Options{Start: starts[0], Restarts: 1, Rand: rand.NewPCG(5, 5), Iterations: 8})
	if !slices.Equal(r.Starts[1].Objective, alone[1].Objective) || !slices.Equal(r.Starts[2].Objective, random.Starts[1].Objective) {
		t.Errorf("starts of %v, %v; want %v, %v", r.Starts[1].Objective, r.Starts[2].Objective, alone[1].Objective, random.Starts[1].Objective)
	}
	l := likelihood(t, problem, cascade.Data{Examples: data})
	_, err := em.Fit(t.Context(), l, &em.Options{Starts: [][]float64{starts[0], starts[0][1:]}})
	if !errors.Is(err, em.ErrParameter) {
		t.Errorf("a start that is too short: error %v", err)
	}
	wantIn(t, err, "start 2")
}

func TestObserver(t *testing.T) {
	problem, data := noisyProblem(t, em.Dirichlet{Alpha: 1.5})
	var events []em.Event
	r := fit(t, problem, data, &em.Options{Iterations: 3, Restarts: 1, Rand: rand.NewPCG(2, 2),
		Observer: func(e em.Event) { events = append(events, e) }})
	if len(events) != 6 {
		t.Fatalf("%d events, want 6", len(events))
	}
	for i, e := range events {
		if e.Start != i/3 || e.Starts != 2 || e.Iteration != i%3 || e.Iterations != 3 || e.Examples != len(data) || e.Arcs == 0 ||
			e.Method != "EM" || e.Temperature != 1 || (e.Step == em.FirstStep) != (i%3 == 0) || (e.Step == em.MStep) != (i%3 > 0) {
			t.Errorf("event %d is %+v", i, e)
		}
		if math.Abs(e.LogLikelihood+e.LogPrior-e.Objective) > 1e-9 {
			t.Errorf("event %d: %g + %g is not %g", i, e.LogLikelihood, e.LogPrior, e.Objective)
		}
		if i%3 > 0 && e.Gain != e.Objective-events[i-1].Objective || i%3 == 0 && !math.IsNaN(e.Gain) {
			t.Errorf("event %d: gain %g", i, e.Gain)
		}
	}
	if last := events[3*r.Start+2]; last.Objective != r.Objective[2] {
		t.Errorf("last event %g, result %g", last.Objective, r.Objective[2])
	}
}

// TestObserverBlocks: the first iteration of a method that visits blocks visits all examples, and
// the iterations of a pass visit each example once.
func TestObserverBlocks(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for _, m := range []em.Method{em.Incremental{Shards: 7}, em.Stepwise{Shards: 7}, em.SGD{Shards: 7}} {
		const pass = 9 // blocks of 7 of 60 shards
		visited := 0
		r := fit(t, problem, data, &em.Options{Method: m, Iterations: 1 + pass, Observer: func(e em.Event) {
			if e.Iteration > 0 {
				visited += e.Examples
			} else if e.Examples != len(data) {
				t.Errorf("%v: %d examples at first", m, e.Examples)
			}
		}})
		if r.Iterations() != 1+pass || visited != len(data) {
			t.Errorf("%v: %d examples visited in %d iterations", m, visited, r.Iterations())
		}
	}
}
