package hmm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// randomModel returns a model with a random topology, ties included, at random
// parameters.
func randomModel(t testing.TB, rng *rand.Rand, states, symbols int) *hmm.Model[int32] {
	t.Helper()
	top := hmm.Topology{States: states}
	if rng.IntN(2) == 0 {
		top.Start = rng.Perm(states)[:1+rng.IntN(states)]
	}
	if rng.IntN(2) == 0 {
		n := 1 + rng.IntN(states)
		for range states {
			top.Next = append(top.Next, rng.Perm(states)[:n])
		}
	}
	if rng.IntN(2) == 0 {
		top.Ends = rng.Perm(states)
		top.Row = make([]int, states)
		for i := range top.Row {
			top.Row[i] = rng.IntN(states)
		}
		top.Row = dense(top.Row)
	}
	of := make([]int, states)
	for i := range of {
		of[i] = rng.IntN(states)
	}
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", symbols, dense(of), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, top, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	m.Theta = p.Random(rng)
	return m
}

// dense renumbers v without gaps.
func dense(v []int) []int {
	seen := map[int]int{}
	out := make([]int, len(v))
	for i, x := range v {
		n, ok := seen[x]
		if !ok {
			n = len(seen)
			seen[x] = n
		}
		out[i] = n
	}
	return out
}

// randomSequence returns a sequence with missing observations and known states.
func randomSequence(rng *rand.Rand, length, states, symbols int) hmm.Sequence[int32] {
	s := hmm.Sequence[int32]{Weight: em.Times(.5 + rng.Float64())}
	for range length {
		o := rng.Int32N(int32(symbols))
		if rng.IntN(4) == 0 {
			o = hmm.Missing
		}
		s.Observations = append(s.Observations, o)
		s.States = append(s.States, -1)
		if rng.IntN(5) == 0 {
			s.States[len(s.States)-1] = rng.Int32N(int32(states))
		}
	}
	if rng.IntN(3) == 0 {
		s.States = nil
	}
	return s
}

// table is a model written out as a plain matrix: what the oracle works with.
type table struct {
	initial, final []float64
	next, emit     [][]float64
	top            hmm.Topology
}

func tableOf(m *hmm.Model[int32], e *hmm.Discrete, top hmm.Topology, of []int) table {
	n := top.States
	w := table{initial: make([]float64, n), final: make([]float64, n), top: top}
	all := hmm.Each(n)
	starts := top.Start
	if starts == nil {
		starts = all
	}
	for k, i := range starts {
		w.initial[i] = m.Initial().In(m.Theta)[k]
	}
	for i := range n {
		row := make([]float64, n)
		next := all
		if top.Next != nil {
			next = top.Next[i]
		}
		p := m.Row(i).In(m.Theta)
		for k, j := range next {
			row[j] = p[k]
		}
		w.next = append(w.next, row)
		switch {
		case top.Ends == nil:
			w.final[i] = 1
		case slices.Contains(top.Ends, i):
			w.final[i] = p[len(next)]
		}
		w.emit = append(w.emit, e.Groups()[of[i]].In(m.Theta))
	}
	return w
}

// enumerate calls visit with every sequence of states that s allows and its
// probability.
func (w table) enumerate(s hmm.Sequence[int32], visit func(states []int32, p float64)) {
	n := len(s.Observations)
	states := make([]int32, n)
	var walk func(t int, p float64)
	walk = func(t int, p float64) {
		if t == n {
			visit(states, p*w.final[states[n-1]])
			return
		}
		for i := range int32(w.top.States) {
			if s.States != nil && s.States[t] >= 0 && s.States[t] != i {
				continue
			}
			q := p
			if t == 0 {
				q *= w.initial[i]
			} else {
				q *= w.next[states[t-1]][i]
			}
			if o := s.Observations[t]; o >= 0 {
				q *= w.emit[i][o]
			}
			states[t] = i
			walk(t+1, q)
		}
	}
	walk(0, 1)
}

