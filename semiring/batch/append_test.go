package batch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// chain is a graph of one path.
func chain(t *testing.T, start, final int32, arcs ...int32) *graph.Graph[int32] {
	row, to := []int32{0}, []int32{}
	for s := range arcs {
		to = append(to, int32(s+1))
		row = append(row, int32(len(to)))
	}
	row = append(row, int32(len(to)))
	finals := make([]int32, len(row)-1)
	finals[len(finals)-1] = final
	g, err := graph.New(handles{}, row, to, arcs, []graph.Start[int32]{{State: 0, Weight: start}}, finals)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Source and sink are added only if necessary.
func TestAppendSize(t *testing.T) {
	for _, c := range []struct {
		start, final int32
		states, arcs int
	}{{1, 1, 3, 2}, {2, 1, 4, 3}, {1, 2, 4, 3}, {2, 3, 5, 4}} {
		var b batch.Batch
		if ok, err := batch.AppendGraph(&b, chain(t, c.start, c.final, 4, 5)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if b.NumNodes() != c.states || b.NumEdges() != c.arcs {
			t.Errorf("start %d, final %d: %d states, %d arcs, want %d, %d", c.start, c.final, b.NumNodes(), b.NumEdges(), c.states, c.arcs)
		}
	}
	var b batch.Batch
	if ok, _ := batch.AppendGraph(&b, chain(t, 1, 1)); !ok || b.NumNodes() != 1 || b.NumEdges() != 0 {
		t.Errorf("the empty path: %d states, %d arcs", b.NumNodes(), b.NumEdges())
	}
	if total, err := b.Sum(0, ones(), new(batch.Scratch)); err != nil || total != semiring.NewScaled(1) {
		t.Errorf("the empty path: %v, %v", total, err)
	}
	if ok, _ := batch.AppendGraph(&b, chain(t, 1, 0, 4)); ok || b.Len() != 1 {
		t.Error("appended a graph without a path")
	}
}

// What is not on a path is left out: arcs of weight 0, dead and unreachable states,
// and their cycles, which then cost nothing.
func TestAppendTrims(t *testing.T) {
	// 0 → 1 → 3 is the path; 2 is dead, with a loop; 4 cannot be reached.
	row, to := []int32{0, 3, 5, 6, 6, 7}, []int32{1, 2, 3, 0, 3, 2, 3}
	weight := []int32{2, 2, 0, 0, 3, 2, 2}
	g, err := graph.New(handles{}, row, to, weight, []graph.Start[int32]{{State: 0, Weight: 1}, {State: 4, Weight: 0}}, []int32{0, 0, 0, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	if ok, err := batch.AppendGraph(&b, g); !ok || err != nil || b.NumNodes() != 3 || b.NumEdges() != 2 {
		t.Fatalf("%v, %v, %d states, %d arcs, want 3 and 2", ok, err, b.NumNodes(), b.NumEdges())
	}
	var scratch batch.Scratch
	count := make([]float64, tableSize)
	if n := testing.AllocsPerRun(10, func() { b.Counts(0, ones(), 1, count, &scratch) }); n > 1 {
		t.Errorf("%v allocations, want that of the table", n)
	}
}

// A copy of a graph in another batch has the same sums, with cycles and without.
func TestAppendItem(t *testing.T) {
	loop, err := graph.New(handles{}, []int32{0, 2, 3}, []int32{0, 1, 0}, []int32{2, 3, 4}, []graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	var from, to batch.Batch
	for _, g := range []*graph.Graph[int32]{chain(t, 2, 3, 4, 5), loop, chain(t, 1, 1, 2, 2, 3)} {
		if ok, err := batch.AppendGraph(&from, g); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	table := []semiring.ScaledFloat{{}, semiring.NewScaled(1), semiring.NewScaled(.5), semiring.NewScaled(.3), semiring.NewScaled(.2), semiring.NewScaled(.7)}
	for _, i := range []int{2, 1, 0, 1} {
		to.AppendItem(&from, i)
		n := to.Len() - 1
		var got, want [6]float64
		a, err := to.Counts(n, table, 1, got[:], new(batch.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		b, err := from.Counts(i, table, 1, want[:], new(batch.Scratch))
		if err != nil || a != b || got != want || to.NumEdgesOf(n) != from.NumEdgesOf(i) {
			t.Errorf("item %d: sum %v and counts %v, want %v and %v, %v", i, a, got, b, want, err)
		}
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

// TestAppendCycleTrimmedAway: an arc of weight 0 closes a cycle in the topology, beside
// a dead loop; the residual string has an order, but not that of the components.
func TestAppendCycleTrimmedAway(t *testing.T) {
	row := []int32{0, 1, 1, 3, 6, 6}
	to := []int32{0, 3, 4, 2, 0, 1}
	weight := []int32{7, 0, 8, 8, 6, 7}
	final := []int32{0, 0, 0, 0, 7}
	starts := []graph.Start[int32]{{State: 3, Weight: 8}, {State: 4, Weight: 2}, {State: 0, Weight: 8}}
	g, err := graph.New(handles{}, row, to, weight, starts, final)
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	if ok, err := batch.AppendGraph(&b, g); !ok || err != nil {
		t.Fatal(ok, err)
	}
	table := make([]semiring.ScaledFloat, 9)
	for k := range table {
		table[k] = semiring.NewScaled(float64(k))
	}
	count := make([]float64, len(table))
	total, err := b.Counts(0, table, 1, count, new(batch.Scratch))
	// The paths are 3→2→4 of weight 8·8·8·7 and 4 of weight 2·7.
	if want := 3584. + 14; err != nil || total.Float64() != want || math.Abs(count[8]-3*3584/want) > 1e-12 || math.Abs(count[2]-14/want) > 1e-12 {
		t.Errorf("total %v, counts %v, %v", total, count, err)
	}
}

// A clone answers as the batch does, occupies no more than it must, and is left alone by
// Reset. Nodes take 4 bytes, edges of forests 12, and arcs 8 where there are no forests;
// nodes of graphs with cycles take 32 and their arcs 16.
func TestClone(t *testing.T) {
	for _, c := range []struct {
		name string
		edge int
		add  func(r *rand.Rand, b *batch.Batch) (bool, error)
	}{
		{"graphs", 8, func(r *rand.Rand, b *batch.Batch) (bool, error) {
			return batch.AppendGraph(b, handleGraph(r, graphtest.Shape{States: 8, Arcs: 12, Starts: 2, Finals: .5}))
		}},
		{"forests", 12, func(r *rand.Rand, b *batch.Batch) (bool, error) { return batch.AppendForest(b, handleForest(r, 9)) }},
	} {
		var b batch.Batch
		r := graphtest.Rand(3)
		cached := 0
		for range 200 {
			nodes := b.NumNodes()
			must(c.add(r, &b))
			if i := b.Len() - 1; b.NumNodes() > nodes && c.edge == 8 && b.Cyclic(i) {
				cached += 28*(b.NumNodes()-nodes+1) + 8*b.NumEdgesOf(i)
			}
		}
		clone := b.Clone()
		want := 4*(clone.Len()+1+clone.NumNodes()+1) + c.edge*clone.NumEdges() + cached
		if clone.Bytes() != want {
			t.Errorf("%s: %d bytes, want %d", c.name, clone.Bytes(), want)
		}
		table := randomTable(r, 2)
		for k := 2; k < len(table); k++ {
			table[k] = table[k].Mul(semiring.NewScaled(1. / 64))
		}
		count := func(b *batch.Batch) []float64 {
			sum := make([]float64, tableSize)
			for i := range b.Len() {
				b.Counts(i, table, 1, sum, new(batch.Scratch))
			}
			return sum
		}
		counts := count(&b)
		if b.Reset(); b.Len() != 0 || b.NumEdges() != 0 || b.NumNodes() != 0 {
			t.Errorf("%s: Reset left something", c.name)
		}
		if got := count(clone); !slices.Equal(got, counts) {
			t.Errorf("%s: counts %v of the clone, want %v", c.name, got, counts)
		}
	}
}

// Refilling a batch does not allocate.
func TestAppendAllocatesNothing(t *testing.T) {
	var b batch.Batch
	g := handleGraph(graphtest.Rand(12), graphtest.Shape{States: 60, Arcs: 300, Acyclic: true, Starts: 3, Finals: .3})
	f := chart(6, 3, func(int) int32 { return 0 })
	for name, fill := range map[string]func() (bool, error){
		"graph":  func() (bool, error) { return batch.AppendGraph(&b, g) },
		"forest": func() (bool, error) { return batch.AppendForest(&b, f) },
	} {
		work := func() {
			b.Reset()
			if ok, err := fill(); !ok || err != nil {
				t.Fatal(name, ok, err)
			}
		}
		work()
		if n := testing.AllocsPerRun(100, work); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
