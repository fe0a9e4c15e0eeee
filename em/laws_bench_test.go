package em_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
)

// BenchmarkLogLinear is one evaluation of an M step, probabilities and gradient, for
// 10⁴ sets of 10 outcomes with 5 terms each. The baseline does nothing else, with a
// table of 5 features per outcome.
func BenchmarkLogLinear(b *testing.B) {
	const d, sets, size, terms = 5000, 10000, 10, 5
	rng := rand.New(rand.NewPCG(1, 1))
	table := make([]int32, sets*size*terms)
	spec := make([][][]em.Term, sets)
	for s := range spec {
		spec[s] = make([][]em.Term, size)
		for o := range size {
			for k := range terms {
				f := rng.Int32N(d)
				table[(s*size+o)*terms+k] = f
				spec[s][o] = append(spec[s][o], em.Term{Strength: f, Times: 1})
			}
		}
	}
	params := em.NewParams()
	law := logLinearGroup(b, params, d, spec, em.LogLinearOptions{})
	theta, dx := params.Random(rng), make([]float64, d)
	counts := append(make([]float64, d), randomCounts(rng, sets*size)...)
	perTerm := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sets*size*terms), "ns/term")
	}
	b.Run("law", func(b *testing.B) {
		for b.Loop() {
			law.Derive(theta)
			law.Gradient(dx, theta, counts)
		}
		perTerm(b)
	})
	b.Run("hand", func(b *testing.B) {
		var p [size]float64
		for b.Loop() {
			clear(dx)
			for s := range sets {
				z, n := 0., 0.
				for o := range size {
					at, score := s*size+o, 0.
					for _, f := range table[at*terms : (at+1)*terms] {
						score += theta[f]
					}
					p[o] = math.Exp(score)
					z += p[o]
					n += counts[d+at]
				}
				for o := range size {
					at := s*size + o
					excess := counts[d+at] - n*p[o]/z
					for _, f := range table[at*terms : (at+1)*terms] {
						dx[f] += excess
					}
				}
			}
		}
		perTerm(b)
	})
}

// BenchmarkDensity is the log density of vectors of 10 components.
func BenchmarkDensity(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	points := cloud(rng, 1000, 10, 3, 1)
	for name, law := range map[string]em.Gaussian{"full": em.NewGaussian(10), "diagonal": em.NewGaussian(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)} {
		theta := make([]float64, law.Len())
		law.Start(theta)
		density, err := law.Density(theta)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, x := range points {
					density.Log(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(points)), "ns/vector")
		})
	}
}
