package em_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
)

// TestGaussianSample: the M step recovers the parameters from which vectors were drawn.
func TestGaussianSample(t *testing.T) {
	g := em.NewGaussian(2, 1)
	theta := []float64{1, 3, -1, 5, 2, .8, 1, .25} // mean, {{2, .8}, {.8, 1}}, {.25}
	d, err := g.Density(theta)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 7))
	counts, fitted := make([]float64, g.Len()), make([]float64, g.Len())
	const n = 100_000
	for range n {
		g.AddCounts(counts, d.Sample(rng), 1)
	}
	g.Start(fitted)
	if err := g.Maximize(fitted, counts); err != nil {
		t.Fatal(err)
	}
	for i, want := range theta {
		if math.Abs(fitted[i]-want) > 8*2/math.Sqrt(n) {
			t.Errorf("parameter %d is %.4f, want %.4f", i, fitted[i], want)
		}
	}
}

// TestSetDensity: the values that were set are returned, and invalid values change nothing.
func TestSetDensity(t *testing.T) {
	g := em.NewGaussian(2, 1)
	mean, covariance := []float64{3, -1, 5}, mat.NewSymDense(3, []float64{2, .8, 0, .8, 1, 0, 0, 0, .25})
	theta := make([]float64, g.Len())
	if err := g.SetDensity(theta, mean, covariance); err != nil {
		t.Fatal(err)
	}
	if want := []float64{1, 3, -1, 5, 2, .8, 1, .25}; !slices.Equal(theta, want) {
		t.Errorf("θ is %v, want %v", theta, want)
	}
	d, err := g.Density(theta)
	if err != nil || !slices.Equal(d.Mean(), mean) || !mat.Equal(d.Covariance(), covariance) {
		t.Errorf("mean %v, covariance %v, error %v", d.Mean(), d.Covariance(), err)
	}
	before := slices.Clone(theta)
	for want, x := range map[string]struct {
		mean       []float64
		covariance mat.Symmetric
	}{
		"a mean of 2 numbers":            {mean[:2], covariance},
		"a covariance of 2×2":            {mean, mat.NewSymDense(2, []float64{1, 0, 0, 1})},
		"of different blocks":            {mean, mat.NewSymDense(3, []float64{2, 0, .1, 0, 1, 0, .1, 0, 1})},
		"block 1":                        {mean, mat.NewDiagDense(3, []float64{1, 1, 0})},
		"component 2 of the mean is NaN": {[]float64{1, 1, math.NaN()}, covariance},
	} {
		if err := g.SetDensity(theta, x.mean, x.covariance); !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if !slices.Equal(theta, before) {
		t.Error("an error has changed θ")
	}
}

// TestDensityMeanCovariance: a density equals the formula of the normal distribution with its mean
// and covariance, also after θ has changed.
func TestDensityMeanCovariance(t *testing.T) {
	g := em.NewGaussian(2, 1)
	theta := []float64{1, 3, -1, 5, 2, .8, 1, .25}
	d, err := g.Density(theta)
	if err != nil {
		t.Fatal(err)
	}
	clear(theta)
	d.Mean()[0] = 7
	d.Covariance().SetSym(0, 1, 7)
	var precision mat.Dense
	if err := precision.Inverse(d.Covariance()); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 8))
	for range 20 {
		x := []float64{6 * rng.NormFloat64(), 6 * rng.NormFloat64(), 6 * rng.NormFloat64()}
		z := mat.NewVecDense(3, nil)
		z.SubVec(mat.NewVecDense(3, x), mat.NewVecDense(3, d.Mean()))
		want := -(3*math.Log(2*math.Pi) + math.Log(mat.Det(d.Covariance())) + mat.Inner(z, &precision, z)) / 2
		if got := d.Log(x); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("ln of the density of %v is %g, want %g", x, got, want)
		}
	}
	if c := d.Covariance(); c.At(0, 1) != .8 || c.At(1, 2) != 0 || c.At(2, 2) != .25 {
		t.Errorf("covariance %v", c)
	}
}
