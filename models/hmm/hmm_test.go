package hmm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// randomChain returns a model with a random topology, ties included, at random parameters. After
// the symbols comes another one, which no state emits.
func randomChain(t testing.TB, rng *rand.Rand, states, symbols int) *chain[int32] {
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
	of = dense(of)
	p := em.NewParams()
	e := must(hmm.NewDiscrete(p, "emission", symbols+1, of, em.Multinomial{}))
	m := must(hmm.New(p, top, em.Multinomial{}, e))
	m.Theta = p.Random(rng)
	for _, g := range e.Groups() {
		row := g.In(m.Theta)
		for k := range row {
			row[k] /= 1 - row[symbols]
		}
		row[symbols] = 0
	}
	return &chain[int32]{Model: m, Predictor: must(m.Predictor()), table: discreteTable(m, e, top, of)}
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

// table is a model written out as a plain matrix, for the oracle.
type table[O any] struct {
	initial, final []float64
	next           [][]float64
	emits          func(state int, o O) float64 // 1 for what is missing
	top            hmm.Topology
}

func discreteTable(m *hmm.Model[int32], e *hmm.Discrete, top hmm.Topology, of []int) table[int32] {
	return tableOf(m, top, func(i int, o int32) float64 {
		if o == hmm.Missing {
			return 1
		}
		return e.Groups()[of[i]].In(m.Theta)[o]
	})
}

func tableOf[O any](m *hmm.Model[O], top hmm.Topology, emits func(int, O) float64) table[O] {
	n := top.States
	w := table[O]{initial: make([]float64, n), final: make([]float64, n), emits: emits, top: top}
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
	}
	return w
}

// enumerate calls visit with every sequence of states that s allows and its
// probability.
func (w table[O]) enumerate(s hmm.Sequence[O], visit func(states []int32, p float64)) {
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
			q := p * w.emits(int(i), s.Observations[t])
			if t == 0 {
				q *= w.initial[i]
			} else {
				q *= w.next[states[t-1]][i]
			}
			states[t] = i
			walk(t+1, q)
		}
	}
	walk(0, 1)
}

// TestFilter compares filtered probabilities with sums over the sequences of states of each
// beginning, wherever the sequence ends.
func TestFilter(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		const symbols = 3
		states := 1 + rng.IntN(3)
		c := randomChain(t, rng, states, symbols)
		s := randomSequence(rng, 1+rng.IntN(4), states, symbols)
		filtered, failed := c.Filter(s)
		if failed != nil && !errors.Is(failed, em.ErrUnderivable) {
			t.Fatal(failed)
		}
		nowhere := false // that the sequence of states goes on
		open, prefix := c.table, s
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
			if nowhere = nowhere || mass == 0; failed != nil {
				continue
			}
			for i, x := range filtered[pos] {
				if math.Abs(x-here[i]/mass) > 1e-10 {
					t.Errorf("seed %d: filtered %d at %d is %g, want %g", seed, i, pos, x, here[i]/mass)
				}
			}
		}
		if nowhere != (failed != nil) {
			t.Errorf("seed %d: %v: error %v", seed, s, failed)
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

// weather is a chain of two states that end by themselves.
func weather(t testing.TB) (*hmm.Model[int32], *hmm.Discrete) {
	t.Helper()
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 2, Ends: []int{0, 1}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Initial().In(m.Theta), []float64{.6, .4})
	copy(m.Row(0).In(m.Theta), []float64{.7, .2, .1})
	copy(m.Row(1).In(m.Theta), []float64{.3, .65, .05})
	copy(e.Groups()[0].In(m.Theta), []float64{.8, .15, .05})
	copy(e.Groups()[1].In(m.Theta), []float64{.1, .2, .7})
	return m, e
}

// TestRecovery samples from a model and finds its parameters again.
func TestRecovery(t *testing.T) {
	m, _ := weather(t)
	truth := m.Theta
	rng := rand.New(rand.NewPCG(1, 2))
	var data []hmm.Sequence[int32]
	drawn, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for range trials.Seeds(1000) {
		s, err := drawn.Sample(1000, rng)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, s)
	}
	data = hmm.Hide(data...)
	start := m.Params.Start()
	copy(start[:6], []float64{.5, .3, .2, .2, .3, .5}) // which state is which
	if _, err := m.Fit(context.Background(), data, &em.Options{Start: start, Iterations: 300, Tolerance: 1e-9}); err != nil {
		t.Fatal(err)
	}
	for i, x := range m.Theta {
		if math.Abs(x-truth[i]) > .05 {
			t.Errorf("%s is %.3f, want %.3f", m.Params.Name(int32(i)), x, truth[i])
		}
	}
}

// TestStationary compares with the share of time of a long walk and with the
// definition.
func TestStationary(t *testing.T) {
	m, _ := weather(t)
	pi, err := m.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	// Given that it does not end: 7/9, 2/9 and 6/19, 13/19.
	want := []float64{6. / 19 / (6./19 + 2./9), 2. / 9 / (6./19 + 2./9)}
	for i := range pi {
		if math.Abs(pi[i]-want[i]) > 1e-12 {
			t.Errorf("share %d is %g, want %g", i, pi[i], want[i])
		}
	}
	copy(m.Row(0).In(m.Theta), []float64{.9, 0, .1})
	copy(m.Row(1).In(m.Theta), []float64{0, .9, .1})
	if _, err := m.Stationary(); !errors.Is(err, hmm.ErrReducible) {
		t.Errorf("two closed classes: error %v", err)
	}
	copy(m.Row(1).In(m.Theta), []float64{.5, .4, .1}) // state 1 is left for good
	pi, err = m.Stationary()
	if err != nil || math.Abs(pi[0]-1) > 1e-12 || pi[1] > 1e-12 {
		t.Errorf("an absorbing state: %v, %v", pi, err)
	}
	copy(m.Row(1).In(m.Theta), []float64{0, 0, 1})
	if _, err := m.Stationary(); !errors.Is(err, hmm.ErrReducible) {
		t.Errorf("a state that only ends: error %v", err)
	}
}
