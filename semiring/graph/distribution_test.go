package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"gonum.org/v1/gonum/floats"
)

// partsOf returns the parts of a vector of uses.
func partsOf[W any](g *graph.Graph[W], x []float64) graph.Parts {
	a := len(g.Starts())
	b := a + g.NumArcs()
	return graph.Parts{Start: x[:a], Arc: x[a:b], Final: x[b:]}
}

func numParts[W any](g *graph.Graph[W]) int { return len(g.Starts()) + g.NumArcs() + g.NumStates() }

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func toLog(x float64) semiring.LogProb { return semiring.LogProb(math.Log(x)) }

// secondOrder returns mean and covariance of the value of a path along two
// directions, by the expectation semiring over itself: ⟨⟨p, pu⟩, ⟨pv, puv⟩⟩.
func secondOrder(t *testing.T, g *graph.Graph[float64], u, v graph.Parts) (mean, covariance float64) {
	t.Helper()
	type first = semiring.Expected[float64, float64]
	type second = semiring.Expected[first, first]
	inner := semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{}))
	h := graph.Map(g, semiring.Expectation(inner, semiring.Scalar(inner)), func(float64) (x second) { return x })
	weight := func(p, u, v float64) second {
		return second{P: first{P: p, V: p * u}, V: first{P: p * v, V: p * u * v}}
	}
	for e, p := range g.Weights() {
		h.Weights()[e] = weight(p, u.Arc[e], v.Arc[e])
	}
	for i, start := range g.Starts() {
		h.Starts()[i].Weight = weight(start.Weight, u.Start[i], v.Start[i])
	}
	for s, p := range g.Finals() {
		h.Finals()[s] = weight(p, u.Final[s], v.Final[s])
	}
	sum, err := graph.PathSum(h)
	if err != nil {
		t.Fatal(err)
	}
	z := sum.P.P
	return sum.P.V / z, sum.V.V/z - sum.P.V/z*(sum.V.P/z)
}

var loopy = graphtest.Shape{States: 8, Arcs: 20, Starts: 3, Finals: .4, Zero: .05}

func TestMomentsCyclic(t *testing.T) {
	checked := 0
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, loopy, .5+.45*r.Float64())
		if z, err := graph.PathSum(g); err != nil || z == 0 {
			continue
		}
		checked++
		n := numParts(g)
		u, v := normal(r, n), normal(r, n)
		mean, covariance := secondOrder(t, g, partsOf(g, u), partsOf(g, v))
		product, err := graph.HessianVector(g, partsOf(g, u))
		if err != nil {
			t.Fatal(err)
		}
		posterior, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		scale := 1.0 // roundings of sums of this size are unavoidable in the oracle
		for _, x := range posterior.Arc {
			scale += x
		}
		if got := floats.Dot(slices.Concat(product.Start, product.Arc, product.Final), v); math.Abs(got-covariance) > 1e-10*scale*scale {
			t.Errorf("seed %d: v·H·u is %v, want %v", seed, got, covariance)
		}
		values := graph.Values{Dim: 1}
		p := partsOf(g, u)
		values.Start, values.Arc, values.Final = semiring.Scalars(p.Start), semiring.Scalars(p.Arc), semiring.Scalars(p.Final)
		got, cov, err := graph.Covariance(g, values)
		if err != nil {
			t.Fatal(err)
		}
		_, variance := secondOrder(t, g, p, p)
		if math.Abs(got[0]-mean) > 1e-10*scale || math.Abs(cov.At(0, 0)-variance) > 1e-10*scale*scale {
			t.Errorf("seed %d: mean %v and variance %v, want %v and %v", seed, got[0], cov.At(0, 0), mean, variance)
		}
	}
	if checked < 300 {
		t.Errorf("only %d graphs have a path", checked)
	}
}

// A value with a great mean and small deviations: the variance keeps its digits.
func TestVarianceBesideGreatMean(t *testing.T) {
	const n, p, mean = 1000, .25, 1e9
	row, to, w, v := []int32{0}, []int32{}, []float64{}, []float64{}
	for s := range n {
		to = append(to, int32(s+1), int32(s+1))
		w, v = append(w, p, 1-p), append(v, mean+1, mean)
		row = append(row, int32(len(to)))
	}
	row = append(row, int32(len(to)))
	final := make([]float64, n+1)
	final[n] = 1
	g, err := graph.New(semiring.Real{}, row, to, w, []graph.Start[float64]{{State: 0, Weight: 1}}, final)
	if err != nil {
		t.Fatal(err)
	}
	got, cov, err := graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars(v)})
	if err != nil {
		t.Fatal(err)
	}
	if !near(got[0], n*(mean+p)) || math.Abs(cov.At(0, 0)/(n*p*(1-p))-1) > 1e-6 {
		t.Errorf("mean %v, variance %v, want %v and %v", got[0], cov.At(0, 0), n*(mean+p), n*p*(1-p))
	}
	// All paths have the same length.
	ones := make([]float64, len(v))
	for e := range ones {
		ones[e] = 1
	}
	_, cov, err = graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars(ones)})
	if x := cov.At(0, 0); err != nil || x < 0 || x > 1e-20 {
		t.Errorf("the variance of a constant is %v (%v)", x, err)
	}
}

