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

// E steps of a string with three garbled copies, lattices built anew: the string known,
// which cuts the tree; known as a set of that one string, so that the copies meet in a
// product; and hidden, with two copies.
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
