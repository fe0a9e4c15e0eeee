package hmm_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/hmm"
)

// TestPromisesOfMixture is TestPromisesOfGaussian for mixtures, with a component that two have in
// common.
func TestPromisesOfMixture(t *testing.T) {
	law := em.NewGaussian(2)
	law.Prior = em.GaussianPrior{Weight: .1, Degrees: 5, Scale: []float64{1, 2}}
	of, components := []int{0, 1, 0}, [][]int{{0, 1}, {2, 1, 3}}
	checkVectors(t, hmm.Mixtures(hmm.Gaussians()), func(p *em.Params) (*hmm.Mixture[[]float64], func([]float64, int, []float64) float64) {
		g := must(hmm.NewGaussian(p, "g", hmm.Each(4), law))
		e := must(hmm.NewMixture(p, "mix", of, components, em.Dirichlet{Alpha: 1.5}, g))
		return e, func(theta []float64, i int, x []float64) float64 {
			sum := 0.0
			for k, c := range components[of[i]] {
				sum += e.Weights(theta, of[i])[k] * bivariate(must(g.Density(theta, c)), x)
			}
			return sum
		}
	})
}

// both is a symbol and a vector.
type both = hmm.Pair[int32, []float64]

// TestPromisesOfSideBySide is TestPromises for pairs of a symbol and a vector, each of which may be
// missing.
func TestPromisesOfSideBySide(t *testing.T) {
	m := promises[both]()
	m.Unbounded = true
	m.Lacks["Impossible"] = "a normal density is positive everywhere"
	m.Lacks["Sample"] = "vectors cannot be enumerated; TestSideBySideRecovery has samples"
	law := em.NewGaussian(1, 1)
	law.Prior = em.GaussianPrior{Weight: .1, Degrees: 5, Scale: []float64{1, 2}}
	m.New = func(rng *rand.Rand) *chain[both] {
		p := em.NewParams()
		of, top := []int{1, 0, 1}, hmm.Topology{States: 3}
		symbols := must(hmm.NewDiscrete(p, "symbols", 3, hmm.Each(3), em.Dirichlet{Alpha: 2}))
		vectors := must(hmm.NewGaussian(p, "vectors", of, law))
		model := must(hmm.New(p, top, em.Dirichlet{Alpha: 1.5}, must(hmm.NewProduct(symbols, vectors))))
		model.Theta = p.Random(rng)
		c := must(loaded(model, top.States))
		c.table = tableOf(c.Model, top, func(i int, x both) float64 {
			density := 1.0
			if x.First != hmm.Missing {
				density = symbols.Groups()[i].In(c.Theta)[x.First]
			}
			if x.Second != nil {
				density *= bivariate(must(vectors.Density(c.Theta, of[i])), x.Second)
			}
			return density
		})
		return c
	}
	m.Example = func(rng *rand.Rand, _ *chain[both]) seen[both] {
		var x seen[both]
		for _, o := range randomSequence(rng, 1+rng.IntN(4), 3, 3).Observations {
			pair := both{First: o}
			if rng.IntN(4) > 0 {
				pair.Second = []float64{2 * rng.NormFloat64(), rng.NormFloat64()}
			}
			x.Observations = append(x.Observations, pair)
		}
		return x
	}
	m.Load = loader(hmm.Products(hmm.Discretes(), hmm.Gaussians()))
	modeltest.Check(t, m)
}

