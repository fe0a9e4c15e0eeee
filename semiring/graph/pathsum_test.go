package graph_test

import (
	"errors"
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
)

var acyclic = graphtest.Shape{States: 8, Arcs: 16, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}

// near reports whether two numbers agree up to rounding.
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

// Selective rings: there is a best path without repeated states.
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

// With potentials h, some costs w + h(from) − h(to) are negative, but every cycle costs at least
// 0.
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

// A cycle diverges even if the weights after it, or before it, underflow in Real.
func TestUnderflowHidesNoDivergence(t *testing.T) {
	behind := func(extra ...arc) []arc { return append(extra, arc{1, 2, 1e-310}, arc{2, 3, 1e-315}) }
	before := func(extra ...arc) []arc { return append(extra, arc{0, 1, 1e-310}, arc{1, 2, 1e-315}) }
	for name, g := range map[string]*graph.Graph[float64]{
		"a loop, behind":        loops(4, behind(arc{0, 1, .5}, arc{1, 1, 14})),
		"two states, behind":    loops(4, behind(arc{0, 1, .5}, arc{1, 0, 14})),
		"a loop, before":        loops(4, before(arc{2, 2, 14}, arc{2, 3, .5})),
		"two states, before":    loops(4, before(arc{2, 3, 14}, arc{3, 2, 1})),
		"twenty states, behind": loops(23, append(circle(20, 1), arc{0, 20, 1e-310}, arc{20, 21, 1e-315}, arc{21, 22, 1})),
	} {
		for way, sum := range map[string]func(*graph.Graph[float64]) error{
			"path sum":   func(g *graph.Graph[float64]) error { _, err := graph.PathSum(g); return err },
			"forward":    func(g *graph.Graph[float64]) error { _, err := graph.Forward(g); return err },
			"backward":   func(g *graph.Graph[float64]) error { _, err := graph.Backward(g); return err },
			"posteriors": func(g *graph.Graph[float64]) error { _, err := graph.Posteriors(g); return err },
		} {
			if err := sum(g); !errors.Is(err, semiring.ErrDiverges) {
				t.Errorf("%s, %s: error %v, want semiring.ErrDiverges", name, way, err)
			}
		}
	}
}

// circle is a cycle of n states with weights w.
func circle(n int, w float64) []arc {
	var arcs []arc
	for s := range n {
		arcs = append(arcs, arc{s, (s + 1) % n, w})
	}
	return arcs
}

// Totals are the same in Real and in Scaled if intermediate results overflow or underflow in
// Real: the correct number, or an error.
func TestRealIsScaledOrAnError(t *testing.T) {
	refused := 0
	for seed := range trials.Seeds(4000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%2], .95)
		for e := range g.Weights() {
			if r.IntN(3) == 0 {
				g.Weights()[e] *= math.Ldexp(1, r.IntN(1600)-800)
			}
		}
		want, errScaled := graph.PathSum(graphtest.Scaled(g))
		got, err := graph.PathSum(g)
		switch {
		case err != nil && errScaled == nil:
			if refused++; !errors.Is(err, semiring.ErrNotFinite) {
				t.Fatalf("seed %d: %v, and in Scaled %v", seed, err, want)
			}
		case (err == nil) != (errScaled == nil):
			t.Fatalf("seed %d: %v, error %v, and in Scaled %v, %v", seed, got, err, want, errScaled)
		case err == nil && !near(got, want.Float64()) && math.Abs(want.Float64()) > 1e-300:
			t.Fatalf("seed %d: %v, and in Scaled %v", seed, got, want)
		}
	}
	if refused == 0 {
		t.Error("nothing was out of range")
	}
}

// Sums of pairs are the same in Real and in Scaled if intermediate results overflow in Real, and
// all are finite.
func TestPairsInRealAreScaledOrAnError(t *testing.T) {
	compared, refused := 0, 0
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%2], .95)
		for e := range g.Weights() {
			switch r.IntN(8) {
			case 0:
				g.Weights()[e] *= 1e200
			case 1:
				g.Weights()[e] = 0
			}
		}
		inScaled, errScaled := graph.AllPairs(graphtest.Scaled(g))
		all, err := graph.AllPairs(g)
		rows := must(graph.NewPairs(g))(t)
		for p := range inScaled {
			states, sums, err := rows.From(int32(p))
			for n, q := range states {
				switch want := inScaled[p][q].Float64(); {
				case err != nil:
				case math.IsInf(want, 0) || !near(sums[n], want):
					t.Errorf("seed %d: from %d to %d %v, in Scaled %v", seed, p, q, sums[n], inScaled[p][q])
				}
			}
		}
		switch inRange := !slices.ContainsFunc(slices.Concat(inScaled...), func(x semiring.ScaledFloat) bool { return math.IsInf(x.Float64(), 0) }); {
		case (err == nil) != (errScaled == nil && inRange):
			t.Fatalf("seed %d: error %v, in Scaled %v", seed, err, errScaled)
		case err != nil:
			refused++
		default:
			compared++
			for p, row := range all {
				for q, x := range row {
					if !near(x, inScaled[p][q].Float64()) {
						t.Fatalf("seed %d: from %d to %d %v, in Scaled %v", seed, p, q, x, inScaled[p][q])
					}
				}
			}
		}
	}
	if compared == 0 || refused == 0 {
		t.Errorf("%d compared, %d out of range", compared, refused)
	}
}

// If intermediate weights of a sequence overflow in Real, its weight is the same as in Scaled, or
// there is an error: 1e200·1e200·1e-300 is 1e100.
func TestBestSequencesOverflow(t *testing.T) {
	g := loops(4, []arc{{0, 1, 1e200}, {1, 2, 1e200}, {2, 3, 1e-300}, {0, 3, 1e99}})
	labels := []int32{1, 2, 3, 4} // by arc
	for s, err := range graph.BestSequences(g, labels, nil) {
		switch {
		case err != nil && errors.Is(err, semiring.ErrNotFinite):
		case err != nil || !(s.Weight <= math.MaxFloat64):
			t.Errorf("%d weighs %v, error %v, want a finite weight or semiring.ErrNotFinite", s.Labels, s.Weight, err)
		}
	}
}
