package cascade_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/benchtime"
)

// E steps of one set of pairs: the likelihood, the likelihood with a Hessian-vector product, and
// the conditional likelihood, whose denominator lattices have a cycle at every state: unlimited
// insertions.
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

// BenchmarkUnused measures E steps of a model besides expressions of a dropped machine: the time
// should not depend on their number.
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
		l := likelihood(b, problem, cascade.Data{Examples: data, Strategy: cascade.ByLattice})
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

// E steps of a string with three garbled copies, with lattices rebuilt each time. The string is
// known, which cuts the tree; or known as a set of that one string, so that the copies meet in a
// product; or hidden, with two copies.
func BenchmarkTrees(b *testing.B) {
	const examples = 8
	for _, length := range []int{4, 8, 16} {
		rng := rand.New(rand.NewPCG(1, 31))
		params := em.NewParams()
		problem := cascade.Problem{Params: params}
		for copy := range 3 {
			problem.Edges = append(problem.Edges, cascade.Edge{From: 0, To: copy + 1, Machines: []cascade.Stage{channel(b, params, em.Multinomial{}, 26)}})
		}
		kinds := map[string][]cascade.Example{}
		for range examples {
			var s [4][]int32
			var tapes []cascade.Side
			for v := range s {
				for range length {
					s[v] = append(s[v], 1+rng.Int32N(26))
				}
				tapes = append(tapes, cascade.Labels(s[v]...))
			}
			set := cascade.Set(fst.FromString(params.Space(), s[0]))
			kinds["string"] = append(kinds["string"], cascade.Example{Tapes: tapes})
			kinds["set"] = append(kinds["set"], cascade.Example{Tapes: append([]cascade.Side{set}, tapes[1:]...)})
			kinds["hidden"] = append(kinds["hidden"], cascade.Example{Tapes: []cascade.Side{{}, tapes[1], tapes[2]}})
		}
		two := cascade.Problem{Params: params, Edges: problem.Edges[:2]}
		problems := map[string]cascade.Problem{"string": problem, "set": problem, "hidden": two}
		theta := params.Start()
		for _, kind := range []string{"string", "set", "hidden"} {
			l := likelihood(b, problems[kind], cascade.Data{Examples: kinds[kind], CacheBytes: -1})
			b.Run(fmt.Sprintf("length=%d/%s", length, kind), func(b *testing.B) {
				defer benchtime.Per(b, examples, "example")()
				for b.Loop() {
					e, err := l.Expect(context.Background(), em.Query{Theta: theta, Workers: 1})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(e.Arcs)/examples, "arcs/example")
				}
			})
		}
	}
}
