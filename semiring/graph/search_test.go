package graph_test

import (
	"context"
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

// implicit makes a graph a graph.Implicit: its states have distant numbers, an arc's input label
// is its number plus one, and it counts the states expanded.
type implicit[W any] struct {
	g        *graph.Graph[W]
	expanded int
}

const stride = 1_000_003

func (m *implicit[W]) Semiring() semiring.Semiring[W] { return m.g.Ring() }

func (m *implicit[W]) AppendStarts(dst []graph.Start[W]) []graph.Start[W] {
	for _, start := range m.g.Starts() {
		dst = append(dst, graph.Start[W]{State: start.State * stride, Weight: start.Weight})
	}
	return dst
}

func (m *implicit[W]) Final(s int32) W {
	m.expanded++
	return m.g.Finals()[s/stride]
}

func (m *implicit[W]) AppendArcs(dst []graph.Arc[W], s int32) []graph.Arc[W] {
	s /= stride
	for e := m.g.Row()[s]; e < m.g.Row()[s+1]; e++ {
		dst = append(dst, graph.Arc[W]{In: e + 1, To: m.g.To()[e] * stride, Weight: m.g.Weights()[e]})
	}
	return dst
}

// path returns a found path as a path of the graph.
func (m *implicit[W]) path(f graph.ImplicitPath[W]) graph.Path[W] {
	p := graph.Path[W]{Start: f.Start / stride, Weight: f.Weight}
	for _, a := range f.Arcs {
		p.Arcs = append(p.Arcs, a.In-1)
	}
	return p
}

// heuristics are admissible: no information, the exact estimate, a consistent half of it, and
// some inconsistent ones.
func heuristics(r *rand.Rand, beta []semiring.Cost) map[string]func(s int32) semiring.Cost {
	some := make([]semiring.Cost, len(beta))
	for s := range some {
		if some[s] = beta[s]; r.IntN(2) == 0 {
			some[s] = semiring.Cost(r.IntN(int(min(beta[s], 20)) + 1))
		}
	}
	return map[string]func(s int32) semiring.Cost{
		"none":         nil,
		"exact":        func(s int32) semiring.Cost { return beta[s/stride] },
		"half":         func(s int32) semiring.Cost { return beta[s/stride] / 2 },
		"inconsistent": func(s int32) semiring.Cost { return some[s/stride] },
	}
}

// All paths below a cost, best first, each once: they equal the enumerated ones.
func TestSearch(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 5, Starts: 3, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		least := 1 + r.IntN(2)
		// Arcs of cost least at least: a path with more than 6 costs at least 7·least.
		g := merged(graphtest.New(r, semiring.Tropical{}, shape,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(least) + cost(r) }))
		limit := semiring.Cost(7 * least)
		want, costs := map[string]semiring.Cost{}, []semiring.Cost{}
		for p := range oracle.Paths(g, 6) {
			if p.Weight < limit {
				want[key(p)] = p.Weight
				costs = append(costs, p.Weight)
			}
		}
		slices.Sort(costs)
		for name, h := range heuristics(r, must(graph.Backward(g))(t)) {
			m, seen := &implicit[semiring.Cost]{g: g}, map[string]bool{}
			for f, err := range graph.Search(t.Context(), m, &graph.SearchOptions[semiring.Cost]{Heuristic: h}) {
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, name, err)
				}
				if f.Weight >= limit {
					break
				}
				p := m.path(f)
				if n := len(seen); seen[key(p)] || n >= len(costs) || p.Weight != costs[n] || p.Weight != want[key(p)] {
					t.Fatalf("seed %d, %s: path %d is %v, want costs %v", seed, name, n, p, costs)
				}
				seen[key(p)] = true
			}
			if len(seen) != len(costs) {
				t.Fatalf("seed %d, %s: %d paths, want %d", seed, name, len(seen), len(costs))
			}
		}
	}
}

// take returns the first n paths.
func take[W any](t testing.TB, m graph.Implicit[W], opts *graph.SearchOptions[W], n int) (all []graph.ImplicitPath[W]) {
	t.Helper()
	for f, err := range graph.Search(t.Context(), m, opts) {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, f); len(all) == n {
			break
		}
	}
	return all
}

