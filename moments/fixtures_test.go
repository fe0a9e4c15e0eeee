package moments_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring/expr"
)

// read reads a file of worked examples.
func read(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

func family(t *testing.T, phi [][]float64) *moments.Family {
	t.Helper()
	return must(moments.NewFamily(dense(phi), nil))(t)
}

// near fails unless got is want to within tol, in units of the largest of want and 1.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	scale := math.Max(1, floats.Norm(want, math.Inf(1)))
	if len(got) != len(want) || floats.Distance(got, want, math.Inf(1)) > tol*scale || floats.HasNaN(got) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// exact are options to find a maximum to rounding.
func exact(ridge float64) *moments.Options {
	return &moments.Options{Ridge: ridge, Training: &em.Options{Iterations: 2000, Tolerance: 1e-15}}
}

func TestRandomizedResponseFixture(t *testing.T) {
	var x struct {
		Phi, S, Beta [][]float64
		U            []float64
		Eps          float64
	}
	read(t, "m1_classic_rr", &x)
	c := must(moments.RandomizedResponse(x.Eps, x.U))(t)
	for y := range x.U {
		point := make([]float64, len(x.U))
		point[y] = 1
		near(t, "S", c.Output(point), mat.Col(nil, y, dense(x.S)), 1e-14)
	}
	beta := must(c.Invert(family(t, x.Phi)))(t)
	near(t, "beta", beta.RawMatrix().Data, dense(x.Beta).RawMatrix().Data, 1e-9)
}

func TestAsymptoticsFixture(t *testing.T) {
	var x struct {
		Phi  [][]float64
		Rows []struct {
			Theta []float64
			Eps   float64
			Marg  [][]float64 `json:"sigma_marg"`
			Mom   [][]float64 `json:"sigma_mom"`
			Eff   float64
		}
	}
	read(t, "m4_asymptotics", &x)
	f := family(t, x.Phi)
	u := []float64{.25, .25, .25, .25}
	for _, r := range x.Rows {
		c := must(moments.RandomizedResponse(r.Eps, u))(t)
		marginal := must(f.MarginalCovariance(r.Theta, c))(t)
		moment := must(f.MomentCovariance(r.Theta, c.Noise(must(c.Invert(f))(t))))(t)
		closed := must(f.RandomizedResponseCovariance(r.Theta, r.Eps, u))(t)
		near(t, "marginal", entries(marginal), dense(r.Marg).RawMatrix().Data, 1e-8)
		near(t, "moment", entries(moment), dense(r.Mom).RawMatrix().Data, 1e-8)
		near(t, "closed form", entries(closed), entries(moment), 1e-10)
		near(t, "efficiency", []float64{must(moments.Efficiency(marginal, moment))(t)}, []float64{r.Eff}, 1e-8)
	}
}

func entries(m *mat.SymDense) []float64 { return mat.DenseCopyOf(m).RawMatrix().Data }

// If o is a function of y, the first step is an E step from the uniform distribution, and the
// estimate is the result of one iteration of EM.
func TestDeterministicFixture(t *testing.T) {
	var x struct {
		Phi                [][]float64
		G                  []int
		Qhat, R, Mu, Theta []float64
	}
	read(t, "m6_deterministic_em", &x)
	f, c := family(t, x.Phi), must(moments.Deterministic(x.G, len(x.Qhat)))(t)
	r := must(c.LeastSquares(x.Qhat))(t)
	near(t, "r", r, x.R, 1e-9)
	uniform := f.Probabilities(make([]float64, 2))
	near(t, "E step", must(c.Step(uniform, x.Qhat))(t), x.R, 1e-9)
	near(t, "KL", must(c.ProjectKL(x.Qhat, 1e-12, 100))(t).R, x.R, 1e-9)
	near(t, "mu", f.Mean(r), x.Mu, 1e-9)
	// Counts of the marginal likelihood at θ = 0, plus expectations there, are the
	// statistics of the E step of EM in θ.
	l := must(f.MarginalLikelihood(c, x.Qhat))(t)
	e := must(l.Expect(t.Context(), em.Query{Theta: make([]float64, 2)}))(t)
	floats.Add(e.Counts, f.Mean(uniform))
	near(t, "EM", e.Counts, x.Mu, 1e-9)
	fit := must(moments.Fit(t.Context(), f.LogPartition(1), e.Counts, exact(-1)))(t)
	near(t, "theta", fit.Theta, x.Theta, 1e-6)
}

func TestTwoStepFixture(t *testing.T) {
	var x struct {
		S, Phi     [][]float64
		Qhat       []float64
		Pinv       []float64 `json:"r_pinv"`
		Simplex    []float64 `json:"r_simplex"`
		MomPinv    []float64 `json:"theta_mom_pinv"`
		MomSimplex []float64 `json:"theta_mom_simplex"`
		Marg       []float64 `json:"theta_marg"`
	}
	read(t, "m7_two_step", &x)
	f, c := family(t, x.Phi), must(moments.NewChannel(dense(x.S)))(t)
	fit := func(r []float64) []float64 {
		return must(moments.Fit(t.Context(), f.LogPartition(1), f.Mean(r), exact(-1)))(t).Theta
	}
	r := must(c.LeastSquares(x.Qhat))(t)
	near(t, "r", r, x.Pinv, 1e-9)
	near(t, "theta of r", fit(r), x.MomPinv, 1e-5)
	p := must(c.Project(x.Qhat, 1e-14, 100000))(t)
	near(t, "projected r", p.R, x.Simplex, 1e-6)
	near(t, "theta of projected r", fit(p.R), x.MomSimplex, 1e-5)
	for _, m := range []em.Method{em.EM{}, em.LBFGS{}} {
		o := &em.Options{Method: m, Iterations: 20000, Tolerance: 1e-15}
		marginal := must(em.Fit(t.Context(), must(f.MarginalLikelihood(c, x.Qhat))(t), o))(t)
		near(t, m.String(), marginal.Theta, x.Marg, 1e-5)
	}
	// β of the channel's inverse leads to the same statistics.
	var mu mat.Dense
	mu.Mul(mat.NewDense(1, len(x.Qhat), x.Qhat), must(c.Invert(f))(t))
	near(t, "mean of beta", mu.RawMatrix().Data, f.Mean(r), 1e-9)
}

func TestOutsideFixture(t *testing.T) {
	var x struct {
		Phi    [][]float64
		Mu     []float64
		Pinv   []float64 `json:"r_pinv"`
		Margin float64
		Ridge  float64
		Theta  []float64 `json:"theta_ridge"`
	}
	read(t, "m10_outside_polytope", &x)
	f := family(t, x.Phi)
	near(t, "margin", []float64{must(f.Margin(t.Context(), x.Mu))(t)}, []float64{x.Margin}, 1e-9)
	r, err := moments.Fit(t.Context(), f.LogPartition(1), x.Mu, exact(-1))
	if !errors.Is(err, moments.ErrOutside) || !(must(r.Margin(t.Context()))(t) > 0) {
		t.Errorf("error %v, result %+v", err, r)
	}
	r = must(moments.Fit(t.Context(), f.LogPartition(1), x.Mu, exact(x.Ridge)))(t)
	near(t, "theta", r.Theta, x.Theta, 1e-5)
	// Shrinking brings it inside.
	o := exact(-1)
	o.Shrink = .2
	r = must(moments.Fit(t.Context(), f.LogPartition(1), x.Mu, o))(t)
	if m, own := must(f.Margin(t.Context(), r.Total))(t), must(r.Margin(t.Context()))(t); !(m > 0) || own > 0 {
		t.Errorf("margins %g and %g after shrinking", m, own)
	}
}

// chain returns a machine that reads symbols and writes labels, whose weights are
// strengths of pairs of a symbol and a label and of pairs of labels: a chain CRF.
func chain(t *testing.T, symbols, labels int) cascade.Problem {
	t.Helper()
	params := em.NewParams()
	emit := params.Group("emit", symbols*labels, must(em.NewLogLinear(symbols*labels, nil, em.LogLinearOptions{}))(t))
	next := params.Group("next", labels*labels, must(em.NewLogLinear(labels*labels, nil, em.LogLinearOptions{}))(t))
	b := fst.NewBuilder(params.Space())
	start := b.AddStates(1 + labels) // the others remember the last label
	b.AddStart(start, expr.One)
	for from := range int32(1 + labels) {
		for y := range int32(labels) {
			for x := range int32(symbols) {
				w := emit.Weight(int(x)*labels + int(y))
				if from > 0 {
					w = params.Space().Times(w, next.Weight(int(from-1)*labels+int(y)))
				}
				b.AddArc(from, fst.Arc[expr.W]{In: 1 + x, Out: 1 + y, To: 1 + y, Weight: w})
			}
		}
		b.SetFinal(from, expr.One)
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{must(b.Freeze())(t)}}
}

// TestChainFixture: A(θ; x) and its gradient are path sums of any machines. The values for chain
// CRFs are correct, and so is the fit.
func TestChainFixture(t *testing.T) {
	var x struct {
		K, Nx    int
		X        [][]int32
		A        []float64
		Lam      float64
		FitValue float64       `json:"fit_value"`
		ThetaE   [][]float64   `json:"theta_e"`
		ThetaT   [][]float64   `json:"theta_t"`
		EEmit    [][][]float64 `json:"E_emit"`
		ETrans   [][][]float64 `json:"E_trans"`
		MuE      [][]float64   `json:"mu_e"`
		MuT      [][]float64   `json:"mu_t"`
		FitE     [][]float64   `json:"fit_theta_e"`
		FitT     [][]float64   `json:"fit_theta_t"`
	}
	read(t, "m8_crf", &x)
	flat := func(e, t [][]float64) []float64 {
		return append(append([]float64(nil), dense(e).RawMatrix().Data...), dense(t).RawMatrix().Data...)
	}
	p := chain(t, x.Nx, x.K)
	var all []cascade.Example
	for i, s := range x.X {
		labels := make([]int32, len(s))
		for j, v := range s {
			labels[j] = 1 + v
		}
		all = append(all, cascade.Example{X: cascade.Labels(labels...)})
		l := must(p.Likelihood(cascade.Data{Examples: all[i:]}))(t)
		e := must(l.Expect(t.Context(), em.Query{Theta: flat(x.ThetaE, x.ThetaT)}))(t)
		near(t, "A", []float64{e.LogLikelihood}, x.A[i:i+1], 1e-12)
		near(t, "expectations", e.Counts, flat(x.EEmit[i], x.ETrans[i]), 1e-12)
	}
	l := must(p.Likelihood(cascade.Data{Examples: all}))(t)
	r := must(moments.Fit(t.Context(), l, flat(x.MuE, x.MuT), exact(x.Lam)))(t)
	near(t, "value", []float64{-r.Last()}, []float64{x.FitValue}, 1e-9)
	near(t, "theta", r.Theta, flat(x.FitE, x.FitT), 1e-6)
}
