package hmm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// letters returns a model of two states and three symbols at its start, and sequences in
// which 0 and 1 keep to themselves.
func letters(t *testing.T, law em.Law, top hmm.Topology) (*hmm.Model[int32], *hmm.Discrete, []hmm.Sequence[int32]) {
	t.Helper()
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, top, law, e)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 14))
	var data []hmm.Sequence[int32]
	for i := range 60 {
		var s hmm.Sequence[int32]
		for pos := range 20 {
			o := int32((i + pos/10) % 2)
			if rng.IntN(10) == 0 {
				o = 2
			}
			s.Observations = append(s.Observations, o)
		}
		data = append(data, s)
	}
	return m, e, data
}

// TestSymmetricStart: a start in which two states would stay equal is an error, and a start in
// which they differ is not.
func TestSymmetricStart(t *testing.T) {
	ctx := context.Background()
	two := hmm.Topology{States: 2}
	for name, c := range map[string]struct {
		law    em.Law
		top    hmm.Topology
		change func(m *hmm.Model[int32], e *hmm.Discrete, data []hmm.Sequence[int32]) *em.Options
		alike  bool
	}{
		"uniform":  {top: two, alike: true},
		"with end": {top: hmm.Topology{States: 2, Ends: []int{0, 1}}, alike: true},
		"exchangeable": {top: two, alike: true, change: func(m *hmm.Model[int32], _ *hmm.Discrete, _ []hmm.Sequence[int32]) *em.Options {
			copy(m.Row(0).In(m.Theta), []float64{.9, .1})
			copy(m.Row(1).In(m.Theta), []float64{.1, .9})
			return nil
		}},
		"in proportion": {top: two, alike: true, change: func(m *hmm.Model[int32], _ *hmm.Discrete, _ []hmm.Sequence[int32]) *em.Options {
			for _, v := range [][]float64{m.Row(0).In(m.Theta), m.Row(1).In(m.Theta), m.Initial().In(m.Theta)} {
				copy(v, []float64{.25, .75})
			}
			return nil
		}},
		"a start in the options": {top: two, alike: true, change: func(m *hmm.Model[int32], _ *hmm.Discrete, _ []hmm.Sequence[int32]) *em.Options {
			start := slices.Clone(m.Theta)
			m.Theta = m.Params.Random(rand.New(rand.NewPCG(1, 1)))
			return &em.Options{Start: start}
		}},
		"states of weight 0": {top: two, alike: true, change: func(_ *hmm.Model[int32], _ *hmm.Discrete, data []hmm.Sequence[int32]) *em.Options {
			data[0].Weight, data[0].States = em.Times(0), make([]int32, 20)
			return nil
		}},
		"other emissions": {top: two, change: func(m *hmm.Model[int32], e *hmm.Discrete, _ []hmm.Sequence[int32]) *em.Options {
			copy(e.Groups()[0].In(m.Theta), []float64{.4, .3, .3})
			return nil
		}},
		"other transitions": {top: two, change: func(m *hmm.Model[int32], _ *hmm.Discrete, _ []hmm.Sequence[int32]) *em.Options {
			copy(m.Row(0).In(m.Theta), []float64{.9, .1})
			return nil
		}},
		"known states": {top: two, change: func(_ *hmm.Model[int32], _ *hmm.Discrete, data []hmm.Sequence[int32]) *em.Options {
			data[0].States = make([]int32, 20)
			return nil
		}},
		"an order":      {top: hmm.Topology{States: 2, Start: []int{0}, Next: [][]int{{0, 1}, {1}}}},
		"a prior":       {top: two, law: em.Dirichlet{Alphas: []float64{5, 1.5}}},
		"nothing to do": {top: two, law: em.Fixed{Values: []float64{.5, .5}}, alike: true}, // emissions are estimated
		"restarts": {top: two, change: func(*hmm.Model[int32], *hmm.Discrete, []hmm.Sequence[int32]) *em.Options {
			return &em.Options{Restarts: 1, Rand: rand.NewPCG(1, 1)}
		}},
	} {
		if c.law == nil {
			c.law = em.Multinomial{}
		}
		m, e, data := letters(t, c.law, c.top)
		var opts *em.Options
		if c.change != nil {
			opts = c.change(m, e, data)
		}
		theta := slices.Clone(m.Theta)
		_, err := m.Fit(ctx, data, opts)
		if c.alike != errors.Is(err, em.ErrSymmetric) || !c.alike && err != nil {
			t.Errorf("%s: error %v", name, err)
		}
		if c.alike && !slices.Equal(m.Theta, theta) {
			t.Errorf("%s: θ has changed", name)
		}
	}
}

