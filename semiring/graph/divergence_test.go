package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// arc is a graphtest.Arc.
type arc struct {
	From, To int
	Weight   float64
}

// loops is graphtest.Loops.
func loops(n int, arcs []arc) *graph.Graph[float64] {
	list := make([]graphtest.Arc, len(arcs))
	for i, a := range arcs {
		list[i] = graphtest.Arc(a)
	}
	return graphtest.Loops(n, list)
}

// divergences returns the errors of a graph in all rings of probabilities.
func divergences(g *graph.Graph[float64]) map[string]error {
	_, inReal := graph.PathSum(g)
	_, inScaled := graph.PathSum(graph.Map(g, semiring.Scaled{}, semiring.NewScaled))
	_, inLog := graph.PathSum(graph.Map(g, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }))
	ring := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	_, inExpectation := graph.PathSum(graph.Map(g, ring, func(x float64) semiring.Expected[float64, float64] {
		return semiring.Expected[float64, float64]{P: x, V: x}
	}))
	_, inPosteriors := graph.Posteriors(g)
	return map[string]error{"Real": inReal, "Scaled": inScaled, "Log": inLog, "Expectation": inExpectation, "posteriors": inPosteriors}
}

func wantDiverges(t *testing.T, name string, g *graph.Graph[float64], want bool) {
	t.Helper()
	for ring, err := range divergences(g) {
		if errors.Is(err, semiring.ErrInaccurate) && (ring == "Log" || ring == "Expectation") {
			continue // their stars are 1/(1 − a)
		}
		switch {
		case want && !errors.Is(err, semiring.ErrDiverges):
			t.Errorf("%s in %s: error %v, want semiring.ErrDiverges", name, ring, err)
		case !want && err != nil:
			t.Errorf("%s in %s: %v", name, ring, err)
		}
	}
}

func TestMassOneLoops(t *testing.T) {
	for _, x := range [][]float64{
		{.7, .2, .1}, {.7, .1, .2}, {.2, .1, .7}, {.2, .7, .1}, {.1, .2, .7}, {.1, .7, .2},
		{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, {1}, {.3, .3, .3, .1}, {1.1},
	} {
		arcs := []arc{{0, 1, .5}}
		for _, w := range x {
			arcs = append(arcs, arc{0, 0, w})
		}
		wantDiverges(t, "loop", loops(2, arcs), true)
	}
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		n := 1 + r.IntN(40)
		mass := []float64{1, 1 - 1e-9, 1 + 1e-9}[seed%3]
		arcs := []arc{{0, 1, .5}}
		for _, w := range graphtest.Split(r, n, mass) {
			arcs = append(arcs, arc{0, 0, w})
		}
		wantDiverges(t, "loop", loops(2, arcs), seed%3 != 1)
		if t.Failed() {
			t.Fatalf("seed %d, %d arcs, mass %v", seed, n, mass)
		}
	}
}

// closedClass is an irreducible component with exit probability exit from one
// state; with exit 0 all mass stays in it.
func closedClass(r *rand.Rand, n int, exit float64) *graph.Graph[float64] {
	arcs := []arc{{n - 1, n, max(exit, .5)}}
	for s := range n {
		k := 1 + r.IntN(3)
		mass := 1.0
		if s == n-1 {
			mass -= exit
		}
		for i, w := range graphtest.Split(r, k, mass) {
			q := r.IntN(n)
			if i == 0 {
				q = (s + 1) % n
			}
			arcs = append(arcs, arc{s, q, w})
		}
	}
	return loops(n+1, arcs)
}

func TestMassOneComponents(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		n := 2 + r.IntN(12)
		exit := 0.0
		if seed%2 == 1 {
			exit = 1e-6
		}
		wantDiverges(t, "closed class", closedClass(r, n, exit), exit == 0)
		if t.Failed() {
			t.Fatalf("seed %d, %d states, exit %v", seed, n, exit)
		}
	}
}

