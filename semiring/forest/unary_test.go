package forest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/erased"
)

var acyclic = graphtest.Shape{States: 8, Arcs: 20, Acyclic: true, Starts: 3, Finals: .4, Zero: .05}

// checkUnary compares the path sums of a graph with the tree sums of the same thing as
// a forest: an acyclic graph, and so a transducer without cycles, is a unary forest.
func checkUnary[W any](t *testing.T, g *graph.Graph[W], same func(a, b W) bool) {
	t.Helper()
	f, _ := foresttest.Unary(g)
	sum, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(forest.TreeSum(f)); !same(got, sum) {
		t.Errorf("tree sum %v, path sum %v", got, sum)
	}
	alpha, err := graph.Forward(g)
	if err != nil {
		t.Fatal(err)
	}
	beta, err := graph.Backward(g)
	if err != nil {
		t.Fatal(err)
	}
	in, out, err := forest.Outside(f)
	if err != nil {
		t.Fatal(err)
	}
	checkSlices(t, "inside and backward", in, beta, same)
	checkSlices(t, "outside and forward", out, alpha, same)
}

func TestGraphIsUnaryForest(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Real{}, acyclic, unit)
		checkUnary(t, g, near)
		checkUnary(t, graphtest.New(graphtest.Rand(seed), erased.Of(matrices{}), acyclic, func(r *rand.Rand) any {
			return matrix{{r.Int64N(3) - 1, r.Int64N(3) - 1}, {r.Int64N(3) - 1, r.Int64N(3) - 1}}
		}), equal)
		f, arcs := foresttest.Unary(g)
		want, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		p, err := forest.Posteriors(f)
		if err != nil {
			t.Fatal(err)
		}
		checkSlices(t, "posterior state", p.Node, want.State, near)
		checkSlices(t, "posterior start", p.Root, want.Start, near)
		for state := range want.Final {
			for e := f.Edges()[state]; e < f.Edges()[state+1]; e++ {
				x := want.Final[state]
				if arcs[e] >= 0 {
					x = want.Arc[arcs[e]]
				}
				if !near(p.Edge[e], x) {
					t.Errorf("edge %d has posterior %v, its arc %v", e, p.Edge[e], x)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Best trees are the same as best paths, except for paths of equal weight.
func TestBestTreesAreBestPaths(t *testing.T) {
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, acyclic,
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Uint64N(1 << 40)) })
		f, arcs := foresttest.Unary(g)
		paths, err := graph.BestPaths(g)
		if err != nil {
			t.Fatal(err)
		}
		trees, err := forest.BestTrees(f)
		if err != nil {
			t.Fatal(err)
		}
		var want []graph.Path[semiring.Cost]
		for p := range paths {
			want = append(want, p)
		}
		i := 0
		for tree := range trees {
			var path []int32
			for _, e := range tree.Edges {
				if arcs[e] >= 0 {
					path = append(path, arcs[e])
				}
			}
			if i >= len(want) || tree.Root != want[i].Start || !slices.Equal(path, want[i].Arcs) || tree.Weight != want[i].Weight {
				t.Fatalf("seed %d: tree %d is %v of arcs %v", seed, i, tree, path)
			}
			i++
		}
		if i != len(want) {
			t.Fatalf("seed %d: %d trees, %d paths", seed, i, len(want))
		}
	}
}

// chain returns a forest of one tree, n edges deep, each of the given weight; edges
// at even depth have a leaf to the left of what is below.
func chain(t testing.TB, n int, weight semiring.ScaledFloat) *forest.Forest[semiring.ScaledFloat] {
	t.Helper()
	edge, tail, tails := []int32{0, 1, 2}, []int32{0, 0, 0}, []int32{}
	weights := []semiring.ScaledFloat{semiring.NewScaled(1), weight} // node 0 is the leaf
	for v := int32(2); v <= int32(n); v++ {
		if v%2 == 0 {
			tails = append(tails, 0)
		}
		tails, weights = append(tails, v-1), append(weights, weight)
		tail, edge = append(tail, int32(len(tails))), append(edge, int32(len(weights)))
	}
	f, err := forest.New(semiring.Scaled{}, edge, tail, tails, weights,
		[]forest.Root[semiring.ScaledFloat]{{Node: int32(n), Weight: semiring.NewScaled(1)}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A tree a million edges deep, of probability 10^-6000000.
func TestDeepForest(t *testing.T) {
	const depth = 1_000_000
	f := chain(t, depth, semiring.NewScaled(1e-6))
	if got, want := must(forest.TreeSum(f)).Log(), depth*math.Log(1e-6); !near(got, want) {
		t.Errorf("the tree weighs exp(%v), want exp(%v)", got, want)
	}
	p, err := forest.Posteriors(f)
	if err != nil || !near(p.Edge[0], depth/2) || !near(p.Edge[1], 1) {
		t.Errorf("%v: leaves used %v and %v times", err, p.Edge[0], p.Edge[1])
	}
	entropy, err := forest.Entropy(f)
	if err != nil || entropy != 0 {
		t.Errorf("entropy %v (%v)", entropy, err)
	}
	viterbi := forest.Map(f, semiring.Viterbi{}, func(x semiring.ScaledFloat) semiring.ScaledFloat { return x })
	trees, err := forest.BestTrees(viterbi)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for tree := range trees {
		n++
		deepest := forest.Fold(f, tree.Edges, func(_ int32, below []int) int {
			d := 0
			for _, x := range below {
				d = max(d, x)
			}
			return d + 1
		})
		if deepest != depth || !near(tree.Weight.Log(), depth*math.Log(1e-6)) {
			t.Errorf("tree of depth %d, weight %v", deepest, tree.Weight)
		}
	}
	if n != 1 {
		t.Errorf("%d trees", n)
	}
}
