package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

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

// The star of one matrix is (1 − a)⁻¹, also where a sum of its powers converges
// slowly or starts by growing.
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

// keyed tells equal weights by a key and claims nothing more.
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
