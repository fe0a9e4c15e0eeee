package graph_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// TestFromArcs: the rows are as listed, in whatever place states are named.
func TestFromArcs(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		arcs := make([][]graph.Arc[float64], rng.IntN(4))
		final, states := map[int32]float64{}, max(1, len(arcs))
		name := func() int32 {
			s := rng.Int32N(6)
			states = max(states, int(s)+1)
			return s
		}
		for range rng.IntN(3) {
			final[name()] = rng.Float64()
		}
		for s := range arcs {
			for range rng.IntN(3) {
				arcs[s] = append(arcs[s], graph.Arc[float64]{To: name(), Weight: rng.Float64()})
			}
		}
		g, err := graph.FromArcs(semiring.Real{}, final, arcs...)
		if err != nil {
			t.Fatal(err)
		}
		if g.NumStates() != states {
			t.Fatalf("seed %d: %d states, want %d", seed, g.NumStates(), states)
		}
		if starts := g.Starts(); len(starts) != 1 || starts[0] != (graph.Start[float64]{State: 0, Weight: 1}) {
			t.Errorf("seed %d: starts %v", seed, starts)
		}
		for s := range states {
			var got, want []graph.Arc[float64]
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				got = append(got, graph.Arc[float64]{To: g.To()[e], Weight: g.Weights()[e]})
			}
			if s < len(arcs) {
				want = arcs[s]
			}
			if !slices.Equal(got, want) || g.Finals()[s] != final[int32(s)] {
				t.Errorf("seed %d: state %d has %v and ends with %g, want %v and %g", seed, s, got, g.Finals()[s], want, final[int32(s)])
			}
		}
	}
	for state, target := range map[int32]error{-1: semiring.ErrShape, math.MaxInt32: semiring.ErrLimit} {
		if _, err := graph.FromArcs(semiring.Real{}, map[int32]float64{state: 1}); !errors.Is(err, target) {
			t.Errorf("final state %d: %v", state, err)
		}
		if _, err := graph.FromArcs(semiring.Real{}, nil, []graph.Arc[float64]{{To: state, Weight: 1}}); !errors.Is(err, target) {
			t.Errorf("an arc to state %d: %v", state, err)
		}
	}
}

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

// A graph can be rebuilt in the storage of another.
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

// A random walk between two exits leaves by one of them. Elimination of such a long cyclic
// component is linear, and pivots close to 1 do no harm.
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

// A trap adds states from n on to a graph of n states that must not affect any sum: cycles
// without a sum, and infinite weights, that are unreachable or dead. Arcs of weight 0 make some
// of them parts of components that count.
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

// withTraps returns g with some of the traps, and with a cycle: infinite weights do affect
// acyclic graphs.
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

// checkTraps compares the sums of a graph without and with traps.
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

// countdown is a context that is done after a given number of checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// Long sums over cycles can be interrupted at any time, without side effects: the next sum over
// the same topology has the same result as otherwise.
func TestLongSumsAreInterrupted(t *testing.T) {
	r := graphtest.Rand(1)
	dense := complete(r, 250, .999)
	grid := graphtest.Torus(r, 40, 1-1e-9)
	path := graph.Map(dense, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(x - 1e-6) })
	checkInterrupted(t, "dense", dense, 3)
	checkInterrupted(t, "dense, signed", graph.Map(dense, semiring.Scaled{}, func(x float64) semiring.ScaledFloat {
		return semiring.NewScaled(x - 1e-9)
	}), 3)
	checkInterrupted(t, "grid", grid, 3)
	checkInterrupted(t, "random", graphtest.Irreducible(r, 5000), 2)
	checkInterrupted(t, "expectation", graph.Map(dense, semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), func(x float64) semiring.Expected[float64, float64] {
		return semiring.Expected[float64, float64]{P: x, V: x}
	}), 3)
	checkInterrupted(t, "best path", path, 1)
	best, err := semiring.KBest(semiring.Tropical{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	checkInterrupted(t, "best paths", graph.Map(dense, best, func(x float64) semiring.Ranked[semiring.Cost] {
		return semiring.Ranked[semiring.Cost]{semiring.Cost(x)}
	}), 1)
}

func checkInterrupted[W any](t *testing.T, name string, g *graph.Graph[W], least int) {
	t.Helper()
	want, wantErr := graph.PathSum(renewed(g))
	interruptions := 0
	for looks := 0; ; looks += 1 + looks/2 {
		ctx := &countdown{context.Background(), looks}
		got, err := graph.PathSum(g.WithContext(ctx))
		if !errors.Is(err, context.Canceled) {
			if (err == nil) != (wantErr == nil) || err == nil && g.Ring().IsZero(want) != g.Ring().IsZero(got) {
				t.Errorf("%s: %v, error %v after %d interruptions, want %v, %v", name, got, err, interruptions, want, wantErr)
			}
			break
		}
		interruptions++
	}
	if interruptions < least {
		t.Errorf("%s: interrupted %d times only", name, interruptions)
	}
	if _, err := graph.AllPairs(g.WithContext(&countdown{context.Background(), 0})); g.NumStates() < 1000 && !errors.Is(err, context.Canceled) {
		t.Errorf("%s: all pairs: error %v", name, err)
	}
	again, err := graph.PathSum(g)
	if metric, ok := semiring.As[semiring.Metric[W]](g.Ring()); ok && err == nil && metric.Dist(again, want) != 0 {
		t.Errorf("%s: %v after interruptions, want %v", name, again, want)
	}
}

// renewed returns g with a topology of its own.
func renewed[W any](g *graph.Graph[W]) *graph.Graph[W] {
	c, err := graph.New(g.Ring(), slices.Clone(g.Row()), slices.Clone(g.To()), g.Weights(), g.Starts(), g.Finals())
	if err != nil {
		panic(err)
	}
	return c
}