// TestAgainstEnumeration compares probability, best states, posteriors and filtered
// probabilities with sums over all sequences of states.
func TestAgainstEnumeration(t *testing.T) {
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		const symbols = 3
		states := 1 + rng.IntN(3)
		top := hmm.Topology{States: states}
		if rng.IntN(2) == 0 {
			for i := range states {
				top.Next = append(top.Next, rng.Perm(states)[:1+rng.IntN(states)])
				if rng.IntN(2) == 0 {
					top.Ends = append(top.Ends, i)
				}
			}
		}
		of := dense([]int{rng.IntN(2), rng.IntN(2), rng.IntN(2)}[:states])
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", symbols, of, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, top, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = p.Random(rng)
		w := tableOf(m, e, top, of)
		s := randomSequence(rng, 1+rng.IntN(4), states, symbols)
		total, best := 0.0, 0.0
		posterior := make([][]float64, len(s.Observations))
		for i := range posterior {
			posterior[i] = make([]float64, states)
		}
		w.enumerate(s, func(path []int32, q float64) {
			total += q
			best = max(best, q)
			for t, i := range path {
				posterior[t][i] += q
			}
		})
		predictor, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		log, err := predictor.LogProb(s)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(math.Exp(log)-total) > 1e-12*total {
			t.Errorf("seed %d: probability %g, want %g", seed, math.Exp(log), total)
		}
		path, log, err := predictor.Best(s)
		if best == 0 {
			log = math.Inf(-1)
		}
		if (err != nil) != (best == 0) || err != nil && !errors.Is(err, em.ErrUnderivable) {
			t.Fatalf("seed %d: best %g, error %v", seed, best, err)
		}
		if math.Abs(math.Exp(log)-best) > 1e-12*best {
			t.Errorf("seed %d: best %g, want %g", seed, math.Exp(log), best)
		}
		if best > 0 {
			one := s
			one.States = path
			w.enumerate(one, func(_ []int32, q float64) {
				if math.Abs(q-best) > 1e-12*best {
					t.Errorf("seed %d: the best states have probability %g, want %g", seed, q, best)
				}
			})
		}
		got, err := predictor.Posteriors(s)
		if (err != nil) != (total == 0) {
			t.Fatalf("seed %d: total %g, error %v", seed, total, err)
		}
		for pos := range got {
			for i, x := range got[pos] {
				if math.Abs(x-posterior[pos][i]/total) > 1e-10 {
					t.Errorf("seed %d: posterior of state %d at %d is %g, want %g", seed, i, pos, x, posterior[pos][i]/total)
				}
			}
		}
		if total == 0 {
			continue
		}
		prefix := s
		prefix.Observations = s.Observations[:1]
		filtered, err := predictor.Filter(s)
		if err != nil {
			t.Fatal(err)
		}
		open := w
		open.final = slices.Repeat([]float64{1}, states)
		for pos := range s.Observations {
			prefix.Observations = s.Observations[:pos+1]
			if s.States != nil {
				prefix.States = s.States[:pos+1]
			}
			mass, here := 0.0, make([]float64, states)
			open.enumerate(prefix, func(path []int32, q float64) {
				mass += q
				here[path[pos]] += q
			})
			for i, x := range filtered[pos] {
				if math.Abs(x-here[i]/mass) > 1e-10 {
					t.Errorf("seed %d: filtered %d at %d is %g, want %g", seed, i, pos, x, here[i]/mass)
				}
			}
		}
	}
}

