package em_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestFloor: variances of single components are the greater of variance and floor. In a block with
// equal floors, so are the eigenvalues of the covariance. If everything is above the floor, the
// floor changes no bit.
func TestFloor(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		points := cloud(rng, 12, 3, 2, 1)
		for _, blocks := range [][]int{{3}, {1, 1, 1}} {
			free := em.NewGaussian(blocks...)
			counts, want := make([]float64, free.Len()), make([]float64, free.Len())
			for _, x := range points {
				free.AddCounts(counts, x, 1)
			}
			free.Start(want)
			if err := free.Maximize(want, counts); err != nil {
				t.Fatal(err)
			}
			covariance := densityOf(t, free, want).Covariance()
			var e mat.EigenSym
			e.Factorize(covariance, true)
			values := e.Values(nil)
			floor := values[rng.IntN(3)] * (1 + rng.Float64())
			bound := free
			bound.Floor = slices.Repeat([]float64{floor}, 3)
			theta := make([]float64, bound.Len())
			bound.Start(theta)
			if err := bound.Maximize(theta, counts); err != nil {
				t.Fatal(err)
			}
			got := densityOf(t, bound, theta).Covariance()
			var after mat.EigenSym
			after.Factorize(got, false)
			for i, v := range after.Values(nil) {
				if w := max(values[i], floor); math.Abs(v-w) > 1e-12*w {
					t.Errorf("seed %d, %v: eigenvalue %g, want %g", seed, blocks, v, w)
				}
			}
			for k := range 3 { // in the same directions
				var vectors mat.Dense
				e.VectorsTo(&vectors)
				v := vectors.ColView(k)
				if w := max(values[k], floor); math.Abs(mat.Inner(v, got, v)-w) > 1e-12*w {
					t.Errorf("seed %d, %v: variance %g in direction %d, want %g", seed, blocks, mat.Inner(v, got, v), k, w)
				}
			}
			if len(bound.Remarks(theta)) == 0 {
				t.Errorf("seed %d, %v: no remark", seed, blocks)
			}
			bound.Floor = slices.Repeat([]float64{values[0] / 2}, 3)
			bound.Start(theta)
			if err := bound.Maximize(theta, counts); err != nil || !slices.Equal(theta, want) || len(bound.Remarks(theta)) != 0 {
				t.Errorf("seed %d, %v: a floor that does not act: %v, want %v, error %v", seed, blocks, theta, want, err)
			}
		}
	}
}

