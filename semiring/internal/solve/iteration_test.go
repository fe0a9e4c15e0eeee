package solve_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// agree compares iteration and elimination with bounds with elimination, both ways.
func agree[W any](t *testing.T, name string, g *graph.Graph[W], tolerance float64) {
	t.Helper()
	agreeBy(t, name, g, solve.Iteration[W], tolerance)
	agreeBy(t, name+" bounded", g, solve.Bounded[W], tolerance)
}

func agreeBy[W any](t *testing.T, name string, g *graph.Graph[W], method solve.Method[W], tolerance float64) {
	t.Helper()
	for direction, by := range map[string]func(*graph.Graph[W], solve.Method[W]) ([]W, error){
		"forward": forwardBy[W], "backward": backwardBy[W],
	} {
		want, err := by(g, solve.Elimination[W])
		if err != nil {
			t.Errorf("%s %s: elimination: %v", name, direction, err)
			continue
		}
		got, err := by(g, method)
		if err != nil {
			t.Errorf("%s %s: %v", name, direction, err)
			continue
		}
		if d := graphtest.Farthest(g.Ring(), got, want); !(d <= tolerance) {
			t.Errorf("%s %s: %g apart", name, direction, d)
		}
	}
}

func TestIterationIsElimination(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](600)) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .3+.69*r.Float64())
		agree(t, "Real", g, 1e-11)
		agree(t, "Scaled", graphtest.Scaled(g), 1e-11)
		agree(t, "Log", graphtest.Logs(graphtest.Scaled(g)), 1e-11)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Close to divergence rounding errors grow in proportion.
func TestIterationNearCritical(t *testing.T) {
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		gap := []float64{1e-3, 1e-6, 1e-9}[seed%3]
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[1+seed%2], 1-gap)
		agree(t, "Scaled", graphtest.Scaled(g), 1e-13/gap)
		if t.Failed() {
			t.Fatalf("seed %d, gap %v", seed, gap)
		}
	}
}

// Weights of very different size: every part of the solution is accurate, however small.
func TestIterationWideRange(t *testing.T) {
	for seed := range trials.Seeds(450) {
		r := graphtest.Rand(seed)
		g := graphtest.Scaled(graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .95))
		h := make([]float64, g.NumStates())
		span := []float64{30, 300, 2000}[seed/3%3]
		for s := range h {
			h[s] = span * r.NormFloat64()
		}
		c := graphtest.Conjugated(g, h)
		alpha, err := forwardBy(g, solve.Elimination)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := backwardBy(g, solve.Elimination)
		if err != nil {
			t.Fatal(err)
		}
		gotAlpha, errA := forwardBy(c, solve.Iteration)
		gotBeta, errB := backwardBy(c, solve.Iteration)
		if errA != nil || errB != nil {
			t.Fatalf("seed %d: %v, %v", seed, errA, errB)
		}
		for s := range h {
			alpha[s] = alpha[s].Mul(semiring.ScaledFromLog(h[s]))
			beta[s] = beta[s].Mul(semiring.ScaledFromLog(-h[s]))
		}
		if d := graphtest.Farthest(g.Ring(), gotAlpha, alpha); !(d < 1e-9) {
			t.Fatalf("seed %d, span %v: forward %g apart", seed, span, d)
		}
		if d := graphtest.Farthest(g.Ring(), gotBeta, beta); !(d < 1e-9) {
			t.Fatalf("seed %d, span %v: backward %g apart", seed, span, d)
		}
		agreeBy(t, "Log", graphtest.Logs(c), solve.Iteration[semiring.LogProb], 1e-8)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A state reached with a weight of 1e-400 only.
func TestIterationTiny(t *testing.T) {
	g := graphtest.Scaled(loops(4, []arc{{0, 1, .5}, {1, 0, .5}, {0, 2, 1e-200}, {2, 0, .25}, {2, 3, 1e-200}, {3, 0, .5}}))
	alpha, err := forwardBy(g, solve.Iteration)
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
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .95)
		for e := range g.Weights() {
			if r.IntN(3) == 0 {
				g.Weights()[e] *= -1
			}
		}
		want := oracle.Solve(t, g)
		alpha, errA := forwardBy(g, solve.Iteration)
		beta, errB := backwardBy(graphtest.Scaled(g), solve.Iteration)
		if errA != nil || errB != nil {
			t.Fatalf("seed %d: %v, %v", seed, errA, errB)
		}
		for s := range alpha {
			if !nearTo(alpha[s], want.Alpha[s]) || !nearTo(beta[s].Float64(), want.Beta[s]) {
				t.Fatalf("seed %d: state %d: %v and %v, want %v and %v", seed, s, alpha[s], beta[s], want.Alpha[s], want.Beta[s])
			}
		}
	}
	// If the absolute values diverge, elimination decides.
	g := loops(3, []arc{{0, 1, 2}, {1, 0, -2}, {1, 2, 1}})
	if _, err := forwardBy(g, solve.Iteration); !errors.Is(err, solve.ErrOpen) {
		t.Errorf("error %v, want ErrOpen", err)
	}
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
		g := graphtest.Irreducible(r, n)
		if seed%5 == 0 {
			g = graphtest.Periodic(r, n, 2+r.IntN(5))
		}
		radius := []float64{1, 1 + 1e-12, 1 + 1e-6, 1.5, 1e100, 1 - 1e-6, 1 - 1e-9, .5}[seed%8]
		for e := range g.Weights() {
			g.Weights()[e] *= radius
		}
		c := graphtest.Scaled(g)
		if seed/8%2 == 1 {
			h := make([]float64, g.NumStates())
			for s := range h {
				h[s] = 3 * r.NormFloat64()
			}
			c = graphtest.Conjugated(c, h)
		}
		for direction, by := range map[string]func(*graph.Graph[semiring.ScaledFloat], solve.Method[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error){
			"forward": forwardBy[semiring.ScaledFloat], "backward": backwardBy[semiring.ScaledFloat],
		} {
			_, err := by(c, solve.Iteration)
			if radius >= 1 && !errors.Is(err, semiring.ErrDiverges) || radius < 1 && err != nil {
				t.Fatalf("seed %d: %d states, radius %v, %s: %v", seed, n, radius, direction, err)
			}
		}
	}
}