// TestCountsAreTheGradient compares expected counts with differences of the log
// likelihood, at other temperatures too; Fixed parameters need not sum to 1.
func TestCountsAreTheGradient(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := randomModel(t, rng, 3, 3)
		var data []hmm.Sequence[int32]
		for range 5 {
			data = append(data, randomSequence(rng, 1+rng.IntN(5), 3, 3))
		}
		l, err := m.Likelihood(data, em.Skip)
		if err != nil {
			t.Fatal(err)
		}
		q := em.Query{Theta: m.Theta, Temperature: []float64{1, .6, 2}[rng.IntN(3)]}
		e, err := l.Expect(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Theta {
			const h = 2e-7 // Check allows sums that are off by 1e-6
			at := func(factor float64) float64 {
				moved := slices.Clone(m.Theta)
				moved[i] *= factor
				e, err := l.Expect(context.Background(), em.Query{Theta: moved, Temperature: q.Temperature})
				if err != nil {
					t.Fatal(err)
				}
				return e.LogLikelihood
			}
			want := (at(1+h) - at(1-h)) / (2 * h) / q.Temperature
			if math.Abs(e.Counts[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("seed %d: count of %s is %g, difference %g", seed, m.Params.Name(int32(i)), e.Counts[i], want)
			}
		}
	}
}

// TestKnownStates: with all states known, one iteration counts.
func TestKnownStates(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 2, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 2, Ends: []int{0, 1}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	data := []hmm.Sequence[int32]{
		{Observations: []int32{0, 1, 1}, States: []int32{0, 0, 1}},
		{Observations: []int32{1, 0}, States: []int32{1, 1}, Weight: em.Times(2)},
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got  *em.Group
		want []float64
	}{
		"initial":    {m.Initial(), []float64{1. / 3, 2. / 3}},
		"from 0":     {m.Row(0), []float64{.5, .5, 0}},
		"from 1":     {m.Row(1), []float64{0, 2. / 5, 3. / 5}},
		"emission 0": {e.Groups()[0], []float64{.5, .5}},
		"emission 1": {e.Groups()[1], []float64{2. / 5, 3. / 5}},
	} {
		for k, x := range c.got.In(m.Theta) {
			if math.Abs(x-c.want[k]) > 1e-12 {
				t.Errorf("%s: %g, want %g", name, x, c.want[k])
			}
		}
	}
}

// TestSameBits: the number of workers does not change the result, and the objective
// rises, for marginal and Viterbi training.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	truth := randomModel(t, rng, 3, 4)
	var data []hmm.Sequence[int32]
	for range 200 {
		data = append(data, randomSequence(rng, 1+rng.IntN(10), 3, 4))
	}
	start := truth.Params.Random(rng)
	for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
		var want *em.Result
		for _, workers := range []int{1, 2, 7} {
			l, err := truth.Likelihood(data, em.Skip)
			if err != nil {
				t.Fatal(err)
			}
			r, err := em.Fit(context.Background(), l, &em.Options{EStep: step, Workers: workers, Start: start, Iterations: 10})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
			}
			if !slices.Equal(r.Theta, want.Theta) || !slices.Equal(r.Objective, want.Objective) {
				t.Errorf("%v, %d workers: other bits", step, workers)
			}
		}
		l, err := truth.Likelihood(data, em.Skip)
		if err != nil {
			t.Fatal(err)
		}
		likelihoodtest.Check(t, l, em.Query{Theta: start, EStep: step})
		if n := len(want.Objective); want.Objective[n-1] <= want.Objective[0] {
			t.Errorf("%v: objective %v", step, want.Objective)
		}
	}
}

// TestLong: a million positions neither underflow nor lose accuracy: with one state
// the probability is a product.
func TestLong(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 2, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range e.Groups() {
		copy(g.In(m.Theta), []float64{.25, .75})
	}
	const n = 1_000_000
	s := hmm.Sequence[int32]{Observations: make([]int32, n)}
	predictor, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	got, err := predictor.LogProb(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := n * math.Log(.25); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("log probability %.17g, want %.17g", got, want)
	}
}

// TestWeightZero: a sequence that was seen 0 times has no part in training, and may be
// impossible.
func TestWeightZero(t *testing.T) {
	m, e := weather(t)
	copy(e.Groups()[0].In(m.Theta), []float64{.8, .2, 0})
	copy(e.Groups()[1].In(m.Theta), []float64{.1, .9, 0})
	some := []hmm.Sequence[int32]{{Observations: []int32{0, 1, 1}, Weight: em.Times(.5)}, {Observations: []int32{1, 0}}}
	never := hmm.Sequence[int32]{Observations: []int32{2}, Weight: em.Times(0)}
	expect := func(data ...hmm.Sequence[int32]) *em.Expectations {
		l, err := m.Likelihood(data, em.Fail)
		if err != nil {
			t.Fatal(err)
		}
		x, err := l.Expect(context.Background(), em.Query{Theta: m.Theta})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	got, want := expect(some[0], never, some[1], never), expect(some...)
	if got.LogLikelihood != want.LogLikelihood || !slices.Equal(got.Counts, want.Counts) {
		t.Errorf("%v and counts %v, want %v and %v", got.LogLikelihood, got.Counts, want.LogLikelihood, want.Counts)
	}
	if _, err := m.Likelihood([]hmm.Sequence[int32]{never}, em.Skip); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("nothing else: error %v, want ErrInvalid", err)
	}
}
