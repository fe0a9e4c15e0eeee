package graph_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkCyclic measures path sums of random graphs of one component, which are
// iterated, and of a chain of small components.
func BenchmarkCyclic(b *testing.B) {
	for _, name := range []string{"cyclic", "cyclic_slow", "cyclic_scc"} {
		g := readGraph(b, name+".fsa.txt")
		benchCyclic(b, name+"/Scaled", scaledOf(g))
		benchCyclic(b, name+"/Real", realOf(g))
		benchCyclic(b, name+"/Log", logOf(g))
	}
}

func benchCyclic[W any](b *testing.B, name string, g *graph.Graph[W]) {
	b.Run(name+"/PathSum", func(b *testing.B) { benchCall(b, g, graph.PathSum) })
	b.Run(name+"/Posteriors", func(b *testing.B) { benchCall(b, g, graph.Posteriors) })
	b.Run(name+"/Forward", func(b *testing.B) { benchSolved(b, g, graph.Forward, forwardResidual) })
	b.Run(name+"/Backward", func(b *testing.B) { benchSolved(b, g, graph.Backward, backwardResidual) })
	b.Run(name+"/Forward/cold", func(b *testing.B) { benchCold(b, g, graph.Forward) })
	b.Run(name+"/Backward/cold", func(b *testing.B) { benchCold(b, g, graph.Backward) })
}

// benchSolved reports the residual besides.
func benchSolved[W any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) ([]W, error), check func(*graph.Graph[W], []W) float64) {
	x, err := f(g)
	if err != nil {
		b.Fatal(err)
	}
	benchCall(b, g, f)
	b.ReportMetric(check(g, x)*1e15, "residual/1e-15")
}

// BenchmarkNests measures loop nests, planning included.
func BenchmarkNests(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		for name, g := range map[string]*graph.Graph[float64]{
			"regular":   nestedLoops(n),
			"irregular": irregularNest(graphtest.Rand(1), n),
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				benchCold(b, graphtest.Scaled(g), graph.Forward)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/state")
			})
		}
	}
}

// BenchmarkDense measures components with an arc between any two states.
func BenchmarkDense(b *testing.B) {
	for _, n := range []int{10, 30, 100, 300, 1000, 4000} {
		g := graphtest.Scaled(complete(graphtest.Rand(1), n, .99))
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchSolved(b, g, graph.Forward, forwardResidual) })
	}
}

// complete has arcs of total mass mass from every state to all states but one, and
// the rest goes to that.
func complete(r *rand.Rand, n int, mass float64) *graph.Graph[float64] {
	arcs := make([]arc, 0, n*(n+1))
	for s := range n {
		for q, w := range graphtest.Split(r, n, mass) {
			arcs = append(arcs, arc{s, q, w})
		}
		arcs = append(arcs, arc{s, n, 1 - mass})
	}
	return loops(n+1, arcs)
}

// nestedLoops is a chain of states in which a loop of 2^k states begins at every
// multiple of 2^k, k > 1: every second state that ends one goes back with
// probability ½, divided among the loops that end there.
func nestedLoops(n int) *graph.Graph[float64] {
	var arcs []arc
	for s := range n {
		on := 1.0
		for size := 4; (s+1)%size == 0; size *= 2 {
			arcs = append(arcs, arc{s, s + 1 - size, on / 4})
			on -= on / 4
		}
		arcs = append(arcs, arc{s, s + 1, on})
	}
	return loops(n+1, arcs)
}

// irregularNest is a random reducible flow graph of so many states, a program: a
// state goes on to the next one, back to the head of one of the loops around it, or to
// where one ends. Every state is left for good with probability .01.
func irregularNest(r *rand.Rand, n int) *graph.Graph[float64] {
	type loop struct{ head, end int }
	around := []loop{{0, n}}
	var arcs []arc
	for s := 0; s < n; s++ {
		for around[len(around)-1].end <= s {
			around = around[:len(around)-1]
		}
		for inner := around[len(around)-1]; inner.end-s > 4 && r.IntN(3) == 0; {
			// Long loops are rare.
			inner = loop{s, s + 2 + int(float64(inner.end-s-2)*math.Pow(r.Float64(), 4))}
			around = append(around, inner)
		}
		left := .99
		for range r.IntN(3) {
			w := left * (.1 + .3*r.Float64())
			left -= w
			to := around[max(0, len(around)-1-r.IntN(4))]
			arcs = append(arcs, arc{s, []int{to.head, to.end}[r.IntN(2)], w})
		}
		arcs = append(arcs, arc{s, s + 1, left}, arc{s, n, .01})
	}
	return loops(n+1, arcs)
}

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
