package moments_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// normal returns a matrix of standard normal numbers.
func normal(r *rand.Rand, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	return m
}

// distribution returns a random one, with zeros now and then.
func distribution(r *rand.Rand, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		if i == 0 || r.Float64() < .8 {
			p[i] = r.ExpFloat64()
		}
	}
	floats.Scale(1/floats.Sum(p), p)
	return p
}

func channel(t *testing.T, r *rand.Rand, observations, values int) (*moments.Channel, *mat.Dense) {
	t.Helper()
	s := mat.NewDense(observations, values, nil)
	for y := range values {
		s.SetCol(y, distribution(r, observations))
	}
	return must(moments.NewChannel(s))(t), s
}

// observed yields the observations of value y as often as row y of S says, in 1/n.
func observed(counts []int) iter.Seq2[struct{}, int] {
	return func(yield func(struct{}, int) bool) {
		for o, n := range counts {
			for range n {
				if !yield(struct{}{}, o) {
					return
				}
			}
		}
	}
}

// Σ_o S(o | y)·β(o) = φ(y), enumerated, for channels of full and of deficient rank.
func TestUnbiased(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := random(seed)
		m, d, k := 1+r.IntN(5), 1+r.IntN(3), 1+r.IntN(6)
		c, s := channel(t, r, k, m)
		var phi mat.Dense // in the row space
		phi.Mul(s.T(), normal(r, k, d))
		f := must(moments.NewFamily(&phi, nil))(t)
		beta := must(c.Invert(f))(t)
		b := moments.Table[struct{}](beta)
		for y := range m {
			mean := make([]float64, d)
			for o := range k {
				v := make([]float64, d)
				if err := b(v, struct{}{}, o); err != nil {
					t.Fatal(err)
				}
				floats.AddScaled(mean, s.At(o, y), v)
			}
			near(t, "mean", mean, phi.RawRowView(y), 1e-7) // small singular values
		}
	}
}

func TestTotal(t *testing.T) {
	b := moments.Table[struct{}](mat.NewDense(2, 2, []float64{1, 2, 10, -3}))
	total, n, err := b.Total(2, observed([]int{3, 2}))
	if err != nil || n != 5 {
		t.Fatal(n, err)
	}
	near(t, "total", total, []float64{23, 0}, 1e-15)
	if _, _, err := b.Total(2, observed([]int{1, 0, 1})); !errors.Is(err, moments.ErrInvalid) || !strings.Contains(err.Error(), "example 1") {
		t.Error(err)
	}
	for _, d := range []int{1, 3} {
		if _, _, err := b.Total(d, observed([]int{1})); !errors.Is(err, moments.ErrInvalid) || !strings.Contains(err.Error(), "want the 2 columns") {
			t.Errorf("%d statistics: %v", d, err)
		}
	}
	bad := moments.Table[struct{}](mat.NewDense(1, 1, []float64{math.NaN()}))
	if _, _, err := bad.Total(1, observed([]int{1})); !errors.Is(err, moments.ErrInvalid) {
		t.Error(err)
	}
}

// A statistic that varies where the observations do not is named.
func TestUnidentifiable(t *testing.T) {
	c := must(moments.Deterministic([]int{0, 0, 1}, 2))(t)
	phi := mat.NewDense(3, 2, []float64{1, 5, 1, 7, 2, 0})
	_, err := c.Invert(must(moments.NewFamily(phi, []string{"seen", "hidden"}))(t))
	if !errors.Is(err, moments.ErrUnidentifiable) || !strings.Contains(err.Error(), "hidden") {
		t.Error(err)
	}
	f := must(moments.NewFamily(phi, []string{"seen", "hidden"}))(t)
	if _, err := f.MarginalCovariance([]float64{0, 0}, must(moments.Deterministic([]int{0, 0, 0}, 1))(t)); !errors.Is(err, moments.ErrUnidentifiable) {
		t.Error(err)
	}
	// Statistics that depend on each other have no covariance.
	f = must(moments.NewFamily(mat.NewDense(2, 2, []float64{0, 1, 1, 0}), nil))(t)
	if _, err := f.RandomizedResponseCovariance([]float64{0, 0}, .5, []float64{.5, .5}); !errors.Is(err, moments.ErrUnidentifiable) {
		t.Error(err)
	}
}

