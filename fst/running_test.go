package fst_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// The running example of Eisner, "Parameter estimation for probabilistic
// finite-state transducers" (2002): figures 1 (a), (b) and (c). Its coins are λ,
// μ, ν and ρ; here heads is coin 0 … 3 and tails coin 4 … 7.
const (
	lambda = iota
	mu
	nu
	rho
	tails
)

var coins = []float64{.7, .5, .2, .1, .3, .5, .8, .9}

// Labels of the example: a b on the first tape, p q in the middle, x z on the last
const (
	la = 1 + iota
	lb
	lp
	lq
	lx
	lz
)

type exampleArc struct {
	from, in, out, to int32
	coins             []int32
}

// machine builds a machine whose state s has the final weight final[s].
func machine[W any](t *testing.T, ring semiring.Semiring[W], weight func(coins ...int32) W, final [][]int32, arcs []exampleArc) *fst.FST[W] {
	t.Helper()
	m := fst.NewBuilder(ring)
	for _, coins := range final {
		m.SetFinal(m.AddState(), weight(coins...))
	}
	m.AddStart(0, ring.One())
	for _, e := range arcs {
		m.AddArc(e.from, fst.Arc[W]{In: e.in, Out: e.out, To: e.to, Weight: weight(e.coins...)})
	}
	return must(m.Freeze())(t)
}

// machines returns (a), (b) and (c).
func machines[W any](t *testing.T, ring semiring.Semiring[W], weight func(coins ...int32) W) (fa, fb, fc *fst.FST[W]) {
	const l, m, n, r = lambda, mu, nu, rho
	fb = machine(t, ring, weight, [][]int32{{tails + l, tails + m}, {tails + m}}, []exampleArc{
		{0, la, lp, 0, []int32{l}},
		{0, lb, lp, 1, []int32{tails + l, m, n}},
		{0, lb, lq, 1, []int32{tails + l, m, tails + n}},
		{1, lb, lp, 1, []int32{m, n}},
		{1, lb, lq, 1, []int32{m, tails + n}},
	})
	fc = machine(t, ring, weight, [][]int32{{}, {}}, []exampleArc{
		{0, lp, lx, 0, []int32{tails + r}},
		{0, lp, fst.Epsilon, 1, []int32{r}},
		{0, lq, lz, 0, nil},
		{1, lp, fst.Epsilon, 1, nil},
		{1, lq, lz, 1, nil},
	})
	fa = machine(t, ring, weight, [][]int32{{tails + l, tails + m}, {tails + l, tails + m}, {tails + m}, {tails + m}}, []exampleArc{
		{0, la, lx, 0, []int32{l, tails + r}},
		{0, la, fst.Epsilon, 1, []int32{l, r}},
		{0, lb, lx, 2, []int32{tails + l, m, n, tails + r}},
		{0, lb, fst.Epsilon, 3, []int32{tails + l, m, n, r}},
		{0, lb, lz, 2, []int32{tails + l, m, tails + n}},
		{1, la, fst.Epsilon, 1, []int32{l}},
		{1, lb, fst.Epsilon, 3, []int32{tails + l, m, n}},
		{1, lb, lz, 3, []int32{tails + l, m, tails + n}},
		{2, lb, lx, 2, []int32{m, n, tails + r}},
		{2, lb, fst.Epsilon, 3, []int32{m, n, r}},
		{2, lb, lz, 2, []int32{m, tails + n}},
		{3, lb, fst.Epsilon, 3, []int32{m, n}},
		{3, lb, lz, 3, []int32{m, tails + n}},
	})
	return fa, fb, fc
}

// sortedArcs returns the arcs of state s by output label; in the example, no state has two arcs
// with the same labels.
func sortedArcs[W any](f *fst.FST[W], s int32) []fst.Arc[W] {
	arcs := f.AppendArcs(nil, s)
	slices.SortFunc(arcs, func(x, y fst.Arc[W]) int { return cmp.Or(cmp.Compare(x.In, y.In), cmp.Compare(x.Out, y.Out)) })
	return arcs
}

// isomorphic compares two machines with one start each, in which the arcs of a state have
// different labels.
func isomorphic[W any](t *testing.T, got, want *fst.FST[W], equal func(x, y W) bool) {
	t.Helper()
	if got.NumStates() != want.NumStates() || got.NumArcs() != want.NumArcs() {
		t.Fatalf("%d states and %d arcs, want %d and %d", got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs())
	}
	image := map[int32]int32{want.Graph().Starts()[0].State: got.Graph().Starts()[0].State}
	open := []int32{want.Graph().Starts()[0].State}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		if g, w := got.Final(image[s]), want.Final(s); !equal(g, w) {
			t.Errorf("state %d: final weight %v, want %v", s, g, w)
		}
		arcs := sortedArcs(got, image[s])
		for i, w := range sortedArcs(want, s) {
			if i >= len(arcs) || arcs[i].In != w.In || arcs[i].Out != w.Out || !equal(arcs[i].Weight, w.Weight) {
				t.Fatalf("state %d: arcs %v, want %v", s, arcs, sortedArcs(want, s))
			}
			if to, ok := image[w.To]; !ok {
				image[w.To] = arcs[i].To
				open = append(open, w.To)
			} else if to != arcs[i].To {
				t.Errorf("state %d: arc %v goes to state %d, want %d", s, arcs[i], arcs[i].To, to)
			}
		}
	}
}

func TestRunningExample(t *testing.T) {
	product := func(used ...int32) float64 {
		w := 1.0
		for _, c := range used {
			w *= coins[c]
		}
		return w
	}
	fa, fb, fc := machines(t, reals, product)
	got := must(fst.Expand(fst.Compose(fb, fc), nil))(t)
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }
	isomorphic(t, got, fa, near)
	for i, want := range []float64{.07, .63, .003, .027, .12} { // a:ε a:x b:ε b:x b:z
		if arcs := sortedArcs(got, got.Graph().Starts()[0].State); !near(arcs[i].Weight, want) {
			t.Errorf("arc %v leaves the first state, want weight %g", arcs[i], want)
		}
	}
	for what, f := range map[string]*fst.FST[float64]{"(a)": got, "(b)": fb} { // joint distributions
		if sum := must(graph.PathSum(f.Graph()))(t); !near(sum, 1) {
			t.Errorf("the weights of %s sum to %g", what, sum)
		}
	}
}

// The weights of the composition are products of coins, and keep their value when the coins are
// instantiated afterwards.
func TestRunningExampleWithParameters(t *testing.T) {
	space := expr.New()
	ring := semiring.Semiring[expr.W](space)
	product := func(used ...int32) expr.W {
		w := expr.One
		for _, c := range used {
			w = space.Times(w, space.Param(c))
		}
		return w
	}
	fa, fb, fc := machines(t, ring, product)
	got := must(fst.Expand(fst.Compose(fb, fc), nil))(t)
	isomorphic(t, got, fa, func(x, y expr.W) bool { return x == y })

	theta := make([]semiring.ScaledFloat, len(coins))
	for i, c := range coins {
		theta[i] = semiring.NewScaled(c)
	}
	values := must(space.Evaluate(nil, theta))(t)
	numbers := fsttest.Frozen(fst.Map(got, reals, func(w expr.W) float64 { return values[w].Float64() }))
	if sum := must(graph.PathSum(numbers.Graph()))(t); math.Abs(sum-1) > 1e-14 {
		t.Errorf("the weights sum to %g", sum)
	}
}
