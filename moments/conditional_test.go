package moments_test

import (
	"errors"
	"iter"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/moments"
)

// piece is a part of the data: its log-partition function and statistics.
type piece struct {
	a     em.Likelihood
	total []float64
}

func each(parts []piece) iter.Seq2[em.Likelihood, []float64] {
	return func(yield func(em.Likelihood, []float64) bool) {
		for _, p := range parts {
			if !yield(p.a, p.total) {
				return
			}
		}
	}
}

// If observations have the frequencies of the model, n times the covariance is the closed form of a
// family without x: I⁻¹ + I⁻¹·E[Cov[β | y]]·I⁻¹.
func TestConditionalIsMomentCovariance(t *testing.T) {
	const n = 4096
	for seed := range trials.Seeds(40) {
		r := random(seed)
		// Observations o with probabilities that are multiples of 1/n under p_θ = uniform, θ = 0.
		const m = 4
		f := must(moments.NewFamily(normal(r, m, 2), nil))(t)
		s := mat.NewDense(m, m, nil)
		for y := range m {
			left := 16
			for o := range m {
				x := r.IntN(left + 1)
				if o == m-1 {
					x = left
				}
				if o == y {
					x += 16 // invertible
				}
				s.Set(o, y, float64(x)/32)
				if o != y {
					left -= x
				} else {
					left -= x - 16
				}
			}
		}
		c := must(moments.NewChannel(s))(t)
		beta, err := c.Invert(f)
		if err != nil {
			continue
		}
		theta := []float64{0, 0}
		want := must(f.MomentCovariance(theta, c.Noise(beta)))(t)
		var parts []piece
		one := f.LogPartition(1)
		for o, q := range c.Output(f.Probabilities(theta)) {
			for range int(math.Round(n * q)) {
				parts = append(parts, piece{one, mat.Row(nil, o, beta)})
			}
		}
		if len(parts) != n {
			t.Fatalf("seed %d: %d observations", seed, len(parts))
		}
		got := must(moments.ConditionalCovariance(t.Context(), theta, 0, each(parts)))(t)
		got.ScaleSym(n, got)
		near(t, "covariance", entries(got), entries(want), 1e-8*mat.Norm(want, 2))
	}
}

// logistic returns the family of y in {0, 1} given x, whose statistics are y and x·y.
func logistic(t *testing.T, x float64) *moments.Family {
	return must(moments.NewFamily(mat.NewDense(2, 2, []float64{0, 0, 1, x}), nil))(t)
}

// Logistic regression with partly random answers: the standard errors are the standard deviations
// of θ̂ between samples.
func TestConditionalStandardErrors(t *testing.T) {
	const n, samples, keep = 600, 300, .6
	r := random(5)
	truth := []float64{.3, .8}
	at := []float64{-1, 0, 2}
	var families []*moments.Family
	var one []em.Likelihood
	for _, x := range at {
		families = append(families, logistic(t, x))
		one = append(one, families[len(families)-1].LogPartition(1))
	}
	c := must(moments.RandomizedResponse(keep, []float64{.5, .5}))(t)
	var worth []*mat.Dense
	for _, f := range families {
		worth = append(worth, must(c.Invert(f))(t))
	}
	mean, square, claimed := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	for range samples {
		var parts []piece
		total := make([]float64, 2)
		number := make([]float64, len(at))
		for range n {
			k := r.IntN(len(at))
			y := 0
			if r.Float64() < families[k].Probabilities(truth)[1] {
				y = 1
			}
			if r.Float64() > keep {
				y = r.IntN(2)
			}
			beta := mat.Row(nil, y, worth[k])
			number[k]++
			total[0], total[1] = total[0]+beta[0], total[1]+beta[1]
			parts = append(parts, piece{one[k], beta})
		}
		// θ̂ by Newton's method, on the definition.
		theta := make([]float64, 2)
		for range 30 {
			g, h := []float64{total[0], total[1]}, mat.NewSymDense(2, nil)
			for k, f := range families {
				mu := f.Mean(f.Probabilities(theta))
				g[0], g[1] = g[0]-number[k]*mu[0], g[1]-number[k]*mu[1]
				i := f.Information(theta)
				i.ScaleSym(number[k], i)
				h.AddSym(h, i)
			}
			var step mat.VecDense
			if err := step.SolveVec(h, mat.NewVecDense(2, g)); err != nil {
				t.Fatal(err)
			}
			theta[0], theta[1] = theta[0]+step.AtVec(0), theta[1]+step.AtVec(1)
		}
		v := must(moments.ConditionalCovariance(t.Context(), theta, 0, each(parts)))(t)
		for j := range theta {
			mean[j] += theta[j] / samples
			square[j] += theta[j] * theta[j] / samples
			claimed[j] += v.At(j, j) / samples
		}
	}
	for j := range mean {
		// The standard deviation of a variance over 300 samples is 8 per cent.
		if x := square[j] - mean[j]*mean[j]; math.Abs(claimed[j]/x-1) > .25 {
			t.Errorf("θ %d: variance %g, estimated as %g", j, x, claimed[j])
		}
	}
}

// If y is observed with the frequencies of the model, the covariance is the inverse of the
// information. A ridge contributes only to the second derivatives.
func TestConditionalRidge(t *testing.T) {
	// p = 1/4 at x = −1 and 3/4 at x = 1 for θ = (0, ln 3).
	theta := []float64{0, math.Log(3)}
	var parts []piece
	for _, x := range []struct{ at, y, n float64 }{{-1, 0, 3}, {-1, 1, 1}, {1, 0, 1}, {1, 1, 3}} {
		for range int(x.n) {
			parts = append(parts, piece{logistic(t, x.at).LogPartition(1), []float64{x.y, x.y * x.at}})
		}
	}
	const information = 8 * 3. / 16
	for _, ridge := range []float64{0, 2} {
		v := must(moments.ConditionalCovariance(t.Context(), theta, ridge, each(parts)))(t)
		want := information / ((information + ridge) * (information + ridge))
		near(t, "covariance", entries(v), []float64{want, 0, 0, want}, 1e-12)
	}
}

func TestConditionalErrors(t *testing.T) {
	f := logistic(t, 1)
	ok := piece{f.LogPartition(1), []float64{1, 1}}
	other := must(moments.NewFamily(mat.NewDense(2, 1, []float64{0, 1}), nil))(t)
	for name, x := range map[string]struct {
		theta []float64
		ridge float64
		parts []piece
		want  error
		text  string
	}{
		"none":     {[]float64{0, 0}, 0, nil, moments.ErrInvalid, "no data"},
		"ridge":    {[]float64{0, 0}, math.NaN(), []piece{ok}, moments.ErrInvalid, "ridge"},
		"theta":    {[]float64{0}, 0, []piece{ok}, moments.ErrInvalid, "part 0"},
		"NaN":      {[]float64{0, 0}, 0, []piece{{ok.a, []float64{math.NaN(), 0}}}, moments.ErrInvalid, "part 0"},
		"other":    {[]float64{0, 0}, 0, []piece{ok, {other.LogPartition(1), []float64{1}}}, moments.ErrInvalid, "part 1"},
		"singular": {[]float64{0, 0}, 0, []piece{ok, ok}, moments.ErrUnidentifiable, "along which"},
	} {
		if _, err := moments.ConditionalCovariance(t.Context(), x.theta, x.ridge, each(x.parts)); !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
