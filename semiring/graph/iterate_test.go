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

func scaledGraph(g *graph.Graph[float64]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g, semiring.Scaled{}, semiring.NewScaled)
}

func logGraph(g *graph.Graph[semiring.ScaledFloat]) *graph.Graph[semiring.LogProb] {
	return graph.Map(g, semiring.Log{}, func(x semiring.ScaledFloat) semiring.LogProb { return semiring.LogProb(x.Log()) })
}

// farthest returns the greatest distance between the weights of a and b.
func farthest[W any](ring semiring.Semiring[W], a, b []W) float64 {
	m, err := semiring.Require[semiring.Metric[W]](ring)
	if err != nil {
		panic(err)
	}
	worst := 0.0
	for s := range a {
		if d := m.Dist(a[s], b[s]); !(d <= worst) {
			worst = d
		}
	}
	return worst
}

// agree compares iteration and elimination with bounds with elimination, both ways.
func agree[W any](t *testing.T, name string, g *graph.Graph[W], tolerance float64) {
	t.Helper()
	agreeBy(t, name, g, graph.Iteration[W], tolerance)
	agreeBy(t, name+" bounded", g, graph.Bounded[W], tolerance)
}

func agreeBy[W any](t *testing.T, name string, g *graph.Graph[W], method graph.Method[W], tolerance float64) {
	t.Helper()
	for way, by := range map[string]func(*graph.Graph[W], graph.Method[W]) ([]W, error){
		"forward": graph.ForwardBy[W], "backward": graph.BackwardBy[W],
	} {
		want, err := by(g, graph.Elimination[W])
		if err != nil {
			t.Errorf("%s %s: elimination: %v", name, way, err)
			continue
		}
		got, err := by(g, method)
		if err != nil {
			t.Errorf("%s %s: %v", name, way, err)
			continue
		}
		if d := farthest(g.Ring(), got, want); !(d <= tolerance) {
			t.Errorf("%s %s: %g apart", name, way, d)
		}
	}
}

var cyclicShapes = []graphtest.Shape{
	{States: 6, Arcs: 12, Starts: 3, Finals: .4, Zero: .1},
	{States: 40, Arcs: 90, Starts: 3, Finals: .2, Zero: .05},
	{States: 60, Arcs: 1500, Starts: 2, Finals: .1, Zero: .02},
}

func TestIterationIsElimination(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](600)) {
		r := graphtest.Rand(seed)
		g := substochastic(r, cyclicShapes[seed%3], .3+.69*r.Float64())
		agree(t, "Real", g, 1e-11)
		agree(t, "Scaled", scaledGraph(g), 1e-11)
		agree(t, "Log", logGraph(scaledGraph(g)), 1e-11)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Close to divergence rounding errors are as much larger.
func TestIterationNearCritical(t *testing.T) {
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		gap := []float64{1e-3, 1e-6, 1e-9}[seed%3]
		g := substochastic(r, cyclicShapes[1+seed%2], 1-gap)
		agree(t, "Scaled", scaledGraph(g), 1e-13/gap)
		if t.Failed() {
			t.Fatalf("seed %d, gap %v", seed, gap)
		}
	}
}

// conjugated returns the graph with every arc s → t multiplied by e^(h(t)−h(s)) and
// final weights by e^(−h(s)), which changes α of s by e^h(s) and β by e^−h(s).
func conjugated(g *graph.Graph[semiring.ScaledFloat], h []float64) *graph.Graph[semiring.ScaledFloat] {
	w, final := make([]semiring.ScaledFloat, g.NumArcs()), make([]semiring.ScaledFloat, g.NumStates())
	starts := make([]graph.Start[semiring.ScaledFloat], len(g.Starts()))
	for s := range final {
		final[s] = g.Finals()[s].Mul(semiring.ScaledFromLog(-h[s]))
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			w[e] = g.Weights()[e].Mul(semiring.ScaledFromLog(h[g.To()[e]] - h[s]))
		}
	}
	for i, start := range g.Starts() {
		start.Weight = start.Weight.Mul(semiring.ScaledFromLog(h[start.State]))
		starts[i] = start
	}
	c, err := g.WithWeights(w, starts, final)
	if err != nil {
		panic(err)
	}
	return c
}

