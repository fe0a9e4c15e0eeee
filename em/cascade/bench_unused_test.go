package cascade_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/benchtime"
)

// BenchmarkUnused measures E steps of a model beside expressions of a machine that was made and
// dropped: the time should not depend on how many there are.
func BenchmarkUnused(b *testing.B) {
	const words, n = 30, 100
	for _, dropped := range []int{0, 10_000, 100_000} {
		params := em.NewParams()
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel(b, params, em.Multinomial{}, words)}}
		rng := rand.New(rand.NewPCG(1, 1))
		data := make([]cascade.Example, n)
		for i := range data {
			data[i] = cascade.Example{X: cascade.Labels(1 + rng.Int32N(words)), Y: cascade.Labels(1 + rng.Int32N(words))}
		}
		g, space := params.Groups()[0], params.Space()
		for w := g.Weight(0); space.Len() < params.Len()+dropped; {
			w = space.Plus(space.Times(w, g.Weight(rng.IntN(g.Len()))), g.Weight(rng.IntN(g.Len())))
		}
		l := likelihood(b, problem, cascade.Data{Examples: data, Way: cascade.ByLattice})
		b.Run(fmt.Sprintf("dropped=%d", dropped), func(b *testing.B) {
			q := em.Query{Theta: params.Start(), Workers: 1}
			defer benchtime.Per(b, n, "example")()
			for b.Loop() {
				if _, err := l.Expect(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
