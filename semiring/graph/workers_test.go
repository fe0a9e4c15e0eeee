package graph_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"sync/atomic"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// scattered returns a graph over randomRows whose states have a random numbering, with starts and
// final states on both sides of its middle, unreachable and dead states, and weights of Zero.
func scattered[W any](r *rand.Rand, ring semiring.Semiring[W], arcs, span int, weight func(r *rand.Rand) W) *graph.Graph[W] {
	ordered, targets := randomRows(r, arcs, span)
	n := len(ordered) - 1
	number := r.Perm(n)
	if r.IntN(2) == 0 { // in topological order
		for s := range number {
			number[s] = s
		}
	}
	place := make([]int, n)
	for p, s := range number {
		place[s] = p
	}
	draw := func() W {
		if r.IntN(20) == 0 {
			return ring.Zero()
		}
		return weight(r)
	}
	row, to, w, final := make([]int32, 1, n+1), make([]int32, 0, arcs), make([]W, 0, arcs), make([]W, n)
	for s, p := range place {
		final[s] = ring.Zero()
		if p == n-1 || r.IntN(50) == 0 {
			final[s] = weight(r)
		}
		for _, q := range targets[ordered[p]:ordered[p+1]] {
			to, w = append(to, int32(number[q])), append(w, draw())
		}
		row = append(row, int32(len(to)))
	}
	starts := []graph.Start[W]{{State: int32(number[2]), Weight: weight(r)}}
	for range 6 {
		starts = append(starts, graph.Start[W]{State: int32(r.IntN(n)), Weight: draw()})
	}
	starts = append(starts, graph.Start[W]{State: starts[1].State, Weight: weight(r)})
	g, err := graph.New(ring, row, to, w, starts, final)
	if err != nil {
		panic(err)
	}
	return g
}

// answers are the results of every function that uses workers; nil if the ring does not support
// the function.
type answers[W any] struct {
	sum  W
	post *graph.Posterior[W]
	best *graph.Path[W]
}

func answer[W any](t *testing.T, g *graph.Graph[W]) (a answers[W]) {
	t.Helper()
	a.sum = must(graph.PathSum(g))(t)
	if _, ok := semiring.As[semiring.Probabilistic[W]](g.Ring()); ok {
		a.post = must(graph.Posteriors(g))(t)
	}
	if _, ok := semiring.As[semiring.Ordered[W]](g.Ring()); ok {
		path := must(graph.BestPath(g))(t)
		a.best = &path
	}
	return a
}

// workersCase is a ring for TestWorkers.
type workersCase[W any] struct {
	name   string
	ring   semiring.Semiring[W]
	weight func(r *rand.Rand) W
	close  func(a, b W, bound float64) bool // nil: weights are exact
	scale  float64                          // bound on the logarithms in the rounding of posteriors
}

