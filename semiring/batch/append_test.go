package batch_test

import (
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
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

// Source and sink are added only where they are needed.
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
