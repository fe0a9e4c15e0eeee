package batch_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

// TestTreesHessianVector compares with the covariance over all trees.
func TestTreesHessianVector(t *testing.T) {
	var b batch.Batch
	var scratch batch.Scratch
	checked := 0
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		f := handleForest(r, 7)
		trees, ok := listTrees(f, 500)
		b.Reset()
		if some, err := batch.AppendForest(&b, f); err != nil || !some || !ok {
			continue
		}
		table := treeTable(r, []float64{3, 600}[seed%2])
		v := make([]float64, tableSize)
		for k := 2; k < tableSize; k++ {
			v[k] = 5 + r.NormFloat64()
		}
		count, change, want := make([]float64, tableSize), make([]float64, tableSize), make([]float64, tableSize)
		total, err := b.HessianVector(0, table, v, 3, count, change, &scratch)
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := b.Counts(0, table, 3, want, &scratch)
		if total != plain || slices.ContainsFunc(want, func(x float64) bool { return x-x != 0 }) {
			t.Fatalf("seed %d: total %v, without derivatives %v", seed, total, plain)
		}
		for k := range want {
			if math.Abs(count[k]-want[k]) > 1e-11*want[k] {
				t.Errorf("seed %d: count %d is %v, without derivatives %v", seed, k, count[k], want[k])
			}
		}
		if total.IsZero() {
			continue
		}
		checked++
		mean := 0.0
		value := func(tree []int32) (sum float64) {
			for _, k := range tree {
				sum += v[k]
			}
			return sum
		}
		for _, tree := range trees {
			mean += treeWeight(tree, table).Div(total).Float64() * value(tree)
		}
		clear(want)
		for _, tree := range trees {
			p := treeWeight(tree, table).Div(total).Float64()
			for _, k := range tree {
				want[k] += 3 * p * (value(tree) - mean)
			}
		}
		for k := 2; k < tableSize; k++ {
			if math.Abs(change[k]-want[k]) > 1e-9*(1+math.Abs(count[k])) {
				t.Errorf("seed %d: change %d is %v, want %v", seed, k, change[k], want[k])
			}
		}
		if t.Failed() {
			return
		}
	}
	if checked < 500 {
		t.Errorf("%d forests checked", checked)
	}
	table := treeTable(graphtest.Rand(1), 1)
	for k := 2; k < tableSize; k++ {
		table[k] = semiring.NewScaled(math.Inf(1))
	}
	f, err := forest.New(handles{}, []int32{0, 1}, []int32{0, 0}, nil, []int32{2}, []forest.Root[int32]{{Node: 0, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	batch.AppendForest(&b, f)
	if _, err := b.HessianVector(0, table, make([]float64, tableSize), 1, make([]float64, tableSize), make([]float64, tableSize), &scratch); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
}
