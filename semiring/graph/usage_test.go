package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A trap adds states from n on to a graph of n states that no sum may notice: cycles
// without a sum, and infinite weights, that no path leads to or that lead nowhere. Arcs
// of weight 0 make some of them parts of components that count.
type trap func(r *rand.Rand, n int) []arc

var (
	unreachable = []trap{
		func(r *rand.Rand, n int) []arc { return []arc{{n, n, 2}, {n, r.IntN(n), .5}} },
		func(r *rand.Rand, n int) []arc {
			return []arc{{n, n + 1, 1}, {n + 1, n, 1}, {n, r.IntN(n), .5}, {r.IntN(n), n, 0}}
		},
		func(r *rand.Rand, n int) []arc { return []arc{{n, n + 1, math.Inf(1)}, {n + 1, r.IntN(n), .5}} },
	}
	dead = []trap{
		func(r *rand.Rand, n int) []arc { return []arc{{n, n, 2}, {r.IntN(n), n, .5}} },
		func(r *rand.Rand, n int) []arc {
			return []arc{{n, n + 1, 1}, {n + 1, n, 1}, {r.IntN(n), n, .5}, {n, r.IntN(n), 0}}
		},
		func(r *rand.Rand, n int) []arc { return []arc{{r.IntN(n), n, .5}, {n, n + 1, math.Inf(1)}} },
	}
)

// withTraps returns g with some of the traps, and with a cycle: in acyclic graphs
// infinite weights do matter.
func withTraps(r *rand.Rand, g *graph.Graph[float64], traps []trap) *graph.Graph[float64] {
	n := g.NumStates()
	var arcs []arc
	for s := range n {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			arcs = append(arcs, arc{s, int(g.To()[e]), g.Weights()[e]})
		}
	}
	final := slices.Clone(g.Finals())
	for range 1 + r.IntN(3) {
		// Two states more, whether the trap needs them or not; all lead to states of g.
		at := len(final)
		for _, a := range traps[r.IntN(len(traps))](r, n) {
			if a.From >= n {
				a.From += at - n
			}
			if a.To >= n {
				a.To += at - n
			}
			arcs = append(arcs, a)
		}
		final = append(final, 0, 0)
	}
	final = append(final, 0)
	arcs = append(arcs, arc{len(final) - 1, len(final) - 1, .5})
	l := loops(len(final), arcs)
	trapped, err := graph.New(l.Ring(), l.Row(), l.To(), l.Weights(), g.Starts(), final)
	if err != nil {
		panic(err)
	}
	return trapped
}

// checkTraps compares the sums of a graph with those of the same with traps.
func checkTraps[W any](t *testing.T, ring semiring.Semiring[W], of func(float64) W, g, late, early, both *graph.Graph[float64]) {
	t.Helper()
	number := func(w W) float64 {
		x, err := semiring.Convert(ring, semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		return x(w)
	}
	near := func(a, b W) bool { return nearTo(number(a), number(b)) }
	plain := graph.Map(g, ring, of)
	total, err := graph.PathSum(plain)
	alpha, errA := graph.Forward(plain)
	beta, errB := graph.Backward(plain)
	p, errP := graph.Posteriors(plain)
	if err != nil || errA != nil || errB != nil || errP != nil {
		t.Fatal(err, errA, errB, errP)
	}
	rest := func(x []W, n int) []W { // of states in traps
		return append(slices.Clone(x), slices.Repeat([]W{ring.Zero()}, n-len(x))...)
	}
	if got, err := graph.Forward(graph.Map(early, ring, of)); err != nil || !nearSlices(got, rest(alpha, early.NumStates()), near) {
		t.Errorf("forward %v, %v, want %v", got, err, alpha)
	}
	if got, err := graph.Backward(graph.Map(late, ring, of)); err != nil || !nearSlices(got, rest(beta, late.NumStates()), near) {
		t.Errorf("backward %v, %v, want %v", got, err, beta)
	}
	trapped := graph.Map(both, ring, of)
	if got, err := graph.PathSum(trapped); err != nil || !near(got, total) {
		t.Errorf("path sum %v, %v, want %v", got, err, total)
	}
	if got, err := graph.Posteriors(trapped); err != nil || !nearSlices(got.State[:g.NumStates()], p.State, nearTo) {
		t.Errorf("posteriors %v, %v, want %v", got.State, err, p.State)
	}
}

func TestWhatIsNotInUseDoesNoHarm(t *testing.T) {
	shapes := []graphtest.Shape{
		{States: 6, Arcs: 12, Starts: 3, Finals: .4, Zero: .1},
		{States: 40, Arcs: 60, Starts: 3, Finals: .2, Zero: .05},
		{States: 40, Arcs: 60, Starts: 3, Finals: .2},
	}
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, shapes[seed%3], .5+.49*r.Float64())
		if g.NumStates() == 0 {
			continue
		}
		early := withTraps(r, g, unreachable)
		late := withTraps(r, g, dead)
		both := withTraps(r, late, unreachable)
		checkTraps(t, semiring.Real{}, func(x float64) float64 { return x }, g, late, early, both)
		checkTraps(t, semiring.Scaled{}, semiring.NewScaled, g, late, early, both)
		checkTraps(t, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }, g, late, early, both)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
