package graph_test

import (
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// nearTo compares with a solution of linear equations that is itself inexact.
func nearTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func checkSolved[W any](t *testing.T, g *graph.Graph[W], want oracle.Solution, number func(W) float64) {
	t.Helper()
	total, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	if !nearTo(number(total), want.Total) {
		t.Errorf("path sum %v, want %v", number(total), want.Total)
	}
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	beta, err := graph.Backward(g)
	if err != nil {
		t.Fatal(err)
	}
	for s := range alpha {
		if !nearTo(number(alpha[s]), want.Alpha[s]) {
			t.Errorf("forward of %d: %v, want %v", s, number(alpha[s]), want.Alpha[s])
		}
		if !nearTo(number(beta[s]), want.Beta[s]) {
			t.Errorf("backward of %d: %v, want %v", s, number(beta[s]), want.Beta[s])
		}
	}
}

func TestCyclicLinear(t *testing.T) {
	shapes := []graphtest.Shape{
		{States: 6, Arcs: 12, Starts: 3, Finals: .4, Zero: .1},
		{States: 40, Arcs: 70, Starts: 3, Finals: .2, Zero: .05},
		{States: 60, Arcs: 1500, Starts: 2, Finals: .1, Zero: .02},
	}
	toLog := func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }
	for seed := range trials.Seeds(trials.Serial[uint64](900)) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, shapes[seed%3], .5+.49*r.Float64())
		want := oracle.Solve(t, g)
		checkSolved(t, g, want, func(x float64) float64 { return x })
		checkSolved(t, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), want, semiring.ScaledFloat.Float64)
		checkSolved(t, graph.Map(g, semiring.Log{}, toLog), want, func(x semiring.LogProb) float64 { return math.Exp(float64(x)) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A ring that is more than its mass goes through its own elimination.
func TestCyclicExpectation(t *testing.T) {
	ring := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	type weight = semiring.Expected[float64, float64]
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.Shape{States: 6, Arcs: 12, Starts: 3, Finals: .4}, .9)
		want := oracle.Solve(t, g)
		// Counting all arcs: the sum of their posteriors.
		p, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		arcs := 0.0
		for _, x := range p.Arc {
			arcs += x
		}
		counting := graph.Map(g, ring, func(x float64) weight { return weight{P: x, V: x} })
		for i := range counting.Starts() {
			counting.Starts()[i].Weight.V = 0
		}
		for s := range counting.Finals() {
			counting.Finals()[s].V = 0
		}
		checkSolved(t, counting, want, func(x weight) float64 { return x.P })
		total, err := graph.PathSum(counting)
		if err != nil {
			t.Fatal(err)
		}
		if !nearTo(total.V, arcs*total.P) {
			t.Errorf("expected length %v, posteriors say %v", total.V/total.P, arcs)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Negative weights: elimination solves the equations, whatever the signs.
func TestCyclicNegative(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.Shape{States: 8, Arcs: 20, Starts: 3, Finals: .4}, .9)
		for e := range g.Weights() {
			if r.IntN(3) == 0 {
				g.Weights()[e] *= -1
			}
		}
		want := oracle.Solve(t, g)
		checkSolved(t, g, want, func(x float64) float64 { return x })
		checkSolved(t, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), want, semiring.ScaledFloat.Float64)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
