package batch_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Divergent cycles are an error of all methods that sum, and counts are unchanged.
func TestDiverges(t *testing.T) {
	loop := must(graph.New(handles{}, []int32{0, 2, 2}, []int32{0, 1}, []int32{2, 3}, []graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1}))
	tree := must(forest.New(handles{}, []int32{0, 2}, []int32{0, 1, 1}, []int32{0}, []int32{2, 3}, []forest.Root[int32]{{Weight: 1}}))
	var b batch.Batch
	must(batch.AppendGraph(&b, loop))
	must(batch.AppendForest(&b, tree))
	var s batch.Scratch
	for i, place := range []string{"state 1", ""} {
		count, change := make([]float64, tableSize), make([]float64, tableSize)
		_, sum := b.Sum(i, ones(), &s)
		_, counts := b.Counts(i, ones(), 1, count, &s)
		_, along := b.HessianVector(i, ones(), ones64(), 1, count, change, &s)
		for _, err := range []error{sum, counts, along} {
			if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), place) {
				t.Errorf("item %d: error %v, want semiring.ErrDiverges at %s", i, err, place)
			}
		}
		if !slices.Equal(count, make([]float64, tableSize)) || !slices.Equal(change, count) {
			t.Errorf("item %d: counts %v, changes %v", i, count, change)
		}
	}
	if _, err := batch.NewLanes(tree, nil); !errors.Is(err, forest.ErrCycle) {
		t.Errorf("error %v of NewLanes, want forest.ErrCycle", err)
	}
}

func ones64() []float64 { return slices.Repeat([]float64{1}, tableSize) }

// Bytes is the memory of a batch of graphs with cycles after each has been summed.
func TestCyclicBytes(t *testing.T) {
	const states, degree, items = 60, 20, 400
	row, to, weight := []int32{0}, []int32(nil), []int32(nil)
	for s := range int32(states) {
		for k := range int32(degree) {
			to, weight = append(to, min(s+k, states-1)), append(weight, 2+k%7)
		}
		row = append(row, int32(len(to)))
	}
	final := make([]int32, states)
	final[states-1] = 3
	g := must(graph.New(handles{}, row, to, weight, []graph.Start[int32]{{Weight: 1}}, final))
	table := slices.Repeat([]semiring.ScaledFloat{semiring.NewScaled(.01)}, 9)
	var filled batch.Batch
	for range items {
		must(batch.AppendGraph(&filled, g))
	}
	var b *batch.Batch
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	b = filled.Clone()
	var s batch.Scratch
	count := make([]float64, len(table))
	for i := range b.Len() {
		if !b.Cyclic(i) {
			t.Fatal("no cycle")
		}
		must(b.Counts(i, table, 1, count, &s))
	}
	if kept := heap() - before; kept < b.Bytes()*9/10 || kept > b.Bytes()*5/4 {
		t.Errorf("%d bytes are kept, want about %d", kept, b.Bytes())
	}
	runtime.KeepAlive(&filled)
}
