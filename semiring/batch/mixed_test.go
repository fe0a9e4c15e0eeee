package batch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/batch"
)

// TestMixed: graphs and forests in one batch answer as they do in batches of their own.
func TestMixed(t *testing.T) {
	shape := graphtest.Shape{States: 12, Arcs: 30, Acyclic: true, Starts: 3, Finals: .3, Zero: .1}
	var scratch batch.Scratch
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		var mixed batch.Batch
		var alone []*batch.Batch
		for range 6 {
			own := new(batch.Batch)
			var ok bool
			var err error
			if r.IntN(2) == 0 {
				f := handleForest(r, 7)
				must(batch.AppendForest(own, f))
				ok, err = batch.AppendForest(&mixed, f)
			} else {
				if r.IntN(4) == 0 {
					shape.Acyclic = false
				}
				g := graphtest.New(r, handles{}, shape, func(r *rand.Rand) int32 { return 2 + r.Int32N(tableSize-2) })
				shape.Acyclic = true
				must(batch.AppendGraph(own, g))
				ok, err = batch.AppendGraph(&mixed, g)
			}
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				alone = append(alone, own)
			}
		}
		table := treeTable(r, 3)
		for k := 2; k < len(table); k++ {
			table[k].Mant /= 256
		}
		clone := mixed.Clone()
		for i, own := range alone {
			if clone.NumEdgesOf(i) != own.NumEdges() {
				t.Fatalf("seed %d: %d edges, want %d", seed, clone.NumEdgesOf(i), own.NumEdges())
			}
			want, got := make([]float64, tableSize), make([]float64, tableSize)
			wantChange, gotChange := make([]float64, tableSize), make([]float64, tableSize)
			v := randomTilt(r)
			a, errA := own.HessianVector(0, table, v, 1, want, wantChange, &scratch)
			b, errB := clone.HessianVector(i, table, v, 1, got, gotChange, &scratch)
			if (errA == nil) != (errB == nil) || errA == nil && !nearRelative(a, b) {
				t.Fatalf("seed %d: %v, %v, want %v, %v", seed, b, errB, a, errA)
			}
			if !nearSlices(got, want, nearTo) || !nearSlices(gotChange, wantChange, nearTo) {
				t.Fatalf("seed %d: counts %v and %v, want %v and %v", seed, got, gotChange, want, wantChange)
			}
			_, a, errA = own.Best(0, table, nil, &scratch)
			_, b, errB = clone.Best(i, table, nil, &scratch)
			if (errA == nil) != (errB == nil) || math.Abs(a.Log()-b.Log()) > 1e-12 {
				t.Fatalf("seed %d: best %v, %v, want %v, %v", seed, b, errB, a, errA)
			}
		}
	}
}