// TestMixtureRecovery samples from two states with two components each, and finds all of them
// again. EM climbs.
func TestMixtureRecovery(t *testing.T) {
	build := func() (*hmm.Model[[]float64], *hmm.Gaussian, *hmm.Mixture[[]float64]) {
		p := em.NewParams()
		law := em.NewGaussian(1)
		law.Scale, law.Floor = []float64{6}, []float64{.01}
		g := must(hmm.NewGaussian(p, "g", hmm.Each(4), law))
		e := must(hmm.NewMixture(p, "mix", hmm.Each(2), nil, em.Multinomial{}, g))
		return must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)), g, e
	}
	truth, gaussians, mixture := build()
	copy(truth.Row(0).In(truth.Theta), []float64{.95, .05})
	copy(truth.Row(1).In(truth.Theta), []float64{.1, .9})
	copy(mixture.Weights(truth.Theta, 0), []float64{.3, .7})
	copy(mixture.Weights(truth.Theta, 1), []float64{.6, .4})
	for c, mean := range []float64{-8, 2, -3, 8} { // the states' components alternate
		if err := gaussians.SetDensity(truth.Theta, c, []float64{mean}, mat.NewDiagDense(1, []float64{1})); err != nil {
			t.Fatal(err)
		}
	}
	data := hmm.Hide(must(must(truth.Predictor()).Sample(4000, rand.NewPCG(3, 1))))
	want := must(must(truth.Predictor()).LogProb(data[0]))
	best := math.Inf(-1)
	for seed := range uint64(4) {
		m, g, e := build()
		if err := m.StartRandom(data, rand.NewPCG(seed, 1)); err != nil {
			t.Fatal(err)
		}
		r := must(m.Fit(t.Context(), data, &em.Options{Iterations: 200, Tolerance: 1e-8}))
		for i := 1; i < len(r.Objective); i++ {
			if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
				t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
			}
		}
		best = max(best, r.Last())
		if r.Last() < want {
			continue // a lower maximum
		}
		var means []float64
		for c := range 4 {
			means = append(means, must(g.Density(m.Theta, c)).Mean()[0])
		}
		slices.Sort(means)
		for c, mean := range []float64{-8, -3, 2, 8} {
			if math.Abs(means[c]-mean) > .15 {
				t.Errorf("seed %d: means %v", seed, means)
			}
		}
		for d := range 2 { // one has .3 and .7, the other .4 and .6
			if w := slices.Min(e.Weights(m.Theta, d)); math.Abs(w-.35) > .08 {
				t.Errorf("seed %d: weights %v", seed, e.Weights(m.Theta, d))
			}
		}
	}
	if best < want {
		t.Errorf("the best of all starts has %g, the truth %g", best, want)
	}
	m, _, _ := build()
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 1)); err != nil {
		t.Fatal(err)
	}
	must(m.Fit(t.Context(), data, &em.Options{Iterations: 5}))
}

// TestMixtureOfOne: a mixture of one component for each state is the components themselves, to
// rounding, in what is learnt, too.
func TestMixtureOfOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	s := randomSequence(rng, 50, 3, 9)
	s.States = nil
	var thetas [2][]float64
	for k := range thetas {
		p := em.NewParams()
		poisson := must(hmm.NewPoisson(p, "n", hmm.Each(3), em.Poisson{}))
		var e hmm.Emission[int32] = poisson
		if k > 0 {
			e = must(hmm.NewMixture(p, "mix", hmm.Each(3), nil, em.Multinomial{}, e))
		}
		m := must(hmm.New(p, hmm.Topology{States: 3}, em.Multinomial{}, e))
		for state := range 3 {
			if err := poisson.SetMean(m.Theta, state, float64(1+3*state)); err != nil {
				t.Fatal(err)
			}
		}
		must(m.Fit(t.Context(), []hmm.Sequence[int32]{s}, &em.Options{Iterations: 10, Tolerance: -1}))
		thetas[k] = append(slices.Clone(m.Theta[:6]), m.Theta[len(m.Theta)-9:]...)
	}
	for i, x := range thetas[0] {
		if math.Abs(x-thetas[1][i]) > 1e-11*(1+x) {
			t.Errorf("number %d is %.15g, in a mixture of one %.15g", i, x, thetas[1][i])
		}
	}
}

