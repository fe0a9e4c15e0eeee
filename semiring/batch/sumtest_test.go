package batch_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/sumtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

type machine = sumtest.Machine[batch.Scratch]

// itemOf returns item i of b, which has derivations as given.
func itemOf(b *batch.Batch, i int, ways func() ([][]int32, bool)) *machine {
	var table []semiring.ScaledFloat
	return &machine{
		Ways:  ways,
		Weigh: func(t []semiring.ScaledFloat) error { table = t; return nil },
		Sum:   func(s *batch.Scratch) (semiring.ScaledFloat, error) { return b.Sum(i, table, s) },
		Counts: func(weight float64, count []float64, s *batch.Scratch) (semiring.ScaledFloat, error) {
			return b.Counts(i, table, weight, count, s)
		},
		Along: func(v []float64, weight float64, count, change []float64, s *batch.Scratch) (semiring.ScaledFloat, error) {
			return b.HessianVector(i, table, v, weight, count, change, s)
		},
		Best: func(dst []int32, s *batch.Scratch) ([]int32, semiring.ScaledFloat, error) {
			return b.Best(i, table, dst, s)
		},
	}
}

// mixed appends an item to a batch, between items of both kinds.
func mixed(r *rand.Rand, ways func() ([][]int32, bool), add func(b *batch.Batch) (bool, error)) (*machine, bool) {
	var b batch.Batch
	others := func() {
		for range r.IntN(3) {
			if r.IntN(2) == 0 {
				must(batch.AppendForest(&b, handleForest(r, 5)))
			} else {
				must(batch.AppendGraph(&b, handleGraph(r, graphtest.Shape{States: 5, Arcs: 8, Starts: 2, Finals: .5, Acyclic: r.IntN(2) == 0})))
			}
		}
	}
	others()
	i := b.Len()
	if ok := must(add(&b)); ok != (b.Len() > i) {
		panic("Append and Len disagree")
	}
	some := b.Len() > i
	others()
	return itemOf(b.Clone(), i, ways), some
}

// most derivations are listed of a machine.
const most = 500

// graphs returns how to make a graph of shape.Arcs arcs per state; first is the least entry
// of an arc.
func graphs(shape graphtest.Shape, first int32) func(r *rand.Rand, size int) (*machine, bool) {
	return func(r *rand.Rand, size int) (*machine, bool) {
		shape := shape
		shape.States, shape.Arcs = size, size*shape.Arcs
		g := graphtest.New(r, handles{}, shape, func(r *rand.Rand) int32 { return first + r.Int32N(tableSize-first) })
		return mixed(r, func() ([][]int32, bool) { return sumtest.Paths(g, 8, most) },
			func(b *batch.Batch) (bool, error) { return batch.AppendGraph(b, g) })
	}
}

func TestGraphs(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[batch.Scratch]{
		New:   graphs(graphtest.Shape{Arcs: 2, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}, 1),
		Small: 8, Large: 60, Entries: tableSize,
	})
}

// Graphs with cycles, all of whose entries are so small that long paths do not matter.
func TestCyclicGraphs(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[batch.Scratch]{
		New:   graphs(graphtest.Shape{Arcs: 2, Starts: 3, Finals: .4, Zero: .1}, 2),
		Small: 5, Large: 30, Entries: tableSize, Center: -20, Spread: 1, Least: 1e-11, Allocates: true, Diverges: true,
	})
}

func forests(random func(r *rand.Rand, size int) *forest.Forest[int32], edges int) func(r *rand.Rand, size int) (*machine, bool) {
	return func(r *rand.Rand, size int) (*machine, bool) {
		f := random(r, size)
		return mixed(r, func() ([][]int32, bool) { return sumtest.Trees(f, nil, edges, most) },
			func(b *batch.Batch) (bool, error) { return batch.AppendForest(b, f) })
	}
}

func TestForests(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[batch.Scratch]{
		New: forests(handleForest, 1000), Small: 7, Large: 12, Entries: tableSize,
	})
}

// Graphs are forests whose edges have one tail.
func TestGraphsAreForests(t *testing.T) {
	shape := graphtest.Shape{Arcs: 2, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}
	unaryForest := func(r *rand.Rand, size int) *forest.Forest[int32] {
		shape := shape
		shape.States, shape.Arcs = size, 2*size
		f, _ := foresttest.Unary(handleGraph(r, shape))
		return f
	}
	sumtest.Check(t, sumtest.Storage[batch.Scratch]{
		New: forests(unaryForest, 1000), Small: 8, Large: 60, Entries: tableSize,
	})
}

// cyclicForest is a random forest in which tails are any nodes.
func cyclicForest(r *rand.Rand, size int) *forest.Forest[int32] {
	f := foresttest.Cyclic(r, foresttest.Shape{Nodes: size, Edges: 3, Tails: 2, Roots: 2}, 1)
	return forest.Map(f, sumtest.Handles{}, func(float64) int32 {
		if r.IntN(10) == 0 {
			return 0
		}
		return 2 + r.Int32N(tableSize-2)
	})
}

func TestCyclicForests(t *testing.T) {
	sumtest.Check(t, sumtest.Storage[batch.Scratch]{
		New:   forests(cyclicForest, 8),
		Small: 4, Large: 8, Entries: tableSize, Center: -20, Spread: 1, Least: 1e-11,
		Negative: semiring.ErrNegative, Allocates: true, Diverges: true,
	})
}
