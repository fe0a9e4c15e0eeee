package forest_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/erased"
)

// merged returns f with one entry per root, because a tree does not determine its entry.
func merged[W any](f *forest.Forest[W]) *forest.Forest[W] {
	var roots []forest.Root[W]
	for _, root := range f.Roots() {
		i := slices.IndexFunc(roots, func(x forest.Root[W]) bool { return x.Node == root.Node })
		if i < 0 {
			roots = append(roots, root)
		} else {
			roots[i].Weight = f.Ring().Plus(roots[i].Weight, root.Weight)
		}
	}
	m, err := f.WithWeights(f.Weights(), roots)
	if err != nil {
		panic(err)
	}
	return m
}

// key identifies a tree.
func key[W any](t forest.Tree[W]) string { return fmt.Sprint(t.Root, t.Edges) }

// checkBest compares the trees of BestTrees with all, in order.
func checkBest[W comparable](t *testing.T, f *forest.Forest[W]) int {
	t.Helper()
	order, err := semiring.Require[semiring.Ordered[W]](f.Ring())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]W{}
	var weights []W
	for _, tree := range oracle.Trees(merged(f)) {
		want[key(tree)] = tree.Weight
		weights = append(weights, tree.Weight)
	}
	slices.SortFunc(weights, order.Compare)
	best, err := forest.BestTree(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(weights) == 0 {
		if best.Root != -1 || best.Weight != f.Ring().Zero() || best.Edges != nil {
			t.Fatalf("best tree %v of none", best)
		}
	} else if best.Weight != weights[0] || want[key(best)] != best.Weight {
		t.Fatalf("best tree %v, want weight %v", best, weights[0])
	}
	trees, err := forest.BestTrees(f)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for tree := range trees {
		if i == 0 && key(tree) != key(best) {
			t.Fatalf("first tree %v, best tree %v", tree, best)
		}
		w, ok := want[key(tree)]
		if !ok || i >= len(weights) || w != tree.Weight || w != weights[i] {
			t.Fatalf("tree %d of %d is %v; it weighs %v, or came before", i, len(weights), tree, w)
		}
		delete(want, key(tree))
		i++
	}
	if i != len(weights) {
		t.Fatalf("%d trees, want %d", i, len(weights))
	}
	return i
}

func TestBestTrees(t *testing.T) {
	shape := small
	shape.Trees = 120
	trees := 0
	for seed := range trials.Seeds(2000) {
		shape.Tails = 1 + int(seed%4)
		f := foresttest.New(graphtest.Rand(seed), semiring.Tropical{}, shape,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(9) - 2) })
		trees += checkBest(t, f)
		checkBest(t, forest.Map(f, semiring.Viterbi{}, func(c semiring.Cost) semiring.ScaledFloat {
			return semiring.NewScaled(math.Exp2(-float64(c))) // products are exact
		}))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if trees < 10000 {
		t.Errorf("only %d trees", trees)
	}
}

// words is a selective ring in which ⊗ does not commute: costs, and of equal ones the
// string that comes first, ⊗ being + and concatenation. Shorter strings come first, so
// that a common prefix or suffix does not change the order.
type words struct{}

type word struct {
	cost float64
	text string
}

func (words) Zero() word         { return word{cost: math.Inf(1)} }
func (words) One() word          { return word{} }
func (words) IsZero(a word) bool { return math.IsInf(a.cost, 1) }

func (r words) Plus(a, b word) word {
	if r.Compare(a, b) <= 0 {
		return a
	}
	return b
}

func (r words) Times(a, b word) word {
	if r.IsZero(a) || r.IsZero(b) {
		return r.Zero()
	}
	return word{a.cost + b.cost, a.text + b.text}
}

func (words) Compare(a, b word) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.text, b.text))
}

func (words) Laws() semiring.Laws { return semiring.Selective }

func TestBestTreesOfWeightsThatDoNotCommute(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		f := foresttest.New(graphtest.Rand(seed), erased.Of(words{}), shapes[seed%3],
			func(r *rand.Rand) any { return word{float64(r.IntN(3)), string(rune('a' + r.IntN(3)))} })
		checkBest(t, f)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Of equally good trees the one of the least edge comes first, and runs that overlap
// give the same sequence.
func TestBestTreesRestart(t *testing.T) {
	shape := foresttest.Shape{Nodes: 60, Edges: 900, Tails: 3, Roots: 3, Trees: 1e9}
	f := foresttest.New(graphtest.Rand(3), semiring.Tropical{}, shape,
		func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(3)) })
	trees, err := forest.BestTrees(f)
	if err != nil {
		t.Fatal(err)
	}
	take := func(n int) (keys []string) {
		for tree := range trees {
			if keys = append(keys, key(tree)); len(keys) == n {
				break
			}
		}
		return keys
	}
	long := take(3000)
	if len(long) != 3000 {
		t.Fatalf("%d trees", len(long))
	}
	if !slices.Equal(long[:1000], take(1000)) {
		t.Error("another sequence the second time")
	}
	best, err := forest.BestTree(forest.Map(f, semiring.Tropical{}, func(semiring.Cost) semiring.Cost { return 0 }))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range best.Edges {
		for first := e; ; first-- { // to the first edge of the node
			if slices.Contains(f.Edges(), first) {
				if first != e {
					t.Errorf("edge %d is taken where %d is as good", e, first)
				}
				break
			}
		}
	}
}