// The bound of iteration covers its distance from elimination.
func TestErrorBoundOfIteration(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		g := graphtest.Irreducible(r, 20+r.IntN(100))
		gap := math.Pow(10, -1-7*r.Float64())
		for e := range g.Weights() {
			g.Weights()[e] *= 1 - gap
		}
		want, err := backwardBy(g, solve.Elimination)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, bound, err := backwardBound(g, solve.Iteration)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if off := graphtest.Farthest(g.Ring(), got, want); off > bound+1e-13 || bound > 1e-13/gap+1e-11 {
			t.Fatalf("seed %d, gap %g: off by %g of at most %g", seed, gap, off, bound)
		}
	}
}

// A random component that iteration solves, against elimination without a limit.
func TestLargeComponentIsElimination(t *testing.T) {
	r := graphtest.Rand(3)
	var arcs []arc
	for s := range 1500 {
		for i, w := range graphtest.Split(r, 4, .999) {
			q := r.IntN(1500)
			if i == 0 {
				q = (s + 1) % 1500
			}
			arcs = append(arcs, arc{s, q, w})
		}
	}
	for s := range 1500 {
		arcs = append(arcs, arc{s, 1500, .001})
	}
	g := graphtest.Scaled(loops(1501, arcs))
	want, err := forwardBy(g, solve.Elimination)
	if err != nil {
		t.Fatal(err)
	}
	got, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	if d := graphtest.Farthest(g.Ring(), got, want); !(d < 1e-11) {
		t.Errorf("%v apart", d)
	}
}

// forwardBy and backwardBy are graph.Forward and graph.Backward by a given method.
func forwardBy[W any](g *graph.Graph[W], by solve.Method[W]) ([]W, error) {
	s, n, err := solverBy(g, by, g.Accessible)
	if s == nil {
		return graph.Forward(g)
	}
	x := make([]W, g.NumStates())
	for s := range x {
		x[s] = g.Ring().Zero()
	}
	for _, start := range g.Starts() {
		x[start.State] = g.Ring().Plus(x[start.State], start.Weight)
	}
	for c := 0; c < n && err == nil; c++ {
		err = solve.Forward(s, x, c)
	}
	return x, err
}

func backwardBy[W any](g *graph.Graph[W], by solve.Method[W]) ([]W, error) {
	x, _, err := backwardBound(g, by)
	return x, err
}

