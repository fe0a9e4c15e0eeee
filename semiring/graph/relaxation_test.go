package graph_test

import (
	"errors"
	"maps"
	"math"
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

// forwardByLength returns the sums over paths of at most n arcs from a start, by their length: it
// enumerates paths, all equally long ones to a state at once.
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

// checkRelaxation compares with all paths of at most n arcs, which must include all relevant
// paths.
func checkRelaxation[W any](t *testing.T, ring semiring.Semiring[W], weight func(*rand.Rand) W, n int, same func(a, b W) bool) {
	for seed := range trials.Seeds(300) {
		checkByLength(t, graphtest.New(graphtest.Rand(seed), ring, tiny, weight), n, same)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// The oracle by length computes the same sums as enumeration.
func TestForwardByLength(t *testing.T) {
	for seed := range trials.Seeds(200) {
		g := graphtest.New(graphtest.Rand(seed), series{}, tiny, randomSum)
		if got, want := forwardByLength(g, 4), oracle.Forward(g, 4); !nearSlices(got, want, maps.Equal[sum]) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// Negative costs are allowed if no cycle has a negative cost.
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

// A long cycle of cost 0 needs all k rounds, more than the patience of relaxation.
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

// A component that is left to elimination midway has the sums of all its paths.
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

// mute claims to be k-closed but cannot compare weights.
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

// Without a test for equality the star is used.
func TestRelaxationNeedsEquality(t *testing.T) {
	if total, err := graph.PathSum(cycle(t, mute{}, true, true)); !total || err != nil {
		t.Errorf("path sum %v, %v, want true", total, err)
	}
	g := cycle(t, muter{semiring.Boolean{}}, true, true)
	if _, err := graph.PathSum(g); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

// A ring without a star gets the sums of the same ring with one.
func TestDoublingReal(t *testing.T) {
	shape := graphtest.Shape{States: 12, Arcs: 40, Starts: 4, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(1000) {
		mass := []float64{.5, .99, 1 - 1e-6}[seed%3]
		g := graphtest.Substochastic(graphtest.Rand(seed), shape, mass)
		want := oracle.Solve(t, g)
		bare := graph.Map(g, plain{}, func(x float64) float64 { return x })
		within := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }
		alpha, err := graph.Forward(bare)
		if err != nil || !nearSlices(alpha, want.Alpha, within) {
			t.Fatalf("seed %d: forward %v, %v, want %v", seed, alpha, err, want.Alpha)
		}
		beta, err := graph.Backward(bare)
		if err != nil || !nearSlices(beta, want.Beta, within) {
			t.Fatalf("seed %d: backward %v, %v, want %v", seed, beta, err, want.Beta)
		}
	}
}

// spread2 returns the graph over numbers that has two states for each of g, and
// two arcs for each entry of a matrix that is not 0.
func spread2(t *testing.T, g *graph.Graph[matrix]) *graph.Graph[float64] {
	row, to, w, final := []int32{0}, []int32{}, []float64{}, []float64{}
	var starts []graph.Start[float64]
	for s := range g.NumStates() {
		for i := range 2 {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				for j := range 2 {
					to, w = append(to, 2*g.To()[e]+int32(j)), append(w, g.Weights()[e][2*i+j])
				}
			}
			row, final = append(row, int32(len(to))), append(final, 0)
		}
	}
	return must(graph.New(semiring.Real{}, row, to, w, starts, final))(t)
}

// Matrices do not commute, and have a closed form: the sums over a graph with two
// states for each.
func TestDoublingMatrices(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, matrices{}, tiny, func(r *rand.Rand) matrix {
			return matrix{r.Float64(), r.Float64(), r.Float64(), r.Float64() * float64(r.IntN(2))}
		})
		scale := []float64{.1, .3}[seed%2]
		for e, m := range g.Weights() {
			degree := 1.0
			for s := range g.NumStates() {
				if lo, hi := g.Row()[s], g.Row()[s+1]; int32(e) >= lo && int32(e) < hi {
					degree = float64(hi - lo)
				}
			}
			for i := range m {
				g.Weights()[e][i] *= scale / degree
			}
		}
		wide := must(graph.AllPairs(spread2(t, g)))(t)
		block := func(p, q int) matrix {
			return matrix{wide[2*p][2*q], wide[2*p][2*q+1], wide[2*p+1][2*q], wide[2*p+1][2*q+1]}
		}
		alpha := must(graph.Forward(g))(t)
		for q := range alpha {
			var want matrix
			for _, start := range g.Starts() {
				want = matrices{}.Plus(want, matrices{}.Times(start.Weight, block(int(start.State), q)))
			}
			if d := (matrices{}).Dist(alpha[q], want); !(d < 1e-11) {
				t.Fatalf("seed %d: forward of state %d is %v, want %v", seed, q, alpha[q], want)
			}
		}
		beta := must(graph.Backward(g))(t)
		for p := range beta {
			var want matrix
			for q, f := range g.Finals() {
				want = matrices{}.Plus(want, matrices{}.Times(block(p, q), f))
			}
			if d := (matrices{}).Dist(beta[p], want); !(d < 1e-11) {
				t.Fatalf("seed %d: backward of state %d is %v, want %v", seed, p, beta[p], want)
			}
		}
	}
}

// The star of one matrix is (1 − a)⁻¹, even if a sum of its powers converges slowly or grows at
// first.
func TestDoublingStar(t *testing.T) {
	for _, a := range []matrix{
		{.5, .25, .125, .5}, {0, 1e6, 0, 0}, {0, 1e6, 1e-7, 0}, {.999999, 0, 1, .5}, {1 - 1e-9, 0, 0, 0}, {},
	} {
		g := cycle(t, matrices{}, a)
		det := (1-a[0])*(1-a[3]) - a[1]*a[2]
		want := matrix{(1 - a[3]) / det, a[1] / det, a[2] / det, (1 - a[0]) / det}
		got, err := graph.PathSum(g)
		size := (matrices{}).Dist(want, matrix{})
		if d := (matrices{}).Dist(got, want); err != nil || !(d <= 1e-9*size*max(1, 1e-6/det)) {
			t.Errorf("%v* = %v, %v, want %v", a, got, err, want)
		}
	}
}

func TestDoublingDiverges(t *testing.T) {
	for _, a := range []matrix{
		{1, 0, 0, 0}, {0, 1, 1, 0}, {2, 0, 0, 0}, {0, 1e6, 1e-6, 0}, {.7 + .2 + .1, 0, 0, .5}, {0, 0, 0, math.NaN()},
	} {
		_, err := graph.PathSum(cycle(t, matrices{}, matrix{1, 0, 0, 1}, a))
		if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "state ") || !strings.Contains(err.Error(), "as far as") {
			t.Errorf("%v: error %v, want semiring.ErrDiverges with a state and a distance", a, err)
		}
	}
	for _, x := range [][]float64{{.7, .2, .1}, {.1, .2, .7}, {1.1}, {-1}} {
		arcs := []arc{{0, 1, .5}}
		for _, w := range x {
			arcs = append(arcs, arc{0, 0, w})
		}
		g := graph.Map(loops(2, arcs), plain{}, func(x float64) float64 { return x })
		if total, err := graph.PathSum(g); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("%v: path sum %v, error %v, want semiring.ErrDiverges", x, total, err)
		}
	}
}

// keyed compares weights by a key and has no other capability.
type keyed struct{ subsets }

func (keyed) Laws() semiring.Laws { return 0 }

func TestDoublingByKey(t *testing.T) {
	for seed := range trials.Seeds(200) {
		g := graphtest.New(graphtest.Rand(seed), keyed{}, tiny, func(r *rand.Rand) uint8 { return uint8(r.IntN(256)) })
		checkByLength(t, g, 5, func(a, b uint8) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
