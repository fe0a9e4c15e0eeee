package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// TestCurvatureIsTheSecondMoment compares counts and curvature with the path sum, in
// the second-order expectation semiring, of the eagerly composed cascade.
func TestCurvatureIsTheSecondMoment(t *testing.T) {
	real := semiring.Real{}
	type second = semiring.Expected2[float64, []float64, []float64, []float64]
	some := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		params := em.NewParams()
		g := params.Group("g", 4, em.Fixed{})
		stages := []cascade.Stage{randomMachine(t, params, g, rng, 2, 8), randomMachine(t, params, g, rng, 2, 8)}
		theta, direction := make([]float64, 4), make([]float64, 4)
		for i := range theta {
			theta[i], direction[i] = .02+.1*rng.Float64(), rng.NormFloat64()
		}
		in, out := randomLabels(rng, 3), randomLabels(rng, 3)
		l := likelihood(t, cascade.Problem{Params: params, Stages: stages},
			cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(in...), Y: cascade.Labels(out...)}}, Underivable: em.Skip})
		e, err := l.Expect(context.Background(), em.Query{Theta: theta, Tangent: direction})
		if err != nil {
			t.Fatal(err)
		}

		ring, err := semiring.Expectation2(real, semiring.DenseProduct(real, 4, 1))
		if err != nil {
			t.Fatal(err)
		}
		values, err := expr.Map(params.Space(), ring, func(p int32) second {
			x := second{P: theta[p], R: make([]float64, 4), S: []float64{theta[p] * direction[p]}, T: make([]float64, 4)}
			x.R[p], x.T[p] = theta[p], theta[p]*direction[p]
			return x
		}, func(c semiring.ScaledFloat) second { return second{P: c.Float64()} })
		if err != nil {
			t.Fatal(err)
		}
		var m fst.Machine[second] = fst.FromString(ring, in)
		for _, f := range stages {
			m = fst.Compose(m, fsttest.Frozen(fst.Map(f, ring, func(h weight) second { return values[h] })))
		}
		f, err := fst.Expand(fst.Compose(m, fst.FromString(ring, out)), nil)
		if err != nil {
			t.Fatal(err)
		}
		total, err := graph.PathSum(f.Graph())
		if err != nil {
			t.Fatal(err)
		}
		if total.P == 0 {
			continue
		}
		some++
		for i := range theta {
			count, product := total.R[i]/total.P, total.R[i]/total.P*total.S[0]/total.P
			want := total.T[i]/total.P - product
			if math.Abs(e.Curvature[i]-want) > 1e-9*(1+math.Abs(product)) || !closeTo(e.Counts[i], count, 1e-9) {
				t.Errorf("seed %d: count %d is %g, curvature %g, want %g and %g", seed, i, e.Counts[i], e.Curvature[i], count, want)
			}
		}
	}
	if some < 20 {
		t.Errorf("only %d examples had a derivation", some)
	}
}

// TestCurvatureHasTheSameBits for any number of workers, with and without a cache.
func TestCurvatureHasTheSameBits(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	theta := problem.Params.Start()
	direction := make([]float64, len(theta))
	for i := range direction {
		direction[i] = math.Sin(float64(i))
	}
	var want []float64
	for _, cache := range []int64{0, -1} {
		l := likelihood(t, problem, cascade.Data{Examples: data, CacheBytes: cache})
		for _, workers := range []int{1, 2, 7} {
			e, err := l.Expect(context.Background(), em.Query{Theta: theta, Tangent: direction, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = e.Curvature
			}
			if !slices.Equal(e.Curvature, want) {
				t.Errorf("%d workers, cache %d: other bits", workers, cache)
			}
		}
	}
	_, err := likelihood(t, problem, cascade.Data{Examples: data}).Expect(context.Background(), em.Query{Theta: theta, Tangent: []float64{1}})
	if !errors.Is(err, em.ErrParameter) {
		t.Errorf("a direction of the wrong length: error %v", err)
	}
}

func shifted(x []float64, step float64, dx []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] += step * dx[i]
	}
	return y
}

// derivative returns the derivative of f at 0 with an error of the order of h⁴.
func derivative(f func(step float64) float64) float64 {
	const h = 3e-4
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}

func closeTo(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

// coordinatesOf returns the coordinates of the parameters at theta.
func coordinatesOf(t testing.TB, params *em.Params, theta []float64) *em.Coordinates {
	t.Helper()
	c, err := params.Coordinates(theta)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
