package em_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// normals is the likelihood of points under a mixture of Gaussians: group 0 holds
// the proportions, the other groups hold the components.
type normals struct {
	params *em.Params
	law    em.Gaussian
	points [][]float64
}

func newNormals(components int, law em.Gaussian, points [][]float64) normals {
	params := em.NewParams()
	params.Group("proportions", components, em.Multinomial{})
	for c := range components {
		params.Group(fmt.Sprint("component ", c), law.Len(), law)
	}
	return normals{params, law, points}
}

func (m normals) Params() *em.Params      { return m.params }
func (m normals) Shards() int             { return 1 }
func (m normals) Fingerprint(w io.Writer) { fmt.Fprintln(w, m.points) }

func (m normals) Expect(_ context.Context, q em.Query) (*em.Expectations, error) {
	if err := m.params.Check(q.Theta); err != nil {
		return nil, err
	}
	groups := m.params.Groups()
	densities := make([]*em.Density, len(groups)-1)
	for c := range densities {
		var err error
		if densities[c], err = m.law.Density(groups[c+1].In(q.Theta)); err != nil {
			return nil, err
		}
	}
	e := &em.Expectations{Counts: make([]float64, m.params.Len()), Curvature: make([]float64, m.params.Len()), Examples: len(m.points)}
	direction := q.Tangent
	if direction == nil {
		direction = make([]float64, m.params.Len())
	}
	logs, along := make([]float64, len(densities)), make([]float64, len(densities))
	for _, x := range m.points {
		top := math.Inf(-1)
		for c, d := range densities {
			logs[c] = math.Log(q.Theta[c]) + d.Log(x)
			top = math.Max(top, logs[c])
			statistic := make([]float64, m.law.Len())
			m.law.AddCounts(statistic, x, 1)
			along[c] = direction[c] + dot(groups[c+1].In(direction), statistic)
		}
		z, mean := 0.0, 0.0
		for _, l := range logs {
			z += math.Exp(l - top)
		}
		for c, l := range logs {
			mean += math.Exp(l-top) / z * along[c]
		}
		for c, l := range logs {
			p := math.Exp(l-top) / z
			e.Counts[c] += p
			m.law.AddCounts(groups[c+1].In(e.Counts), x, p)
			e.Curvature[c] += p * (along[c] - mean)
			m.law.AddCounts(groups[c+1].In(e.Curvature), x, p*(along[c]-mean))
		}
		e.LogLikelihood += top + math.Log(z)
	}
	return e, nil
}

// cloud draws points around some centers.
func cloud(rng *rand.Rand, n, d, centers int, distance float64) [][]float64 {
	at := make([][]float64, centers)
	for c := range at {
		for range d {
			at[c] = append(at[c], distance*rng.NormFloat64())
		}
	}
	points := make([][]float64, n)
	for i := range points {
		common := rng.NormFloat64()
		for _, v := range at[i%centers] {
			points[i] = append(points[i], v+common+rng.NormFloat64())
		}
	}
	return points
}

func randomGaussian(t testing.TB, rng *rand.Rand, points [][]float64) em.Gaussian {
	t.Helper()
	d := len(points[0])
	blocks := []int{d}
	if k := rng.IntN(d); k > 0 {
		blocks = []int{k, d - k}
	}
	g, err := em.NewGaussian(blocks...).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	if rng.IntN(2) == 0 {
		g.Prior = em.GaussianPrior{Weight: 2 * rng.Float64(), Degrees: 5 * rng.Float64()}
		for range d {
			g.Prior.Scale = append(g.Prior.Scale, .1+rng.Float64())
			g.Prior.Mean = append(g.Prior.Mean, rng.NormFloat64())
		}
	}
	return g
}

// randomTheta moves the start's coordinates at random.
func randomTheta(t testing.TB, rng *rand.Rand, params *em.Params) []float64 {
	theta := params.Random(rng)
	c := coordinatesOf(t, params, theta)
	dx := make([]float64, c.Dim())
	for j := range dx {
		dx[j] = .5 * rng.NormFloat64()
	}
	return c.Theta(shifted(c.Of(theta), 1, dx))
}