// On larger graphs with probabilities, and weights that differ by rounding, the sequence equals
// the sequence of BestPaths.
func TestSearchLikeBestPaths(t *testing.T) {
	shape := graphtest.Shape{States: 300, Arcs: 1200, Starts: 3, Finals: .1}
	for seed := range trials.Seeds(40) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Viterbi{}, shape, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(float64(1+r.IntN(9)) / 9.1)
		})
		var want []graph.Path[semiring.ScaledFloat]
		for p := range must(graph.BestPaths(g))(t) {
			if want = append(want, p); len(want) == 200 {
				break
			}
		}
		m := &implicit[semiring.ScaledFloat]{g: g}
		got := take(t, m, nil, 200)
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d paths, want %d", seed, len(got), len(want))
		}
		seen := map[string]bool{}
		for i, f := range got {
			if seen[key(m.path(f))] || !near(f.Weight.Float64(), want[i].Weight.Float64()) {
				t.Fatalf("seed %d: path %d is %v, want weight %v", seed, i, m.path(f), want[i].Weight)
			}
			seen[key(m.path(f))] = true
		}
	}
}

// With the exact weights of continuations as the heuristic, little more than the states of the
// best path is expanded.
func TestSearchExactHeuristic(t *testing.T) {
	shape := graphtest.Shape{States: 2000, Arcs: 10000, Starts: 3, Finals: .01}
	most, paths, without := 0, 0, 0
	for seed := range trials.Seeds(30) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, shape, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Float64()) })
		beta := must(graph.Backward(g))(t)
		m := &implicit[semiring.Cost]{g: g}
		found := take(t, m, &graph.SearchOptions[semiring.Cost]{Heuristic: func(s int32) semiring.Cost { return beta[s/stride] }}, 1)
		if len(found) == 0 {
			continue
		}
		paths++
		most = max(most, m.expanded-len(found[0].Arcs)-1)
		m.expanded = 0
		take(t, m, nil, 1)
		without += m.expanded
	}
	if most > 2 || paths < 5 || without < 50*paths {
		t.Errorf("up to %d states too many on %d paths, %d without heuristic", most, paths, without)
	}
}

// grid is the infinite plane with walls: from a cell to its neighbours, cost 1. A cell (x, y) is
// state (x + 2¹⁴)·2¹⁵ + y + 2¹⁴.
type grid struct {
	wall func(x, y int) bool
	goal [2]int
}

func cell(x, y int) int32            { return int32((x+1<<14)<<15 + y + 1<<14) }
func coordinates(s int32) (x, y int) { return int(s>>15) - 1<<14, int(s&(1<<15-1)) - 1<<14 }

func (grid) Semiring() semiring.Semiring[semiring.Cost] { return semiring.Tropical{} }

func (grid) AppendStarts(dst []graph.Start[semiring.Cost]) []graph.Start[semiring.Cost] {
	return append(dst, graph.Start[semiring.Cost]{State: cell(0, 0)})
}

func (m grid) Final(s int32) semiring.Cost {
	if s == cell(m.goal[0], m.goal[1]) {
		return 0
	}
	return semiring.Tropical{}.Zero()
}

func (m grid) AppendArcs(dst []graph.Arc[semiring.Cost], s int32) []graph.Arc[semiring.Cost] {
	x, y := coordinates(s)
	for i, to := range [][2]int{{x + 1, y}, {x, y + 1}, {x - 1, y}, {x, y - 1}} {
		if !m.wall(to[0], to[1]) {
			dst = append(dst, graph.Arc[semiring.Cost]{In: int32(i + 1), To: cell(to[0], to[1]), Weight: 1})
		}
	}
	return dst
}

func (m grid) distance(s int32) semiring.Cost {
	x, y := coordinates(s)
	return semiring.Cost(math.Abs(float64(x-m.goal[0])) + math.Abs(float64(y-m.goal[1])))
}

