package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// enumerated computes posteriors by following paths of at most maxArcs arcs.
func enumerated(g *graph.Graph[float64], maxArcs int) *graph.Posterior[float64] {
	p := &graph.Posterior[float64]{
		Arc:   make([]float64, g.NumArcs()),
		State: make([]float64, g.NumStates()),
		Start: make([]float64, len(g.Starts())),
		Final: make([]float64, g.NumStates()),
	}
	for i, start := range g.Starts() {
		one, err := g.WithWeights(g.Weights(), []graph.Start[float64]{start}, g.Finals())
		if err != nil {
			panic(err)
		}
		for path := range oracle.Paths(one, maxArcs) {
			p.Total += path.Weight
			p.Start[i] += path.Weight
			s := path.Start
			p.State[s] += path.Weight
			for _, e := range path.Arcs {
				p.Arc[e] += path.Weight
				s = g.To()[e]
				p.State[s] += path.Weight
			}
			p.Final[s] += path.Weight
		}
	}
	if p.Total != 0 {
		for _, x := range [][]float64{p.Arc, p.State, p.Start, p.Final} {
			for i := range x {
				x[i] /= p.Total
			}
		}
	}
	return p
}

func checkPosteriors[W any](t *testing.T, g *graph.Graph[W], want *graph.Posterior[float64], number func(W) float64, near func(a, b float64) bool) {
	t.Helper()
	p, err := graph.Posteriors(g)
	if err != nil {
		t.Fatal(err)
	}
	if !near(number(p.Total), want.Total) {
		t.Errorf("total %v, want %v", number(p.Total), want.Total)
	}
	for _, x := range []struct {
		name      string
		got, want []float64
	}{{"arc", p.Arc, want.Arc}, {"state", p.State, want.State}, {"start", p.Start, want.Start}, {"final", p.Final, want.Final}} {
		if !nearSlices(x.got, x.want, near) {
			t.Errorf("%s posteriors %v, want %v", x.name, x.got, x.want)
		}
	}
}

func TestPosteriorsAcyclic(t *testing.T) {
	same := func(x float64) float64 { return x }
	for seed := range trials.Seeds(2000) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Real{}, acyclic, unit)
		want := enumerated(g, 8)
		checkPosteriors(t, g, want, same, near)
		checkPosteriors(t, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), want, semiring.ScaledFloat.Float64, near)
		log := graph.Map(g, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) })
		checkPosteriors(t, log, want, func(x semiring.LogProb) float64 { return math.Exp(float64(x)) }, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// With negative weights a β may be 0 although there are continuations. The posteriors, which are
// not probabilities in this case, equal the sums over paths.
func TestPosteriorsNegative(t *testing.T) {
	signed := func(r *rand.Rand) float64 { return float64(r.IntN(5) - 2) } // β of 0 are common
	checked := 0
	for seed := range trials.Seeds(1000) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Real{}, acyclic, signed)
		want := enumerated(g, 8)
		if want.Total == 0 {
			continue // paths cancel: there are no posteriors
		}
		checked++
		checkPosteriors(t, g, want, func(x float64) float64 { return x }, near)
		checkPosteriors(t, graph.Map(g, semiring.Scaled{}, semiring.NewScaled), want, semiring.ScaledFloat.Float64, near)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if checked < 100 {
		t.Errorf("only %d graphs have a total", checked)
	}
}

// A total that float64 cannot invert or represent does no harm in Real.
func TestPosteriorsOfTinyTotal(t *testing.T) {
	const tiny = 0x1p-1070
	for _, final := range []float64{1, tiny} {
		g, err := graph.New(semiring.Real{}, []int32{0, 2, 2}, []int32{1, 1}, []float64{tiny, 3 * tiny},
			[]graph.Start[float64]{{State: 0, Weight: 1}}, []float64{0, final})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := graph.Posteriors(g); err != nil || p.Arc[0] != .25 || p.Arc[1] != .75 || p.Total != 4*tiny*final {
			t.Errorf("in Real %v (%v), want 1/4 and 3/4 of %v", p, err, 4*tiny*final)
		}
		p, err := graph.Posteriors(graphtest.Scaled(g))
		if err != nil || p.Arc[0] != .25 || p.Arc[1] != .75 {
			t.Errorf("arcs %v (%v), want 1/4 and 3/4", p.Arc, err)
		}
	}
}