// TestWorkers: results have the same bits for any number of workers. They differ by rounding from
// results without workers, and not at all in exact rings.
func TestWorkers(t *testing.T) {
	scaled := semiring.Scaled{}
	number := func(x, y, bound float64) bool { return math.Abs(x-y) <= bound*math.Abs(y) }
	mass := func(a, b semiring.ScaledFloat, bound float64) bool {
		return scaled.Dist(a, b) <= bound
	}
	share := func(r *rand.Rand) float64 { return .2 * r.Float64() }
	small := func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(share(r)) }
	wild := func(r *rand.Rand) semiring.ScaledFloat {
		return semiring.ScaledFloat{Mant: r.Float64() + .1, Exp: int64(-r.IntN(3) * r.IntN(2))}
	}
	testWorkers(t, workersCase[float64]{"Real", semiring.Real{}, share, number, 1})
	testWorkers(t, workersCase[float64]{"Real, overflows", semiring.Real{}, func(r *rand.Rand) float64 {
		return .11 * (1 + r.Float64()*.02)
	}, number, 1})
	testWorkers(t, workersCase[float64]{"masses", masses{semiring.Real{}}, share, number, 1})
	testWorkers(t, workersCase[float64]{"kernels", kernels{semiring.Real{}, semiring.Real{}}, share, number, 1})
	testWorkers(t, workersCase[float64]{"folds", folds{semiring.Real{}}, share, number, 1})
	testWorkers(t, workersCase[semiring.ScaledFloat]{"Scaled", scaled, small, mass, 1})
	testWorkers(t, workersCase[semiring.ScaledFloat]{"Scaled, wild", scaled, wild, mass, 1})
	testWorkers(t, workersCase[semiring.ScaledFloat]{"Viterbi", semiring.Viterbi{}, wild, mass, 1})
	testWorkers(t, workersCase[semiring.LogProb]{"Log", semiring.Log{}, func(r *rand.Rand) semiring.LogProb {
		return semiring.LogProb(-1 - 3*r.Float64())
	}, func(a, b semiring.LogProb, bound float64) bool { return number(float64(a), float64(b), bound) }, 1e4})
	testWorkers(t, workersCase[semiring.Cost]{"Tropical", semiring.Tropical{}, func(r *rand.Rand) semiring.Cost {
		return semiring.Cost(1 + 3*r.Float64())
	}, func(a, b semiring.Cost, bound float64) bool { return number(float64(a), float64(b), bound) }, 1e4})
	testWorkers(t, workersCase[semiring.Cost]{"Tropical, whole", semiring.Tropical{}, wholeCost, nil, 1})
	testWorkers(t, workersCase[counted]{
		"Expectation", semiring.Expectation(scaled, semiring.Scalar(scaled)),
		func(r *rand.Rand) counted { return counted{P: small(r), V: small(r)} },
		func(a, b counted, bound float64) bool { return mass(a.P, b.P, bound) && mass(a.V, b.V, bound) }, 1,
	})
	testWorkers(t, workersCase[semiring.Width]{"Bottleneck", semiring.Bottleneck{}, func(r *rand.Rand) semiring.Width {
		return semiring.Width(r.IntN(100))
	}, nil, 1})
	testWorkers(t, workersCase[*big.Int]{"Counting", semiring.Counting{}, func(r *rand.Rand) *big.Int {
		return big.NewInt(int64(r.IntN(3)))
	}, nil, 1})
	testWorkers(t, workersCase[square]{"squares", squares{}, func(r *rand.Rand) square {
		return square{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
	}, nil, 1})
	testWorkers(t, workersCase[semiring.Word]{"LeftString", semiring.LeftString{}, func(r *rand.Rand) semiring.Word {
		return semiring.NewWord(1, int32(r.IntN(2)))
	}, nil, 1})
}

func testWorkers[W any](t *testing.T, c workersCase[W]) {
	t.Run(c.name, func(t *testing.T) {
		for seed, span := range []int{50, 50, 1 << 30, 1 << 30} {
			g := scattered(graphtest.Rand(uint64(seed)), c.ring, 17000+1000*seed, span, c.weight)
			plain := answer(t, g)
			one := answer(t, g.WithWorkers(1))
			for _, n := range []int{2, 3, 8} {
				if many := answer(t, g.WithWorkers(n)); !reflect.DeepEqual(many, one) {
					t.Errorf("seed %d: other results with %d workers than with 1", seed, n)
				}
			}
			// Both sums have a relative error of 2⁻⁵³ per arc of a path and per term.
			bound := 2 * 0x1p-53 * float64(g.NumStates()+g.NumArcs())
			if !reflect.DeepEqual(one.sum, plain.sum) && (c.close == nil || !c.close(one.sum, plain.sum, bound)) {
				t.Errorf("seed %d: path sum %v with workers, %v without", seed, one.sum, plain.sum)
			}
			if one.post != nil {
				if total := one.post.Total; !reflect.DeepEqual(total, plain.sum) && (c.close == nil || !c.close(total, plain.sum, bound)) {
					t.Errorf("seed %d: total %v with workers, path sum %v without", seed, total, plain.sum)
				}
				comparePosteriors(t, one.post, plain.post, 4*bound*c.scale)
			}
			if one.best != nil {
				if c.close == nil && !reflect.DeepEqual(one.best.Weight, plain.best.Weight) ||
					c.close != nil && !c.close(one.best.Weight, plain.best.Weight, bound) {
					t.Errorf("seed %d: best path %v with workers, %v without", seed, one.best.Weight, plain.best.Weight)
				}
				checkPath(t, g, *one.best)
			}
		}
	})
}