func TestSearchInfinite(t *testing.T) {
	open := grid{func(x, y int) bool { return false }, [2]int{40, 30}}
	opts := &graph.SearchOptions[semiring.Cost]{Heuristic: open.distance, MaxStates: 71}
	if p := take(t, open, opts, 1)[0]; p.Weight != 70 || len(p.Arcs) != 70 || p.Arcs[69].To != cell(40, 30) {
		t.Errorf("cost %v, want 70", p.Weight)
	}
	// All (x+y choose x) shortest paths come before the others.
	open.goal = [2]int{4, 4}
	for i, p := range take(t, open, &graph.SearchOptions[semiring.Cost]{Heuristic: open.distance}, 200) {
		want := semiring.Cost(8)
		if i >= 70 {
			want = 10
		}
		if p.Weight != want {
			t.Fatalf("path %d costs %v, want %v", i, p.Weight, want)
		}
	}
	// With a wall around the goal there is no path, and the search does not end.
	closed := grid{func(x, y int) bool { return max(x-10, 10-x, y, -y) == 3 }, [2]int{10, 0}}
	wantSearchError(t, t.Context(), closed, &graph.SearchOptions[semiring.Cost]{MaxStates: 5000}, semiring.ErrLimit)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantSearchError(t, ctx, closed, nil, context.Canceled)
}

// wantSearchError asserts that a search yields only an error.
func wantSearchError[W any](t *testing.T, ctx context.Context, m graph.Implicit[W], opts *graph.SearchOptions[W], want error) {
	t.Helper()
	n := 0
	for f, err := range graph.Search(ctx, m, opts) {
		if n++; !errors.Is(err, want) {
			t.Errorf("found %v, error %v, want %v", f, err, want)
		}
	}
	if n != 1 {
		t.Errorf("%d results, want an error", n)
	}
}

func TestSearchRefuses(t *testing.T) {
	nan := math.NaN()
	costs := func(n int, arcs ...arc) *implicit[semiring.Cost] {
		toCost := func(x float64) semiring.Cost { return semiring.Cost(x) }
		g := graph.Map(loops(n, arcs), semiring.Tropical{}, toCost)
		final := make([]semiring.Cost, n)
		for s := range n - 1 {
			final[s] = semiring.Tropical{}.Zero()
		}
		start := []graph.Start[semiring.Cost]{{State: 0, Weight: 0}}
		return &implicit[semiring.Cost]{g: must(g.WithWeights(g.Weights(), start, final))(t)}
	}
	wantSearchError(t, t.Context(), costs(2, arc{0, 1, -1}), nil, graph.ErrOrder)
	wantSearchError(t, t.Context(), costs(2, arc{0, 1, nan}), nil, graph.ErrOrder)
	m := costs(2, arc{0, 1, 1})
	m.g.Finals()[1] = -.5
	wantSearchError(t, t.Context(), m, nil, graph.ErrOrder)
	m.g.Finals()[1] = 0
	m.g.Starts()[0].Weight = semiring.Cost(nan)
	wantSearchError(t, t.Context(), m, nil, semiring.ErrNotFinite)
	m.g.Starts()[0].Weight = -3 // is allowed
	if p := take(t, m, nil, 1)[0]; p.Weight != -2 {
		t.Errorf("cost %v, want −2", p.Weight)
	}
	wantSearchError(t, t.Context(), &implicit[float64]{g: loops(2, []arc{{0, 1, 1}})}, nil, semiring.ErrCapability)
	if all := take(t, costs(3, arc{0, 1, 1}), nil, 5); len(all) != 0 {
		t.Errorf("found %v of no path", all)
	}
	dead := &graph.SearchOptions[semiring.Cost]{Heuristic: func(int32) semiring.Cost { return semiring.Tropical{}.Zero() }}
	if all := take(t, costs(2, arc{0, 1, 1}), dead, 5); len(all) != 0 {
		t.Errorf("found %v though no state is worth it", all)
	}
}

// A finite number of paths ends the sequence, and reaching the limit need not be an error.
func TestSearchEnds(t *testing.T) {
	g := graph.Map(loops(3, []arc{{0, 1, 1}, {0, 2, 3}, {1, 2, 1}, {1, 2, 1}}), semiring.Tropical{},
		func(x float64) semiring.Cost { return semiring.Cost(x) })
	zero := semiring.Tropical{}.Zero()
	g = must(g.WithWeights(g.Weights(), []graph.Start[semiring.Cost]{{State: 0, Weight: 0}, {State: 0, Weight: 5}}, []semiring.Cost{zero, zero, 0}))(t)
	for range 2 {
		var got []string
		for _, f := range take(t, &implicit[semiring.Cost]{g: g}, &graph.SearchOptions[semiring.Cost]{MaxStates: 3}, 9) {
			got = append(got, fmt.Sprint(f.Weight, len(f.Arcs)))
		}
		if !slices.Equal(got, []string{"2 2", "2 2", "3 1"}) {
			t.Errorf("paths %v", got)
		}
	}
}