func TestBestTreeErrors(t *testing.T) {
	f := doubling(t, 3, 1, 1)
	if _, err := forest.BestTree(f); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	if _, err := forest.BestTrees(f); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	nan := forest.Map(f, semiring.Tropical{}, func(float64) semiring.Cost { return semiring.Cost(math.NaN()) })
	if _, err := forest.BestTree(nan); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
}

// The best trees of forests with cycles, in order, against enumeration: costs are whole
// numbers, and edges without cost are common.
func TestCyclicBest(t *testing.T) {
	const most = 7 // the cost up to which trees are listed
	shape := foresttest.Shape{Nodes: 5, Edges: 3, Tails: 2, Roots: 2, Zero: .1}
	compared, refused := 0, 0
	for seed := range trials.Seeds(trials.Serial[uint64](400)) {
		r := graphtest.Rand(seed)
		f := foresttest.Cyclic(r, shape, 1)
		cost := make([]float64, f.NumEdges())
		for e := range cost {
			if cost[e] = float64(r.IntN(6)); len(f.Tails(int32(e))) > 0 && seed%4 > 0 {
				cost[e]++ // without cycles of no cost, trees of a cost are not without number
			}
			if f.Weights()[e] == 0 {
				cost[e] = math.Inf(1)
			}
		}
		tropical := forest.Map(f, semiring.Tropical{}, func(float64) semiring.Cost { return 0 })
		for e, c := range cost {
			tropical.Weights()[e] = semiring.Cost(c)
		}
		if !f.Cyclic() {
			continue
		}
		halves := must(f.WithWeights(make([]float64, f.NumEdges()), tropicalRoots(f)))
		for e, c := range cost {
			halves.Weights()[e] = math.Exp2(-c)
		}
		trees, err := forest.BestTrees(tropical)
		best := must(forest.BestTree(tropical))
		if errors.Is(err, forest.ErrCycle) && seed%4 == 0 {
			refused++
			if best.Root >= 0 && float64(best.Weight) != -math.Log2(weigh(halves, best.Edges)) {
				t.Fatalf("seed %d: best tree %v of another cost", seed, best)
			}
			continue // a turn costs nothing
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var got []float64
		seen := map[string]bool{}
		for tree := range trees {
			if len(got) == 0 && key(tree) != key(best) {
				t.Fatalf("seed %d: first tree %v, best %v", seed, tree, best)
			}
			if tree.Weight > most || len(got) > 300 {
				break
			}
			if seen[key(tree)] || float64(tree.Weight) != -math.Log2(weigh(halves, tree.Edges)) {
				t.Fatalf("seed %d: tree %v is there twice, or of another cost", seed, tree)
			}
			seen[key(tree)] = true
			got = append(got, float64(tree.Weight))
		}
		if !slices.IsSorted(got) {
			t.Fatalf("seed %d: costs %v", seed, got)
		}
		if seed%4 == 0 {
			continue // enumeration of what costs nothing has no end
		}
		var want []float64
		for _, tree := range oracle.LikelyTrees(halves, math.Exp2(-most)) {
			if want = append(want, -math.Log2(tree.Weight)); len(want) > 5000 {
				break
			}
		}
		if len(want) > 5000 {
			continue
		}
		slices.Sort(want)
		if n := min(len(got), len(want)); len(got) <= 300 && len(got) != len(want) || !slices.Equal(got[:n], want[:n]) {
			t.Fatalf("seed %d: costs %v, want %v", seed, got, want)
		}
		compared++
	}
	if n := int(trials.Serial[uint64](400)); compared < n/4 || refused < 1+n/200 {
		t.Errorf("only %d forests compared, and %d refused", compared, refused)
	}
}

// tropicalRoots returns one root of weight 1 for each root node of f.
func tropicalRoots(f *forest.Forest[float64]) []forest.Root[float64] {
	var roots []forest.Root[float64]
	for _, r := range f.Roots() {
		if !slices.ContainsFunc(roots, func(x forest.Root[float64]) bool { return x.Node == r.Node }) {
			roots = append(roots, forest.Root[float64]{Node: r.Node, Weight: 1})
		}
	}
	return roots
}

func weigh(f *forest.Forest[float64], edges []int32) float64 {
	w := 1.0
	for _, e := range edges {
		w *= f.Weights()[e]
	}
	return w
}

// Edges that are better than One: a best tree exists unless a cycle improves.
func TestCyclicBestImproving(t *testing.T) {
	f := func(loop semiring.Cost) *forest.Forest[semiring.Cost] {
		// 0: from 1, better by 1, or a word for 5. 1: from 0, or a word for 2.
		return must(forest.New(semiring.Tropical{}, []int32{0, 2, 4}, []int32{0, 1, 1, 2, 2}, []int32{1, 0},
			[]semiring.Cost{-1, 5, loop, 2}, []forest.Root[semiring.Cost]{{Node: 0}}))
	}
	if best, err := forest.BestTree(f(3)); err != nil || best.Weight != 1 || !slices.Equal(best.Edges, []int32{0, 3}) {
		t.Errorf("%v, %v", best, err)
	}
	if _, err := forest.BestTrees(f(3)); !errors.Is(err, forest.ErrCycle) {
		t.Errorf("error %v, want ErrCycle", err)
	}
	if _, err := forest.BestTree(f(.5)); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
}

// Rings that are neither numbers nor select.
func TestCyclicRings(t *testing.T) {
	for seed := range trials.Seeds(100) {
		f := foresttest.Cyclic(graphtest.Rand(seed), cyclic, .4)
		p, err := forest.Posteriors(f)
		if err != nil || !f.Cyclic() || p.Total == 0 {
			continue
		}
		// The expected number of edges.
		type weight = semiring.Expected[float64, float64]
		counting := forest.Map(f, semiring.Expectation(semiring.Real{}, semiring.Scalar(semiring.Real{})), func(w float64) weight { return weight{P: w, V: w} })
		for i, r := range f.Roots() {
			counting.Roots()[i].Weight = weight{P: r.Weight}
		}
		want := 0.0
		for _, n := range p.Edge {
			want += n
		}
		if got, err := forest.TreeSum(counting); err != nil || !(math.Abs(got.V/got.P-want) < 1e-9*want) {
			t.Fatalf("seed %d: %v edges, %v, want %v", seed, got.V/got.P, err, want)
		}
		boolean := forest.Map(f, semiring.Boolean{}, func(w float64) bool { return w > 0 })
		if !must(forest.TreeSum(boolean)) {
			t.Fatalf("seed %d: no tree", seed)
		}
		pruned, err := forest.PrunePosterior(f, 0)
		if err != nil || !near(must(forest.TreeSum(pruned.Forest)), p.Total) {
			t.Fatalf("seed %d: pruned %v, %v, want %v", seed, pruned, err, p.Total)
		}
	}
	edge, tail, tails := []int32{0, 2}, []int32{0, 2, 2}, []int32{0, 0}
	number := must(forest.New(semiring.Counting{}, edge, tail, tails, []*big.Int{big.NewInt(1), big.NewInt(1)},
		[]forest.Root[*big.Int]{{Node: 0, Weight: big.NewInt(1)}}))
	if _, err := forest.TreeSum(number); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
	negative := must(forest.New(semiring.Real{}, edge, tail, tails, []float64{-.1, .5}, []forest.Root[float64]{{Node: 0, Weight: 1}}))
	if _, err := forest.TreeSum(negative); !errors.Is(err, semiring.ErrNegative) {
		t.Errorf("error %v, want ErrNegative", err)
	}
	order := must(forest.New(erased.Of(matrices{}), edge, tail, tails, []any{matrix{{1, 0}, {0, 1}}, matrix{{1, 0}, {0, 1}}},
		[]forest.Root[any]{{Node: 0, Weight: matrix{{1, 0}, {0, 1}}}}))
	if _, err := forest.TreeSum(order); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
}

// Random trees of a cyclic forest end, and have the expected numbers of edges.
func TestCyclicSample(t *testing.T) {
	f := must(forest.New(semiring.Real{}, []int32{0, 2}, []int32{0, 2, 2}, []int32{0, 0}, []float64{.4, .6},
		[]forest.Root[float64]{{Node: 0, Weight: 1}}))
	s, src := must(forest.NewSampler(f)), graphtest.Rand(1)
	sum, n := 0, 20000
	for range n {
		sum += len(s.Sample(src).Edges)
	}
	// A branching process: 1/(1 − .8) nodes, variance .96/.2³ per tree.
	if mean := float64(sum) / float64(n); math.Abs(mean-5) > 5*math.Sqrt(.96/.008/float64(n)) {
		t.Errorf("trees of %v edges on average, want 5", mean)
	}
}

// An infinite weight on a cycle makes one more turn an improvement once, and never again: there is
// no best tree, and no end of those of infinite weight.
func TestBestTreeOfInfiniteCycles(t *testing.T) {
	for name, tails := range map[string][]int32{"one tail": {0}, "two tails": {0, 0}} {
		n := int32(len(tails))
		f := must(forest.New(semiring.Viterbi{}, []int32{0, 2}, []int32{0, 0, n}, tails,
			[]semiring.ScaledFloat{semiring.NewScaled(.5), semiring.NewScaled(math.Inf(1))},
			[]forest.Root[semiring.ScaledFloat]{{Node: 0, Weight: semiring.NewScaled(1)}}))
		if _, err := forest.BestTree(f); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%s: best tree: %v", name, err)
		}
		if _, err := forest.BestTrees(f); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%s: best trees: %v", name, err)
		}
	}
}
