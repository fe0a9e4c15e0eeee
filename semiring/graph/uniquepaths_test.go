package graph_test

import (
	"errors"
	"fmt"
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

// randomLabels returns labels 0, 1, …, n.
func randomLabels(r *rand.Rand, arcs, n int) []int32 {
	labels := make([]int32, arcs)
	for e := range labels {
		labels[e] = int32(r.IntN(n + 1))
	}
	return labels
}

func sequence[W any](p graph.Path[W], labels []int32) (s []int32) {
	for _, e := range p.Arcs {
		if labels[e] != 0 {
			s = append(s, labels[e])
		}
	}
	return s
}

// checkUnique compares UniqueBestPaths with all paths of at most maxArcs arcs, for sequences that
// cost less than limit.
func checkUnique(t *testing.T, g *graph.Graph[semiring.Cost], labels []int32, maxArcs int, limit semiring.Cost) {
	t.Helper()
	want := map[string]semiring.Cost{}
	for p := range oracle.Paths(g, maxArcs) {
		k := fmt.Sprint(sequence(p, labels))
		if c, ok := want[k]; !ok || p.Weight < c {
			want[k] = p.Weight
		}
	}
	for k, c := range want {
		if c >= limit {
			delete(want, k)
		}
	}
	paths, err := graph.UniqueBestPaths(g, labels)
	if err != nil {
		t.Fatal(err)
	}
	last := semiring.Cost(math.Inf(-1))
	for s, p := range paths {
		if p.Weight >= limit {
			break
		}
		k := fmt.Sprint(s)
		if c, ok := want[k]; !ok || c != p.Weight || c < last {
			t.Fatalf("%v of cost %v after %v, want cost %v (%v)", s, p.Weight, last, c, ok)
		}
		if !slices.Equal(s, sequence(p, labels)) || recomputed(g, p) != p.Weight {
			t.Fatalf("%v by path %v, which has labels %v and cost %v", s, p, sequence(p, labels), recomputed(g, p))
		}
		last = p.Weight
		delete(want, k)
	}
	if len(want) > 0 {
		t.Fatalf("missing: %v", want)
	}
}

func TestUniqueBestPathsAcyclic(t *testing.T) {
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, acyclic, func(r *rand.Rand) semiring.Cost { return cost(r) - 2 })
		checkUnique(t, g, randomLabels(r, g.NumArcs(), 1+r.IntN(3)), 8, semiring.Cost(math.Inf(1)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestUniqueBestPathsCyclic(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 6, Starts: 3, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(trials.Serial[uint64](500)) {
		r := graphtest.Rand(seed)
		// Arcs of cost at least 1: a path with more than 6 costs at least 7.
		g := graphtest.New(r, semiring.Tropical{}, shape, func(r *rand.Rand) semiring.Cost { return 1 + cost(r) })
		checkUnique(t, g, randomLabels(r, g.NumArcs(), 2), 6, 7)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func has[K comparable, V any](m map[K]V, k K) bool { _, ok := m[k]; return ok }

// Cycles of cost 0, with and without labels, and costs of both signs: the sequences equal the
// sequences of BestPaths.
func TestUniqueBestPathsFilter(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 6, Starts: 2, Finals: .5}
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, shape, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(3)) })
		h := make([]semiring.Cost, g.NumStates())
		for s := range h {
			h[s] = semiring.Cost(r.IntN(9))
		}
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				g.Weights()[e] += h[s] - h[g.To()[e]]
			}
		}
		labels := randomLabels(r, g.NumArcs(), 2)
		all, err := graph.BestPaths(g)
		if err != nil {
			t.Fatal(err)
		}
		// Costs are integers: sequences of equal cost come in any order, so only sequences of
		// lesser cost than the last path are compared.
		want, last, n := map[string]semiring.Cost{}, semiring.Cost(0), 0
		for p := range all {
			if k := fmt.Sprint(sequence(p, labels)); !has(want, k) {
				want[k] = p.Weight
			}
			last = p.Weight
			if n++; n == 200 {
				break
			}
		}
		paths, err := graph.UniqueBestPaths(g, labels)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		yielded := 0
		for s, p := range paths {
			k := fmt.Sprint(s)
			if seen[k] || !slices.Equal(s, sequence(p, labels)) || recomputed(g, p) != p.Weight {
				t.Fatalf("seed %d: %v by %v, %v", seed, s, p, seen[k])
			}
			seen[k] = true
			if yielded++; yielded > 2000 || n == 200 && p.Weight >= last {
				break
			}
			if c, ok := want[k]; !ok || c != p.Weight {
				t.Fatalf("seed %d: %v costs %v, want %v", seed, s, p.Weight, c)
			}
			delete(want, k)
		}
		for k, c := range want {
			if n < 200 || c < last && yielded <= 2000 {
				t.Fatalf("seed %d: %v of cost %v is missing", seed, k, c)
			}
		}
	}
}

