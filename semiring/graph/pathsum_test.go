package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

var acyclic = graphtest.Shape{States: 8, Arcs: 16, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}

// close reports whether two numbers agree up to rounding.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-11*max(math.Abs(a), math.Abs(b))
}

func nearScaled(a, b semiring.ScaledFloat) bool { return near(a.Float64(), b.Float64()) }

func nearSlices[W any](a, b []W, near func(a, b W) bool) bool {
	for i := range a {
		if !near(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// checkSums compares PathSum, Forward and Backward with enumeration.
func checkSums[W any](t *testing.T, g *graph.Graph[W], maxArcs int, near func(a, b W) bool) {
	t.Helper()
	total, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	if want := oracle.PathSum(g, maxArcs); !near(total, want) {
		t.Fatalf("path sum %v, want %v", total, want)
	}
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	if want := oracle.Forward(g, maxArcs); !nearSlices(alpha, want, near) {
		t.Fatalf("forward %v, want %v", alpha, want)
	}
	beta, err := graph.Backward(g)
	if err != nil {
		t.Fatal(err)
	}
	if want := oracle.Backward(g, maxArcs); !nearSlices(beta, want, near) {
		t.Fatalf("backward %v, want %v", beta, want)
	}
}

func checkAcyclic[W any](t *testing.T, ring semiring.Semiring[W], weight func(*rand.Rand) W, near func(a, b W) bool) {
	t.Helper()
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		checkSums(t, graphtest.New(r, ring, acyclic, weight), 8, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func unit(r *rand.Rand) float64 { return r.Float64() }

func TestAcyclic(t *testing.T) {
	t.Run("Real", func(t *testing.T) { checkAcyclic(t, semiring.Real{}, unit, near) })
	t.Run("Scaled", func(t *testing.T) {
		checkAcyclic(t, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		}, nearScaled)
	})
	t.Run("Log", func(t *testing.T) {
		checkAcyclic(t, semiring.Log{}, func(r *rand.Rand) semiring.LogProb {
			return semiring.LogProb(math.Log(unit(r)))
		}, func(a, b semiring.LogProb) bool { return a == b || math.Abs(float64(a-b)) < 1e-12 })
	})
	t.Run("Tropical", func(t *testing.T) {
		checkAcyclic(t, semiring.Tropical{}, func(r *rand.Rand) semiring.Cost {
			return semiring.Cost(r.IntN(10) - 3)
		}, func(a, b semiring.Cost) bool { return a == b })
	})
	t.Run("Viterbi", func(t *testing.T) {
		checkAcyclic(t, semiring.Viterbi{}, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		}, nearScaled)
	})
	t.Run("Boolean", func(t *testing.T) {
		checkAcyclic(t, semiring.Boolean{}, func(r *rand.Rand) bool { return true },
			func(a, b bool) bool { return a == b })
	})
	t.Run("series", func(t *testing.T) {
		checkAcyclic(t, series{}, randomSum, func(a, b sum) bool { return reflect.DeepEqual(a, b) })
	})
}

// Non-commutative sums over cyclic graphs are exact up to their length.
func TestCyclicNonCommutative(t *testing.T) {
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), series{}, tiny, randomSum)
		// The start and final weights are at least one letter each as well.
		checkSums(t, g, seriesLength, func(a, b sum) bool { return reflect.DeepEqual(a, b) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// tiny is small enough to enumerate all paths without a repeated state.
var tiny = graphtest.Shape{States: 5, Arcs: 9, Starts: 3, Finals: .4, Zero: .1}

// Selective rings: a best path need not repeat a state.
func TestCyclicSelective(t *testing.T) {
	for seed := range trials.Seeds(400) {
		cost := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, tiny,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(5)) })
		checkSums(t, cost, 4, func(a, b semiring.Cost) bool { return a == b })
		truth := graphtest.New(graphtest.Rand(seed), semiring.Boolean{}, tiny,
			func(r *rand.Rand) bool { return true })
		checkSums(t, truth, 4, func(a, b bool) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// With potentials h, costs w + h(from) − h(to) are negative here and there but not
// around any cycle.
func TestCyclicNegativeCosts(t *testing.T) {
	for seed := range trials.Seeds(400) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, tiny,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(4)) })
		h := make([]semiring.Cost, g.NumStates())
		for s := range h {
			h[s] = semiring.Cost(r.IntN(9))
		}
		w := append([]semiring.Cost(nil), g.Weights()...)
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				w[e] += h[s] - h[g.To()[e]]
			}
		}
		g, err := g.WithWeights(w, g.Starts(), g.Finals())
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, g, 4, func(a, b semiring.Cost) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestEmptyGraph(t *testing.T) {
	g, err := graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if z, err := graph.PathSum(g); z != 0 || err != nil {
		t.Errorf("PathSum = %v, %v", z, err)
	}
	if p, err := graph.Posteriors(g); err != nil || p.Total != 0 {
		t.Errorf("Posteriors = %v, %v", p, err)
	}
}

func TestNewRejects(t *testing.T) {
	one := []float64{1}
	for name, err := range map[string]error{
		"no rows":          newError([]int32{}, nil, nil, nil, nil),
		"too few rows":     newError([]int32{0}, nil, nil, nil, one),
		"arcs not covered": newError([]int32{0, 0}, []int32{0}, one, nil, one),
		"falling row":      newError([]int32{0, 2, 1}, []int32{0}, one, nil, []float64{1, 1}),
		"target too high":  newError([]int32{0, 1}, []int32{1}, one, nil, one),
		"negative target":  newError([]int32{0, 1}, []int32{-1}, one, nil, one),
		"too few weights":  newError([]int32{0, 1}, []int32{0}, nil, nil, one),
		"start too high":   newError([]int32{0, 0}, nil, nil, []graph.Start[float64]{{1, 1}}, one),
	} {
		if !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
}

func newError(row, to []int32, weight []float64, starts []graph.Start[float64], final []float64) error {
	_, err := graph.New(semiring.Real{}, row, to, weight, starts, final)
	return err
}

// Probabilities far below the range of float64 survive a long chain.
func TestLongChain(t *testing.T) {
	const n = 1_000_000
	p := semiring.NewScaled(1e-200)
	row, to, w := make([]int32, n+2), make([]int32, n), make([]semiring.ScaledFloat, n)
	for s := range n {
		row[s+1], to[s], w[s] = int32(s+1), int32(s+1), p
	}
	row[n+1] = n
	final := make([]semiring.ScaledFloat, n+1)
	final[n] = semiring.NewScaled(1)
	g, err := graph.New(semiring.Scaled{}, row, to, w, []graph.Start[semiring.ScaledFloat]{{0, final[n]}}, final)
	if err != nil {
		t.Fatal(err)
	}
	q, err := graph.Posteriors(g)
	if err != nil {
		t.Fatal(err)
	}
	if want := n * math.Log(1e-200); !near(q.Total.Log(), want) {
		t.Errorf("ln total = %v, want %v", q.Total.Log(), want)
	}
	if math.Abs(q.Arc[n/2]-1) > 1e-9 {
		t.Errorf("posterior %v, want 1", q.Arc[n/2])
	}
}
