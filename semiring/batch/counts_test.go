package batch_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Terms do not underflow beside a sum that is small itself: of the edges of node 1, one
// weighs 2^−750, a product of three numbers of one exponent, and one 2^−1190.
func TestCountsOfUnlikelyEdges(t *testing.T) {
	f := must(forest.New(handles{}, []int32{0, 1, 3}, []int32{0, 0, 2, 2}, []int32{0, 0}, []int32{2, 2, 3}, []forest.Root[int32]{{Node: 1, Weight: 1}}))
	var b batch.Batch
	must(batch.AppendForest(&b, f))
	table := []semiring.ScaledFloat{{}, semiring.NewScaled(1), semiring.NewScaled(0x1p-250), semiring.NewScaled(0x1p-600).Mul(semiring.NewScaled(0x1p-590))}
	count := make([]float64, 4)
	if _, err := b.Counts(0, table, 1, count, new(batch.Scratch)); err != nil || math.Abs(count[3]/0x1p-440-1) > 1e-12 {
		t.Errorf("count %v, %v, want %v", count[3], err, 0x1p-440)
	}
}

// Of two equally good arcs the first is taken.
func TestBestOfEquals(t *testing.T) {
	g, err := graph.New(handles{}, []int32{0, 3, 3}, []int32{1, 1, 1}, []int32{4, 2, 3},
		[]graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	batch.AppendGraph(&b, g)
	table := ones()
	table[4] = semiring.NewScaled(.5)
	if path, _, err := b.Best(0, table, nil, new(batch.Scratch)); err != nil || !slices.Equal(path, []int32{2}) {
		t.Errorf("path %v, %v, want [2]", path, err)
	}
}