func densityOf(t *testing.T, law em.Gaussian, theta []float64) *em.Density {
	t.Helper()
	d, err := law.Density(theta)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFloorInTraining: if a component specializes in equal points, EM climbs to the floor, and
// the result has a remark. SQUAREM does so, too; methods that follow a gradient return an error.
func TestFloorInTraining(t *testing.T) {
	points := [][]float64{{5, 1}, {5, 1}, {5, 1}, {0, 0}, {1, 3}, {2, -1}, {9, 2}}
	law := em.NewGaussian(1, 1)
	law.Floor = []float64{.01, .04}
	m := newNormals(2, law, points)
	start := m.params.Start()
	copy(m.params.Groups()[1].In(start), []float64{1, 5, 1, .1, .1})
	copy(m.params.Groups()[2].In(start), []float64{1, 2, 1, 9, 9})
	r, err := em.Fit(context.Background(), m, &em.Options{Start: start, Iterations: 300, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(r.Objective); i++ {
		if r.Objective[i] < r.Objective[i-1]-1e-12*math.Abs(r.Objective[i]) {
			t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
		}
	}
	if got := m.params.Groups()[1].In(r.Theta)[3:]; !slices.Equal(got, law.Floor) {
		t.Errorf("variances %v, want %v", got, law.Floor)
	}
	want := []string{"group component 0: the variance of component 0 is at its floor 0.01", "group component 0: the variance of component 1 is at its floor 0.04"}
	if !slices.Equal(r.Remarks, want) {
		t.Errorf("remarks %q, want %q", r.Remarks, want)
	}
	other, err := em.Fit(context.Background(), m, &em.Options{Start: start, Iterations: 1000, Tolerance: 1e-12, Method: em.Squarem{}})
	if err != nil {
		t.Fatal(err)
	}
	if !closeTo(other.Last(), r.Last(), 1e-6) {
		t.Errorf("SQUAREM leads to %.9g, EM to %.9g", other.Last(), r.Last())
	}
	for _, method := range []em.Method{em.LBFGS{}, em.SGD{}} {
		if _, err := em.Fit(context.Background(), m, &em.Options{Start: start, Method: method}); !errors.Is(err, em.ErrMethod) {
			t.Errorf("%v: error %v, want ErrMethod", method, err)
		}
	}
	if err := em.Maximize(law, slices.Clone(m.params.Groups()[1].In(start)), make([]float64, law.Len())); !errors.Is(err, em.ErrMethod) {
		t.Errorf("em.Maximize: error %v, want ErrMethod", err)
	}
}

// TestFloorIsTheMaximum: with different floors, priors and ties, the M step's θ is at least as good
// as any valid θ, near it or far away.
func TestFloorIsTheMaximum(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 13))
		points := cloud(rng, 15, 1+rng.IntN(4), 2, 1)
		law := em.TiedGaussian{Gaussian: randomGaussian(t, rng, points), Means: 1 + rng.IntN(2)}
		for range law.Gaussian.Size() {
			law.Gaussian.Floor = append(law.Gaussian.Floor, 3*rng.Float64()+.01)
		}
		counts, theta := make([]float64, law.Len()), make([]float64, law.Len())
		for i, x := range points {
			law.Gaussian.AddCounts(law.Part(counts, i%law.Means), x, rng.Float64())
		}
		law.Start(theta)
		if err := law.Check(theta); err != nil {
			t.Fatalf("seed %d: start: %v", seed, err)
		}
		if err := law.Maximize(theta, counts); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := law.Check(theta); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		objective := func(theta []float64) float64 { return law.Score(theta, counts) + law.LogPrior(theta) }
		best, legal := objective(theta), 0
		x, dx, other := make([]float64, law.Dim(theta)), make([]float64, law.Dim(theta)), slices.Clone(theta)
		law.Coordinates(x, theta)
		for range 300 {
			size := math.Pow(10, -4*rng.Float64())
			for j := range dx {
				dx[j] = size * rng.NormFloat64()
			}
			if law.Theta(other, shifted(x, 1, dx)); law.Check(other) != nil {
				continue
			}
			legal++
			if q := objective(other); q > best+1e-9*(1+math.Abs(best)) {
				t.Errorf("seed %d: %.12g after the M step, %.12g elsewhere", seed, best, q)
			}
		}
		if legal == 0 && len(points[0]) < 3 {
			t.Errorf("seed %d: no θ was tried", seed)
		}
	}
}

// TestTiedMaximize: the means are the means of each distribution's points, and the covariance is
// the covariance of all deviations from them.
func TestTiedMaximize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	points := cloud(rng, 30, 2, 3, 4)
	law := em.TiedGaussian{Gaussian: em.NewGaussian(2), Means: 3}
	theta, counts := make([]float64, law.Len()), make([]float64, law.Len())
	law.Start(theta)
	var means [3][2]float64
	for i, x := range points {
		law.Gaussian.AddCounts(law.Part(counts, i%3), x, 1)
		for j, v := range x {
			means[i%3][j] += v / 10
		}
	}
	if err := law.Maximize(theta, counts); err != nil {
		t.Fatal(err)
	}
	var want [2][2]float64
	for i, x := range points {
		for a := range 2 {
			for b := range 2 {
				want[a][b] += (x[a] - means[i%3][a]) * (x[b] - means[i%3][b]) / 30
			}
		}
	}
	for k := range 3 {
		d := densityOf(t, law.Gaussian, law.Part(theta, k))
		for a := range 2 {
			if math.Abs(d.Mean()[a]-means[k][a]) > 1e-12 {
				t.Errorf("mean %v of %d, want %v", d.Mean(), k, means[k])
			}
			for b := range 2 {
				if got := d.Covariance().At(a, b); math.Abs(got-want[a][b]) > 1e-12 {
					t.Errorf("covariance %d, %d of %d is %g, want %g", a, b, k, got, want[a][b])
				}
			}
		}
	}
	if err := law.SetDensity(theta, 1, []float64{7, 8}, mat.NewDiagDense(2, []float64{2, 3})); err != nil {
		t.Fatal(err)
	}
	if err := law.Check(theta); err != nil || theta[law.Gaussian.Len()+1] != 7 {
		t.Errorf("after SetDensity: %v, error %v", theta, err)
	}
}
