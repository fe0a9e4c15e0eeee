package graph_test

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"gonum.org/v1/gonum/mat"
)

// checkPairs compares AllPairs with sums, the sums over paths from the starts.
func checkPairs[W any](t *testing.T, g *graph.Graph[W], sums func(*graph.Graph[W]) ([]W, error), same func(a, b W) bool) {
	t.Helper()
	d := must(graph.AllPairs(g))(t)
	if len(d) != g.NumStates() {
		t.Fatalf("%d rows for %d states", len(d), g.NumStates())
	}
	for p := range d {
		from := must(g.WithWeights(g.Weights(), []graph.Start[W]{{State: int32(p), Weight: g.Ring().One()}}, g.Finals()))(t)
		if want := must(sums(from))(t); !nearSlices(d[p], want, same) {
			t.Fatalf("from state %d: %v, want %v", p, d[p], want)
		}
	}
}

// In every kind of ring the sums equal the sums from each state alone.
func TestAllPairs(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		real := graphtest.Substochastic(r, tiny, .95)
		checkPairs(t, real, graph.Forward, near)
		checkPairs(t, graph.Map(real, semiring.Scaled{}, semiring.NewScaled), graph.Forward, nearScaled)
		checkPairs(t, graph.Map(real, plain{}, func(x float64) float64 { return x }), graph.Forward, near)
		ring := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
		checkPairs(t, graph.Map(real, ring, func(x float64) semiring.Expected[float64, float64] {
			return semiring.Expected[float64, float64]{P: x, V: x * float64(r.IntN(3))}
		}), graph.Forward, func(a, b semiring.Expected[float64, float64]) bool { return near(a.P, b.P) && near(a.V, b.V) })
		byLength := func(n int) func(*graph.Graph[[]int]) ([][]int, error) {
			return func(g *graph.Graph[[]int]) ([][]int, error) { return forwardByLength(g, n), nil }
		}
		checkPairs(t, graphtest.New(r, kCosts{3}, tiny, func(r *rand.Rand) []int { return []int{r.IntN(5)} }), byLength(15), slices.Equal[[]int])
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Without Forward: by enumeration, on acyclic graphs and if paths of more than a few arcs do not
// count.
func TestAllPairsEnumerated(t *testing.T) {
	enumerate := func(g *graph.Graph[sum]) ([]sum, error) { return oracle.Forward(g, seriesLength), nil }
	for seed := range trials.Seeds(100) {
		checkPairs(t, graphtest.New(graphtest.Rand(seed), series{}, tiny, randomSum), enumerate, maps.Equal[sum])
		// A path that repeats no state has four arcs at most.
		cost := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, tiny,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(5)) })
		checkPairs(t, cost, func(g *graph.Graph[semiring.Cost]) ([]semiring.Cost, error) { return oracle.Forward(g, 4), nil },
			func(a, b semiring.Cost) bool { return a == b })
		bare := graphtest.New(graphtest.Rand(seed), withoutStar{semiring.Real{}}, acyclic, unit)
		checkPairs(t, bare, func(g *graph.Graph[float64]) ([]float64, error) { return oracle.Forward(g, 8), nil }, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// With costs of both signs, labels are corrected, from one state after the other.
func TestAllPairsNegativeCosts(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, tiny, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(3)) })
		h := r.Perm(g.NumStates())
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				g.Weights()[e] += semiring.Cost(h[s] - h[g.To()[e]])
			}
		}
		checkPairs(t, g, func(g *graph.Graph[semiring.Cost]) ([]semiring.Cost, error) { return oracle.Forward(g, 4), nil },
			func(a, b semiring.Cost) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// The closure of a matrix of numbers is (I − A)⁻¹.
func TestAllPairsInverse(t *testing.T) {
	shape := graphtest.Shape{States: 30, Arcs: 200}
	for seed := range trials.Seeds(50) {
		g := graphtest.Substochastic(graphtest.Rand(seed), shape, .99)
		n := g.NumStates()
		if n == 0 {
			continue
		}
		a := mat.NewDense(n, n, nil)
		for s := range n {
			a.Set(s, s, 1)
		}
		for s := range n {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				a.Set(s, int(g.To()[e]), a.At(s, int(g.To()[e]))-g.Weights()[e])
			}
		}
		var want mat.Dense
		if err := want.Inverse(a); err != nil {
			t.Fatal(err)
		}
		d := must(graph.AllPairs(g))(t)
		for p := range d {
			for q := range d {
				if math.Abs(d[p][q]-want.At(p, q)) > 1e-9*want.At(p, p) {
					t.Fatalf("seed %d: from %d to %d: %v, want %v", seed, p, q, d[p][q], want.At(p, q))
				}
			}
		}
	}
}