// TestSymmetricBlocks: states that are alike as blocks of sub-states are refused, too, and are
// not if the data tell one of them apart.
func TestSymmetricBlocks(t *testing.T) {
	_, _, data := letters(t, em.Multinomial{}, hmm.Topology{States: 2})
	for _, known := range []bool{false, true} {
		top := hmm.Durations(3, 3)
		p := em.NewParams()
		e, err := hmm.NewDiscrete(p, "emission", 3, top.Of, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, top, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			// Two of three states must be known: the two others would remain alike.
			for i, path := range [][]int32{{0, 1, 2}, {3, 4, 5}} {
				data[i].States = slices.Repeat([]int32{-1}, len(data[i].Observations))
				copy(data[i].States, path)
			}
		}
		if _, err := m.Fit(context.Background(), data, nil); known == errors.Is(err, em.ErrSymmetric) || known && err != nil {
			t.Errorf("known %v: error %v", known, err)
		}
	}
}

// TestStartRandom: from a random start of one call, training tells the states apart, and
// some seeds find what matters most.
func TestStartRandom(t *testing.T) {
	m, e, data := letters(t, em.Multinomial{}, hmm.Topology{States: 2})
	found := 0
	for seed := range uint64(8) {
		if err := m.StartRandom(data, rand.NewPCG(seed, 14)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Fit(context.Background(), data, &em.Options{Iterations: 200}); err != nil {
			t.Fatal(err)
		}
		a, b := e.Groups()[0].In(m.Theta), e.Groups()[1].In(m.Theta)
		if math.Abs(a[0]-b[0])+math.Abs(a[1]-b[1])+math.Abs(a[2]-b[2]) < .01 {
			t.Errorf("seed %d: emissions %.3f and %.3f", seed, a, b)
		}
		if math.Max(a[0], b[0]) > .8 && math.Max(a[1], b[1]) > .8 {
			found++
		}
	}
	if found < 3 {
		t.Errorf("only %d of 8 starts led to one state per letter", found)
	}
	theta := slices.Clone(m.Theta)
	if err := m.StartRandom(nil, rand.NewPCG(1, 1)); !errors.Is(err, em.ErrInvalid) || !slices.Equal(m.Theta, theta) {
		t.Errorf("no data: error %v", err)
	}
}

// TestStartKMeans: from clusters, a few steps find distributions that are far apart, and
// the transitions.
func TestStartKMeans(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewGaussian(p, "emission", hmm.Each(3), em.NewGaussian(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 3, Ends: []int{2}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 14))
	var data []hmm.Sequence[[]float64]
	for range 50 {
		var s hmm.Sequence[[]float64]
		for pos := range 30 {
			s.Observations = append(s.Observations, []float64{10*float64(pos/10) + rng.NormFloat64()})
		}
		s.Observations[rng.IntN(29)] = nil
		data = append(data, s)
	}
	if _, err := m.Fit(context.Background(), data, nil); !errors.Is(err, em.ErrSymmetric) {
		t.Errorf("all alike: error %v", err) // but for the end
	}
	if err := hmm.StartKMeans(m, data, rng); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		t.Fatal(err)
	}
	var means []float64
	for _, g := range e.Groups() {
		means = append(means, g.In(m.Theta)[1])
	}
	slices.Sort(means)
	for i, x := range means {
		if math.Abs(x-10*float64(i)) > .3 {
			t.Errorf("means %v, want about 0, 10, 20", means)
		}
	}
	few := []hmm.Sequence[[]float64]{{Observations: [][]float64{{1}, {2}, {1}}}}
	theta := slices.Clone(m.Theta)
	if err := hmm.StartKMeans(m, few, rng); !errors.Is(err, em.ErrInvalid) || !slices.Equal(m.Theta, theta) {
		t.Errorf("two different vectors for three states: error %v", err)
	}
}