func comparePosteriors[W any](t *testing.T, got, want *graph.Posterior[W], bound float64) {
	t.Helper()
	for name, pair := range map[string][2][]float64{
		"arc": {got.Arc, want.Arc}, "state": {got.State, want.State},
		"start": {got.Start, want.Start}, "final": {got.Final, want.Final},
	} {
		if len(pair[0]) != len(pair[1]) {
			t.Fatalf("%d posteriors of %s, want %d", len(pair[0]), name, len(pair[1]))
		}
		for i, x := range pair[0] {
			if y := pair[1][i]; !(math.Abs(x-y) <= bound*(1+y)) {
				t.Errorf("posterior of %s %d: %v with workers, %v without; bound %v", name, i, x, y, bound)
				break
			}
		}
	}
}

// checkPath checks that p is a path of g from a start to a final state, of its weight.
func checkPath[W any](t *testing.T, g *graph.Graph[W], p graph.Path[W]) {
	t.Helper()
	ring, s, w := g.Ring(), p.Start, g.Ring().Zero()
	for _, start := range g.Starts() {
		if start.State == s {
			w = ring.Plus(w, start.Weight)
		}
	}
	for _, e := range p.Arcs {
		if e < g.Row()[s] || e >= g.Row()[s+1] {
			t.Fatalf("arc %d does not leave state %d", e, s)
		}
		w, s = ring.Times(w, g.Weights()[e]), g.To()[e]
	}
	if w = ring.Times(w, g.Finals()[s]); !reflect.DeepEqual(w, p.Weight) {
		t.Errorf("the path weighs %v, not %v", w, p.Weight)
	}
}

// square is a matrix of two rows and columns.
type square [4]uint32

// squares is an exact ring in which ⊗ does not commute.
type squares struct{}

func (squares) Zero() square         { return square{} }
func (squares) One() square          { return square{1, 0, 0, 1} }
func (squares) IsZero(a square) bool { return a == square{} }
func (squares) Plus(a, b square) square {
	for i, x := range b {
		a[i] += x
	}
	return a
}
func (squares) Times(a, b square) square {
	return square{
		a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3],
		a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
	}
}

// TestWorkersMeet: sums with workers are computed in another way, which rounding shows. Otherwise
// the tests above would compare a function with itself.
func TestWorkersMeet(t *testing.T) {
	weight := func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) }
	other := 0
	for seed := range uint64(10) {
		g := scattered(graphtest.Rand(seed), semiring.Scaled{}, 20_000, 50, weight)
		if must(graph.PathSum(g))(t) != must(graph.PathSum(g.WithWorkers(1)))(t) {
			other++
		}
	}
	if other == 0 {
		t.Error("ten path sums have the same bits with and without workers")
	}
}

// Small graphs and graphs with cycles have the results of one goroutine.
func TestWorkersOfOtherGraphs(t *testing.T) {
	for seed := range uint64(20) {
		r := graphtest.Rand(seed)
		for _, g := range []*graph.Graph[float64]{
			graphtest.New(r, semiring.Real{}, acyclic, func(r *rand.Rand) float64 { return .3 * r.Float64() }),
			graphtest.Substochastic(r, tiny, .9),
			loops(3, []arc{{0, 1, .5}, {1, 0, .5}, {1, 2, .5}}),
		} {
			if got, want := answer(t, g.WithWorkers(2)), answer(t, g); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %v with workers, %v without", seed, got, want)
			}
		}
	}
	for _, g := range []*graph.Graph[semiring.ScaledFloat]{
		graphtest.Scaled(graphtest.Torus(graphtest.Rand(1), 70, .9)), graphtest.Scaled(irregularNest(graphtest.Rand(2), 10_000)),
	} {
		if g.NumArcs() < 1<<14 {
			t.Fatalf("a graph of only %d arcs", g.NumArcs())
		}
		one := answer(t, g.WithWorkers(1))
		for _, n := range []int{2, 3, 8} {
			if !reflect.DeepEqual(answer(t, g.WithWorkers(n)), one) {
				t.Errorf("other results with %d workers than with 1", n)
			}
		}
		if !reflect.DeepEqual(one, answer(t, g)) {
			t.Error("a graph with cycles has other results with workers than without")
		}
	}
	empty := must(graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil))(t)
	if sum := must(graph.PathSum(empty.WithWorkers(2)))(t); sum != 0 {
		t.Errorf("no states: %v", sum)
	}
}

