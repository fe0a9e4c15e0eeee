package graph_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
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

// benchSolved also reports the residual.
func benchSolved[W any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) ([]W, error), check func(*graph.Graph[W], []W) float64) {
	x, err := f(g)
	if err != nil {
		b.Fatal(err)
	}
	benchCall(b, g, f)
	b.ReportMetric(check(g, x)*1e15, "residual/1e-15")
}

// BenchmarkCyclicRings measures sums with derived weights, in the shapes of BenchmarkCyclic and
// BenchmarkNests.
func BenchmarkCyclicRings(b *testing.B) {
	nest := graph.Map(irregularNest(graphtest.Rand(1), 1e4), semiring.Tropical{},
		func(p float64) semiring.Cost { return semiring.Cost(-math.Log(p)) })
	for name, g := range map[string]*graph.Graph[semiring.Cost]{"scc": readGraph(b, "cyclic_scc.fsa.txt"), "nest": nest} {
		lex, err := semiring.Lex(semiring.Tropical{}, semiring.Tropical{})
		if err != nil {
			b.Fatal(err)
		}
		pair := semiring.Product(semiring.Scaled{}, semiring.Scaled{})
		benchSum(b, name+"/Tropical", g)
		benchSum(b, name+"/Expectation", expectationOf(g))
		benchSum(b, name+"/Lex", graph.Map(g, lex, func(c semiring.Cost) semiring.Pair[semiring.Cost, semiring.Cost] {
			return semiring.Pair[semiring.Cost, semiring.Cost]{First: c, Second: c}
		}))
		benchSum(b, name+"/Product", graph.Map(g, pair, func(c semiring.Cost) semiring.Pair[semiring.ScaledFloat, semiring.ScaledFloat] {
			p := semiring.ScaledFromLog(-float64(c))
			return semiring.Pair[semiring.ScaledFloat, semiring.ScaledFloat]{First: p, Second: p}
		}))
	}
}

func benchSum[W any](b *testing.B, name string, g *graph.Graph[W]) {
	b.Run(name+"/Forward", func(b *testing.B) { benchCall(b, g, graph.Forward) })
	b.Run(name+"/Backward", func(b *testing.B) { benchCall(b, g, graph.Backward) })
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

// complete has arcs of total mass mass from every state to all states except one, to which the
// rest goes.
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

// irregularNest is a random reducible flow graph of n states, a program: a state continues with
// the next one, the head of an enclosing loop, or the end of one. Every state is left for good
// with probability .01.
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

// BenchmarkTorus measures slowly mixing components of moderate fill, planning included: random
// walks in a random environment, at their own masses and conjugated so that masses of rows and
// columns differ from them.
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

// denseGraph has an arc from every state to every other, and mass .9 out of each.
func denseGraph(b *testing.B, n int) *graph.Graph[float64] {
	r := graphtest.Rand(1)
	row, to, w := []int32{0}, []int32{}, []float64{}
	for range n {
		for q := range n {
			to, w = append(to, int32(q)), append(w, 1.8*r.Float64()/float64(n))
		}
		row = append(row, int32(len(to)))
	}
	return must(graph.New(semiring.Real{}, row, to, w, nil, make([]float64, n)))(b)
}

// shortLoops is a chain of n states with arcs back over short distances.
func shortLoops(b *testing.B, n int) *graph.Graph[float64] {
	r := graphtest.Rand(2)
	row, to, w := []int32{0}, []int32{}, []float64{}
	for s := range n {
		to, w = append(to, int32((s+1)%n)), append(w, .5)
		to, w = append(to, int32(max(0, s-r.IntN(4)))), append(w, .4*r.Float64())
		row = append(row, int32(len(to)))
	}
	return must(graph.New(semiring.Real{}, row, to, w, nil, make([]float64, n)))(b)
}

// lehmann is the closure of a matrix of numbers, written by hand.
func lehmann(g *graph.Graph[float64]) [][]float64 {
	n := g.NumStates()
	d := make([][]float64, n)
	for s := range d {
		d[s] = make([]float64, n)
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			d[s][g.To()[e]] += g.Weights()[e]
		}
	}
	for k := range d {
		star := 1 / (1 - d[k][k])
		for i := range d {
			if i == k || d[i][k] == 0 {
				continue
			}
			x := d[i][k] * star
			to := d[i]
			for j, y := range d[k] {
				to[j] += x * y
			}
			to[k] = x
		}
		for j := range d[k] {
			d[k][j] *= star
		}
		d[k][k] = star
	}
	return d
}

// The loop by hand computes what AllPairs does.
func TestLehmannByHand(t *testing.T) {
	for seed := range trials.Seeds(50) {
		g := graphtest.Substochastic(graphtest.Rand(seed), tiny, .9)
		for p, row := range must(graph.AllPairs(g))(t) {
			if hand := lehmann(g)[p]; !nearSlices(row, hand, near) {
				t.Fatalf("seed %d: from state %d: %v, want %v", seed, p, hand, row)
			}
		}
	}
}

// BenchmarkAllPairs includes the elimination, but not its plan.
func BenchmarkAllPairs(b *testing.B) {
	for name, g := range map[string]*graph.Graph[float64]{
		"dense 300":  denseGraph(b, 300),
		"loops 1000": shortLoops(b, 1000),
	} {
		pairs := float64(g.NumStates()) * float64(g.NumStates())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := graph.AllPairs(g); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
		})
		b.Run(name+" by hand", func(b *testing.B) {
			for b.Loop() {
				lehmann(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
		})
	}
}