// A product of weights around a cycle is exactly 1, with weights above 1 included.
func TestMassOneProducts(t *testing.T) {
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		n := 2 + r.IntN(3)
		arcs := []arc{{0, n, .5}}
		left := 1.0
		for s := range n {
			w := math.Exp(6 * r.NormFloat64())
			if s == n-1 {
				w = left
			}
			left /= w
			arcs = append(arcs, arc{s, (s + 1) % n, w})
		}
		wantDiverges(t, "cycle", loops(n+1, arcs), true)
		if seed%2 == 0 {
			arcs[1].Weight *= 1 - 1e-9
			wantDiverges(t, "cycle", loops(n+1, arcs), false)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %v", seed, arcs)
		}
	}
}

// A loop of mass .999 or closer to 1 amplifies every error of the cycle around it 1000 times or
// more.
func TestMassOneAmplified(t *testing.T) {
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		inner := 1 - math.Pow(10, -1-5*r.Float64())
		back := []float64{1, 1 - 1e-4, 1 + 1e-4}[seed%3]
		// 0 → 1 (p), 1 → 1 (inner), 1 → 0 (1 − inner): mass p·(1−inner)/(1−inner) + (1−p).
		p := r.Float64()
		arcs := []arc{{0, 1, p}, {0, 2, .5}}
		for _, w := range graphtest.Split(r, 1+r.IntN(4), inner) {
			arcs = append(arcs, arc{1, 1, w})
		}
		for _, w := range graphtest.Split(r, 1+r.IntN(4), (1-inner)*back) {
			arcs = append(arcs, arc{1, 0, w})
		}
		for _, w := range graphtest.Split(r, 1+r.IntN(4), 1-p) {
			arcs = append(arcs, arc{0, 0, w})
		}
		// 1 − 1e-4·p: far from 1 unless p is tiny.
		if seed%3 == 1 && p < .01 {
			continue
		}
		wantDiverges(t, "amplified", loops(3, arcs), seed%3 != 1)
		if t.Failed() {
			t.Fatalf("seed %d: inner %v, back %v, p %v", seed, inner, back, p)
		}
	}
}

// Components with many states and little exit converge.
func TestNoFalseAlarm(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](60)) {
		r := graphtest.Rand(seed)
		n := 50
		if seed%3 == 2 {
			n = 120
		}
		exit := []float64{.05, 1e-3, 1e-6}[seed%3]
		var arcs []arc
		for s := range n {
			for q, w := range graphtest.Split(r, n, 1-exit) {
				arcs = append(arcs, arc{s, q, w})
			}
			arcs = append(arcs, arc{s, n, exit})
		}
		g := loops(n+1, arcs)
		wantDiverges(t, "dense", g, false)
		if total, err := graph.PathSum(g); err != nil || math.Abs(total-1) > 1e-8 {
			t.Errorf("seed %d: path sum %v, %v, want 1", seed, total, err)
		}
	}
}

// Cycles off the paths do no harm; Zero arcs do not form cycles.
func TestHarmlessCycles(t *testing.T) {
	base := []arc{{0, 3, .5}, {0, 0, .25}}
	for name, more := range map[string][]arc{
		"unreachable":      {{1, 1, 2}, {1, 3, 1}},
		"dead":             {{0, 1, 1}, {1, 2, 1}, {2, 1, 1}},
		"unreachable by 0": {{0, 1, 0}, {1, 1, 2}, {1, 3, 1}},
		"returning":        {{0, 1, 0}, {1, 1, 2}, {1, 0, 1}},
		"dead by 0":        {{0, 1, 1}, {1, 1, 2}, {1, 3, 0}},
		"broken by 0":      {{0, 1, 0}, {1, 0, 1}, {1, 1, 3}},
		"cut by 0":         {{0, 1, 1}, {1, 0, 0}, {1, 1, 3}},
	} {
		g := loops(4, append(more, base...))
		wantDiverges(t, name, g, false)
		if total, err := graph.PathSum(g); err != nil || !near(total, 2./3) {
			t.Errorf("%s: path sum %v, %v, want 2/3", name, total, err)
		}
		cost := graph.Map(g, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(x)) })
		if best, err := graph.BestPath(cost); err != nil || !near(float64(best.Weight), math.Ln2) {
			t.Errorf("%s: best path %v, %v, want ln 2", name, best, err)
		}
	}
	// A state with only arcs of weight 0 into it, or out of it, in a component of others.
	if alpha, err := graph.Forward(loops(2, []arc{{0, 0, 0}, {1, 0, 0}, {1, 1, 2}, {0, 1, 0}})); err != nil || alpha[1] != 0 {
		t.Errorf("forward with an unreachable cycle: %v, %v", alpha, err)
	}
	if beta, err := graph.Backward(loops(3, []arc{{0, 1, 1}, {1, 0, 0}, {1, 1, 2}, {0, 2, 1}})); err != nil || beta[0] != 1 {
		t.Errorf("backward with a dead cycle: %v, %v", beta, err)
	}
	dead := loops(3, []arc{{0, 2, 1}, {0, 1, 1}, {1, 1, 1}})
	if _, err := graph.Backward(dead); err != nil {
		t.Errorf("backward with a dead cycle: %v", err)
	}
	if _, err := graph.Forward(dead); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("forward with a reachable cycle of mass 1: error %v, want semiring.ErrDiverges", err)
	}
}