// In a graph of two parts, some paths end soon after the cut, and the others start after it.
func TestWorkersOfTwoParts(t *testing.T) {
	r := graphtest.Rand(7)
	half, next := randomRows(r, 10_000, 50)
	n := int32(len(half) - 1)
	row, to := append([]int32(nil), half...), append([]int32(nil), next...)
	for _, end := range half[1:] {
		row = append(row, int32(len(next))+end)
	}
	for _, q := range next {
		to = append(to, n+q)
	}
	costs, final := make([]semiring.Cost, len(to)), make([]semiring.Cost, 2*n)
	for e := range costs {
		costs[e] = wholeCost(r)
	}
	for s := range final {
		final[s] = semiring.Tropical{}.Zero()
	}
	final[n-1], final[2*n-1] = 1, 2
	starts := []graph.Start[semiring.Cost]{{State: 0, Weight: 3}, {State: n, Weight: 1}}
	g := must(graph.New(semiring.Tropical{}, row, to, costs, starts, final))(t)
	if got, want := answer(t, g.WithWorkers(2)), answer(t, g); got.sum != want.sum || got.best.Weight != want.best.Weight {
		t.Errorf("best path %v with workers, %v without", got.best.Weight, want.best.Weight)
	}
	for _, n := range []int{1, 2} {
		comparePosteriors(t, must(graph.Posteriors(scaledOf(g).WithWorkers(n)))(t), must(graph.Posteriors(scaledOf(g)))(t), 1e-12)
	}
}

// Without a path, and with weights that are not finite, results and errors are the same as with
// one goroutine.
func TestWorkersFailLikeOne(t *testing.T) {
	weight := func(r *rand.Rand) float64 { return .1 * r.Float64() }
	g := scattered(graphtest.Rand(1), semiring.Real{}, 20_000, 50, weight)
	none := must(g.WithWeights(g.Weights(), g.Starts(), make([]float64, g.NumStates())))(t)
	for _, n := range []int{1, 2, 3} {
		if p := must(graph.Posteriors(none.WithWorkers(n)))(t); p.Total != 0 || p.State[g.Starts()[0].State] != 0 {
			t.Errorf("%d workers, without a path: total %v", n, p.Total)
		}
		costs := graph.Map(none, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(-math.Log(x)) })
		if p := must(graph.BestPath(costs.WithWorkers(n)))(t); p.Start != -1 || len(p.Arcs) > 0 {
			t.Errorf("%d workers, without a path: best path %v", n, p)
		}
	}
	infinite := append([]float64(nil), g.Weights()...)
	for e := range infinite {
		if infinite[e] != 0 {
			infinite[e] = math.Inf(1)
		}
	}
	bad := must(g.WithWeights(infinite, g.Starts(), g.Finals()))(t)
	for _, n := range []int{1, 2} {
		if _, err := graph.Posteriors(bad.WithWorkers(n)); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%d workers, infinite weights: error %v", n, err)
		}
	}
	if _, err := graph.Posteriors(graph.Map(g, semiring.Counting{}, func(float64) *big.Int { return big.NewInt(1) }).WithWorkers(2)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("posteriors without a Probabilistic: error %v", err)
	}
	if _, err := graph.BestPath(g.WithWorkers(2)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("best path without an order: error %v", err)
	}
}

