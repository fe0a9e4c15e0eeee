package forest_test

import (
	"slices"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// The trees that are left are those all of whose parts have the posterior, and every
// part is in one of them.
func TestPrunePosterior(t *testing.T) {
	trees := 0
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		f := foresttest.New(r, semiring.Real{}, shapes[seed%3], unit)
		least := r.Float64() * r.Float64()
		if seed%5 == 0 {
			least = 0
		}
		post, err := forest.Posteriors(f)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for root, tree := range oracle.Trees(f) {
			if post.Root[root] >= least && !slices.ContainsFunc(tree.Edges, func(e int32) bool { return post.Edge[e] < least }) {
				want = append(want, key(tree))
			}
		}
		pruned, err := forest.PrunePosterior(f, least)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		node, edge, root := map[int32]bool{}, map[int32]bool{}, map[int]bool{}
		for i, tree := range oracle.Trees(pruned.Forest) {
			edges := make([]int32, len(tree.Edges))
			for n, e := range tree.Edges {
				edge[e] = true
				edges[n] = pruned.Edge[e]
				if w := pruned.Forest.Weights()[e]; w != f.Weights()[edges[n]] {
					t.Errorf("edge %d weighs %v", e, w)
				}
				for _, u := range pruned.Forest.Tails(e) {
					node[u] = true
				}
			}
			node[tree.Root], root[i] = true, true
			got = append(got, key(forest.Tree[float64]{Root: pruned.Node[tree.Root], Edges: edges}))
		}
		trees += len(want)
		if !slices.Equal(got, want) {
			t.Errorf("trees %v, want %v", got, want)
		}
		if len(node) != pruned.Forest.NumNodes() || len(edge) != pruned.Forest.NumEdges() || len(root) != len(pruned.Forest.Roots()) {
			t.Errorf("%d nodes, %d edges, %d roots are in trees of %v", len(node), len(edge), len(root), pruned)
		}
		if t.Failed() {
			t.Fatalf("seed %d, least %v", seed, least)
		}
	}
	if trees < 1000 {
		t.Errorf("only %d trees", trees)
	}
}
