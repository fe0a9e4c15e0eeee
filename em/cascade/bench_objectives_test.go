package cascade_test

import (
	"context"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// E steps of one set of pairs: the likelihood, the same with a Hessian-vector product,
// and the conditional likelihood, whose other lattices have a cycle at every state:
// insertions without end.
func BenchmarkObjectives(b *testing.B) {
	problem, data := noisyProblem(b, em.Multinomial{})
	theta := problem.Params.Start()
	plain := likelihood(b, problem, cascade.Data{Examples: data})
	conditional, err := problem.ConditionalLikelihood(cascade.Data{Examples: data})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		l     em.Likelihood
		query em.Query
	}{
		{"Likelihood", plain, em.Query{Theta: theta, Workers: 1}},
		{"HessianVector", plain, em.Query{Theta: theta, Workers: 1, Tangent: theta}},
		{"Conditional", conditional, em.Query{Theta: theta, Workers: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			arcs := int64(0)
			for b.Loop() {
				e, err := c.l.Expect(context.Background(), c.query)
				if err != nil {
					b.Fatal(err)
				}
				arcs = e.Arcs
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
		})
	}
}
