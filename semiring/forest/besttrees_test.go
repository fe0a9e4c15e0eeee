package forest_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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

// merged returns f with one entry per root, which is what a tree knows.
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
