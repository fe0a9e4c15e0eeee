package graph_test

import (
	"errors"
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

// A ring with more than masses uses its own elimination.
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

// Negative weights: elimination solves the equations, for all signs.
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

// If a series of negative weights has no limit, all sums are its analytic continuation: 1/(1−a)
// for a loop or a cycle of product a.
func TestAnalyticContinuation(t *testing.T) {
	for _, a := range []float64{-3, -1, -1.5, -1e5, -1e10, -1e20, -1e200} {
		for n := 1; n <= 3; n++ {
			row, to, weight := []int32{0}, make([]int32, n), make([]float64, n)
			for s := range n {
				row, to[s], weight[s] = append(row, int32(s+1)), int32((s+1)%n), 1
			}
			weight[n-1] = a
			finals := make([]float64, n)
			finals[0] = 1
			g, err := graph.New(semiring.Real{}, row, to, weight, []graph.Start[float64]{{State: 0, Weight: 1}}, finals)
			if err != nil {
				t.Fatal(err)
			}
			want := 1 / (1 - a)
			sum, err := graph.PathSum(g)
			scaled, errScaled := graph.PathSum(graphtest.Scaled(g))
			alpha, errForward := graph.Forward(g)
			all, errPairs := graph.AllPairs(g)
			if err := errors.Join(err, errScaled, errForward, errPairs); err != nil {
				t.Errorf("%d states, %g: %v", n, a, err)
			} else if !near(sum, want) || !near(scaled.Float64(), want) || !near(alpha[0], want) || !near(all[0][0], want) {
				t.Errorf("%d states, %g: %g, %v, %g, %g, want %g", n, a, sum, scaled, alpha[0], all[0][0], want)
			}
		}
	}
}

// leaving returns arcs of a strongly connected graph over states first … first+n−1, in which
// state s leads to s+1 and degree−1 random others with total probability mass.
func leaving(r *rand.Rand, first, n, degree int, mass float64) []arc {
	var arcs []arc
	for s := range n {
		for i, w := range graphtest.Split(r, degree, mass) {
			q := r.IntN(n)
			if i == 0 {
				q = (s + 1) % n
			}
			arcs = append(arcs, arc{first + s, first + q, w})
		}
	}
	return arcs
}

// chainOfComponents is a chain of components for all methods: a random one of many states, a
// cycle, small dense ones, a larger one, a nest. Every state is left for good with probability
// .01, so each has β = 1.
func chainOfComponents(r *rand.Rand) *graph.Graph[float64] {
	var arcs []arc
	sizes := []struct{ n, degree int }{{2500, 5}, {500, 1}, {3, 3}, {16, 12}, {40, 4}, {1, 1}, {2500, 4}, {300, 2}}
	total := 0
	for _, c := range sizes {
		total += c.n
	}
	first := 0
	for _, c := range sizes {
		arcs = append(arcs, leaving(r, first, c.n, c.degree, .9)...)
		for s := first; s < first+c.n; s++ {
			ahead := total
			if next := first + c.n; next < total {
				ahead = next + r.IntN(total-next)
			}
			arcs = append(arcs, arc{s, ahead, .09}, arc{s, total, .01})
		}
		first += c.n
	}
	return loops(total+1, arcs)
}

func TestChainOfComponents(t *testing.T) {
	g := chainOfComponents(graphtest.Rand(1))
	checkChain(t, "Real", g, func(x float64) float64 { return x })
	checkChain(t, "Scaled", graphtest.Scaled(g), semiring.ScaledFloat.Float64)
	checkChain(t, "Log", graphtest.Logs(graphtest.Scaled(g)), func(x semiring.LogProb) float64 { return math.Exp(float64(x)) })
}

func checkChain[W any](t *testing.T, name string, g *graph.Graph[W], number func(W) float64) {
	t.Helper()
	alpha, errA := graph.Forward(g)
	beta, errB := graph.Backward(g)
	total, errT := graph.PathSum(g)
	p, errP := graph.Posteriors(g)
	if errA != nil || errB != nil || errT != nil || errP != nil {
		t.Fatal(name, errA, errB, errT, errP)
	}
	resA, resB := forwardResidual(g, alpha), backwardResidual(g, beta)
	if !(resA < 1e-13) || !(resB < 1e-13) {
		t.Errorf("%s: residuals %v and %v", name, resA, resB)
	}
	last := g.NumStates() - 1
	for what, x := range map[string]float64{
		"path sum": number(total), "total": number(p.Total), "forward": number(alpha[last]), "final": p.Final[last],
	} {
		if !near(x, 1) {
			t.Errorf("%s: %s %v, want 1", name, what, x)
		}
	}
	// A random path leaves a state as often as it enters it.
	row, _, arcs := g.Incoming()
	for s := range g.NumStates() {
		if x := number(beta[s]); !near(x, 1) {
			t.Fatalf("%s: backward of %d: %v, want 1", name, s, x)
		}
		in := 0.0
		for _, start := range g.Starts() {
			if start.State == int32(s) {
				in++
			}
		}
		for _, e := range arcs[row[s]:row[s+1]] {
			in += p.Arc[e]
		}
		out := p.Final[s]
		for _, x := range p.Arc[g.Row()[s]:g.Row()[s+1]] {
			out += x
		}
		if !nearTo(in, out) || !nearTo(in, p.State[s]) || !nearTo(in, number(alpha[s])) {
			t.Fatalf("%s: state %d is entered %v times, left %v times, visited %v times, α is %v",
				name, s, in, out, p.State[s], number(alpha[s]))
		}
	}
	// All results are the same bit by bit, with and without cached data of the topology.
	fresh, err := graph.New(g.Ring(), g.Row(), g.To(), g.Weights(), g.Starts(), g.Finals())
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []*graph.Graph[W]{g, fresh} {
		alphaAgain, _ := graph.Forward(again)
		betaAgain, _ := graph.Backward(again)
		if graphtest.Farthest(g.Ring(), alpha, alphaAgain) != 0 || graphtest.Farthest(g.Ring(), beta, betaAgain) != 0 {
			t.Errorf("%s: another result the second time", name)
		}
	}
}

// The best path through a large cyclic component is no better than the sum of all, and its weight
// is the product of its arcs.
func TestBestPathInLargeComponent(t *testing.T) {
	g := chainOfComponents(graphtest.Rand(2))
	cost := graph.Map(g, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(x)) })
	best, err := graph.BestPath(cost)
	if err != nil {
		t.Fatal(err)
	}
	sum := semiring.Cost(0)
	for _, e := range best.Arcs {
		sum += cost.Weights()[e]
	}
	if !near(float64(sum), float64(best.Weight)) || best.Weight < 0 {
		t.Errorf("best path weighs %v, its arcs %v", best.Weight, sum)
	}
}