func TestTropicalNegativeCycle(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		n := 2 + r.IntN(6)
		arcs := []arc{{n - 1, n, 1}}
		for s := range n {
			w := float64(r.IntN(5))
			if s == 0 {
				w = -4*float64(n) - 1
			}
			arcs = append(arcs, arc{s, (s + 1) % n, w}, arc{s, r.IntN(n), 5 * float64(n)})
		}
		g := graph.Map(loops(n+1, arcs), semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(x) })
		zero := make([]semiring.Cost, n+1)
		for s := range n {
			zero[s] = semiring.Tropical{}.Zero()
		}
		g, err := g.WithWeights(g.Weights(), g.Starts(), zero)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := graph.PathSum(g); !errors.Is(err, semiring.ErrDiverges) {
			t.Fatalf("seed %d: error %v, want semiring.ErrDiverges", seed, err)
		}
		if _, err := graph.BestPath(g); !errors.Is(err, semiring.ErrDiverges) {
			t.Fatalf("seed %d: error %v, want semiring.ErrDiverges", seed, err)
		}
	}
}

func TestNotANumberShows(t *testing.T) {
	nan := math.NaN()
	for name, arcs := range map[string][]arc{
		"acyclic":          {{0, 1, nan}, {0, 1, .5}},
		"cyclic":           {{0, 0, nan}, {0, 1, .5}},
		"beside the cycle": {{0, 0, .5}, {0, 1, nan}},
	} {
		g := loops(2, arcs)
		if total, err := graph.PathSum(g); err == nil && !math.IsNaN(total) {
			t.Errorf("%s: path sum %v", name, total)
		}
		if p, err := graph.Posteriors(g); err == nil {
			t.Errorf("%s: posteriors %v", name, p)
		}
		cost := graph.Map(g, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(x) })
		if p, err := graph.BestPath(cost); err == nil && !math.IsNaN(float64(p.Weight)) {
			t.Errorf("%s: best path %v", name, p)
		}
	}
}

// A ring does not need Star if cycles are not on any path.
func TestStarOnlyIfNeeded(t *testing.T) {
	ring := withoutStar{semiring.Real{}}
	g := loops(3, []arc{{0, 1, 1}, {1, 1, 1}, {0, 2, 1}})
	if total, err := graph.PathSum(graph.Map(g, ring, func(x float64) float64 { return x })); total != 1 || err != nil {
		t.Errorf("path sum %v, %v, want 1", total, err)
	}
	g = loops(3, []arc{{0, 1, 1}, {1, 0, 0}, {1, 2, 1}})
	if total, err := graph.PathSum(graph.Map(g, ring, func(x float64) float64 { return x })); total != 1 || err != nil {
		t.Errorf("path sum %v, %v, want 1", total, err)
	}
	g = loops(2, []arc{{0, 0, .5}, {0, 1, 1}})
	if _, err := graph.PathSum(graph.Map(g, ring, func(x float64) float64 { return x })); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

type withoutStar struct{ semiring.Semiring[float64] }
