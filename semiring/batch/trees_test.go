package batch_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// handleForest is a random forest of handles below tableSize, edges of arity 0 to 4,
// nodes in any order, parts underivable or not reached.
func handleForest(r *rand.Rand, nodes int) *forest.Forest[int32] {
	handle := func() int32 {
		if r.IntN(10) == 0 {
			return 0
		}
		return 1 + r.Int32N(tableSize-1)
	}
	n := r.IntN(nodes + 1)
	name := make([]int32, n)
	rank := make([]int32, n)
	for i, v := range r.Perm(n) {
		name[i], rank[v] = int32(v), int32(i)
	}
	if r.IntN(2) == 0 {
		for i := range name {
			name[i], rank[i] = int32(i), int32(i)
		}
	}
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
	for v := range n {
		for range r.IntN(4) {
			if below := rank[v]; below > 0 {
				for range []int{0, 1, 1, 2, 2, 2, 3, 4}[r.IntN(8)] {
					tails = append(tails, name[r.Int32N(below)])
				}
			}
			tail, weight = append(tail, int32(len(tails))), append(weight, handle())
		}
		edge = append(edge, int32(len(weight)))
	}
	var roots []forest.Root[int32]
	if n > 0 {
		for range r.IntN(3) {
			roots = append(roots, forest.Root[int32]{Node: int32(r.IntN(n)), Weight: handle()})
		}
		if r.IntN(2) == 0 {
			roots = []forest.Root[int32]{{Node: name[n-1], Weight: 1}}
		}
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, roots)
	if err != nil {
		panic(err)
	}
	return f
}

// listTrees returns the trees of f, each as the handles of root and edges in preorder;
// false if there are more than limit.
func listTrees(f *forest.Forest[int32], limit int) (trees [][]int32, ok bool) {
	ok = true
	memo := map[int32][][]int32{}
	var derivations func(v int32) [][]int32
	derivations = func(v int32) [][]int32 {
		if d, done := memo[v]; done {
			return d
		}
		all := [][]int32{}
		for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
			if f.Weights()[e] == 0 {
				continue
			}
			part := [][]int32{{f.Weights()[e]}}
			for _, u := range f.Tails(e) {
				var longer [][]int32
				for _, a := range part {
					for _, b := range derivations(u) {
						if len(longer) > limit {
							ok = false
							break
						}
						longer = append(longer, slices.Concat(a, b))
					}
				}
				part = longer
			}
			all = append(all, part...)
		}
		memo[v] = all
		return all
	}
	for _, r := range f.Roots() {
		if r.Weight != 0 {
			for _, d := range derivations(r.Node) {
				trees = append(trees, slices.Concat([]int32{r.Weight}, d))
			}
		}
	}
	return trees, ok && len(trees) <= limit
}

// treeTable has entries of all magnitudes up to 2^(±spread).
func treeTable(r *rand.Rand, spread float64) []semiring.ScaledFloat {
	table := make([]semiring.ScaledFloat, tableSize)
	for k := 2; k < tableSize; k++ {
		table[k] = semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
		if r.IntN(12) == 0 {
			table[k] = semiring.ScaledFloat{}
		}
	}
	table[1] = semiring.NewScaled(1)
	return table
}

func treeWeight(tree []int32, table []semiring.ScaledFloat) semiring.ScaledFloat {
	w := semiring.NewScaled(1)
	for _, k := range tree {
		w = w.Mul(table[k])
	}
	return w
}

