package batch_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
)

// Forests with cycles between others, against enumeration: weights shared by several
// edges, and those 0 and 1.
func TestBatchTangled(t *testing.T) {
	shape := foresttest.Shape{Nodes: 4, Edges: 3, Tails: 2, Roots: 2, Zero: .1}
	tried := 0
	for seed := range trials.Seeds(trials.Serial[uint64](200)) {
		r := graphtest.Rand(seed)
		f := foresttest.Cyclic(r, shape, 1)
		// Handles 2, 3 are small numbers for edges with tails, 4 to 6 others.
		table := []semiring.ScaledFloat{{}, semiring.NewScaled(1), semiring.NewScaled(.004 * r.Float64()), semiring.NewScaled(.004 * r.Float64()),
			semiring.NewScaled(r.Float64()), semiring.NewScaled(r.Float64()), semiring.NewScaled(1 - r.Float64()/2)}
		handles := forest.Map(f, nil, func(float64) int32 { return 0 })
		for e := range handles.Weights() {
			switch {
			case f.Weights()[e] == 0:
			case len(f.Tails(int32(e))) > 0:
				handles.Weights()[e] = 2 + r.Int32N(2)
			default:
				handles.Weights()[e] = []int32{1, 4, 5, 6}[r.IntN(4)]
			}
		}
		for i := range handles.Roots() {
			handles.Roots()[i].Weight = []int32{1, 6}[r.IntN(2)]
		}
		weighted := forest.Map(handles, semiring.Real{}, func(k int32) float64 { return table[k].Float64() })
		var b batch.Batch
		if _, err := batch.AppendForest(&b, forest.Map(foresttest.New(r, semiring.Real{}, foresttest.Shape{Nodes: 3, Edges: 5, Tails: 2, Roots: 2, Trees: 5},
			func(r *rand.Rand) float64 { return 1 }), nil, func(float64) int32 { return 5 })); err != nil {
			t.Fatal(err)
		}
		trees, err := batch.AppendForest(&b, handles)
		if err != nil {
			t.Fatal(err)
		}
		total, least := 0.0, 1e-17
		uses := make([]float64, len(table))
		square := make([][]float64, len(table))
		for k := range square {
			square[k] = make([]float64, len(table))
		}
		best := 0.0
		for root, tree := range oracle.LikelyTrees(weighted, least) {
			n := make([]float64, len(table))
			n[handles.Roots()[root].Weight]++
			for _, e := range tree.Edges {
				n[handles.Weights()[e]]++
			}
			total += tree.Weight
			best = max(best, tree.Weight)
			for k, x := range n {
				uses[k] += tree.Weight * x
				for l, y := range n {
					square[k][l] += tree.Weight * x * y
				}
			}
		}
		if !trees {
			if total != 0 {
				t.Fatalf("seed %d: no tree, but a sum of %v", seed, total)
			}
			continue
		}
		if !f.Cyclic() || total < 1e-3 {
			continue
		}
		tried++
		i := b.Len() - 1
		v, count, change := make([]float64, len(table)), make([]float64, len(table)), make([]float64, len(table))
		for k := range v {
			v[k] = r.NormFloat64()
		}
		var s batch.Scratch
		sum, err := b.Sum(i, table, &s)
		if err != nil || math.Abs(sum.Float64()-total) > 1e-10*total {
			t.Fatalf("seed %d: sum %v, %v, want %v", seed, sum, err, total)
		}
		if _, err := b.HessianVector(i, table, v, 2, count, change, &s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		alone := make([]float64, len(table))
		if _, err := b.Counts(i, table, 2, alone, &s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for k := range table {
			covariance := 0.0
			for l, x := range v {
				covariance += x * (square[k][l]/total - uses[k]*uses[l]/(total*total))
			}
			if want := 2 * uses[k] / total; math.Abs(count[k]-want) > 1e-10*(1+want) || alone[k] != count[k] {
				t.Fatalf("seed %d: weight %d is used %v and %v times, want %v", seed, k, count[k], alone[k], want)
			}
			if want := 2 * covariance; math.Abs(change[k]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("seed %d: the count of weight %d changes by %v, want %v", seed, k, change[k], want)
			}
		}
		list, top, err := b.Best(i, table, nil, &s)
		product := 1.0
		for _, k := range list {
			product *= table[k].Float64()
		}
		// Entries of one root add up in a tree's weight.
		if err != nil || top.Float64() < best*(1-1e-12) || product > top.Float64()*(1+1e-12) {
			t.Fatalf("seed %d: best %v of %v, %v, want %v", seed, list, top, err, best)
		}
	}
	if tried < int(trials.Serial[uint64](200))/4 {
		t.Errorf("only %d forests", tried)
	}
	loop, err := forest.New(nil, []int32{0, 2}, []int32{0, 1, 1}, []int32{0}, []int32{1, 1}, []forest.Root[int32]{{Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := batch.NewLanes(loop, nil); !errors.Is(err, forest.ErrCycle) {
		t.Errorf("error %v, want ErrCycle", err)
	}
	var b batch.Batch
	if _, err := batch.AppendForest(&b, loop); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Counts(0, []semiring.ScaledFloat{{}, semiring.NewScaled(1)}, 1, make([]float64, 2), new(batch.Scratch)); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
}
