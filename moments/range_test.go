package moments_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/moments"
)

// A result outside the range of float64 is an error, never a number.
func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct {
		name       string
		unit       float64
		theta      []float64
		wants, inv bool // an error of covariances, and of Invert
	}{
		{"ordinary", 1, []float64{.5, -.25}, false, false},
		{"NaN", 1, []float64{math.NaN(), 0}, true, false},
		{"infinite", 1, []float64{0, inf}, true, false},
		{"short", 1, []float64{0}, true, false},
		{"squares too large", 1e160, []float64{0, 0}, true, false},
		{"differences too large", 1.7e308, []float64{0, 0}, true, true},
		{"squares too small", 1e-170, []float64{0, 0}, true, false},
	} {
		f := family(t, [][]float64{{x.unit, 0}, {0, x.unit}, {-x.unit, -x.unit}})
		u := []float64{.25, .25, .5}
		c := must(moments.RandomizedResponse(.5, u))(t)
		check := func(what string, s mat.Matrix, err error, wants bool) {
			t.Helper()
			if wants != (err != nil) || wants && !errors.Is(err, moments.ErrInvalid) && !errors.Is(err, moments.ErrUnidentifiable) {
				t.Errorf("%s: %s: error %v", x.name, what, err)
			} else if !wants && !(mat.Norm(s, 2) < inf) {
				t.Errorf("%s: %s: %v", x.name, what, s)
			}
		}
		s, err := f.MarginalCovariance(x.theta, c)
		check("marginal", s, err, x.wants)
		s, err = f.RandomizedResponseCovariance(x.theta, .5, u)
		check("closed form", s, err, x.wants)
		beta, err := c.Invert(f)
		check("β", beta, err, x.inv)
		if !x.inv {
			s, err = f.MomentCovariance(x.theta, c.Noise(beta))
			check("moments", s, err, x.wants)
		}
		q := em.Query{Theta: x.theta, Tangent: []float64{1, 1}}
		if len(x.theta) == 2 {
			e, err := f.LogPartition(1).Expect(t.Context(), q)
			if wants := x.unit > 1 || x.theta[0]-x.theta[0]+x.theta[1]-x.theta[1] != 0; wants != (err != nil) {
				t.Errorf("%s: %+v, %v", x.name, e, err)
			}
		}
	}
}

// Probabilities need differences of scores only, be the scores as large as they may.
func TestProbabilitiesOfLargeScores(t *testing.T) {
	f := family(t, [][]float64{{1e160, 1}, {1e160, 3}, {-1e160, 0}})
	near(t, "large", f.Probabilities([]float64{1e300, 0}), []float64{.5, .5, 0}, 1e-15)
	near(t, "larger", f.Probabilities([]float64{-1e308, 1e308}), []float64{0, 0, 1}, 0)
	near(t, "largest", family(t, [][]float64{{1.5e308, 1.5e308}, {1.7e308, 1.7e308}}).Probabilities([]float64{1.7e308, 1.7e308}), []float64{0, 1}, 0)
}
