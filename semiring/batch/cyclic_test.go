package batch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Cycles without a sum are an error of all questions that add up, and nothing is counted.
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
