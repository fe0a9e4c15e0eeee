package mixture_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/mixture"
)

// An E step over ten thousand vectors of 4 numbers and 3 components, and the densities
// alone, as a loop over them would compute.
func BenchmarkEStep(b *testing.B) {
	const size, d, components = 10000, 4, 3
	x := vectors(graphtest.Rand(1), size, d, components, false)
	for _, test := range []struct {
		name  string
		shape mixture.Shape
	}{{"diagonal", mixture.Diagonal}, {"full", mixture.Full}} {
		b.Run(test.name, func(b *testing.B) {
			m, data, err := mixture.Gaussian(x, components, test.shape, em.GaussianPrior{})
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
