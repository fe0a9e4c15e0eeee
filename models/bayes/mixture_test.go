package bayes_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// vectors draws vectors of d numbers around so many centres, some of them missing.
func vectors(rng *rand.Rand, size, d, centres int, missing bool) [][]float64 {
	var x [][]float64
	for range size {
		v := make([]float64, d)
		c := float64(rng.IntN(centres))
		for j := range v {
			v[j] = 15*c*float64(1-2*(j%2)) + rng.NormFloat64()
			if j > 0 {
				v[j] += .5 * v[j-1]
			}
			if missing && rng.IntN(5) == 0 {
				v[j] = math.NaN()
			}
		}
		x = append(x, v)
	}
	return x
}

// One component is the normal distribution of the data's mean and covariance.
func TestOneComponent(t *testing.T) {
	x := vectors(graphtest.Rand(1), 50, 2, 1, false)
	m, data, err := bayes.NewMixture(x, 1, bayes.Full, em.GaussianPrior{})
	if err != nil {
		t.Fatal(err)
	}
	must(m.Fit(ctx, data, nil))
	f := must(m.Network()).Family(1)
	mean, covariance := make([]float64, 2), make([]float64, 4)
	for _, v := range x {
		for i := range mean {
			mean[i] += v[i] / 50
		}
	}
	for _, v := range x {
		for i := range covariance {
			covariance[i] += (v[i/2] - mean[i/2]) * (v[i%2] - mean[i%2]) / 50
		}
	}
	for i, c := range covariance {
		if !near(f.Normals[0].Covariance[i], c) || !near(f.Normals[0].Mean[i/2], mean[i/2]) {
			t.Errorf("fit %v, want mean %v and covariance %v", f.Normals[0], mean, covariance)
		}
	}
}

// normal is the density of independent numbers; missing ones are left out.
func normal(x []float64, mean, variance []float64) float64 {
	p := 1.
	for j, v := range x {
		if v == v {
			p *= math.Exp(-(v-mean[j])*(v-mean[j])/2/variance[j]) / math.Sqrt(2*math.Pi*variance[j])
		}
	}
	return p
}

// Three iterations of EM for a diagonal mixture, with missing numbers, against EM written
// out.
func TestDiagonal(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := graphtest.Rand(seed)
		const size, d, k = 40, 3, 2
		x := vectors(rng, size, d, k, true)
		m, data, err := bayes.NewMixture(x, k, bayes.Diagonal, em.GaussianPrior{})
		if err != nil {
			t.Fatal(err)
		}
		m.Theta = m.Params.Random(rng)
		n := must(m.Network())
		weight := n.Family(0).Table
		var mean, variance [k][]float64
		for c := range k {
			for j := range d {
				mean[c] = append(mean[c], n.Family(1 + j).Normals[c].Mean[0])
				variance[c] = append(variance[c], n.Family(1 + j).Normals[c].Covariance[0])
			}
		}
		r := must(m.Fit(ctx, data, &em.Options{Iterations: 3, Tolerance: -1}))
		for step := range 3 {
			total := 0.
			var of [k][size]float64
			for i, v := range x {
				p := 0.
				for c := range k {
					of[c][i] = weight[c] * normal(v, mean[c], variance[c])
					p += of[c][i]
				}
				for c := range k {
					of[c][i] /= p
				}
				total += math.Log(p)
			}
			if !near(r.Objective[step], total) {
				t.Fatalf("seed %d: objective %v, want %v", seed, r.Objective[step], total)
			}
			for c := range k {
				weight[c] = 0
				for _, p := range of[c] {
					weight[c] += p / size
				}
				for j := range d {
					sum, first, second := 0., 0., 0.
					for i, v := range x {
						if p := of[c][i]; v[j] == v[j] {
							sum, first, second = sum+p, first+p*v[j], second+p*v[j]*v[j]
						}
					}
					mean[c][j] = first / sum
					variance[c][j] = second/sum - mean[c][j]*mean[c][j]
				}
			}
		}
	}
}