// Numbers of Real are summed in Scaled if one half leaves the range upward and the other one
// downward, such that the total is about 1.
func TestWorkersInReal(t *testing.T) {
	row, to := randomRows(graphtest.Rand(3), 20_000, 50)
	final := make([]float64, len(row)-1)
	final[len(final)-1] = 1
	of := func(first, second float64) *graph.Graph[float64] {
		weight := make([]float64, len(to))
		for e := range weight {
			weight[e] = []float64{first, second}[e*2/len(to)]
		}
		return must(graph.New(semiring.Real{}, row, to, weight, []graph.Start[float64]{{State: 0, Weight: 1}}, final))(t)
	}
	for name, g := range map[string]func(x float64) *graph.Graph[float64]{
		"small, large": func(x float64) *graph.Graph[float64] { return of(1e-3, x) },
		"large, small": func(x float64) *graph.Graph[float64] { return of(x, 1e-3) },
	} {
		low, high := 1e-3, 1e9
		for range 100 {
			x := math.Sqrt(low * high)
			if must(graph.PathSum(graphtest.Scaled(g(x))))(t).Log() < 0 {
				low = x
			} else {
				high = x
			}
		}
		g := g(low)
		want := must(graph.Posteriors(graphtest.Scaled(g)))(t)
		for _, n := range []int{1, 2} {
			got := must(graph.Posteriors(g.WithWorkers(n)))(t)
			if x := want.Total.Float64(); !(.5 < x && x < 2 && math.Abs(got.Total-x) <= 1e-9*x) {
				t.Errorf("%s: total %v, want %v", name, got.Total, x)
			}
			if sum := must(graph.PathSum(g.WithWorkers(n)))(t); !(math.Abs(sum-got.Total) <= 1e-9*sum) {
				t.Errorf("%s: path sum %v, total %v", name, sum, got.Total)
			}
			for e, x := range want.Arc {
				if !(math.Abs(got.Arc[e]-x) <= 1e-9) {
					t.Fatalf("%s: arc %d has posterior %v, want %v", name, e, got.Arc[e], x)
				}
			}
		}
	}
}

// interrupting is Real that cancels a context after some products.
type interrupting struct {
	folds
	left   *atomic.Int64
	cancel context.CancelCauseFunc
}

var errStop = errors.New("stop")

func (r interrupting) FromLog(l float64) float64 { return math.Exp(l) }
func (r interrupting) Log(w float64) float64     { return math.Log(w) }
func (r interrupting) Times(a, b float64) float64 {
	if r.left.Add(-1) == 0 {
		r.cancel(errStop)
	}
	return a * b
}

func TestWorkersStopWithTheirContext(t *testing.T) {
	g := scattered(graphtest.Rand(5), semiring.Real{}, 20_000, 50, func(r *rand.Rand) float64 { return .2 * r.Float64() })
	for _, n := range []int{1, 2, 8} {
		for _, products := range []int64{1, 15_000, 30_000} {
			ctx, cancel := context.WithCancelCause(t.Context())
			ring := interrupting{folds{semiring.Real{}}, new(atomic.Int64), cancel}
			ring.left.Store(products)
			if p, err := graph.Posteriors(g.WithSemiring(ring).WithContext(ctx).WithWorkers(n)); !errors.Is(err, errStop) || p != nil {
				t.Errorf("%d workers, %d products: error %v", n, products, err)
			}
			cancel(nil)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		stopped := g.WithWorkers(n).WithContext(ctx)
		if _, err := graph.PathSum(stopped); !errors.Is(err, errStop) {
			t.Errorf("%d workers: path sum: error %v", n, err)
		}
	}
}

func TestWithWorkersPanics(t *testing.T) {
	g := must(graph.FromArcs(semiring.Real{}, map[int32]float64{0: 1}))(t)
	defer func() {
		if recover() == nil {
			t.Error("no panic for −1 workers")
		}
	}()
	g.WithWorkers(-1)
}