// randomSets is a random graph of n states and 5·n arcs with sets for weights, most
// of it one component.
func randomSets(b *testing.B, n int) *graph.Graph[uint8] {
	r := graphtest.Rand(3)
	row, to, w, final := []int32{0}, []int32{}, []uint8{}, make([]uint8, n)
	for s := range n {
		for range 5 {
			to, w = append(to, int32(r.IntN(n))), append(w, uint8(r.IntN(256)|r.IntN(256)))
		}
		row, final[s] = append(row, int32(len(to))), uint8(1<<r.IntN(2000))
	}
	return must(graph.New(subsets{}, row, to, w, []graph.Start[uint8]{{State: 0, Weight: 255}}, final))(b)
}

// setsByHand is Forward by a FIFO queue of states.
func setsByHand(g *graph.Graph[uint8]) []uint8 {
	x, queued, queue := make([]uint8, g.NumStates()), make([]bool, g.NumStates()), []int32{0}
	x[0] = 255
	for len(queue) > 0 {
		s := queue[0]
		queue, queued[s] = queue[1:], false
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			t := g.To()[e]
			if sum := x[t] | x[s]&g.Weights()[e]; sum != x[t] {
				if x[t] = sum; !queued[t] {
					queue, queued[t] = append(queue, t), true
				}
			}
		}
	}
	return x
}

// BenchmarkRelaxation is relaxation of one large component, in a ring with only generic
// operations.
func BenchmarkRelaxation(b *testing.B) {
	g := randomSets(b, 20_000)
	if alpha, err := graph.Forward(g); err != nil || !nearSlices(alpha, setsByHand(g), func(a, b uint8) bool { return a == b }) {
		b.Fatal("the loop by hand computes something else", err)
	}
	b.Run("forward", func(b *testing.B) {
		defer perArc(b, g.NumArcs())()
		for b.Loop() {
			if _, err := graph.Forward(g); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by hand", func(b *testing.B) {
		defer perArc(b, g.NumArcs())()
		for b.Loop() {
			setsByHand(g)
		}
	})
}

// randomRows returns the rows of an acyclic graph with ten arcs out of each state,
// the first to the next state and the others at most span ahead.
func randomRows(r *rand.Rand, arcs, span int) (row, to []int32) {
	const degree = 10
	states := arcs/degree + 1
	row, to = make([]int32, 1, states+1), make([]int32, 0, arcs)
	for s := range states - 1 {
		to = append(to, int32(s+1))
		for range degree - 1 {
			to = append(to, int32(s+1+r.IntN(min(span, states-1-s))))
		}
		row = append(row, int32(len(to)))
	}
	return append(row, int32(len(to))), to
}

// randomCosts returns a graph over randomRows with costs between 1 and 4.
func randomCosts(tb testing.TB, arcs, span int) *graph.Graph[semiring.Cost] {
	r := graphtest.Rand(uint64(arcs))
	row, to := randomRows(r, arcs, span)
	weight, final := make([]semiring.Cost, len(to)), make([]semiring.Cost, len(row)-1)
	for e := range weight {
		weight[e] = semiring.Cost(1 + 3*r.Float64())
	}
	for s := range final {
		final[s] = semiring.Tropical{}.Zero()
	}
	final[len(final)-1] = 0
	g, err := graph.New(semiring.Tropical{}, row, to, weight, []graph.Start[semiring.Cost]{{State: 0}}, final)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// The cost of one arc in graphs of growing size, in processor time. The targets of
// arcs are within the next 50 states (near) or anywhere ahead (far).
func BenchmarkScale(b *testing.B) { eachSize(b, benchScale) }

// eachSize runs f with near and far graphs of growing size.
func eachSize(b *testing.B, f func(b *testing.B, g *graph.Graph[semiring.Cost])) {
	for _, span := range []struct {
		name string
		span int
	}{{"near", 50}, {"far", 1 << 30}} {
		for arcs := 10_000; arcs <= 10_000_000; arcs *= 10 {
			b.Run(fmt.Sprintf("%s/%.0e", span.name, float64(arcs)), func(b *testing.B) {
				f(b, randomCosts(b, arcs, span.span))
			})
		}
	}
}

func benchScale(b *testing.B, g *graph.Graph[semiring.Cost]) {
	b.Run("Scaled", func(b *testing.B) { benchRing(b, scaledOf(g)) })
	b.Run("Log", func(b *testing.B) { benchRing(b, logOf(g)) })
	b.Run("Tropical", func(b *testing.B) { benchRing(b, g) })
	b.Run("Expectation", func(b *testing.B) { benchRing(b, expectationOf(g)) })
}

// expectationOf returns g with the expected number of arcs.
func expectationOf(g *graph.Graph[semiring.Cost]) *graph.Graph[counted] {
	scaled := semiring.Scaled{}
	ring := semiring.Expectation(scaled, semiring.Scalar(scaled))
	return graph.Map(g, ring, func(c semiring.Cost) counted {
		p := semiring.ScaledFromLog(-float64(c))
		return counted{P: p, V: p}
	})
}

type counted = semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]

func benchRing[W any](b *testing.B, g *graph.Graph[W]) {
	b.Run("PathSum", func(b *testing.B) { benchCall(b, g, graph.PathSum) })
	b.Run("Forward", func(b *testing.B) { benchCall(b, g, graph.Forward) })
	b.Run("Posteriors", func(b *testing.B) { benchCall(b, g, graph.Posteriors) })
}

// perArc is to be deferred before the loop of a benchmark.
func perArc(b *testing.B, arcs int) func() { return benchtime.Per(b, arcs, "arc") }