// Components that are far apart are found, in both shapes, and rows are told apart.
func TestSeparated(t *testing.T) {
	for _, shape := range []bayes.Shape{bayes.Diagonal, bayes.Full} {
		x := vectors(graphtest.Rand(5), 120, 2, 3, false)
		m, data, err := bayes.NewMixture(x, 3, shape, em.GaussianPrior{Degrees: 2, Scale: []float64{1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Fit(ctx, data, nil); !errors.Is(err, em.ErrSymmetric) {
			t.Errorf("components that are alike: %v", err)
		}
		must(m.Fit(ctx, data, &em.Options{Restarts: 10, Rand: rand.NewPCG(1, 1), EStep: em.Viterbi}))
		n := must(m.Network())
		centre := map[int]int{}
		for i, r := range data.Rows {
			q := must(n.Posteriors(r)).States(0)
			best := 0
			for c := range q {
				if q[c] > q[best] {
					best = c
				}
			}
			c, ok := centre[int(math.Round(x[i][0]/15))]
			if ok && c != best || q[best] < .9 {
				t.Errorf("shape %d: row %v has component %d with probability %v, others of its centre %d", shape, x[i], best, q[best], c)
			}
			centre[int(math.Round(x[i][0]/15))] = best
		}
		if len(centre) != 3 {
			t.Errorf("centres %v", centre)
		}
	}
}

// TestShrinkingComponent: a component that shrinks to a point ends its start, with a remark.
func TestShrinkingComponent(t *testing.T) {
	m, data, err := bayes.NewMixture([][]float64{{0}, {0}, {1}}, 2, bayes.Full, em.GaussianPrior{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Fit(ctx, data, &em.Options{Restarts: 5, Rand: rand.NewPCG(1, 1)})
	shrinks := func(s em.StartResult) bool {
		return s.Status == em.Infeasible && strings.Contains(s.Reason, em.ErrNoMode.Error())
	}
	if err != nil || !slices.ContainsFunc(r.Starts, shrinks) {
		t.Errorf("a component that shrinks to a point: %+v, %v", r, err)
	}
}

// A few known classes tell components apart that all look alike at first.
func TestPartlyObservedClass(t *testing.T) {
	n := must(bayes.NaiveBayes(bayes.Variable{Name: "class", States: []string{"bad", "good"}},
		bayes.Variable{Name: "a", States: []string{"0", "1"}}, bayes.Variable{Name: "b", States: []string{"0", "1"}}))
	m := must(bayes.NewModel(n, bayes.SameLaw(em.Dirichlet{Alpha: 1.1})))
	nan := math.NaN()
	data := bayes.Data{Rows: []bayes.Row{{0, 0, 0}, {1, 1, 1}, {nan, 0, 0}, {nan, 1, 1}, {nan, 1, 0}, {nan, 1, 1}, {nan, nan, 0}}}
	r := must(m.Fit(ctx, data, &em.Options{Iterations: 1000}))
	q := must(must(m.Network()).Posteriors(bayes.Row{nan, 1, 1})).States(0)
	if r.Status != em.Converged || q[1] < .9 {
		t.Errorf("%v; the row of the good is good with probability %v", r.Status, q[1])
	}
}

// TestStartKMeans: from clusters, components that are far apart are found at once.
func TestStartKMeans(t *testing.T) {
	for _, shape := range []bayes.Shape{bayes.Diagonal, bayes.Full} {
		rng := graphtest.Rand(14)
		var x [][]float64
		for i := range 150 {
			x = append(x, []float64{20*float64(i%3) + rng.NormFloat64(), 1e6*float64(i%3) + 1e4*rng.NormFloat64()})
		}
		m, data, err := bayes.NewMixture(x, 3, shape, em.GaussianPrior{})
		if err != nil {
			t.Fatal(err)
		}
		data.Rows = append(data.Rows, bayes.Row{math.NaN(), 1e9, 0})
		data.Weights = append(slices.Repeat([]float64{1}, len(x)), 0)
		if err := m.StartKMeans(data, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		must(m.Fit(ctx, data, nil))
		means := make([]float64, 3)
		for c, x := range must(m.Network()).Families()[1].Normals {
			means[c] = x.Mean[0]
		}
		slices.Sort(means)
		for c, mean := range means {
			if math.Abs(mean-20*float64(c)) > .6 {
				t.Errorf("shape %d: means %v, want about 0, 20, 40", shape, means)
			}
		}
	}
	m, data, err := bayes.NewMixture([][]float64{{1}, {2}, {1}}, 3, bayes.Diagonal, em.GaussianPrior{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.StartKMeans(data, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("two different rows for three components: %v", err)
	}
}

// An E step over ten thousand vectors of 4 numbers and 3 components, and the densities
// alone, as a loop over them would compute.
func BenchmarkMixture(b *testing.B) {
	const size, d, components = 10000, 4, 3
	x := vectors(graphtest.Rand(1), size, d, components, false)
	for _, test := range []struct {
		name  string
		shape bayes.Shape
	}{{"diagonal", bayes.Diagonal}, {"full", bayes.Full}} {
		b.Run(test.name, func(b *testing.B) {
			m, data, err := bayes.NewMixture(x, components, test.shape, em.GaussianPrior{})
			if err != nil {
				b.Fatal(err)
			}
			m.Theta = m.Params.Random(graphtest.Rand(2))
			l := must(m.Likelihood(data))
			defer benchtime.Per(b, size, "row")()
			for b.Loop() {
				must(l.Expect(ctx, em.Query{Theta: m.Theta, Workers: 1}))
			}
		})
	}
	b.Run("full, densities alone", func(b *testing.B) {
		law := must(em.NewGaussian(d).Around(x))
		theta := make([]float64, law.Len())
		law.Start(theta)
		density := must(law.Density(theta))
		defer benchtime.Per(b, size, "row")()
		for b.Loop() {
			for _, v := range x {
				for range components {
					density.Log(v)
				}
			}
		}
	})
}
