package graph_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// forwardByLength returns the sums over paths of at most n arcs from a start, by
// their length: an enumeration of paths, the equally long ones to a state at once.
func forwardByLength[W any](g *graph.Graph[W], n int) []W {
	ring := g.Ring()
	now := make([]W, g.NumStates())
	for s := range now {
		now[s] = ring.Zero()
	}
	for _, start := range g.Starts() {
		now[start.State] = ring.Plus(now[start.State], start.Weight)
	}
	alpha := slices.Clone(now)
	for range n {
		next := make([]W, len(now))
		for s := range next {
			next[s] = ring.Zero()
		}
		for s := range now {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				t := g.To()[e]
				next[t] = ring.Plus(next[t], ring.Times(now[s], g.Weights()[e]))
			}
		}
		now = next
		for s := range alpha {
			alpha[s] = ring.Plus(alpha[s], now[s])
		}
	}
	return alpha
}

// checkByLength compares PathSum, Forward and Backward with the paths of at most n
// arcs.
func checkByLength[W any](t *testing.T, g *graph.Graph[W], n int, same func(a, b W) bool) {
	t.Helper()
	ring := g.Ring()
	want := forwardByLength(g, n)
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	if !nearSlices(alpha, want, same) {
		t.Fatalf("forward %v, want %v", alpha, want)
	}
	total := ring.Zero()
	for s, f := range g.Finals() {
		total = ring.Plus(total, ring.Times(want[s], f))
	}
	if sum, err := graph.PathSum(g); err != nil || !same(sum, total) {
		t.Fatalf("path sum %v, %v, want %v", sum, err, total)
	}
	beta, err := graph.Backward(g)
	if err != nil {
		t.Fatal(err)
	}
	for s := range beta {
		from := must(g.WithWeights(g.Weights(), []graph.Start[W]{{State: int32(s), Weight: ring.One()}}, g.Finals()))(t)
		want := ring.Zero()
		for q, x := range forwardByLength(from, n) {
			want = ring.Plus(want, ring.Times(x, g.Finals()[q]))
		}
		if !same(beta[s], want) {
			t.Fatalf("backward of state %d is %v, want %v", s, beta[s], want)
		}
	}
}

// must returns a function that returns v, or fails the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestRelaxation(t *testing.T) {
	ring := kCosts{4}
	t.Run("costs", func(t *testing.T) {
		checkRelaxation(t, ring, func(r *rand.Rand) []int { return []int{r.IntN(4)} }, 4*5, slices.Equal[[]int])
	})
	t.Run("lists of costs", func(t *testing.T) {
		checkRelaxation(t, ring, func(r *rand.Rand) []int {
			return ring.Plus([]int{r.IntN(3)}, []int{r.IntN(6)})
		}, 4*5, slices.Equal[[]int])
	})
	t.Run("sets", func(t *testing.T) {
		checkRelaxation(t, subsets{}, func(r *rand.Rand) uint8 { return uint8(r.IntN(256)) }, 5,
			func(a, b uint8) bool { return a == b })
	})
	t.Run("not commutative", func(t *testing.T) {
		checkRelaxation(t, tally{}, randomTally, (maxTally+seriesLength)*5, maps.Equal[sum])
	})
}