// A geometric number of steps, in a component close to divergence and with a total far below the
// range of float64.
func TestMomentsOfLoop(t *testing.T) {
	for _, q := range []float64{.5, 1e-3, 1e-6} {
		tiny := semiring.ScaledFromLog(-1e6)
		g, err := graph.New(semiring.Scaled{}, []int32{0, 1}, []int32{0}, []semiring.ScaledFloat{semiring.NewScaled(1 - q)},
			[]graph.Start[semiring.ScaledFloat]{{State: 0, Weight: tiny}}, []semiring.ScaledFloat{tiny})
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := graph.Covariance(g, graph.Values{Dim: 1, Arc: semiring.Scalars([]float64{1})})
		if err != nil {
			t.Fatal(err)
		}
		exact := 1 - (1 - q) // as a float64 holds it
		if got, want := cov.At(0, 0), (1-q)/exact/exact; math.Abs(got/want-1) > 1e-9 || !near(mean[0], (1-q)/exact) {
			t.Errorf("q = %v: mean %v and variance %v, want %v and %v", q, mean[0], got, (1-q)/exact, want)
		}
	}
}

// A cycle without a sum, and slices of wrong length.
func TestDistributionErrors(t *testing.T) {
	g := loops(3, []arc{{0, 1, 1}, {1, 2, 1}})
	if _, err := graph.HessianVector(g, graph.Parts{Arc: []float64{1}}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	q := must(g.WithWeights(g.Weights(), []graph.Start[float64]{{State: 1, Weight: 1}}, g.Finals()))(t)
	if _, err := graph.CrossEntropy(g, q); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("starts: error %v, want semiring.ErrShape", err)
	}
	g = loops(3, []arc{{0, 1, 1}, {1, 1, 1}, {1, 2, 1}})
	_, mean := graph.Mean(g, graph.Values{Dim: 1})
	_, hessian := graph.HessianVector(g, graph.Parts{})
	_, sampler := graph.NewSampler(g)
	_, entropy := graph.Entropy(g)
	for i, err := range []error{mean, hessian, sampler, entropy} {
		if !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("question %d: error %v, want semiring.ErrDiverges", i, err)
		}
	}
}

// The number of tails before the first head has a known entropy, even if heads are nearly certain
// or nearly impossible.
func TestEntropyOfLoop(t *testing.T) {
	for _, tails := range []float64{.5, .999, 1e-3, 1e-30, 1e-300} {
		g := loops(2, []arc{{0, 0, tails}, {0, 1, 1 - tails}})
		got, err := graph.Entropy(g)
		want := -(tails*math.Log(tails) + (1-tails)*math.Log1p(-tails)) / (1 - tails)
		if err != nil || math.Abs(got/want-1) > 1e-12 {
			t.Errorf("tails %v: entropy %v (%v), want %v", tails, got, err, want)
		}
	}
}

// used marks the parts of g that lie on a path that keep accepts, in the order of newParts; paths
// have at most maxArcs arcs.
func used[W any](g *graph.Graph[W], maxArcs int, keep func(p graph.Path[W], start int) bool) []bool {
	mask := make([]bool, numParts(g))
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range g.Starts() {
		one, err := g.WithWeights(g.Weights(), []graph.Start[W]{start}, g.Finals())
		if err != nil {
			panic(err)
		}
		for p := range oracle.Paths(one, maxArcs) {
			if !keep(p, i) {
				continue
			}
			mask[i] = true
			last := p.Start
			for _, e := range p.Arcs {
				mask[arcs+int(e)] = true
				last = g.To()[e]
			}
			mask[finals+int(last)] = true
		}
	}
	return mask
}