// A stochastic component of many states diverges, with the reason in the message.
func TestLargeComponentDiverges(t *testing.T) {
	for name, radius := range map[string]float64{"about 1": 1, "about 1.000001": 1 + 1e-6, "about 1.0003": 1.0003, "about 1.5": 1.5} {
		arcs := leaving(graphtest.Rand(4), 0, 20_000, 5, radius)
		arcs = append(arcs, arc{0, 20_000, .5})
		g := graphtest.Scaled(loops(20_001, arcs))
		_, errA := graph.Forward(g)
		_, errB := graph.Backward(g)
		for _, err := range []error{errA, errB} {
			if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "spectral radius is "+name) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// Loop nests are eliminated; every state has β = 1.
func TestNests(t *testing.T) {
	for _, g := range []*graph.Graph[float64]{nestedLoops(trials.Serial(1 << 16)), irregularNest(graphtest.Rand(6), trials.Serial(1<<16))} {
		beta, err := graph.Backward(g)
		if err != nil {
			t.Fatal(err)
		}
		alpha, err := graph.Forward(g)
		if err != nil {
			t.Fatal(err)
		}
		if lowest, highest := slices.Min(beta), slices.Max(beta); !(lowest > 1-1e-9 && highest < 1+1e-9) {
			t.Errorf("backward between %v and %v, want 1", lowest, highest)
		}
		if x := alpha[len(alpha)-1]; !near(x, 1) {
			t.Errorf("forward of the last state %v, want 1", x)
		}
	}
}

// Every state of the components in these files has β = 1, up to the rounding of the
// costs there.
func TestCyclicKnownAnswers(t *testing.T) {
	for name, tolerance := range map[string]float64{"cyclic": 2e-8, "cyclic_slow": 2e-8, "cyclic_scc": 1e-7} {
		g := readGraph(t, name+".fsa.txt")
		checkKnown(t, name+" Real", realOf(g), tolerance, func(x float64) float64 { return x })
		checkKnown(t, name+" Scaled", scaledOf(g), tolerance, semiring.ScaledFloat.Float64)
		checkKnown(t, name+" Log", logOf(g), tolerance, func(x semiring.LogProb) float64 { return math.Exp(float64(x)) })
	}
}

func checkKnown[W any](t *testing.T, name string, g *graph.Graph[W], tolerance float64, number func(W) float64) {
	t.Helper()
	alpha, errA := graph.Forward(g)
	beta, errB := graph.Backward(g)
	total, errT := graph.PathSum(g)
	if errA != nil || errB != nil || errT != nil {
		t.Fatal(name, errA, errB, errT)
	}
	sum := 0.0
	for s, b := range beta {
		if x := number(b); !(math.Abs(x-1) <= tolerance) {
			t.Fatalf("%s: backward of %d is %v, want 1", name, s, x)
		}
		sum += number(alpha[s]) * number(g.Finals()[s])
	}
	if !(math.Abs(sum-1) <= tolerance) || !(math.Abs(number(total)-1) <= tolerance) {
		t.Errorf("%s: forward and final weights give %v, path sum %v, want 1", name, sum, number(total))
	}
	resA, resB := forwardResidual(g, alpha), backwardResidual(g, beta)
	if !(resA < 1e-13) || !(resB < 1e-13) {
		t.Errorf("%s: residuals %v and %v", name, resA, resB)
	}
}