// Every cycle counts, whether or not it is reachable from a start.
func TestAllPairsDiverges(t *testing.T) {
	for name, arcs := range map[string][]arc{
		"loop":        {{0, 2, .5}, {1, 1, .7}, {1, 1, .2}, {1, 1, .1}},
		"closed":      {{0, 1, .5}, {0, 1, .5}, {1, 0, 1}},
		"unreachable": {{1, 0, .3}, {0, 2, 1}, {1, 1, 1}},
	} {
		g := loops(3, arcs)
		_, inReal := graph.AllPairs(g)
		_, inScaled := graph.AllPairs(graph.Map(g, semiring.Scaled{}, semiring.NewScaled))
		_, inLog := graph.AllPairs(graph.Map(g, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }))
		_, inPlain := graph.AllPairs(graph.Map(g, plain{}, func(x float64) float64 { return x }))
		for ring, err := range map[string]error{"Real": inReal, "Scaled": inScaled, "Log": inLog, "plain": inPlain} {
			if !errors.Is(err, semiring.ErrDiverges) {
				t.Errorf("%s in %s: error %v, want semiring.ErrDiverges", name, ring, err)
			}
		}
	}
	if d, err := graph.AllPairs(loops(2, []arc{{0, 0, .5}, {0, 1, 0}})); err != nil || !reflect.DeepEqual(d, [][]float64{{2, 0}, {0, 1}}) {
		t.Errorf("pairs %v, %v", d, err)
	}
}

func TestAllPairsLimits(t *testing.T) {
	if d, err := graph.AllPairs(must(graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil))(t)); err != nil || len(d) != 0 {
		t.Errorf("pairs of no states: %v, %v", d, err)
	}
	const n = 1<<13 + 1
	big := must(graph.New(semiring.Boolean{}, make([]int32, n+1), nil, nil, nil, make([]bool, n)))(t)
	if _, err := graph.AllPairs(big); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	bare := graph.Map(loops(1, []arc{{0, 0, .5}}), withoutStar{semiring.Real{}}, func(x float64) float64 { return x })
	if _, err := graph.AllPairs(bare); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

// checkRows compares the rows of Pairs with the rows of AllPairs, twice each.
func checkRows[W any](t *testing.T, g *graph.Graph[W], same func(a, b W) bool) {
	t.Helper()
	want := must(graph.AllPairs(g))(t)
	pairs := must(graph.NewPairs(g))(t)
	for s := range 2 * int32(g.NumStates()) {
		s /= 2
		states, sums, err := pairs.From(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) == 0 || states[0] != s {
			t.Fatalf("from state %d: states %v", s, states)
		}
		row := make([]W, g.NumStates())
		for q := range row {
			row[q] = g.Ring().Zero()
		}
		for i, q := range states {
			row[q] = sums[i]
		}
		if !nearSlices(row, want[s], same) {
			t.Fatalf("from state %d: %v, want %v", s, row, want[s])
		}
	}
}

// Rows equal the rows of AllPairs, which is tested separately, in rings whose cycles are summed
// in different ways.
func TestPairs(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		real := graphtest.Substochastic(r, tiny, .95)
		checkRows(t, real, near)
		checkRows(t, graph.Map(real, semiring.Scaled{}, semiring.NewScaled), nearScaled)
		checkRows(t, graph.Map(real, plain{}, func(x float64) float64 { return x }), near)
		checkRows(t, graph.Map(real, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(1 - x) }),
			func(a, b semiring.Cost) bool { return a == b || near(float64(a), float64(b)) })
		checkRows(t, graph.Map(real, semiring.RightString{}, func(x float64) semiring.Word {
			return semiring.NewWord(int32(8*x), 1)
		}), func(a, b semiring.Word) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPairsErrors(t *testing.T) {
	loop := func(w float64) *graph.Graph[float64] {
		return must(graph.New(semiring.Real{}, []int32{0, 1, 2}, []int32{1, 1}, []float64{.5, w}, nil, []float64{0, 0}))(t)
	}
	pairs := must(graph.NewPairs(loop(1)))(t)
	for range 2 {
		if _, _, err := pairs.From(0); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("a divergent cycle: %v", err)
		}
	}
	words := graph.Map(loop(.5), semiring.LeftString{}, func(float64) semiring.Word { return semiring.NewWord(1) })
	if _, err := graph.NewPairs(words); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without distribution from the right: %v", err)
	}
	none := must(graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil))(t)
	if _, err := graph.NewPairs(none); err != nil {
		t.Errorf("a graph without states: %v", err)
	}
}