// checkPruned checks that exactly the marked parts remain, unchanged.
func checkPruned[W comparable](t *testing.T, g *graph.Graph[W], p *graph.Pruned[W], want []bool) {
	t.Helper()
	h, ring := p.Graph, g.Ring()
	if len(p.State) != h.NumStates() || len(p.Arc) != h.NumArcs() || len(p.Start) != len(h.Starts()) {
		t.Fatalf("maps of %d states, %d arcs, %d starts for %d, %d, %d", len(p.State), len(p.Arc), len(p.Start),
			h.NumStates(), h.NumArcs(), len(h.Starts()))
	}
	got := make([]bool, numParts(g))
	arcs := len(g.Starts())
	finals := arcs + g.NumArcs()
	for i, start := range h.Starts() {
		old := g.Starts()[p.Start[i]]
		if p.State[start.State] != old.State || start.Weight != old.Weight {
			t.Errorf("start %d is %v, was %v", i, start, old)
		}
		got[p.Start[i]] = true
	}
	for s, old := range p.State {
		for e := h.Row()[s]; e < h.Row()[s+1]; e++ {
			was := p.Arc[e]
			if was < g.Row()[old] || was >= g.Row()[old+1] || g.To()[was] != p.State[h.To()[e]] || g.Weights()[was] != h.Weights()[e] {
				t.Errorf("arc %d was not %d", e, was)
			}
			got[arcs+int(was)] = true
		}
		if f := h.Finals()[s]; !ring.IsZero(f) {
			if f != g.Finals()[old] {
				t.Errorf("state %d has final weight %v, had %v", s, f, g.Finals()[old])
			}
			got[finals+int(old)] = true
		}
	}
	if !slices.IsSorted(p.State) || !slices.IsSorted(p.Arc) || !slices.IsSorted(p.Start) {
		t.Error("another order")
	}
	if !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

func checkBeam(t *testing.T, g *graph.Graph[semiring.Cost], beam semiring.Cost, maxArcs int) {
	t.Helper()
	best, err := graph.BestPath(g)
	if err != nil {
		t.Fatal(err)
	}
	p, err := graph.PruneBeam(g, beam)
	if err != nil {
		t.Fatal(err)
	}
	checkPruned(t, g, p, used(g, maxArcs, func(p graph.Path[semiring.Cost], start int) bool {
		return p.Weight <= best.Weight+max(beam, 0)
	}))
	if now, err := graph.BestPath(p.Graph); err != nil || now.Weight != best.Weight {
		t.Errorf("the best path costs %v (%v), was %v", now.Weight, err, best.Weight)
	}
}

func TestPruneBeam(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, acyclic, func(r *rand.Rand) semiring.Cost { return cost(r) - 2 })
		checkBeam(t, g, []semiring.Cost{0, 1, 3, semiring.Cost(math.Inf(1))}[r.IntN(4)], 8)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPruneBeamCyclic(t *testing.T) {
	shape := graphtest.Shape{States: 4, Arcs: 6, Starts: 3, Finals: .5, Zero: .1}
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Tropical{}, shape, cost)
		h := make([]semiring.Cost, g.NumStates())
		for s := range h {
			h[s] = semiring.Cost(r.IntN(9) * r.IntN(2))
		}
		for s := range h {
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				g.Weights()[e] += h[s] - h[g.To()[e]]
			}
		}
		// The best path through an arc need not come by any state more than twice.
		checkBeam(t, g, semiring.Cost(r.IntN(5)), 7)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// With a beam of the ring's One, or a beam without paths, the best path remains although weights
// are rounded.
func TestPruneBeamKeepsBest(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Viterbi{}, graphtest.Shape{States: 40, Arcs: 120, Acyclic: true, Starts: 5, Finals: .3},
			func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) })
		best, err := graph.BestPath(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, beam := range []float64{1, 2, 1e9} {
			p, err := graph.PruneBeam(g, semiring.NewScaled(beam))
			if err != nil {
				t.Fatal(err)
			}
			now, err := graph.BestPath(p.Graph)
			if err != nil || now.Weight != best.Weight || len(now.Arcs) != len(best.Arcs) {
				t.Fatalf("seed %d: best path %v (%v), was %v", seed, now, err, best)
			}
			for i, e := range now.Arcs {
				if p.Arc[e] != best.Arcs[i] {
					t.Fatalf("seed %d: best path %v, was %v", seed, now, best)
				}
			}
		}
	}
}

func TestPruneErrors(t *testing.T) {
	g := loops(2, []arc{{0, 1, 1}})
	if _, err := graph.PruneBeam(g, 1); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	truth := graph.Map(g, semiring.Boolean{}, func(x float64) bool { return x != 0 })
	if _, err := graph.PrunePosterior(truth, .5); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	loop := loops(2, []arc{{0, 0, 1}, {0, 1, 1}})
	if _, err := graph.PrunePosterior(loop, .5); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want semiring.ErrDiverges", err)
	}
}
