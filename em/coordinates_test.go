package em_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// toy is the likelihood ln Σₖ exp(Aₖ · ln v) of a few paths, where v are the values of
// the parameters and Aₖ contains the number of uses of each on path k.
type toy struct {
	params *em.Params
	paths  [][]float64
}

func newToy(rng *rand.Rand, params *em.Params) toy {
	t := toy{params, make([][]float64, 6)}
	for k := range t.paths {
		for range params.Len() {
			t.paths[k] = append(t.paths[k], float64(rng.IntN(4)))
		}
	}
	return t
}

// expect returns the log likelihood at theta, the counts and, along direction,
// their derivative.
func (t toy) expect(theta, direction []float64) (logLikelihood float64, counts, curvature []float64) {
	values := t.params.Values(theta)
	logs := make([]float64, len(t.paths))
	top := math.Inf(-1)
	for k, path := range t.paths {
		for i, n := range path {
			if n > 0 {
				logs[k] += n * values[i].Log()
			}
		}
		top = math.Max(top, logs[k])
	}
	z := 0.0
	for _, l := range logs {
		z += math.Exp(l - top)
	}
	counts, curvature = make([]float64, len(theta)), make([]float64, len(theta))
	mean := 0.0
	for k, path := range t.paths {
		posterior, along := math.Exp(logs[k]-top)/z, dot(path, direction)
		for i, n := range path {
			counts[i] += posterior * n
			curvature[i] += posterior * n * along
		}
		mean += posterior * along
	}
	for i := range curvature {
		curvature[i] -= counts[i] * mean
	}
	return top + math.Log(z), counts, curvature
}

func (t toy) objective(theta []float64) float64 {
	l, _, _ := t.expect(theta, make([]float64, len(theta)))
	return l + t.params.LogPrior(theta)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
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

// checkCoordinates checks the first and second derivatives of the toy's objective
// at theta.
func checkCoordinates(t *testing.T, seed uint64, rng *rand.Rand, model toy, theta []float64) {
	t.Helper()
	c := coordinatesOf(t, model.params, theta)
	x := c.Of(theta)
	gradient := func(x []float64) []float64 {
		theta := c.Theta(x)
		_, counts, _ := model.expect(theta, make([]float64, len(theta)))
		g := make([]float64, c.Dim())
		c.Gradient(g, theta, counts)
		return g
	}
	got := gradient(x)
	dx := make([]float64, c.Dim())
	for j := range dx {
		clear(dx)
		dx[j] = 1
		want := derivative(func(h float64) float64 { return model.objective(c.Theta(shifted(x, h, dx))) })
		if !closeTo(got[j], want, 1e-8) {
			g, k := c.Group(j)
			t.Errorf("seed %d: derivative by coordinate %d, %d of %s, is %.12g, want %.12g", seed, j, k, g.Name(0), got[j], want)
		}
	}
	for j := range dx {
		dx[j] = rng.NormFloat64()
	}
	direction, err := c.Tangent(theta, dx)
	if err != nil {
		t.Fatal(err)
	}
	_, counts, curvature := model.expect(theta, direction)
	ddx := make([]float64, c.Dim())
	if err := c.HessianProduct(ddx, theta, counts, dx, curvature); err != nil {
		t.Fatal(err)
	}
	for j := range ddx {
		want := derivative(func(h float64) float64 { return gradient(shifted(x, h, dx))[j] })
		if !closeTo(ddx[j], want, 1e-7) {
			t.Errorf("seed %d: second derivative %d is %.12g, want %.12g", seed, j, ddx[j], want)
		}
	}
}

// TestCoordinatesDerivatives: derivatives of a model with groups of several laws, with respect to
// the coordinates of all of them.
func TestCoordinatesDerivatives(t *testing.T) {
	for seed := range trials.Seeds(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		params := em.NewParams()
		params.Group("plain", 1+rng.IntN(5), em.Multinomial{})
		params.Group("constant", rng.IntN(3), em.Fixed{})
		params.Group("smooth", 1+rng.IntN(4), em.Dirichlet{Alpha: .5 + rng.Float64()})
		params.Group("one by one", 3, em.Dirichlet{Alphas: []float64{1, 2.5, .7}})
		params.Group("integrated out", 1+rng.IntN(3), em.Variational{Alpha: .1 + rng.Float64()})
		params.Group("exponents", rng.IntN(3), em.Exponents{Sigma: .7})
		d := 1 + rng.IntN(4)
		logLinearGroup(t, params, d, randomSets(rng, d), em.LogLinearOptions{Sigma: float64(rng.IntN(2)) * .7})
		model := newToy(rng, params)
		theta := params.Random(rng)
		if plain := params.Groups()[0]; seed%3 == 0 && plain.Len() > 1 {
			v := plain.In(theta) // a zero that stays one
			v[1], v[0] = v[1]+v[0], 0
			for _, path := range model.paths {
				path[plain.First()] = 0
			}
		}
		checkCoordinates(t, seed, rng, model, theta)
	}
}

// unlisted is a custom law.
type unlisted struct{ em.Law }

func TestCoordinatesNameWhatItLacks(t *testing.T) {
	params := em.NewParams()
	params.Group("fine", 2, em.Multinomial{})
	params.Group("strange", 2, unlisted{em.Multinomial{}})
	_, err := params.Coordinates(params.Start())
	if !errors.Is(err, em.ErrCoordinates) {
		t.Errorf("error %v, want ErrCoordinates", err)
	}
	wantIn(t, err, "group strange")
	if _, err := params.Coordinates([]float64{1}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v, want ErrParameter", err)
	}
}

// TestCoordinatesGroup: coordinates are numbered group by group; a distribution of n outcomes
// has n−1 of them.
func TestCoordinatesGroup(t *testing.T) {
	params := em.NewParams()
	var groups []*em.Group
	for i, n := range []int{3, 1, 2} {
		groups = append(groups, params.Group(fmt.Sprint("g", i), n, em.Multinomial{}))
	}
	c := coordinatesOf(t, params, params.Start())
	if c.Dim() != 3 {
		t.Fatalf("%d coordinates, want 2 + 0 + 1", c.Dim())
	}
	for j, want := range []struct{ group, k int }{{0, 0}, {0, 1}, {2, 0}} {
		if g, k := c.Group(j); g != groups[want.group] || k != want.k {
			t.Errorf("coordinate %d is number %d of its group, want %d of group %d", j, k, want.k, want.group)
		}
	}
	for _, j := range []int{-1, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("coordinate %d: no panic", j)
				}
			}()
			c.Group(j)
		}()
	}
}