func TestGaussianDensity(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 10))
		points := cloud(rng, 4, 3, 1, 1)
		params := em.NewParams()
		law := em.NewGaussian(1, 2)
		params.Group("g", law.Len(), law)
		theta := randomTheta(t, rng, params)
		d, err := law.Density(theta)
		if err != nil {
			t.Fatal(err)
		}
		cov := mat.NewDense(3, 3, []float64{theta[4], 0, 0, 0, theta[5], theta[6], 0, theta[6], theta[7]})
		var inverse mat.Dense
		if err := inverse.Inverse(cov); err != nil {
			t.Fatal(err)
		}
		for _, x := range points {
			z := mat.NewVecDense(3, shifted(x, -1, theta[1:4]))
			want := -(3*math.Log(2*math.Pi) + math.Log(mat.Det(cov)) + mat.Inner(z, &inverse, z)) / 2
			counts := make([]float64, law.Len())
			law.AddCounts(counts, x, 1)
			if got, score := d.Log(x), law.Score(theta, counts); !closeTo(got, want, 1e-11) || !closeTo(score, want, 1e-11) {
				t.Errorf("seed %d: log density %g, score %g, want %g", seed, got, score, want)
			}
		}
		if n := testing.AllocsPerRun(10, func() { d.Log(points[0]) }); n > 0 {
			t.Errorf("%g allocations", n)
		}
	}
}

// TestGaussianMixture: EM climbs and recovers the components from which the points were
// drawn, far from the origin.
func TestGaussianMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var points [][]float64
	for i := range 4000 {
		z, u := rng.NormFloat64(), rng.NormFloat64()
		if i%4 == 0 {
			points = append(points, []float64{1e4 + z, .5*z + u})
		} else {
			points = append(points, []float64{1e4 + 6 + 2*z, -3 + .5*u})
		}
	}
	law, err := em.NewGaussian(2).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	m := newNormals(2, law, points)
	opts := em.Options{Start: m.params.Random(rng), Iterations: 300, Tolerance: 1e-10}
	r, err := em.Fit(context.Background(), m, &opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []em.Method{em.LBFGS{}, em.Squarem{}} {
		opts.Method = method
		other, err := em.Fit(context.Background(), m, &opts)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := other.Last(), r.Last(); !closeTo(got, want, 1e-7) {
			t.Errorf("%v leads to %.12g, EM to %.12g", method, got, want)
		}
	}
	for i := 1; i < len(r.Objective); i++ {
		if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
			t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
		}
	}
	groups := m.params.Groups()
	first, second := groups[1].In(r.Theta), groups[2].In(r.Theta)
	proportion := r.Theta[0]
	if first[1] > second[1] {
		first, second, proportion = second, first, 1-proportion
	}
	if math.Abs(proportion-.25) > .03 {
		t.Errorf("proportion %g, want 0.25", proportion)
	}
	for i, want := range []float64{1, 1e4, 0, 1, .5, 1.25} {
		if math.Abs(first[i]-want) > .15 {
			t.Errorf("first component: parameter %d is %g, want %g", i, first[i], want)
		}
	}
	for i, want := range []float64{1, 1e4 + 6, -3, 4, 0, .25} {
		if math.Abs(second[i]-want) > .3 {
			t.Errorf("second component: parameter %d is %g, want %g", i, second[i], want)
		}
	}
}

// TestGaussianDegenerate: a covariance that would be singular is an error that
// names the group; with a prior there is no error.
func TestGaussianDegenerate(t *testing.T) {
	line := [][]float64{{1, 2}, {2, 4}, {3, 6}}
	for _, c := range []struct {
		law    em.Gaussian
		points [][]float64
		says   string
	}{
		{em.NewGaussian(2), line, "group component 0: posterior has no mode: components 0 to 1"},
		{em.NewGaussian(1, 1), line[:1], "group component 0: posterior has no mode: component 0 has the variance 0"},
		{em.NewGaussian(1, 1), [][]float64{{1e9, 1}, {1e9 + 1e-5, 2}}, "component 0 has the variance"},
	} {
		m := newNormals(1, c.law, c.points)
		_, err := em.Fit(context.Background(), m, nil)
		if !errors.Is(err, em.ErrNoMode) {
			t.Errorf("error %v, want ErrNoMode", err)
		}
		wantIn(t, err, c.says)
		if _, err := em.Fit(context.Background(), m, &em.Options{Method: em.LBFGS{}}); !errors.Is(err, em.ErrNoMode) {
			t.Errorf("L-BFGS: error %v, want ErrNoMode", err)
		}
		c.law.Prior = em.GaussianPrior{Scale: []float64{.1, .1}, Degrees: 4}
		if c.law, err = c.law.Around(c.points); err != nil {
			t.Fatal(err)
		}
		if _, err := em.Fit(context.Background(), newNormals(1, c.law, c.points), nil); err != nil {
			t.Errorf("with a prior: %v", err)
		}
	}
}

