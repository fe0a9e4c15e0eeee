package graph_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func cost(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(6)) }

// merged returns g with one start entry per state, since a path contains only the start state.
func merged[W any](g *graph.Graph[W]) *graph.Graph[W] {
	var starts []graph.Start[W]
	for _, start := range g.Starts() {
		i := slices.IndexFunc(starts, func(x graph.Start[W]) bool { return x.State == start.State })
		if i < 0 {
			starts = append(starts, start)
		} else {
			starts[i].Weight = g.Ring().Plus(starts[i].Weight, start.Weight)
		}
	}
	m, err := g.WithWeights(g.Weights(), starts, g.Finals())
	if err != nil {
		panic(err)
	}
	return m
}

// key identifies a path.
func key[W any](p graph.Path[W]) string { return fmt.Sprint(p.Start, p.Arcs) }

// checkBest compares the paths of BestPaths with all of at most maxArcs arcs.
// longer is the least cost of a path with more arcs.
func checkBest(t *testing.T, g *graph.Graph[semiring.Cost], maxArcs int, longer func() semiring.Cost) {
	t.Helper()
	want := map[string]semiring.Cost{}
	var costs []semiring.Cost
	for p := range oracle.Paths(merged(g), maxArcs) {
		want[key(p)] = p.Weight
		costs = append(costs, p.Weight)
	}
	slices.Sort(costs)
	best, err := graph.BestPath(g)
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) == 0 {
		if best.Start != -1 || !math.IsInf(float64(best.Weight), 1) || best.Arcs != nil {
			t.Fatalf("best path %v of none", best)
		}
	} else if best.Weight != costs[0] || want[key(best)] != best.Weight {
		t.Fatalf("best path %v, want cost %v", best, costs[0])
	}
	paths, err := graph.BestPaths(g)
	if err != nil {
		t.Fatal(err)
	}
	limit, seen := longer(), map[string]bool{}
	i := 0
	for p := range paths {
		if p.Weight >= limit {
			break
		}
		if seen[key(p)] {
			t.Fatalf("path %v comes twice", p)
		}
		seen[key(p)] = true
		if i >= len(costs) {
			t.Fatalf("path %v is too many", p)
		}
		if w, ok := want[key(p)]; !ok || w != p.Weight || w != costs[i] {
			t.Fatalf("path %d: %v, want one of cost %v", i, p, costs[i])
		}
		i++
	}
	if i < len(costs) && costs[i] < limit {
		t.Fatalf("%d paths, want one more of cost %v", i, costs[i])
	}
}

func TestBestPathsAcyclic(t *testing.T) {
	for seed := range trials.Seeds(3000) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, acyclic, cost)
		checkBest(t, g, 8, func() semiring.Cost { return semiring.Cost(math.Inf(1)) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestBestPathsCyclic(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 5, Starts: 3, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(trials.Serial[uint64](3000)) {
		// Arcs of cost at least 1: a path with more than 6 costs at least 7.
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, shape,
			func(r *rand.Rand) semiring.Cost { return 1 + cost(r) })
		checkBest(t, g, 6, func() semiring.Cost { return 7 })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// With costs of both signs and cycles of cost 0, every path still comes exactly once.
func TestBestPathsNegativeCosts(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 6, Starts: 2, Finals: .5}
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, shape,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(3)) })
		h := make([]semiring.Cost, g.NumStates())
		for s := range h {
			h[s] = semiring.Cost(r.IntN(9))
		}
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				g.Weights()[e] += h[s] - h[g.To()[e]]
			}
		}
		best := semiring.Cost(math.Inf(1))
		for p := range oracle.Paths(g, 4) {
			best = min(best, p.Weight)
		}
		paths, err := graph.BestPaths(g)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		seen, last, n := map[string]bool{}, best, 0
		for p := range paths {
			if n == 0 && p.Weight != best || p.Weight < last || seen[key(p)] {
				t.Fatalf("seed %d: path %d is %v after cost %v, best %v", seed, n, p, last, best)
			}
			if w := recomputed(g, p); w != p.Weight {
				t.Fatalf("seed %d: path %v costs %v", seed, p, w)
			}
			seen[key(p)], last = true, p.Weight
			if n++; n == 50 {
				break
			}
		}
	}
}

// recomputed follows a path.
func recomputed(g *graph.Graph[semiring.Cost], p graph.Path[semiring.Cost]) semiring.Cost {
	s, sum := p.Start, semiring.Cost(math.Inf(1))
	for _, start := range g.Starts() {
		if start.State == s {
			sum = min(sum, start.Weight)
		}
	}
	for _, e := range p.Arcs {
		if e < g.Row()[s] || e >= g.Row()[s+1] {
			return semiring.Cost(math.NaN())
		}
		sum += g.Weights()[e]
		s = g.To()[e]
	}
	return sum + g.Finals()[s]
}

// Each of infinitely many equally good paths comes after a finite time.
func TestBestPathsFair(t *testing.T) {
	g, err := graph.New(semiring.Tropical{}, []int32{0, 2}, []int32{0, 0}, []semiring.Cost{0, 0},
		[]graph.Start[semiring.Cost]{{State: 0, Weight: 0}}, []semiring.Cost{0})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := graph.BestPaths(g)
	if err != nil {
		t.Fatal(err)
	}
	short, n := 0, 0
	for p := range paths {
		if len(p.Arcs) <= 4 {
			short++
		}
		if n++; n == 1000 {
			break
		}
	}
	if short != 31 {
		t.Errorf("%d of the 31 paths of at most four arcs", short)
	}
}

// Two runs, and runs that overlap, give the same sequence.
func TestBestPathsRestart(t *testing.T) {
	g := graphtest.New(graphtest.Rand(1), semiring.Viterbi{}, graphtest.Shape{States: 60, Arcs: 900, Starts: 3, Finals: .5},
		func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(float64(1+r.IntN(3)) / 4) })
	paths, err := graph.BestPaths(g)
	if err != nil {
		t.Fatal(err)
	}
	take := func(n int) (keys []string) {
		for p := range paths {
			if keys = append(keys, key(p)); len(keys) == n {
				break
			}
		}
		return keys
	}
	long := take(300)
	if len(long) != 300 {
		t.Fatalf("%d paths", len(long))
	}
	if !slices.Equal(long[:100], take(100)) {
		t.Error("another sequence the second time")
	}
}

func TestBestPathNeedsOrder(t *testing.T) {
	g := loops(2, []arc{{0, 1, 1}})
	if _, err := graph.BestPath(g); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	if _, err := graph.BestPaths(g); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}
