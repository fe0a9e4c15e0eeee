package graph_test

import (
	"errors"
	"fmt"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkTorus measures slowly mixing components of moderate fill, planning
// included: random walks in a random environment, at their own masses and conjugated
// so that neither rows nor columns have them.
func BenchmarkTorus(b *testing.B) {
	for _, side := range []int{100, 200} {
		for _, mass := range []float64{.9, .99, .999, 1 - 1e-6, 1} {
			r := graphtest.Rand(uint64(side))
			for name, g := range map[string]*graph.Graph[semiring.ScaledFloat]{
				"plain": graphtest.Scaled(graphtest.Torus(r, side, mass)), "conjugated": graphtest.ConjugatedTorus(r, side, mass),
			} {
				name = fmt.Sprintf("%d/%v/%s", side, mass, name)
				if _, err := graph.Forward(g); (err != nil) != (mass == 1) || err != nil && !errors.Is(err, semiring.ErrDiverges) {
					b.Errorf("%s: %v", name, err)
				}
				b.Run(name+"/Forward", func(b *testing.B) { benchCold(b, g, graph.Forward) })
				b.Run(name+"/Backward", func(b *testing.B) { benchCold(b, g, graph.Backward) })
			}
		}
	}
}