func TestGaussianAroundRefuses(t *testing.T) {
	g := em.NewGaussian(2)
	for says, points := range map[string][][]float64{
		"no data": nil, "vector 1 has 1": {{1, 2}, {1}}, "component 1 of vector 0 is NaN": {{1, math.NaN()}},
	} {
		_, err := g.Around(points)
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("error %v, want ErrParameter", err)
		}
		wantIn(t, err, says)
	}
}

// TestGaussianFarStart: from deviations that are far too small the gradient first leads out
// of range, and then to the optimum.
func TestGaussianFarStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	law := em.NewGaussian(2)
	law.Scale = []float64{1e-8, 1e-8}
	m := newNormals(1, law, cloud(rng, 50, 2, 3, 100))
	r, err := em.Fit(context.Background(), m, &em.Options{Method: em.LBFGS{}, Iterations: 1000, Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	want, err := em.Fit(context.Background(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Last(); !closeTo(got, want.Last(), 1e-8) {
		t.Errorf("optimum %.12g, want %.12g", got, want.Last())
	}
}

// TestGradientOfDegenerateGaussians: like EM, L-BFGS names the distribution that has specialized in
// too few points, and otherwise ends at a mode no lower than its start.
func TestGradientOfDegenerateGaussians(t *testing.T) {
	points := [][]float64{{1}, {2}, {9}, {3}, {2}, {1}, {4}, {5}, {7}, {6}, {8}}
	law, err := em.NewGaussian(1).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	degenerate, modes := 0, 0
	for seed := range trials.Seeds(60) {
		m := newNormals(3, law, points[:3+seed%9])
		start := m.params.Random(rand.NewPCG(seed, 11))
		r, err := em.Fit(context.Background(), m, &em.Options{Method: em.LBFGS{}, Start: start, Iterations: 3000})
		if errors.Is(err, em.ErrNoMode) {
			degenerate++
			wantIn(t, err, "L-BFGS: group component", "has the variance")
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		modes++
		if r.Last() < r.Objective[0] || r.Last() > 0 {
			t.Errorf("seed %d: from %g to %g, %v", seed, r.Objective[0], r.Last(), r.Status)
		}
		for _, g := range m.params.Groups()[1:] {
			if v := g.In(r.Theta)[2]; v < 1e-9 {
				t.Errorf("seed %d: %s has the variance %g", seed, g, v)
			}
		}
	}
	if degenerate < 10 || modes < 10 {
		t.Errorf("%d starts degenerated, and %d found a mode", degenerate, modes)
	}
}

// TestCollapse: a component of a mixture that specializes in one point ends its start, not
// the others.
func TestCollapse(t *testing.T) {
	points := [][]float64{{1}, {1.2}, {.9}, {1.1}, {3}, {3.2}, {9}}
	law, err := em.NewGaussian(1).Around(points)
	if err != nil {
		t.Fatal(err)
	}
	r, err := em.Fit(context.Background(), newNormals(2, law, points), &em.Options{Restarts: 20, Rand: rand.NewPCG(1, 2), Iterations: 300})
	if err != nil {
		t.Fatal(err)
	}
	collapsed := 0
	for i, s := range r.Starts {
		if s.Status == em.Infeasible {
			collapsed++
			if !strings.Contains(s.Reason, "posterior has no mode") || i == r.Start {
				t.Errorf("start %d of which %d has won: %q", i, r.Start, s.Reason)
			}
		}
	}
	if collapsed == 0 || collapsed == len(r.Starts) {
		t.Errorf("%d starts have collapsed", collapsed)
	}
}
