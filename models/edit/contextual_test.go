package edit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
)

var letters = []int32{1, 2, 3}

func randomString(rng *rand.Rand, n int) []int32 {
	s := make([]int32, rng.IntN(n+1))
	for i := range s {
		s[i] = letters[rng.IntN(len(letters))]
	}
	return s
}

// randomPairs returns strings that are changed a little.
func randomPairs(rng *rand.Rand, n int) []Pair {
	data := make([]Pair, n)
	for i := range data {
		x := randomString(rng, 6)
		y := make([]int32, 0, len(x))
		for _, a := range x {
			switch rng.IntN(8) {
			case 0:
			case 1:
				y = append(y, a, letters[rng.IntN(len(letters))])
			default:
				y = append(y, a)
			}
		}
		if len(y) > 1 && rng.IntN(2) == 0 {
			y[0], y[1] = y[1], y[0]
		}
		data[i] = Pair{Source: x, Target: y, Weight: em.Times(float64(rng.IntN(3)))}
	}
	return data
}

var few = &ContextOptions{
	Windows: []Window{{0, 0}, {0, 1}, {1, 1}, {2, 2}}, MinCount: 4, Prior: 2,
}

func contextual(t testing.TB, data []Pair, opts *ContextOptions) *Model {
	t.Helper()
	var fit *em.Options
	if opts == few {
		fit = &em.Options{Iterations: 3}
	}
	m, _, err := fitContextual(t, letters, data, opts, fit)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fitContextual(t testing.TB, alphabet []int32, data []Pair, opts *ContextOptions, fit *em.Options) (*Model, *em.Result, error) {
	c, err := NewContextual(alphabet, data, opts)
	if err != nil {
		return nil, nil, err
	}
	r, err := c.Fit(t.Context(), data, fit)
	return &c.Model, r, err
}

// fates is the model in plain words: the probability that x becomes y from the groups of
// the symbols, found by trying everything.
type fates struct {
	z     *contextMachine
	theta []float64
	x     []int32
}

func (f *fates) view(i int) view {
	labels, _ := f.z.contexts.labels(f.x)
	return view{place{f.x, i}, f.z.shown[labels[i+1]].window}
}

// read returns the probability that the symbols of x from i on become y; if swapped, that
// at i is already written, and the one before it comes now.
func (f *fates) read(i int, swapped bool, y []int32) float64 {
	if i == len(f.x) {
		if len(y) == 0 {
			return 1
		}
		return 0
	}
	v := f.view(i)
	wrote := func(out int32) float64 { // out is written for the symbol, and then the gap
		if len(y) == 0 || y[0] != out {
			return 0
		}
		return f.gap(i, y[1:])
	}
	switch {
	case i < 0:
		return f.gap(i, y)
	case swapped:
		return wrote(f.x[i-1])
	}
	p := f.z.fate(v).In(f.theta)
	sum := p[0] * f.gap(i, y)
	for k, a := range f.z.alphabet {
		sum += p[1+k] * wrote(a)
	}
	if i+1 < len(f.x) && len(y) > 0 && y[0] == f.x[i+1] {
		sum += p[len(p)-1] * f.read(i+1, true, y[1:])
	}
	return sum
}

// gap returns the probability that y is what is inserted after symbol i and what the
// symbols after it become.
func (f *fates) gap(i int, y []int32) float64 {
	p := f.z.group("gap", f.view(i), pairs, nil).In(f.theta)
	again, further := f.z.groups["again"].In(f.theta), f.z.groups["further"].In(f.theta)
	sum := p[0] * f.read(i+1, false, y)
	inserted := 1.0
	for n, a := range y {
		k := f.z.index[a]
		if n == 0 {
			inserted = p[1+k]
		} else {
			inserted *= again[1] * further[k]
		}
		sum += inserted * again[0] * f.read(i+1, false, y[n+1:])
	}
	return sum
}

// TestContextualScores compares LogProb with trying everything, at random parameters,
// and sums over all outputs with 1.
func TestContextualScores(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		data := randomPairs(rng, 30)
		tr, err := newTrainer(letters, data, few)
		if err != nil {
			t.Fatal(err)
		}
		z, err := tr.machine(rng.IntN(len(few.Windows)))
		if err != nil {
			t.Fatal(err)
		}
		z.model.Theta = z.params.Random(rng)
		s, err := z.model.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			x, y := randomString(rng, 4), randomString(rng, 5)
			got, err := s.LogProb(x, y)
			want := (&fates{z, z.model.Theta, x}).read(-1, false, y)
			if err != nil || math.Abs(math.Exp(got)-want) > 1e-12*want {
				t.Errorf("seed %d: P(%v | %v) is %g (%v), want %g", seed, y, x, math.Exp(got), err, want)
			}
			labels, _ := z.model.Labels(x)
			outputs := fst.Compose(fst.FromString(scaled, labels), s.machine)
			if sum, err := fst.PathSum(outputs, nil); err != nil || math.Abs(sum.Log()) > 1e-11 {
				t.Errorf("seed %d: the probabilities of all outputs of %v sum to %v (%v)", seed, x, sum, err)
			}
		}
	}
}