// Rounded numbers, with negative costs as well: sequences come in order up to rounding, each with
// its best path.
func TestUniqueBestPathsRounded(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, acyclic, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.NormFloat64()) })
		labels := randomLabels(r, g.NumArcs(), 2)
		want := map[string]semiring.Cost{}
		for p := range oracle.Paths(g, 8) {
			k := fmt.Sprint(sequence(p, labels))
			if c, ok := want[k]; !ok || p.Weight < c {
				want[k] = p.Weight
			}
		}
		paths, err := graph.UniqueBestPaths(g, labels)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for s, p := range paths {
			k, c := fmt.Sprint(s), float64(p.Weight)
			if best, ok := want[k]; !ok || math.Abs(c-float64(best)) > 1e-13 || c < last-1e-13 || recomputed(g, p) != p.Weight {
				t.Fatalf("seed %d: %v of cost %v after %v, want cost %v (%v)", seed, s, c, last, best, ok)
			}
			last = c
			delete(want, k)
		}
		if len(want) > 0 {
			t.Fatalf("seed %d: missing: %v", seed, want)
		}
	}
}

// Many sequences of equal cost, even infinitely many: each comes after a finite time, and the
// first does not wait for the others.
func TestUniqueBestPathsFair(t *testing.T) {
	g, err := graph.New(semiring.Tropical{}, []int32{0, 3, 3}, []int32{0, 0, 1}, []semiring.Cost{0, 0, 0},
		[]graph.Start[semiring.Cost]{{State: 0, Weight: 0}}, []semiring.Cost{semiring.Tropical{}.Zero(), 0})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := graph.UniqueBestPaths(g, []int32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	short, n := 0, 0
	for s := range paths {
		if len(s) <= 5 {
			short++
		}
		if n++; n == 1000 {
			break
		}
	}
	if short != 31 {
		t.Errorf("%d of the 31 sequences of at most five labels", short)
	}
}

// Ranges that overlap, in goroutines too, give the same sequence.
func TestUniqueBestPathsRestart(t *testing.T) {
	r := graphtest.Rand(1)
	g := graphtest.New(r, semiring.Viterbi{}, graphtest.Shape{States: 60, Arcs: 900, Starts: 3, Finals: .5},
		func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(float64(1+r.IntN(3)) / 4) })
	paths, err := graph.UniqueBestPaths(g, randomLabels(r, g.NumArcs(), 3))
	if err != nil {
		t.Fatal(err)
	}
	take := func(n int) (keys []string) {
		for s, p := range paths {
			if keys = append(keys, fmt.Sprint(s)+key(p)); len(keys) == n {
				break
			}
		}
		return keys
	}
	got := make([][]string, 4)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i] = take(200) })
	}
	group.Wait()
	for i, keys := range got {
		if len(keys) != 200 || !slices.Equal(keys, got[0]) {
			t.Errorf("range %d: another sequence", i)
		}
	}
}

// sausage returns a chain of n steps, each of the given number of parallel arcs with labels 1 and
// 2, which cost about the same.
func sausage(n, parallel int) (*graph.Graph[semiring.Cost], []int32) {
	r := graphtest.Rand(7)
	row, to, w, labels := []int32{0}, []int32{}, []semiring.Cost{}, []int32{}
	for s := range n {
		for range parallel {
			to = append(to, int32(s+1))
			label := int32(1 + r.IntN(2))
			labels = append(labels, label)
			w = append(w, semiring.Cost(float64(label)+r.Float64()/100))
		}
		row = append(row, int32(len(to)))
	}
	row = append(row, int32(len(to)))
	final := make([]semiring.Cost, n+1)
	for s := range n {
		final[s] = semiring.Tropical{}.Zero()
	}
	g, err := graph.New(semiring.Tropical{}, row, to, w, []graph.Start[semiring.Cost]{{State: 0}}, final)
	if err != nil {
		panic(err)
	}
	return g, labels
}

// 2^60 sequences, 20^60 paths.
func TestUniqueBestPathsOfDuplicates(t *testing.T) {
	g, labels := sausage(60, 20)
	paths, err := graph.UniqueBestPaths(g, labels)
	if err != nil {
		t.Fatal(err)
	}
	// Only the best arc per step and label matters.
	small := g.Weights()
	best := make([][2]semiring.Cost, 60)
	for s := range best {
		best[s] = [2]semiring.Cost{9, 9}
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			best[s][labels[e]-1] = min(best[s][labels[e]-1], small[e])
		}
	}
	seen, last, n := map[string]bool{}, semiring.Cost(0), 0
	for s, p := range paths {
		want := semiring.Cost(0)
		for i, l := range s {
			want += best[i][l-1]
		}
		k := fmt.Sprint(s)
		if p.Weight != want || p.Weight < last-1e-12 || seen[k] {
			t.Fatalf("sequence %d: cost %v after %v, want %v", n, p.Weight, last, want)
		}
		seen[k], last = true, p.Weight
		if n++; n == 500 {
			break
		}
	}
}

func TestUniqueBestPathsErrors(t *testing.T) {
	g := loops(2, []arc{{0, 1, 1}})
	if _, err := graph.UniqueBestPaths(g, make([]int32, g.NumArcs())); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	if _, err := graph.UniqueBestPaths(g, nil); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	none, err := graph.New(semiring.Tropical{}, []int32{0}, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := graph.UniqueBestPaths(none, nil)
	if err != nil {
		t.Fatal(err)
	}
	for s := range paths {
		t.Errorf("sequence %v of none", s)
	}
}