// Posteriors in Real and Scaled are equal if intermediate weights overflow or underflow but the
// total is in range.
func TestPosteriorsOutOfRange(t *testing.T) {
	pool := []float64{0, .25, .3, .1, 1e-308, 0x1p-1074, 1e-200, 1e200, .5}
	compared := 0
	for seed := range trials.Seeds(6000) {
		r := graphtest.Rand(seed)
		shape := graphtest.Shape{States: 4, Arcs: 4, Starts: 1, Finals: .5, Acyclic: seed%2 == 0}
		g := graphtest.New(r, semiring.Real{}, shape, func(r *rand.Rand) float64 { return pool[r.IntN(len(pool))] })
		got, err := graph.Posteriors(g)
		want, errScaled := graph.Posteriors(graphtest.Scaled(g))
		if err == nil && errScaled != nil {
			t.Fatalf("seed %d: no error, and in Scaled %v", seed, errScaled)
		}
		if err != nil || len(got.Arc) == 0 {
			continue
		}
		compared++
		for i, x := range [][2][]float64{{got.Arc, want.Arc}, {got.State, want.State}, {got.Start, want.Start}, {got.Final, want.Final}} {
			for k, p := range x[0] {
				if !(math.Abs(p-x[1][k]) <= 1e-9*(1+x[1][k])) {
					t.Fatalf("seed %d, list %d: %v, and in Scaled %v", seed, i, x[0], x[1])
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d graphs compared", compared)
	}
}

// On cyclic graphs the expectation semiring, run forward, is the oracle: with one
// component per arc it counts traversals.
func TestPosteriorsCyclic(t *testing.T) {
	type weight = semiring.Expected[float64, semiring.SparseVector[float64]]
	ring := semiring.Expectation(semiring.Real{}, semiring.Sparse(semiring.Real{}))
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.Shape{States: 8, Arcs: 20, Starts: 3, Finals: .4, Zero: .05}, .5+.49*r.Float64())
		plain := func(x float64) weight { return weight{P: x} }
		e := graph.Map(g, ring, plain)
		for i := range e.Weights() {
			w := g.Weights()[i]
			e.Weights()[i].V = semiring.SparseVector[float64]{Index: []int32{int32(i)}, Value: []float64{w}}
		}
		total, err := graph.PathSum(e)
		if err != nil {
			t.Fatal(err)
		}
		p, err := graph.Posteriors(graph.Map(g, semiring.Scaled{}, semiring.NewScaled))
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, g.NumArcs())
		for n, i := range total.V.Index {
			if total.P == 0 {
				break // there is no path
			}
			want[i] = total.V.Value[n] / total.P
		}
		if !nearTo(p.Total.Float64(), total.P) || !nearSlices(p.Arc, want, nearTo) {
			t.Errorf("arcs %v of %v, want %v of %v", p.Arc, p.Total, want, total.P)
		}
		checkDense(t, g, want)
		checkFlow(t, g, p)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkDense counts by vectors whose storage the ring reuses.
func checkDense(t *testing.T, g *graph.Graph[float64], want []float64) {
	t.Helper()
	type weight = semiring.Expected[float64, []float64]
	n := g.NumArcs()
	ring := semiring.Expectation(semiring.Real{}, semiring.Dense(semiring.Real{}, n))
	e := graph.Map(g, ring, func(x float64) weight { return weight{P: x, V: make([]float64, n)} })
	for i, w := range e.Weights() {
		w.V[i] = w.P
	}
	beta, err := graph.Backward(e)
	if err != nil {
		t.Fatal(err)
	}
	got, total := make([]float64, n), 0.0
	for _, start := range e.Starts() {
		b := beta[start.State]
		total += start.Weight.P * b.P
		for i := range b.V {
			got[i] += start.Weight.P * b.V[i]
		}
	}
	if total == 0 {
		return
	}
	for i := range got {
		got[i] /= total
	}
	if !nearSlices(got, want, nearTo) {
		t.Errorf("arcs %v by vectors, want %v", got, want)
	}
}

// checkFlow checks that paths enter a state as often as they leave it.
func checkFlow(t *testing.T, g *graph.Graph[float64], p *graph.Posterior[semiring.ScaledFloat]) {
	t.Helper()
	in, out := make([]float64, g.NumStates()), append([]float64(nil), p.Final...)
	for i, start := range g.Starts() {
		in[start.State] += p.Start[i]
	}
	for s := range in {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			out[s] += p.Arc[e]
			in[g.To()[e]] += p.Arc[e]
		}
	}
	if !nearSlices(in, p.State, nearTo) || !nearSlices(out, p.State, nearTo) {
		t.Errorf("states %v, entered %v, left %v", p.State, in, out)
	}
}

// The max-marginal of an arc is the weight of the best path through it, relative.
func TestMaxMarginals(t *testing.T) {
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, acyclic, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Float64()) })
		p, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		for e := range g.Weights() {
			through := math.Inf(1)
			for path := range oracle.Paths(g, 8) {
				for _, a := range path.Arcs {
					if int(a) == e {
						through = min(through, float64(path.Weight))
					}
				}
			}
			want := 0.0
			if !math.IsInf(through, 1) {
				want = math.Exp(float64(p.Total) - through)
			}
			if !near(p.Arc[e], want) {
				t.Fatalf("seed %d: arc %d has %v, want %v", seed, e, p.Arc[e], want)
			}
		}
	}
}

func TestPosteriorsNeedProbabilities(t *testing.T) {
	g := graph.Map(loops(2, []arc{{0, 1, 1}}), semiring.Boolean{}, func(x float64) bool { return x != 0 })
	if _, err := graph.Posteriors(g); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

func TestPosteriorsNotFinite(t *testing.T) {
	g := loops(2, []arc{{0, 1, 1e308}, {0, 1, 1e308}})
	if _, err := graph.Posteriors(g); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
}