// TestSideBySideRecovery: two emissions that tell four states apart only together find them.
func TestSideBySideRecovery(t *testing.T) {
	build := func() (*hmm.Model[hmm.Pair[int32, int32]], *hmm.Poisson, *hmm.Discrete) {
		p := em.NewParams()
		numbers := must(hmm.NewPoisson(p, "numbers", []int{0, 0, 1, 1}, em.Poisson{}))
		symbols := must(hmm.NewDiscrete(p, "symbols", 2, []int{0, 1, 0, 1}, em.Multinomial{}))
		return must(hmm.New(p, hmm.Topology{States: 4}, em.Multinomial{}, must(hmm.NewProduct(numbers, symbols)))), numbers, symbols
	}
	set := func(m *hmm.Model[hmm.Pair[int32, int32]], n *hmm.Poisson, s *hmm.Discrete, low, high, clear float64) {
		for d, mean := range []float64{low, high} {
			if err := n.SetMean(m.Theta, d, mean); err != nil {
				t.Fatal(err)
			}
			copy(s.Groups()[d].In(m.Theta), []float64{clear, 1 - clear})
			clear = 1 - clear
		}
	}
	truth, numbers, symbols := build()
	set(truth, numbers, symbols, 2, 12, .9)
	for i := range 4 {
		for j := range 4 {
			truth.Row(i).In(truth.Theta)[j] = []float64{.7, .2, .1, 0}[(j-i+4)%4]
		}
	}
	drawn := must(must(truth.Predictor()).Sample(5000, rand.NewPCG(6, 6)))
	m, n, s := build()
	set(m, n, s, 5, 8, .7)
	must(m.Fit(t.Context(), hmm.Hide(drawn), &em.Options{Iterations: 300, Tolerance: 1e-9}))
	for i := range 4 {
		for j := range 4 {
			if got, want := m.Transition(i, j), truth.Transition(i, j); math.Abs(got-want) > .05 {
				t.Errorf("transition from %d to %d is %.3f, want %.3f", i, j, got, want)
			}
		}
	}
	for d, mean := range []float64{2, 12} {
		if got := n.Mean(m.Theta, d); math.Abs(got-mean) > .3 {
			t.Errorf("mean %g, want %g", got, mean)
		}
	}
}

// TestMixtureOfTwins: equal components would remain equal, and Fit rejects them, unless they
// differ in another mixture.
func TestMixtureOfTwins(t *testing.T) {
	data := []hmm.Sequence[int32]{{Observations: []int32{1, 2, 0, 9, 7, 8, 1, 0, 2, 8, 9}}}
	for _, c := range []struct {
		components [][]int
		means      []float64
		says       string
	}{
		{[][]int{{0, 1}, {2, 3}}, []float64{1, 1, 8, 9}, "components 0 and 1 of mixture 0"},
		{[][]int{{0, 1}, {2, 3}}, []float64{1, 2, 8, 8}, "components 2 and 3 of mixture 1"},
		{[][]int{{0, 1}, {2, 3}}, []float64{1, 8, 1, 9}, ""},
		{[][]int{{0, 1}, {1, 2}}, []float64{5, 5, 9, 1}, ""},
	} {
		p := em.NewParams()
		n := must(hmm.NewPoisson(p, "n", hmm.Each(4), em.Poisson{}))
		e := must(hmm.NewMixture(p, "mix", hmm.Each(2), c.components, em.Multinomial{}, n))
		m := must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e))
		for k, mean := range c.means {
			if err := n.SetMean(m.Theta, k, mean); err != nil {
				t.Fatal(err)
			}
		}
		copy(m.Row(0).In(m.Theta), []float64{.8, .2})
		_, err := m.Fit(t.Context(), data, &em.Options{Iterations: 3})
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, em.ErrSymmetric) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, means %v: error %v, want %q", c.components, c.means, err, c.says)
		}
	}
}

// opaque is an emission without further methods.
type opaque struct{ hmm.Emission[int32] }

