package moments_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// The closed form for randomized response equals the general form; with u = p_θ it is I⁻¹/ε²; at θ
// = 0 with uniform u no information is lost.
func TestClosedForms(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := random(seed)
		m, eps := 4+r.IntN(3), .1+.9*r.Float64()
		f := must(moments.NewFamily(normal(r, m, 2), nil))(t)
		theta := []float64{r.NormFloat64(), r.NormFloat64()}
		for name, u := range map[string][]float64{"any u": distribution(r, m), "u = p": f.Probabilities(theta), "uniform": f64s(m)} {
			at := theta
			if name == "uniform" {
				at = []float64{0, 0}
			}
			c := must(moments.RandomizedResponse(eps, u))(t)
			general := must(f.MomentCovariance(at, c.Noise(must(c.Invert(f))(t))))(t)
			near(t, name, entries(must(f.RandomizedResponseCovariance(at, eps, u))(t)), entries(general), 1e-9)
			want, inverse := 1/(eps*eps), new(mat.Dense)
			if name == "any u" {
				continue
			}
			if err := inverse.Inverse(f.Information(at)); err != nil {
				t.Fatal(err)
			}
			inverse.Scale(want, inverse)
			near(t, name, entries(general), inverse.RawMatrix().Data, 1e-9)
			if name == "uniform" {
				marginal := must(f.MarginalCovariance(at, c))(t)
				near(t, "efficiency", []float64{must(moments.Efficiency(marginal, general))(t)}, []float64{1}, 1e-9)
			}
		}
	}
}

// A coin seen twice, without noise and with a standard normal one: β is the mean of the
// two, and its covariance 1/4.
func TestNoiseOfAnyKind(t *testing.T) {
	f := must(moments.NewFamily(mat.NewDense(2, 1, []float64{0, 1}), nil))(t)
	quarter := mat.NewSymDense(1, []float64{.25})
	theta := []float64{.7}
	moment := must(f.MomentCovariance(theta, []*mat.SymDense{quarter, quarter}))(t)
	// The first observation alone determines y, so the likelihood has no hidden variable.
	inverse := 1 / f.Information(theta).At(0, 0)
	near(t, "efficiency", []float64{inverse / moment.At(0, 0)}, []float64{1 / (1 + inverse/4)}, 1e-12)
}

// The covariances are those of estimates from simulated observations.
func TestSimulatedCovariance(t *testing.T) {
	const n, repetitions = 100000, 2000
	r := random(1)
	phi := mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1})
	f, theta := must(moments.NewFamily(phi, nil))(t), []float64{2, -.1}
	c := must(moments.RandomizedResponse(.5, f64s(4)))(t)
	beta := must(c.Invert(f))(t)
	q := c.Output(f.Probabilities(theta))
	estimates := map[string]*mat.Dense{"moments": mat.NewDense(repetitions, 2, nil), "likelihood": mat.NewDense(repetitions, 2, nil)}
	o := &em.Options{Method: em.LBFGS{}, Start: theta, Tolerance: 1e-12}
	for i := range repetitions {
		frequency, left, rest := make([]float64, 4), float64(n), 1.0
		for k, p := range q { // a normal approximation, exact to 1/√n
			x := left
			if k < 3 {
				share := p / rest
				x = math.Round(left*share + math.Sqrt(left*share*(1-share))*r.NormFloat64())
			}
			frequency[k] = x / n
			left, rest = left-x, rest-p
		}
		var mu mat.Dense
		mu.Mul(mat.NewDense(1, 4, frequency), beta)
		moment := must(moments.Fit(t.Context(), f.LogPartition(1), mu.RawMatrix().Data, &moments.Options{Ridge: -1, Training: o}))(t)
		estimates["moments"].SetRow(i, moment.Theta)
		marginal := must(em.Fit(t.Context(), must(f.MarginalLikelihood(c, frequency))(t), o))(t)
		estimates["likelihood"].SetRow(i, marginal.Theta)
	}
	want := map[string]*mat.SymDense{
		"moments":    must(f.RandomizedResponseCovariance(theta, .5, f64s(4)))(t),
		"likelihood": must(f.MarginalCovariance(theta, c))(t),
	}
	for name, e := range estimates {
		for i := range 2 {
			for j := range i + 1 {
				got := 0.0
				for k := range repetitions {
					got += n * (e.At(k, i) - theta[i]) * (e.At(k, j) - theta[j]) / repetitions
				}
				w := want[name]
				// The variance of a product of normal variables.
				sd := math.Sqrt((w.At(i, i)*w.At(j, j) + w.At(i, j)*w.At(i, j)) / repetitions)
				if math.Abs(got-w.At(i, j)) > 4*sd {
					t.Errorf("%s: n·Cov[%d, %d] = %.3g, want %.3g ± %.2g", name, i, j, got, w.At(i, j), sd)
				}
			}
		}
	}
}

