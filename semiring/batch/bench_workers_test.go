package batch_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/graph"
)

const batchTable = 1000

// manyLattices is a batch of random lattices of a thousand arcs each, with the
// weights of a table of batchTable numbers.
func manyLattices(tb testing.TB, n int) *batch.Batch {
	r := graphtest.Rand(1)
	var b batch.Batch
	for range n {
		row, to := randomRows(r, 1000, 50)
		weight := make([]int32, len(to))
		for e := range weight {
			weight[e] = 2 + int32(r.IntN(batchTable-2))
		}
		final := make([]int32, len(row)-1)
		final[len(final)-1] = 1
		g, err := graph.New(handles{}, row, to, weight, []graph.Start[int32]{{State: 0, Weight: 1}}, final)
		if err != nil {
			tb.Fatal(err)
		}
		if ok, err := batch.AppendGraph(&b, g); !ok || err != nil {
			tb.Fatal(ok, err)
		}
	}
	return b.Clone()
}

func uniformTable() []semiring.ScaledFloat {
	r := graphtest.Rand(2)
	table := make([]semiring.ScaledFloat, batchTable)
	for k := range table {
		table[k] = semiring.NewScaled(r.Float64())
	}
	table[0], table[1] = semiring.ScaledFloat{}, semiring.NewScaled(1)
	return table
}

// The work of ten thousand lattices by one worker and by two, each with scratch and
// counts of its own: processor time per arc, which ought not to grow with the number
// of workers, and no allocation per lattice.
func BenchmarkBatchWorkers(b *testing.B) {
	items, table := manyLattices(b, 10_000), uniformTable()
	counts := func() func(g int) {
		count, scratch := make([]float64, len(table)), new(batch.Scratch)
		return func(g int) { items.Counts(g, table, 1, count, scratch) }
	}
	sampled := func(draws int) func() func(g int) {
		return func() func(g int) {
			count, scratch, src := make([]float64, len(table)), new(batch.Scratch), rand.NewPCG(1, 1)
			return func(g int) { items.SampledCounts(g, table, 1, draws, src, count, scratch) }
		}
	}
	products := func() func(g int) {
		v, count, change, scratch := make([]float64, len(table)), make([]float64, len(table)), make([]float64, len(table)), new(batch.Scratch)
		return func(g int) { items.HessianVector(g, table, v, 1, count, change, scratch) }
	}
	sums := func() func(g int) {
		scratch := new(batch.Scratch)
		return func(g int) { items.Sum(g, table, scratch) }
	}
	paths := func() func(g int) {
		path, scratch := []int32(nil), new(batch.Scratch)
		return func(g int) { path, _, _ = items.Best(g, table, path[:0], scratch) }
	}
	for _, c := range []struct {
		name   string
		worker func() func(g int)
	}{{"Counts", counts}, {"SampledCounts of 1", sampled(1)}, {"SampledCounts of 10", sampled(10)}, {"HessianVector", products}, {"PathSum", sums}, {"BestPath", paths}} {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/%d", c.name, workers), func(b *testing.B) {
				benchWorkers(b, items, workers, c.worker)
			})
		}
	}
}

func benchWorkers(b *testing.B, items *batch.Batch, workers int, worker func() func(g int)) {
	const shard = 64
	var next atomic.Int64
	var group sync.WaitGroup
	start := make(chan bool)
	for range workers {
		visit := worker()
		for g := range 8 { // let scratch grow
			visit(g)
		}
		go func() {
			for range start {
				for lo := int(next.Add(shard)) - shard; lo < items.Len(); lo = int(next.Add(shard)) - shard {
					for g := lo; g < min(lo+shard, items.Len()); g++ {
						visit(g)
					}
				}
				group.Done()
			}
		}()
	}
	b.ReportAllocs()
	defer perArc(b, items.NumEdges())()
	for b.Loop() {
		next.Store(0)
		group.Add(workers)
		for range workers {
			start <- true
		}
		group.Wait()
	}
	close(start)
}

// The cost of one arc in graphs of growing size, in processor time. The targets of
// arcs are within the next 50 states (near) or anywhere ahead (far).
func BenchmarkScale(b *testing.B) {
	for _, span := range []struct {
		name string
		span int
	}{{"near", 50}, {"far", 1 << 30}} {
		for arcs := 10_000; arcs <= 10_000_000; arcs *= 10 {
			b.Run(fmt.Sprintf("%s/%.0e", span.name, float64(arcs)), func(b *testing.B) {
				row, to := randomRows(graphtest.Rand(uint64(arcs)), arcs, span.span)
				handle, final := make([]int32, len(to)), make([]int32, len(row)-1)
				for e := range handle {
					handle[e] = 2 + int32(e*7919%(batchTable-2))
				}
				final[len(final)-1] = 1
				g, err := graph.New(handles{}, row, to, handle, []graph.Start[int32]{{State: 0, Weight: 1}}, final)
				if err != nil {
					b.Fatal(err)
				}
				var items batch.Batch
				if ok, err := batch.AppendGraph(&items, g); !ok || err != nil {
					b.Fatal(ok, err)
				}
				table, count, scratch := uniformTable(), make([]float64, batchTable), new(batch.Scratch)
				defer perArc(b, len(to))()
				for b.Loop() {
					items.Counts(0, table, 1, count, scratch)
				}
			})
		}
	}
}