// TestCombinedRefuse: combinations that make no sense, and emissions that cannot be saved.
func TestCombinedRefuse(t *testing.T) {
	p := em.NewParams()
	base := must(hmm.NewPoisson(p, "n", hmm.Each(3), em.Poisson{}))
	for name, c := range map[string]struct {
		of         []int
		components [][]int
	}{
		"3 components for 2": {[]int{0, 1}, nil},
		"no states":          {nil, nil},
		"a list too many":    {[]int{0}, [][]int{{0}, {1}}},
		"an empty list":      {[]int{0, 1}, [][]int{{0}, {}}},
		"component 3 of 3":   {[]int{0}, [][]int{{3}}},
		"a component twice":  {[]int{0}, [][]int{{1, 1}}},
		"mixture 1 of 1":     {[]int{1}, [][]int{{1}}},
	} {
		if _, err := hmm.NewMixture(p, "mix", c.of, c.components, em.Multinomial{}, base); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := hmm.NewMixture(em.NewParams(), "mix", hmm.Each(3), nil, em.Multinomial{}, base); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("components of another table: error %v", err)
	}
	if _, err := hmm.NewMixture(p, "n", hmm.Each(3), nil, em.Multinomial{}, base); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("a name twice: error %v", err)
	}
	other := must(hmm.NewPoisson(p, "two", hmm.Each(2), em.Poisson{}))
	if _, err := hmm.NewProduct(base, other); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("3 states beside 2: error %v", err)
	}
	pair := must(hmm.NewProduct(base, base))
	for _, o := range []hmm.Pair[int32, int32]{{First: -7}, {Second: -7}} {
		if pair.Check(o) == nil {
			t.Errorf("%v is no error", o)
		}
	}
	q := em.NewParams()
	e := must(hmm.NewMixture(q, "mix", []int{0}, nil, em.Multinomial{}, opaque{must(hmm.NewPoisson(q, "n", []int{0}, em.Poisson{}))}))
	m := must(hmm.New(q, hmm.Topology{States: 1}, em.Multinomial{}, e))
	if err := m.Save(new(bytes.Buffer)); !errors.Is(err, hmm.ErrFormat) {
		t.Errorf("a mixture of an unknown kind was saved: %v", err)
	}
	r := em.NewParams()
	second := must(hmm.NewPoisson(r, "second", []int{0}, em.Poisson{}))
	first := must(hmm.NewPoisson(r, "first", []int{0}, em.Poisson{}))
	reversed := must(hmm.New(r, hmm.Topology{States: 1}, em.Multinomial{}, must(hmm.NewProduct(first, second))))
	if err := reversed.Save(new(bytes.Buffer)); !errors.Is(err, hmm.ErrFormat) {
		t.Errorf("the second was made before the first: %v", err)
	}
}

// Each state of a gauge has two speeds, which alone do not tell the states apart.
func ExampleNewMixture() {
	params := em.NewParams()
	speeds, err := hmm.NewGaussian(params, "speed", hmm.Each(4), em.NewGaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	mixture, err := hmm.NewMixture(params, "weights", hmm.Each(2), nil, em.Multinomial{}, speeds)
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, mixture)
	if err != nil {
		log.Fatal(err)
	}
	for component, mean := range []float64{0, 10, 5, 15} {
		if err := speeds.SetDensity(m.Theta, component, []float64{mean}, mat.NewDiagDense(1, []float64{1})); err != nil {
			log.Fatal(err)
		}
	}
	copy(m.Row(0).In(m.Theta), []float64{.9, .1})
	copy(m.Row(1).In(m.Theta), []float64{.1, .9})
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	states, _, err := p.Best(hmm.Sequence[[]float64]{Observations: [][]float64{{1}, {9}, {0}, {4}, {6}, {14}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(states)
	// Output: [0 0 0 1 1 1]
}

// A symbol and a number at each position.
func ExampleNewProduct() {
	params := em.NewParams()
	weather, err := hmm.NewDiscrete(params, "weather", 2, hmm.Each(2), em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	guests, err := hmm.NewPoisson(params, "guests", hmm.Each(2), em.Poisson{})
	if err != nil {
		log.Fatal(err)
	}
	pairs, err := hmm.NewProduct(weather, guests)
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, pairs)
	if err != nil {
		log.Fatal(err)
	}
	for state, mean := range []float64{5, 20} {
		copy(weather.Groups()[state].In(m.Theta), [][]float64{{.8, .2}, {.3, .7}}[state])
		if err := guests.SetMean(m.Theta, state, mean); err != nil {
			log.Fatal(err)
		}
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	days := hmm.Sequence[hmm.Pair[int32, int32]]{Observations: []hmm.Pair[int32, int32]{{0, 4}, {1, hmm.Missing}, {hmm.Missing, 17}, {1, 11}}}
	posteriors, err := p.Posteriors(days)
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range posteriors {
		fmt.Printf("%.3f\n", q[1])
	}
	// Output:
	// 0.000
	// 0.778
	// 1.000
	// 0.818
}

// A model is written and read again by the kind of its emission.
func ExampleLoad() {
	params := em.NewParams()
	speeds, err := hmm.NewTiedGaussian(params, "speed", hmm.Each(4), []int{0, 0, 1, 1}, em.NewGaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	mixture, err := hmm.NewMixture(params, "weights", hmm.Each(2), nil, em.Multinomial{}, speeds)
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, mixture)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		log.Fatal(err)
	}
	m, mixture, err = hmm.Load(&file, hmm.Mixtures(hmm.Gaussians()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mixture.Weights(m.Theta, 1), len(mixture.Groups()), "groups")
	// Output: [0.5 0.5] 4 groups
}