func TestTrees(t *testing.T) {
	var b batch.Batch
	var scratch batch.Scratch
	checked := 0
	for seed := range trials.Seeds(4000) {
		r := graphtest.Rand(seed)
		f := handleForest(r, 7)
		trees, ok := listTrees(f, 3000)
		if seed%7 == 0 {
			b.Reset()
		}
		n := b.Len()
		some, err := batch.AppendForest(&b, f)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		if some != (len(trees) > 0) || some != (b.Len() == n+1) {
			t.Fatalf("seed %d: appended %v, %d forests before and %d after, %d trees", seed, some, n, b.Len(), len(trees))
		}
		if some {
			checked++
			checkTrees(t, &b, n, trees, treeTable(r, []float64{3, 600, 2000}[seed%3]), &scratch)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if checked < 1000 {
		t.Errorf("%d forests checked", checked)
	}
}

// checkTrees compares forest n of the batch with its trees.
func checkTrees(t *testing.T, b *batch.Batch, n int, trees [][]int32, table []semiring.ScaledFloat, scratch *batch.Scratch) {
	t.Helper()
	want, best := semiring.ScaledFloat{}, semiring.ScaledFloat{}
	uses := make([]semiring.ScaledFloat, tableSize)
	for _, tree := range trees {
		w := treeWeight(tree, table)
		want, best = want.Add(w), semiring.Viterbi{}.Plus(best, w)
		for _, k := range tree {
			uses[k] = uses[k].Add(w)
		}
	}
	count := make([]float64, tableSize)
	total, err := b.Counts(n, table, 2, count, scratch)
	if err != nil || !nearRelative(total, want) {
		t.Errorf("total %v, %v, want %v", total, err, want)
	}
	if sum, err := b.Sum(n, table, scratch); err != nil || sum != total {
		t.Errorf("tree sum %v, counts have %v", sum, total)
	}
	for k := 2; k < tableSize; k++ {
		x := 0.0
		if !want.IsZero() {
			x = 2 * uses[k].Div(want).Float64()
		}
		if math.Abs(count[k]-x) > 1e-11*x+1e-150 {
			t.Errorf("count %d is %v, want %v", k, count[k], x)
		}
	}
	tree, top, err := b.Best(n, table, []int32{-7}, scratch)
	if err != nil || !nearRelative(top, best) || tree[0] != -7 {
		t.Errorf("best tree %v, %v, %v, want %v", tree, top, err, best)
	}
	if best.IsZero() {
		if len(tree) != 1 {
			t.Errorf("best tree %v, there is none", tree)
		}
		return
	}
	found := slices.ContainsFunc(trees, func(x []int32) bool {
		x = slices.DeleteFunc(slices.Clone(x), func(k int32) bool { return k == 1 })
		return slices.Equal(x, tree[1:])
	})
	if !found || !nearRelative(treeWeight(tree[1:], table), best) {
		t.Errorf("best tree %v, want one of weight %v", tree[1:], best)
	}
}

// A graph is a forest of edges with one tail: what derives a state is its arcs, and
// ending there.
func TestGraphsAreForestsOld(t *testing.T) {
	shape := graphtest.Shape{States: 30, Arcs: 90, Acyclic: true, Starts: 3, Finals: .3, Zero: .1}
	var gs batch.Scratch
	var fs batch.Scratch
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, handles{}, shape, func(r *rand.Rand) int32 { return 1 + r.Int32N(tableSize-1) })
		var gb batch.Batch
		some, err := batch.AppendGraph(&gb, g)
		if err != nil {
			t.Fatal(err)
		}
		var fb batch.Batch
		if ok, err := batch.AppendForest(&fb, unary(g)); err != nil || ok != some {
			t.Fatalf("seed %d: appended %v, %v, want %v", seed, ok, err, some)
		}
		if !some {
			continue
		}
		table := treeTable(r, []float64{3, 600}[seed%2])
		want, got := make([]float64, tableSize), make([]float64, tableSize)
		total, err := gb.Counts(0, table, 1, want, &gs)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := fb.Counts(0, table, 1, got, &fs); err != nil || !nearRelative(z, total) {
			t.Fatalf("seed %d: total %v, %v, want %v", seed, z, err, total)
		}
		for k := 2; k < tableSize; k++ {
			if math.Abs(got[k]-want[k]) > 1e-12*(1+want[k]) {
				t.Fatalf("seed %d: counts %v, want %v", seed, got, want)
			}
		}
		path, top, _ := gb.Best(0, table, nil, &gs)
		path = slices.DeleteFunc(path, func(k int32) bool { return k == 1 })
		tree, best, err := fb.Best(0, table, nil, &fs)
		if err != nil || !nearRelative(best, top) || !nearRelative(treeWeight(path, table), treeWeight(tree, table)) {
			t.Fatalf("seed %d: best tree %v, %v, %v, want %v, %v", seed, tree, best, err, path, top)
		}
	}
}

func unary(g *graph.Graph[int32]) *forest.Forest[int32] {
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []int32{}
	for s := range g.NumStates() {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			tails = append(tails, g.To()[e])
			tail, weight = append(tail, int32(len(tails))), append(weight, g.Weights()[e])
		}
		tail, weight = append(tail, int32(len(tails))), append(weight, g.Finals()[s])
		edge = append(edge, int32(len(weight)))
	}
	var roots []forest.Root[int32]
	for _, start := range g.Starts() {
		roots = append(roots, forest.Root[int32]{Node: start.State, Weight: start.Weight})
	}
	f, err := forest.New(handles{}, edge, tail, tails, weight, roots)
	if err != nil {
		panic(err)
	}
	return f
}