// backwardBound is backwardBy with the bound on its error.
func backwardBound[W any](g *graph.Graph[W], by solve.Method[W]) (x []W, bound float64, err error) {
	s, n, err := solverBy(g, by, g.Coaccessible)
	if s == nil {
		x, err = graph.Backward(g)
		return x, 0, err
	}
	x = append(x, g.Finals()...)
	for c := n - 1; c >= 0 && err == nil; c-- {
		err = solve.Backward(s, x, c)
	}
	return x, s.Untyped.ErrorBound(), err
}

// solverBy returns a solver of g by a method, and the number of components; nil: g has no
// cycle.
func solverBy[W any](g *graph.Graph[W], by solve.Method[W], use func() []bool) (*solve.Solver[W], int, error) {
	topology, products := &rows.Topology{Row: g.Row(), To: g.To()}, weights.NewProducts(g.Ring())
	if !topology.Components().Cyclic() {
		return nil, 0, nil
	}
	s, err := solve.New(solve.Graph[W]{
		Products: &products, Topology: topology, Plans: new(solve.Plans), Weight: g.Weights(),
		Interrupted: func() error { return nil },
	}, use)
	if err == nil {
		err = by(s)
	}
	return s, topology.Components().Len(), err
}

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

// nearTo compares with a solution of linear equations that is itself inexact.
func nearTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestTorus(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28)} {
		for _, gap := range []float64{1e-2, 1e-4, 1e-6} {
			r := graphtest.Rand(uint64(side))
			g, c := graphtest.Scaled(graphtest.Torus(r, side, 1-gap)), graphtest.ConjugatedTorus(r, side, 1-gap)
			agreeBy(t, "bounded", g, solve.Bounded, 1e-12/gap)
			agreeBy(t, "bounded, conjugated", c, solve.Bounded, 1e-12/gap)
			agreeBy(t, "in stages", g, solve.InStages, 1e-12/gap)
			agreeBy(t, "in stages, conjugated", c, solve.InStages, 1e-12/gap)
		}
	}
	agree(t, "iterated", graphtest.Scaled(graphtest.Torus(graphtest.Rand(1), 40, .99)), 1e-10)
}

// At mass 1 and above iteration diverges, and finds that out quickly.
func TestTorusDiverges(t *testing.T) {
	for _, side := range []int{12, 12 + trials.Serial(28), 12 + trials.Serial(48)} {
		for _, mass := range []float64{1, 1 + 1e-9, 1.001, 2} {
			r := graphtest.Rand(uint64(side))
			for _, g := range []*graph.Graph[semiring.ScaledFloat]{
				graphtest.Scaled(graphtest.Torus(r, side, mass)), graphtest.ConjugatedTorus(r, side, mass),
			} {
				if _, err := graph.Forward(g); !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("side %d, mass %v, forward: error %v, want semiring.ErrDiverges", side, mass, err)
				}
				if _, err := graph.Backward(g); !errors.Is(err, semiring.ErrDiverges) {
					t.Errorf("side %d, mass %v, backward: error %v, want semiring.ErrDiverges", side, mass, err)
				}
			}
		}
	}
}

// Elimination distinguishes convergence from divergence for all units of states.
func TestEliminationDecides(t *testing.T) {
	for seed := range trials.Seeds(600) {
		r := graphtest.Rand(seed)
		radius := []float64{1, 1 + 1e-12, 1 + 1e-6, 1.5, 1e100, 1 - 1e-6, 1 - 1e-9, .5}[seed%8]
		g := graphtest.Irreducible(r, 2+r.IntN(60))
		for e := range g.Weights() {
			g.Weights()[e] *= radius
		}
		h := make([]float64, g.NumStates())
		for s := range h {
			h[s] = []float64{0, 3, 300}[seed/8%3] * r.NormFloat64()
		}
		c := graphtest.Conjugated(graphtest.Scaled(g), h)
		_, errA := forwardBy(c, solve.Elimination)
		_, errB := backwardBy(c, solve.Elimination)
		for _, err := range []error{errA, errB} {
			if errors.Is(err, semiring.ErrDiverges) != (radius >= 1) {
				t.Fatalf("seed %d, radius %v: error %v", seed, radius, err)
			}
		}
	}
}
