package graph_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func TestAccess(t *testing.T) {
	for seed := range uint64(1000) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Real{}, acyclic, unit)
		to, from := g.Accessible(), g.Coaccessible()
		alpha, beta := oracle.Forward(g, 8), oracle.Backward(g, 8)
		for s := range to {
			if to[s] != (alpha[s] > 0) || from[s] != (beta[s] > 0) {
				t.Fatalf("seed %d, state %d: accessible %v, coaccessible %v, forward %v, backward %v",
					seed, s, to[s], from[s], alpha[s], beta[s])
			}
		}
		order, ok := g.TopologicalOrder()
		if !ok || len(order) != g.NumStates() {
			t.Fatalf("seed %d: order %v, %v", seed, order, ok)
		}
		component, n := g.Components()
		if n != g.NumStates() {
			t.Fatalf("seed %d: %d components of %d states", seed, n, g.NumStates())
		}
		for s := range int32(n) {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				if q := g.To()[e]; slices.Index(order, s) >= slices.Index(order, q) || component[s] >= component[q] {
					t.Fatalf("seed %d: %d is not before %d", seed, s, q)
				}
			}
		}
	}
	if _, ok := loops(2, []arc{{0, 0, .5}, {0, 1, .5}}).TopologicalOrder(); ok {
		t.Error("a loop has a topological order")
	}
}

// Graphs that share a topology may be used, and its caches filled, at the same time.
func TestConcurrentUse(t *testing.T) {
	r := graphtest.Rand(5)
	g := graphtest.Substochastic(r, graphtest.Shape{States: 200, Arcs: 500, Starts: 3, Finals: .3}, .9)
	want := oracle.Solve(t, g)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			own, err := g.WithWeights(g.Weights(), g.Starts(), g.Finals())
			if err != nil {
				t.Error(err)
				return
			}
			scaled := graph.Map(own, semiring.Scaled{}, semiring.NewScaled)
			var total semiring.ScaledFloat
			if i%2 == 0 {
				total, err = graph.PathSum(scaled)
			} else {
				var p *graph.Posterior[semiring.ScaledFloat]
				if p, err = graph.Posteriors(scaled); err == nil {
					total = p.Total
				}
			}
			if err != nil || !nearTo(total.Float64(), want.Total) {
				t.Errorf("total %v, %v, want %v", total, err, want.Total)
			}
			cost := graph.Map(own, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(x)) })
			if _, err := graph.BestPath(cost); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// A graph can be made anew in the place of another.
func TestReset(t *testing.T) {
	g := loops(2, []arc{{0, 0, .5}, {0, 1, .5}})
	if total, err := graph.PathSum(g); err != nil || total != 1 {
		t.Fatal(total, err)
	}
	next := loops(3, []arc{{0, 1, .5}, {1, 2, .5}})
	if err := g.Reset(next.Ring(), next.Row(), next.To(), next.Weights(), next.Starts(), next.Finals()); err != nil {
		t.Fatal(err)
	}
	if total, err := graph.PathSum(g); err != nil || total != .25 {
		t.Errorf("path sum %v, %v, want .25", total, err)
	}
	if n := testing.AllocsPerRun(10, func() {
		g.Reset(next.Ring(), next.Row(), next.To(), next.Weights(), next.Starts(), next.Finals())
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A random walk between two exits leaves by one of them. Elimination of so long a
// cyclic component is linear, and its pivots come close to 1 without harm.
func TestRandomWalk(t *testing.T) {
	const n = 50_000
	var arcs []arc
	for s := range n {
		arcs = append(arcs, arc{s, max(s-1, 0), .5}, arc{s, s + 1, .5})
	}
	arcs[0] = arc{0, n, .5}
	g := loops(n+1, arcs)
	start := []graph.Start[float64]{{State: n / 3, Weight: 1}}
	g, err := g.WithWeights(g.Weights(), start, g.Finals())
	if err != nil {
		t.Fatal(err)
	}
	if total, err := graph.PathSum(g); err != nil || math.Abs(total-1) > 1e-7 {
		t.Errorf("path sum %v, %v, want 1", total, err)
	}
	p, err := graph.Posteriors(graph.Map(g, semiring.Scaled{}, semiring.NewScaled))
	if err != nil {
		t.Fatal(err)
	}
	// Visits of a state i steps from an exit, started there: the walk of length
	// N = n+1 between exits visits x from x 2x(N−x)/N times.
	x := float64(n/3 + 1)
	if want := 2 * x * (n + 1 - x) / (n + 1); math.Abs(p.State[n/3]/want-1) > 1e-6 {
		t.Errorf("%v visits, want %v", p.State[n/3], want)
	}
}