// With observations as they are expected, the true distribution is found, and θ, though
// less exactly: there may be directions that the distribution hardly depends on.
func TestConsistent(t *testing.T) {
	for seed := range trials.Seeds(50) {
		r := random(seed)
		m := 3 + r.IntN(3)
		phi := normal(r, m, 2)
		f, theta := must(moments.NewFamily(phi, nil))(t), []float64{r.NormFloat64(), r.NormFloat64()}
		c := must(moments.RandomizedResponse(.1+.8*r.Float64(), distribution(r, m)))(t)
		q := c.Output(f.Probabilities(theta))
		var mu mat.Dense
		mu.Mul(mat.NewDense(1, m, q), must(c.Invert(f))(t))
		fit := must(moments.Fit(t.Context(), f.LogPartition(1), mu.RawMatrix().Data, exact(-1)))(t)
		near(t, "probabilities", f.Probabilities(fit.Theta), f.Probabilities(theta), 1e-5)
		near(t, "theta", fit.Theta, theta, 1e-3)
		near(t, "projection", must(c.Project(q, 1e-15, 100000))(t).R, f.Probabilities(theta), 1e-5)
	}
}

// Projections are no worse than any other distribution, by no more than their gap.
func TestProjections(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := random(seed)
		m, k := 1+r.IntN(5), 1+r.IntN(5)
		c, _ := channel(t, r, k, m)
		q := c.Output(distribution(r, m))
		blend := distribution(r, k)
		possible := c.Output(f64s(m))
		for o := range q { // move it, but not to where it is impossible
			if possible[o] == 0 {
				blend[o] = 0
			}
		}
		floats.Scale(1/floats.Sum(blend), blend)
		if floats.HasNaN(blend) {
			continue
		}
		for o := range q {
			q[o] = (q[o] + blend[o]) / 2
		}
		square := func(p []float64) float64 {
			d := floats.Distance(q, c.Output(p), 2)
			return d * d / 2
		}
		kl := func(p []float64) float64 {
			sum := 0.0
			for o, x := range c.Output(p) {
				if q[o] > 0 {
					sum += q[o] * math.Log(q[o]/x)
				}
			}
			return sum
		}
		euclid, entropy := must(c.Project(q, 1e-12, 20000))(t), must(c.ProjectKL(q, 1e-3, 5000))(t)
		if euclid.Gap > 1e-9 {
			t.Errorf("seed %d: gap %g", seed, euclid.Gap)
		}
		for range 50 {
			p := distribution(r, m)
			if x := square(euclid.R) - square(p); x > euclid.Gap+1e-15 {
				t.Errorf("seed %d: %v is worse than %v by %g, with the gap %g", seed, euclid.R, p, x, euclid.Gap)
			}
			if x := kl(entropy.R) - kl(p); x > entropy.Gap+1e-12 {
				t.Errorf("seed %d: %v is worse than %v by %g, with the gap %g", seed, entropy.R, p, x, entropy.Gap)
			}
		}
	}
}

func f64s(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// Margin is positive for means of positive weights and shows whether Fit has a maximum.
func TestMargin(t *testing.T) {
	outside := 0
	for seed := range trials.Seeds(200) {
		r := random(seed)
		m := 3 + r.IntN(4)
		f := must(moments.NewFamily(normal(r, m, 2), nil))(t)
		w := distribution(r, m)
		least := .3*r.Float64() - .15
		for y := range w {
			w[y] += least
		}
		floats.Scale(1/floats.Sum(w), w)
		mu := f.Mean(w)
		margin := must(f.Margin(t.Context(), mu))(t)
		if margin < slices.Min(w)-1e-12 || margin > 1/float64(m)+1e-12 {
			t.Errorf("seed %d: margin %g of %v", seed, margin, w)
		}
		fit, err := moments.Fit(t.Context(), f.LogPartition(1), mu, exact(-1))
		switch {
		case margin > 1e-3 && err != nil:
			t.Errorf("seed %d: margin %g, but %v", seed, margin, err)
		case margin < -1e-3 && (!errors.Is(err, moments.ErrOutside) || !(must(fit.Margin(t.Context()))(t) > 0)):
			t.Errorf("seed %d: margin %g, but %v and %+v", seed, margin, err, fit)
		}
		if margin < 0 {
			outside++
		}
	}
	if outside == 0 {
		t.Error("no statistics outside")
	}
	// A polytope of lower dimension.
	f := must(moments.NewFamily(mat.NewDense(2, 2, []float64{0, 1, 1, 0}), nil))(t)
	for mu, want := range map[[2]float64]float64{{.25, .75}: .25, {.25, .5}: math.Inf(-1)} {
		if got := must(f.Margin(t.Context(), mu[:]))(t); math.Abs(got-want) > 1e-12 {
			t.Errorf("margin %g of %v, want %g", got, mu, want)
		}
	}
}

// Statistics with a maximum have it for any number of examples; statistics slightly beyond an edge
// of the polytope do not have one.
func TestFitOfManyExamples(t *testing.T) {
	f := must(moments.NewFamily(mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1}), nil))(t)
	for _, n := range []float64{1, 510, 520, 1e4, 1e8, 1e20} {
		fit, err := moments.Fit(t.Context(), f.LogPartition(n), []float64{.2 * n, .1 * n}, exact(-1))
		if err != nil {
			t.Errorf("%g examples: %v", n, err)
			continue
		}
		for y, want := range []float64{.7, .2, .1} {
			if got := f.Probabilities(fit.Theta)[y]; math.Abs(got-want) > 1e-6 {
				t.Errorf("%g examples: P(%d) = %g, want %g", n, y, got, want)
			}
		}
		for _, beyond := range []float64{1e-2, 1e-5, 1e-8} {
			total := []float64{(.5 + beyond) * n, (.5 + beyond) * n}
			if fit, err := moments.Fit(t.Context(), f.LogPartition(n), total, exact(-1)); !errors.Is(err, moments.ErrOutside) {
				t.Errorf("%g examples, %g beyond the edge: %+v, %v", n, beyond, fit, err)
			}
		}
	}
}

