package edit

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
	Windows: []Window{{0, 0}, {0, 1}, {1, 1}, {2, 2}}, Least: 4, Prior: 2,
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

// TestExpected: the expected edits of a pair consume and make its symbols, and are those
// of the random paths.
func TestExpected(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	data := randomPairs(rng, 60)
	memoryless, err := NewConditional(letters, letters, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	memoryless.Theta = memoryless.Params.Random(rng)
	for _, m := range []*Model{memoryless, contextual(t, data, few)} {
		s, err := m.Predictor()
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
		if e, err := s.Posteriors([]int32{9}, nil); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("unknown symbol: %v (%v)", e, err)
		}
	}
}

// TestSaveLoad: a loaded model says the same, contexts included.
func TestSaveLoad(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	memoryless, err := NewJoint(letters, letters, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{memoryless, contextual(t, randomPairs(rng, 60), few)} {
		var text bytes.Buffer
		if err := m.Save(&text); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(&text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		b, err := loaded.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			x, y := randomString(rng, 6), randomString(rng, 6)
			p, err := a.LogProb(x, y)
			if q, err2 := b.LogProb(x, y); err != nil || err2 != nil || p != q {
				t.Errorf("ln P(%v | %v) is %v, loaded %v (%v, %v)", y, x, p, q, err, err2)
			}
		}
	}
}

func TestLoadComplaints(t *testing.T) {
	var text bytes.Buffer
	if err := contextual(t, randomPairs(rand.New(rand.NewPCG(7, 7)), 10), few).Save(&text); err != nil {
		t.Fatal(err)
	}
	for old, new := range map[string]string{
		`"0 1 2"`:            `"0 1 x"`,
		`"0 1 3"`:            `"2 1 3"`,
		`"0 2 3"`:            `"0"`,
		`{"format":"pathsum`: `{"format":"other`,
	} {
		if !strings.Contains(text.String(), old) {
			t.Fatalf("no %s in the file", old)
		}
		if _, err := Load(strings.NewReader(strings.Replace(text.String(), old, new, 1))); !errors.Is(err, em.ErrFormat) {
			t.Errorf("%s: %v", new, err)
		}
	}
}

func TestContextualComplaints(t *testing.T) {
	ok := []Pair{{Source: letters, Target: letters}}
	for name, c := range map[string]struct {
		alphabet []int32
		data     []Pair
		opts     ContextOptions
	}{
		"label 0":          {[]int32{0, 1}, ok, ContextOptions{}},
		"negative label":   {[]int32{-1}, ok, ContextOptions{}},
		"label twice":      {[]int32{1, 1}, ok, ContextOptions{}},
		"unknown symbol":   {letters, []Pair{{Source: []int32{4}}}, ContextOptions{}},
		"no first window":  {letters, ok, ContextOptions{Windows: []Window{{0, 1}}}},
		"no windows":       {letters, ok, ContextOptions{Windows: []Window{}}},
		"shrinking window": {letters, ok, ContextOptions{Windows: []Window{{0, 0}, {1, 1}, {0, 2}}}},
		"same window":      {letters, ok, ContextOptions{Windows: []Window{{0, 0}, {0, 1}, {0, 1}}}},
		"left only":        {letters, ok, ContextOptions{Windows: []Window{{0, 0}, {1, 0}}}},
		"prior":            {letters, ok, ContextOptions{Prior: -1}},
		"least":            {letters, ok, ContextOptions{Least: math.NaN()}},
	} {
		if _, _, err := fitContextual(t, c.alphabet, c.data, &c.opts, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := fitContextual(t, letters, []Pair{{Source: letters, Target: []int32{4}}}, nil, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("an output that cannot be: %v", err)
	}
	s, err := contextual(t, ok, nil).Predictor()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.LogProb([]int32{1, 4}, []int32{1}); err != nil || !math.IsInf(p, -1) {
		t.Errorf("an input with an unknown symbol: ln P = %g (%v)", p, err)
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