// Standard errors of probabilities are √(g·C·g/n) with g from differences. For a table observed by
// randomized response they have the closed form √(q(1−q)/n)/k for answers of frequency q.
func TestStandardErrors(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		m, n := 3+r.IntN(3), 1+1000*r.Float64()
		f, theta := must(moments.NewFamily(normal(r, m, 2), nil))(t), []float64{r.NormFloat64(), r.NormFloat64()}
		c := must(f.RandomizedResponseCovariance(theta, .1+.9*r.Float64(), distribution(r, m)))(t)
		weights, probabilities, err := f.StandardErrors(theta, c, n)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "weights", weights, []float64{math.Sqrt(c.At(0, 0) / n), math.Sqrt(c.At(1, 1) / n)}, 1e-12)
		const h = 1e-5
		jacobian := mat.NewDense(m, 2, nil)
		for j := range theta {
			up, down := slices.Clone(theta), slices.Clone(theta)
			up[j], down[j] = up[j]+h, down[j]-h
			above, below := f.Probabilities(up), f.Probabilities(down)
			for y := range m {
				jacobian.Set(y, j, (above[y]-below[y])/(2*h))
			}
		}
		want := make([]float64, m)
		for y := range want {
			want[y] = math.Sqrt(mat.Inner(jacobian.RowView(y), c, jacobian.RowView(y)) / n)
		}
		near(t, "probabilities", probabilities, want, 1e-6)

		phi := mat.NewDense(m, m-1, nil)
		for y := range m - 1 {
			phi.Set(y, y, 1)
		}
		table, p, keep := must(moments.NewFamily(phi, nil))(t), f.Probabilities(theta), .2+.8*r.Float64()
		theta = nil
		for y := range m - 1 {
			theta = append(theta, math.Log(p[y]/p[m-1]))
		}
		u := distribution(r, m)
		c = must(table.RandomizedResponseCovariance(theta, keep, u))(t)
		if _, probabilities, err = table.StandardErrors(theta, c, n); err != nil {
			t.Fatal(err)
		}
		for y := range want {
			q := keep*p[y] + (1-keep)*u[y]
			want[y] = math.Sqrt(q*(1-q)/n) / keep
		}
		near(t, "table", probabilities, want, 1e-6)
	}
	f := must(moments.NewFamily(mat.NewDense(2, 1, []float64{0, 1}), nil))(t)
	one := mat.NewSymDense(1, []float64{1})
	for name, c := range map[string]struct {
		theta      []float64
		covariance *mat.SymDense
		n          float64
	}{
		"theta":      {nil, one, 1},
		"size":       {[]float64{0}, mat.NewSymDense(2, nil), 1},
		"n":          {[]float64{0}, one, 0},
		"infinite n": {[]float64{0}, one, math.Inf(1)},
		"negative":   {[]float64{0}, mat.NewSymDense(1, []float64{-1}), 1},
		"NaN":        {[]float64{0}, mat.NewSymDense(1, []float64{math.NaN()}), 1},
	} {
		if _, _, err := f.StandardErrors(c.theta, c.covariance, c.n); !errors.Is(err, moments.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