// The objective's counts and curvature are its derivatives, in shards and as a whole.
func TestObjectiveDerivatives(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := random(seed)
		m, k := 2+r.IntN(4), 1+r.IntN(4)
		f := must(moments.NewFamily(normal(r, m, 2), nil))(t)
		c, _ := channel(t, r, k, m)
		l := must(f.MarginalLikelihood(c, c.Output(distribution(r, m))))(t)
		for _, x := range []struct {
			em.Likelihood
			beta float64
		}{{l, 1}, {f.LogPartition(2.5), 1}, {f.LogPartition(2.5), .6}} {
			likelihood, beta := x.Likelihood, x.beta
			expect := func(theta, direction []float64) *em.Expectations {
				return must(likelihood.Expect(t.Context(), em.Query{Theta: theta, Tangent: direction, Temperature: beta}))(t)
			}
			theta, v := []float64{r.NormFloat64(), r.NormFloat64()}, []float64{r.NormFloat64(), r.NormFloat64()}
			likelihoodtest.Check(t, likelihood, em.Query{Theta: theta, Tangent: v, Temperature: beta})
			e := expect(theta, v)
			const h = 1e-5
			up, down := slices.Clone(theta), slices.Clone(theta)
			floats.AddScaled(up, h, v)
			floats.AddScaled(down, -h, v)
			a, b := expect(up, nil), expect(down, nil)
			near(t, "slope", []float64{beta * floats.Dot(e.Counts, v)}, []float64{(a.LogLikelihood - b.LogLikelihood) / (2 * h)}, 1e-7)
			floats.Sub(a.Counts, b.Counts)
			floats.Scale(1/(2*h), a.Counts)
			near(t, "curvature", e.Curvature, a.Counts, 1e-7)
		}
	}
}