func TestTreesNotFinite(t *testing.T) {
	f, err := forest.New(handles{}, []int32{0, 1, 2}, []int32{0, 0, 2}, []int32{0, 0}, []int32{2, 3}, []forest.Root[int32]{{Node: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	batch.AppendForest(&b, f)
	table, count := treeTable(graphtest.Rand(1), 1), make([]float64, tableSize)
	var scratch batch.Scratch
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		table[2] = semiring.NewScaled(x)
		if _, err := b.Counts(0, table, 1, count, &scratch); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("error %v for %v, want semiring.ErrNotFinite", err, x)
		}
		if tree, _, err := b.Best(0, table, nil, &scratch); !errors.Is(err, semiring.ErrNotFinite) || tree != nil {
			t.Errorf("tree %v, error %v for %v, want semiring.ErrNotFinite", tree, err, x)
		}
	}
	if !slices.Equal(count, make([]float64, tableSize)) {
		t.Errorf("counts %v, want none", count)
	}
}

// Only useful nodes and edges are kept; an edge of four tails takes three.
func TestAppendForestTrims(t *testing.T) {
	// 0, 1: leaves; 2: underivable; 3 ← 0 0 1 1 | 2; 4 ← 3, not reached; root 3
	edge, tail := []int32{0, 1, 2, 3, 5, 6}, []int32{0, 0, 0, 0, 4, 5, 6}
	f, err := forest.New(handles{}, edge, tail, []int32{0, 0, 1, 1, 2, 3}, []int32{2, 3, 0, 4, 5, 6},
		[]forest.Root[int32]{{Node: 3, Weight: 1}, {Node: 2, Weight: 7}})
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	if ok, err := batch.AppendForest(&b, f); !ok || err != nil || b.NumNodes() != 6 || b.NumEdges() != 5 {
		t.Errorf("%v, %v, %d nodes, %d edges, want 6 and 5", ok, err, b.NumNodes(), b.NumEdges())
	}
	none, err := f.WithWeights([]int32{2, 3, 0, 4, 5, 6}, []forest.Root[int32]{{Node: 2, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := batch.AppendForest(&b, none); ok || err != nil || b.Len() != 1 {
		t.Errorf("%v, %v, %d forests, want none more", ok, err, b.Len())
	}
}

// A clone is the batch, occupies no more than it must, is left alone by Reset, and can
// be shared by goroutines.
func TestTreesClone(t *testing.T) {
	var b batch.Batch
	r := graphtest.Rand(3)
	for range 200 {
		if _, err := batch.AppendForest(&b, handleForest(r, 9)); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Clone()
	if want := 4*(c.Len()+1+c.NumNodes()+1) + 12*c.NumEdges(); c.Bytes() != want {
		t.Errorf("%d bytes, want %d", c.Bytes(), want)
	}
	table := treeTable(r, 5)
	count := func(b *batch.Batch, scratch *batch.Scratch) []float64 {
		sum := make([]float64, tableSize)
		for g := range b.Len() {
			if _, err := b.Counts(g, table, 1, sum, scratch); err != nil {
				t.Error(err)
			}
		}
		return sum
	}
	want := count(&b, new(batch.Scratch))
	b.Reset()
	if b.Len() != 0 || b.NumEdges() != 0 || b.NumNodes() != 0 {
		t.Error("Reset left something")
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := count(c, new(batch.Scratch)); !slices.Equal(got, want) {
				t.Errorf("counts %v, want %v", got, want)
			}
		})
	}
	wait.Wait()
}

func TestTreesAllocatesNothing(t *testing.T) {
	var b batch.Batch
	var scratch batch.Scratch
	r := graphtest.Rand(5)
	f := handleForest(r, 60)
	for b.NumEdges() < 60 {
		f = handleForest(r, 60)
		b.Reset()
		batch.AppendForest(&b, f)
	}
	table, count, tree := treeTable(r, 5), make([]float64, tableSize), make([]int32, 0, 1<<16)
	work := func() {
		b.Reset()
		if ok, err := batch.AppendForest(&b, f); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.Counts(0, table, 1, count, &scratch)
		tree, _, _ = b.Best(0, table, tree[:0], &scratch)
	}
	work()
	if n := testing.AllocsPerRun(100, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