// TestContextualLearns: what a symbol becomes is found to depend on the one before, and a
// transposition is told from two replacements.
func TestContextualLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var data []Pair
	for range 1000 {
		x := randomString(rng, 6)
		y := append([]int32(nil), x...)
		for i := 1; i < len(x); i++ {
			if x[i-1] == 2 && x[i] == 1 {
				y[i] = 3
			}
		}
		for i := 1; i < len(x); i++ {
			if x[i-1] == 3 && x[i] == 2 {
				y[i-1], y[i] = 2, 3
			}
		}
		data = append(data, Pair{Source: x, Target: y})
	}
	var m *Model
	windows, before := []Window{{0, 0}, {0, 1}, {1, 1}}, math.Inf(-1)
	for n := range windows {
		model, r, err := fitContextual(t, letters, data, &ContextOptions{Windows: windows[:n+1], Prior: 5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(r.LogLikelihood > before) || len(r.Objective) <= n {
			t.Errorf("windows %v: log likelihood %g after %d iterations, %g before", windows[:n+1], r.LogLikelihood, len(r.Objective), before)
		}
		m, before = model, r.LogLikelihood
	}
	s, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y []int32
		best []Edit
	}{
		{[]int32{2, 1, 3}, []int32{2, 3, 3}, []Edit{{2, 2}, {1, 3}, {3, 3}}},
		{[]int32{1, 1, 3}, []int32{1, 1, 3}, []Edit{{1, 1}, {1, 1}, {3, 3}}},
		{[]int32{1, 3, 2}, []int32{1, 2, 3}, []Edit{{1, 1}, {3, 2}, {2, 3}}},
	} {
		if p, err := s.LogProb(c.x, c.y); err != nil || p < math.Log(.9) {
			t.Errorf("P(%v | %v) is %.3f (%v)", c.y, c.x, math.Exp(p), err)
		}
		best, err := s.Best(c.x, c.y)
		if err != nil || !slices.Equal(best.Edits, c.best) {
			t.Errorf("best way from %v to %v: %v (%v)", c.x, c.y, best, err)
		}
	}
}

// TestExpected: the expected edits of a pair consume and make its symbols. TestPromises has those
// of models without contexts.
func TestExpected(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	s, err := contextual(t, randomPairs(rng, 60), few).Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		x, y := randomString(rng, 4), randomString(rng, 4)
		expected, err := s.Posteriors(x, y)
		if err != nil {
			t.Fatal(err)
		}
		left := map[int32]float64{}
		for _, a := range x {
			left[a]++
		}
		for _, a := range y {
			left[-a]++
		}
		for e, n := range expected {
			left[e.Source] -= n
			left[-e.Target] -= n
		}
		delete(left, fst.Epsilon)
		for a, n := range left {
			if math.Abs(n) > 1e-9 {
				t.Errorf("%v to %v: symbol %d is off by %g in %v", x, y, a, n, expected)
			}
		}
	}
}

// TestWeightZero: a pair that was seen 0 times has no part in training.
func TestWeightZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 11))
	some := randomPairs(rng, 30)
	for i := range some {
		some[i].Weight = em.Times(.5 + rng.Float64())
	}
	all := []Pair{{Source: []int32{1, 99}, Weight: em.Times(0)}} // 99 is not even in the alphabet
	for _, p := range some {
		all = append(all, p, Pair{Source: []int32{1, 1, 1, 2}, Target: p.Target, Weight: em.Times(0)})
	}
	if got, want := contextual(t, all, few), contextual(t, some, few); !slices.Equal(got.Theta, want.Theta) {
		t.Errorf("θ %v, want %v", got.Theta, want.Theta)
	}
}