// A stationary point of the objective has the ridge's share of mismatch, whatever the
// method, and Fisher information sees the ridge.
func TestFitMethods(t *testing.T) {
	f := must(moments.NewFamily(mat.NewDense(3, 1, []float64{0, 1, 3}), nil))(t)
	o := exact(2)
	for _, m := range []em.Method{nil, em.SGD{}} {
		o.Training.Method = m
		for _, o.Training.Temperature = range []float64{1, .3} { // nothing is hidden
			r := must(moments.Fit(t.Context(), f.LogPartition(10), []float64{20}, o))(t)
			expected := f.Mean(f.Probabilities(r.Theta))
			if x := 20 - 10*expected[0] - 2*r.Theta[0]; math.Abs(x) > 1e-4 {
				t.Errorf("%v at β = %g: gradient %g", m, o.Training.Temperature, x)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	f := must(moments.NewFamily(mat.NewDense(2, 1, []float64{0, 1}), nil))(t)
	c := must(moments.Deterministic([]int{0, 1, 1}, 2))(t)
	params := em.NewParams()
	params.Group("p", 1, em.Multinomial{})
	first := func(_ any, err error) error { return err }
	nan, inf := math.NaN(), math.Inf(1)
	fit := func(total []float64, o *moments.Options) error {
		return first(moments.Fit(context.Background(), f.LogPartition(1), total, o))
	}
	for name, err := range map[string]error{
		"family, not finite":    first(moments.NewFamily(mat.NewDense(1, 1, []float64{inf}), nil)),
		"family, names":         first(moments.NewFamily(mat.NewDense(1, 1, nil), []string{"a", "b"})),
		"family, empty":         first(moments.NewFamily(&mat.Dense{}, nil)),
		"channel, empty":        first(moments.NewChannel(&mat.Dense{})),
		"channel, sum":          first(moments.NewChannel(mat.NewDense(2, 1, []float64{.5, .4}))),
		"channel, negative":     first(moments.NewChannel(mat.NewDense(2, 1, []float64{1.5, -.5}))),
		"channel, NaN":          first(moments.NewChannel(mat.NewDense(1, 1, []float64{nan}))),
		"deterministic":         first(moments.Deterministic([]int{2}, 2)),
		"deterministic, empty":  first(moments.Deterministic(nil, 2)),
		"response, ε = 0":       first(moments.RandomizedResponse(0, []float64{1})),
		"response, ε > 1":       first(moments.RandomizedResponse(1.1, []float64{1})),
		"response, u":           first(moments.RandomizedResponse(.5, []float64{.5})),
		"invert":                first(c.Invert(f)),
		"least squares":         first(c.LeastSquares([]float64{1})),
		"shares, length":        first(ofShares(c, 1, 1, 1)),
		"shares, negative":      first(ofShares(c, 1, -1)),
		"shares, NaN":           first(ofShares(c, 1, nan)),
		"shares, one":           first(ofShares(c, 1, 0)),
		"project":               first(c.Project([]float64{.5, .6}, 0, 1)),
		"step, r":               first(c.Step([]float64{1}, []float64{.5, .5})),
		"step, impossible":      first(c.Step([]float64{1, 0, 0}, []float64{.5, .5})),
		"KL":                    first(c.ProjectKL([]float64{-1, 2}, 0, 1)),
		"margin":                first(f.Margin(t.Context(), []float64{nan})),
		"margin, length":        first(f.Margin(t.Context(), nil)),
		"marginal":              first(f.MarginalLikelihood(c, []float64{1, 1})),
		"covariance":            first(f.MarginalCovariance([]float64{0}, c)),
		"moments, noise":        first(f.MomentCovariance([]float64{0}, nil)),
		"closed form, ε":        first(f.RandomizedResponseCovariance([]float64{0}, 0, []float64{.5, .5})),
		"closed form, u":        first(f.RandomizedResponseCovariance([]float64{0}, 1, []float64{.5, .6})),
		"efficiency":            first(moments.Efficiency(mat.NewSymDense(1, nil), mat.NewSymDense(1, nil))),
		"fit, length":           fit(nil, nil),
		"fit, NaN":              fit([]float64{nan}, nil),
		"fit, ridge":            fit([]float64{0}, &moments.Options{Ridge: inf}),
		"fit, shrink":           fit([]float64{0}, &moments.Options{Shrink: 1}),
		"fit, no examples":      first(moments.Fit(context.Background(), without{f.LogPartition(1)}, []float64{0}, nil)),
		"fit, a law":            first(moments.Fit(context.Background(), other{f.LogPartition(1), params}, []float64{0}, nil)),
		"observations, weights": first(f.MarginalLikelihood(must(moments.Deterministic([]int{0, 0}, 2))(t), []float64{1, 1})),
	} {
		if !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := moments.Fit(ctx, f.LogPartition(1), []float64{.5}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// without is a likelihood of no examples.
type without struct{ em.Likelihood }

func (without) Shards() int { return 0 }

// other is a likelihood with other parameters.
type other struct {
	em.Likelihood
	params *em.Params
}

func (o other) Params() *em.Params { return o.params }

// An observation function over maps: names of what was seen, worth a number each.
func TestObservationOfAnyType(t *testing.T) {
	worth := moments.Observation[float64, string](func(dst []float64, x float64, o string) error {
		dst[0] += x * float64(len(o))
		return nil
	})
	total, n, err := worth.Total(1, maps.All(map[float64]string{1: "a", .5: "bbbb"}))
	if err != nil || n != 2 || total[0] != 3 {
		t.Error(total, n, err)
	}
}
