package em_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestMissing: the density of the observed components is their marginal density,
// and the statistics of the missing ones are averages over the conditional distribution, computed
// by sums over a grid, for one missing component.
func TestMissing(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		points := cloud(rng, 9, 4, 2, 1)
		law := em.NewGaussian(3, 1)
		theta, counts := make([]float64, law.Len()), make([]float64, law.Len())
		for _, x := range points {
			law.AddCounts(counts, x, 1)
		}
		law.Start(theta)
		if err := law.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		d := densityOf(t, law, theta)
		mean, covariance := d.Mean(), d.Covariance()
		for _, seen := range [][]int{{0, 1, 2, 3}, {0, 1, 3}, {0, 2}, {1, 3}, {2}, {3}, {}} {
			x, part := slices.Repeat([]float64{math.NaN()}, 4), em.NewGaussian(len(seen))
			var center, y []float64
			c := mat.NewSymDense(max(1, len(seen)), nil)
			for i, k := range seen {
				x[k] = rng.NormFloat64()
				center, y = append(center, mean[k]), append(y, x[k])
				for j := range i + 1 {
					c.SetSym(i, j, covariance.At(k, seen[j]))
				}
			}
			want := 0.0
			if len(seen) > 0 {
				phi := make([]float64, part.Len())
				if err := part.SetDensity(phi, center, c); err != nil {
					t.Fatal(err)
				}
				want = densityOf(t, part, phi).Log(y)
			}
			if got := d.Log(x); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("seed %d: ln density %g of %v, want %g", seed, got, x, want)
			}
		}
		law.Center = []float64{1, 2, 3, 4}
		for missing := range 4 {
			x := slices.Clone(points[0])
			x[missing] = math.NaN()
			got, want := make([]float64, law.Len()), make([]float64, law.Len())
			law.AddExpected(got, d, x, .7)
			total := math.Exp(d.Log(x))
			const step = .02
			deviation := math.Sqrt(covariance.At(missing, missing))
			for z := -12.; z < 12; z += step {
				x[missing] = mean[missing] + z*deviation
				law.AddCounts(want, x, .7*math.Exp(d.Log(x))/total*step*deviation)
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
					t.Errorf("seed %d, component %d missing: count %d is %g, want %g", seed, missing, i, got[i], want[i])
				}
			}
		}
	}
}