// Weights far apart: no part of the solution gets lost, however small.
func TestIterationWideRange(t *testing.T) {
	for seed := range trials.Seeds(450) {
		r := graphtest.Rand(seed)
		g := scaledGraph(substochastic(r, cyclicShapes[seed%3], .95))
		h := make([]float64, g.NumStates())
		span := []float64{30, 300, 2000}[seed/3%3]
		for s := range h {
			h[s] = span * r.NormFloat64()
		}
		c := conjugated(g, h)
		alpha, err := graph.ForwardBy(g, graph.Elimination)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := graph.BackwardBy(g, graph.Elimination)
		if err != nil {
			t.Fatal(err)
		}
		gotAlpha, errA := graph.ForwardBy(c, graph.Iteration)
		gotBeta, errB := graph.BackwardBy(c, graph.Iteration)
		if errA != nil || errB != nil {
			t.Fatalf("seed %d: %v, %v", seed, errA, errB)
		}
		for s := range h {
			alpha[s] = alpha[s].Mul(semiring.ScaledFromLog(h[s]))
			beta[s] = beta[s].Mul(semiring.ScaledFromLog(-h[s]))
		}
		if d := farthest(g.Ring(), gotAlpha, alpha); !(d < 1e-9) {
			t.Fatalf("seed %d, span %v: forward %g apart", seed, span, d)
		}
		if d := farthest(g.Ring(), gotBeta, beta); !(d < 1e-9) {
			t.Fatalf("seed %d, span %v: backward %g apart", seed, span, d)
		}
		agreeBy(t, "Log", logGraph(c), graph.Iteration[semiring.LogProb], 1e-8)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A state reached with a weight of 1e-400 only.
func TestIterationTiny(t *testing.T) {
	g := scaledGraph(loops(4, []arc{{0, 1, .5}, {1, 0, .5}, {0, 2, 1e-200}, {2, 0, .25}, {2, 3, 1e-200}, {3, 0, .5}}))
	alpha, err := graph.ForwardBy(g, graph.Iteration)
	if err != nil {
		t.Fatal(err)
	}
	// α₀ = 1/(1 − 1/4) up to 1e-200.
	if got, want := alpha[3].Log(), math.Log(4./3)-400*math.Ln10; math.Abs(got-want) > 1e-10 {
		t.Errorf("ln α = %v, want %v", got, want)
	}
}

func TestIterationSigned(t *testing.T) {
	for seed := range trials.Seeds(450) {
		r := graphtest.Rand(seed)
		g := substochastic(r, cyclicShapes[seed%3], .95)
		for e := range g.Weights() {
			if r.IntN(3) == 0 {
				g.Weights()[e] *= -1
			}
		}
		want := solve(t, g)
		alpha, errA := graph.ForwardBy(g, graph.Iteration)
		beta, errB := graph.BackwardBy(scaledGraph(g), graph.Iteration)
		if errA != nil || errB != nil {
			t.Fatalf("seed %d: %v, %v", seed, errA, errB)
		}
		for s := range alpha {
			if !nearTo(alpha[s], want.alpha[s]) || !nearTo(beta[s].Float64(), want.beta[s]) {
				t.Fatalf("seed %d: state %d: %v and %v, want %v and %v", seed, s, alpha[s], beta[s], want.alpha[s], want.beta[s])
			}
		}
	}
	// Where the absolute values diverge it is for elimination to decide.
	g := loops(3, []arc{{0, 1, 2}, {1, 0, -2}, {1, 2, 1}})
	if _, err := graph.ForwardBy(g, graph.Iteration); !errors.Is(err, graph.ErrOpen) {
		t.Errorf("error %v, want ErrOpen", err)
	}
}

// irreducible is a strongly connected graph of mean degree 5 in which all states but
// the last are left with mass 1.
func irreducible(r *rand.Rand, n int) *graph.Graph[float64] {
	arcs := []arc{{n - 1, n, 1}}
	for s := range n {
		for i, w := range split(r, 1+r.IntN(9), 1) {
			q := r.IntN(n)
			if i == 0 {
				q = (s + 1) % n
			}
			arcs = append(arcs, arc{s, q, w})
		}
	}
	return loops(n+1, arcs)
}

// periodic is a strongly connected graph of n·period states whose cycles all have a
// length divisible by period.
func periodic(r *rand.Rand, n, period int) *graph.Graph[float64] {
	total := n * period
	arcs := []arc{{total - 1, total, 1}}
	for s := range total {
		for i, w := range split(r, 1+r.IntN(4), 1) {
			q := (s + 1 + period*r.IntN(n)) % total
			if i == 0 {
				q = (s + 1) % total
			}
			arcs = append(arcs, arc{s, q, w})
		}
	}
	return loops(total+1, arcs)
}

// The spectral radius decides: of stochastic rows, of stochastic columns, and of
// neither, of aperiodic components and periodic ones.
func TestIterationDivergence(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](600)) {
		r := graphtest.Rand(seed)
		n := 2 + r.IntN(60)
		if seed%50 == 0 {
			n = 3000
		}
		g := irreducible(r, n)
		if seed%5 == 0 {
			g = periodic(r, n, 2+r.IntN(5))
		}
		radius := []float64{1, 1 + 1e-12, 1 + 1e-6, 1.5, 1e100, 1 - 1e-6, 1 - 1e-9, .5}[seed%8]
		for e := range g.Weights() {
			g.Weights()[e] *= radius
		}
		c := scaledGraph(g)
		if seed/8%2 == 1 {
			h := make([]float64, g.NumStates())
			for s := range h {
				h[s] = 3 * r.NormFloat64()
			}
			c = conjugated(c, h)
		}
		for way, by := range map[string]func(*graph.Graph[semiring.ScaledFloat], graph.Method[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error){
			"forward": graph.ForwardBy[semiring.ScaledFloat], "backward": graph.BackwardBy[semiring.ScaledFloat],
		} {
			_, err := by(c, graph.Iteration)
			if radius >= 1 && !errors.Is(err, semiring.ErrDiverges) || radius < 1 && err != nil {
				t.Fatalf("seed %d: %d states, radius %v, %s: %v", seed, n, radius, way, err)
			}
		}
	}
}
