package batch_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// anyItem returns a batch of a random graph or forest, with cycles or without.
func anyItem(r *rand.Rand, seed uint64) *batch.Batch {
	var b batch.Batch
	switch seed % 4 {
	case 0:
		must(batch.AppendGraph(&b, handleGraph(r, graphtest.Shape{States: 8, Arcs: 20, Acyclic: true, Starts: 2, Finals: .4})))
	case 1:
		must(batch.AppendGraph(&b, handleGraph(r, graphtest.Shape{States: 6, Arcs: 12, Starts: 2, Finals: .4})))
	case 2:
		must(batch.AppendForest(&b, handleForest(r, 9)))
	default:
		must(batch.AppendForest(&b, cyclicForest(r, 6)))
	}
	return &b
}

// Sampled counts scatter about the counts as the variances say, which are second derivatives.
// Totals equal the totals of Counts.
func TestSampledCounts(t *testing.T) {
	const draws, weight = 400, 2.5
	var squares [4]float64
	var n [4]int
	for seed := range trials.Seeds(2000) {
		r := rand.New(rand.NewPCG(seed, 17))
		b := anyItem(r, seed)
		if b.Len() == 0 {
			continue
		}
		table := randomTable(r, 2)
		if seed%2 == 1 { // cycles
			for k := 2; k < len(table); k++ {
				table[k] = table[k].Mul(semiring.NewScaled(.02))
			}
		}
		var s batch.Scratch
		want, got := make([]float64, tableSize), make([]float64, tableSize)
		total, err := b.Counts(0, table, weight, want, &s)
		again, failed := b.SampledCounts(0, table, weight, draws, rand.NewPCG(seed, 1), got, &s)
		if err != nil || failed != nil {
			if !errors.Is(err, semiring.ErrDiverges) || !errors.Is(failed, semiring.ErrDiverges) {
				t.Fatalf("seed %d: error %v, want %v", seed, failed, err)
			}
			continue
		}
		if math.Abs(total.Log()-again.Log()) > 1e-12 && total != again {
			t.Fatalf("seed %d: total %v, want %v", seed, again, total)
		}
		for k := 2; k < tableSize; k++ {
			v, count, change := make([]float64, tableSize), make([]float64, tableSize), make([]float64, tableSize)
			v[k] = 1
			must(b.HessianVector(0, table, v, 1, count, change, &s))
			deviation := weight * math.Sqrt(change[k]/draws)
			switch off := got[k] - want[k]; {
			case change[k] < 1e-12 && math.Abs(off) > 1e-6:
				t.Fatalf("seed %d: count %d is %g, certainly %g", seed, k, got[k], want[k])
			case change[k] > .05: // enough draws for a normal distribution
				if math.Abs(off) > 5.5*deviation {
					t.Fatalf("seed %d: count %d is %g, expected %g ± %g", seed, k, got[k], want[k], deviation)
				}
				squares[seed%4] += off / deviation * off / deviation
				n[seed%4]++
			}
		}
	}
	// Squares in one item are not independent: allow twice the deviation of independent squares.
	for kind := range n {
		if mean := squares[kind] / float64(n[kind]); n[kind] < 100 || math.Abs(mean-1) > 10*math.Sqrt(2/float64(n[kind])) {
			t.Errorf("kind %d: the mean square of %d deviations is %g, want 1", kind, n[kind], mean)
		}
	}
}

// One draw is one path: its counts are those of a path that there is, and the same numbers draw
// the same one whatever the scratch was used for.
func TestSampledCountsOfOneDraw(t *testing.T) {
	// Paths a, b·c and b·d, of weights 2, 3·5 and 3·7.
	g := must(graph.New(handles{}, []int32{0, 2, 4, 4}, []int32{2, 1, 2, 2}, []int32{2, 3, 4, 5}, []graph.Start[int32]{{Weight: 1}}, []int32{0, 0, 1}))
	var b batch.Batch
	must(batch.AppendGraph(&b, g))
	table := []semiring.ScaledFloat{{}, semiring.NewScaled(1), semiring.NewScaled(2), semiring.NewScaled(3), semiring.NewScaled(5), semiring.NewScaled(7)}
	const trials = 20_000
	seen := map[[6]float64]float64{}
	var s batch.Scratch
	for seed := range uint64(trials) {
		var count, again [6]float64
		must(b.SampledCounts(0, table, 1, 1, rand.NewPCG(seed, 5), count[:], &s))
		must(b.SampledCounts(0, table, 1, 1, rand.NewPCG(seed, 5), again[:], new(batch.Scratch)))
		if count != again {
			t.Fatalf("seed %d: %v and %v", seed, count, again)
		}
		seen[count]++
	}
	total := 2. + 15 + 21
	for path, mass := range map[[6]float64]float64{{2: 1}: 2, {3: 1, 4: 1}: 15, {3: 1, 5: 1}: 21} {
		p := mass / total
		if got := seen[path] / trials; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/trials) {
			t.Errorf("%v is drawn with frequency %g, want %g", path, got, p)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d paths, want 3", len(seen))
	}
}

func TestSampledCountsErrors(t *testing.T) {
	arc := must(graph.New(handles{}, []int32{0, 1, 1}, []int32{1}, []int32{2}, []graph.Start[int32]{{Weight: 1}}, []int32{0, 1}))
	loop := must(graph.New(handles{}, []int32{0, 2, 2}, []int32{0, 1}, []int32{2, 3}, []graph.Start[int32]{{Weight: 1}}, []int32{0, 1}))
	tree := must(forest.New(handles{}, []int32{0, 2}, []int32{0, 1, 1}, []int32{0}, []int32{2, 3}, []forest.Root[int32]{{Weight: 1}}))
	var b batch.Batch
	must(batch.AppendGraph(&b, arc))
	must(batch.AppendGraph(&b, loop))
	must(batch.AppendForest(&b, tree))
	for name, c := range map[string]struct {
		item   int
		weight float64
		want   error
	}{
		"a negative arc":       {0, -1, semiring.ErrNegative},
		"a negative loop":      {1, -.5, semiring.ErrNegative},
		"a negative edge":      {2, -.5, semiring.ErrNegative},
		"an infinite arc":      {0, math.Inf(1), semiring.ErrNotFinite},
		"a loop without a sum": {1, 1, semiring.ErrDiverges},
		"a tree without a sum": {2, 1, semiring.ErrDiverges},
		"no path":              {0, 0, nil},
		"a path":               {1, 0, nil},
	} {
		table, count := ones(), make([]float64, tableSize)
		table[2] = semiring.ScaledFloat{Mant: c.weight}
		_, err := b.SampledCounts(c.item, table, 1, 3, rand.NewPCG(1, 1), count, new(batch.Scratch))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if nothing := slices.Equal(count, make([]float64, tableSize)); (c.want != nil || name == "no path") && !nothing {
			t.Errorf("%s: counts %v", name, count)
		}
	}
	table := make([]semiring.ScaledFloat, tableSize)
	for i := 1; i < 3; i++ {
		if total, err := b.SampledCounts(i, table, 1, 3, rand.NewPCG(1, 1), make([]float64, tableSize), new(batch.Scratch)); !total.IsZero() || err != nil {
			t.Errorf("item %d: total %v, error %v", i, total, err)
		}
	}
}