// checkRelaxation compares with all paths of at most n arcs, which must be all that
// matter.
func checkRelaxation[W any](t *testing.T, ring semiring.Semiring[W], weight func(*rand.Rand) W, n int, same func(a, b W) bool) {
	for seed := range trials.Seeds(300) {
		checkByLength(t, graphtest.New(graphtest.Rand(seed), ring, tiny, weight), n, same)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// The oracle by length sums what enumeration sums.
func TestForwardByLength(t *testing.T) {
	for seed := range trials.Seeds(200) {
		g := graphtest.New(graphtest.Rand(seed), series{}, tiny, randomSum)
		if got, want := forwardByLength(g, 4), oracle.Forward(g, 4); !nearSlices(got, want, maps.Equal[sum]) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// Costs below nothing are no problem where no cycle has one.
func TestRelaxationNegativeCosts(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, kCosts{3}, tiny, func(r *rand.Rand) []int { return []int{r.IntN(4)} })
		h := make([]int, g.NumStates())
		for s := range h {
			h[s] = r.IntN(9)
		}
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				for i := range g.Weights()[e] {
					g.Weights()[e][i] += h[s] - h[g.To()[e]]
				}
			}
		}
		checkByLength(t, g, 3*5, slices.Equal[[]int])
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// cycle returns a cycle of states in which arc s → s+1 has the given weight, from
// its first state to its last.
func cycle[W any](t testing.TB, ring semiring.Semiring[W], weights ...W) *graph.Graph[W] {
	n := len(weights)
	row, to, final := []int32{0}, []int32{}, make([]W, n)
	for s := range n {
		row, to, final[s] = append(row, int32(s+1)), append(to, int32((s+1)%n)), ring.Zero()
	}
	final[n-1] = ring.One()
	return must(graph.New(ring, row, to, weights, []graph.Start[W]{{State: 0, Weight: ring.One()}}, final))(t)
}

// All k rounds of a long cycle that costs nothing are needed: more than relaxation has
// the patience for.
func TestRelaxationLongestPaths(t *testing.T) {
	const k, n = 100, 40
	weights := make([][]int, n)
	for i := range weights {
		weights[i] = []int{i%5 - 2}
	}
	g := cycle(t, kCosts{k}, weights...)
	reversed := make([]int32, n)
	for s := range reversed { // against every numbering of states
		reversed[s] = int32((s + n - 1) % n)
	}
	back := must(graph.New(g.Ring(), g.Row(), reversed, weights, g.Starts(), g.Finals()))(t)
	for _, g := range []*graph.Graph[[]int]{g, back} {
		if total, err := graph.PathSum(g); err != nil || len(total) != k || total[0] != total[k-1] {
			t.Errorf("path sum %v, %v, want %d times the same", total, err, k)
		}
	}
}

// A component that is left to elimination halfway has the sums of all its paths.
func TestRelaxationLeftToElimination(t *testing.T) {
	const k, n = 80, 5
	weights := [][]int{{0, 90}, {-3}, {4}, {0}, {0}} // the k best paths turn ever more often
	checkByLength(t, cycle(t, kCosts{k}, weights...), k*n, slices.Equal[[]int])
}

func TestRelaxationDiverges(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		n := 1 + r.IntN(30)
		weights := make([][]int, n)
		for i := range weights {
			weights[i] = []int{i%3 - 1, 7}
		}
		weights[r.IntN(n)][0] -= 1 + n
		_, err := graph.PathSum(cycle(t, kCosts{1 + r.IntN(20)}, weights...))
		if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "through state") {
			t.Fatalf("seed %d: error %v, want semiring.ErrDiverges with a state", seed, err)
		}
	}
}

// mute claims to be k-closed but cannot tell whether weights are equal.
type mute struct{ semiring.Boolean }

func (m mute) As(target any) bool {
	switch target := target.(type) {
	case *semiring.Lawful:
		*target = m
		return true
	case *semiring.Closed[bool]:
		*target = m
		return true
	}
	return false
}

func (mute) Laws() semiring.Laws { return semiring.Commutative | semiring.KClosed }

// muter has no star either.
type muter struct{ semiring.Semiring[bool] }

func (muter) Laws() semiring.Laws { return semiring.Commutative | semiring.KClosed }

// Without a test for equality the star serves.
func TestRelaxationNeedsEquality(t *testing.T) {
	if total, err := graph.PathSum(cycle(t, mute{}, true, true)); !total || err != nil {
		t.Errorf("path sum %v, %v, want true", total, err)
	}
	g := cycle(t, muter{semiring.Boolean{}}, true, true)
	if _, err := graph.PathSum(g); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}
