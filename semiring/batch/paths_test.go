package batch_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/graph"
)

const tableSize = 9

// handleGraph is a random graph of handles below tableSize.
func handleGraph(r *rand.Rand, shape graphtest.Shape) *graph.Graph[int32] {
	return graphtest.New(r, handles{}, shape, func(r *rand.Rand) int32 { return 1 + r.Int32N(tableSize-1) })
}

// randomTable has entries of all magnitudes up to 2^(±spread), and 0 and 1 where
// they belong.
func randomTable(r *rand.Rand, spread float64) []semiring.ScaledFloat {
	table := make([]semiring.ScaledFloat, tableSize)
	for k := range table {
		table[k] = semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
		if r.IntN(12) == 0 {
			table[k] = semiring.ScaledFloat{}
		}
	}
	table[0], table[1] = semiring.ScaledFloat{}, semiring.NewScaled(1)
	return table
}

// weighted is g with weights from table.
func weighted(g *graph.Graph[int32], table []semiring.ScaledFloat, ring semiring.Semiring[semiring.ScaledFloat]) *graph.Graph[semiring.ScaledFloat] {
	return graph.Map(g, ring, func(h int32) semiring.ScaledFloat { return table[h] })
}

// enumeratedCounts counts the uses of table entries on all paths, start and final
// weights other than 1 included.
func enumeratedCounts(g *graph.Graph[int32], table []semiring.ScaledFloat, maxArcs int) (semiring.ScaledFloat, []float64) {
	ring := semiring.Scaled{}
	total, sums := ring.Zero(), make([]semiring.ScaledFloat, len(table))
	for i, start := range g.Starts() {
		one, err := g.WithWeights(g.Weights(), g.Starts()[i:i+1], g.Finals())
		if err != nil {
			panic(err)
		}
		for p := range oracle.Paths(weighted(one, table, ring), maxArcs) {
			total = total.Add(p.Weight)
			use := func(k int32) { sums[k] = sums[k].Add(p.Weight) }
			use(start.Weight)
			s := p.Start
			for _, e := range p.Arcs {
				use(g.Weights()[e])
				s = g.To()[e]
			}
			use(g.Finals()[s])
		}
	}
	counts := make([]float64, len(table))
	for k := range counts {
		if !total.IsZero() {
			counts[k] = sums[k].Div(total).Float64()
		}
	}
	return total, counts
}

func nearRelative(a, b semiring.ScaledFloat) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }

func TestBatchAcyclic(t *testing.T) {
	var b batch.Batch
	var scratch batch.Scratch
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		g := handleGraph(r, acyclic)
		spread := []float64{3, 600, 2000}[seed%3]
		table := randomTable(r, spread)
		if seed%7 == 0 {
			b.Reset()
		}
		n := b.Len()
		some, err := batch.AppendGraph(&b, g)
		if err != nil {
			t.Fatal(err)
		}
		structural, _ := enumeratedCounts(g, ones(), 8)
		if some == structural.IsZero() || some != (b.Len() == n+1) {
			t.Fatalf("seed %d: appended %v, %d graphs before and %d after, %v paths", seed, some, n, b.Len(), structural)
		}
		if some {
			checkBatch(t, &b, n, g, table, 8, &scratch)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func ones() []semiring.ScaledFloat {
	table := make([]semiring.ScaledFloat, tableSize)
	for k := 1; k < len(table); k++ {
		table[k] = semiring.NewScaled(1)
	}
	return table
}

// checkBatch compares graph n of the batch, made of g, with enumeration.
func checkBatch(t *testing.T, b *batch.Batch, n int, g *graph.Graph[int32], table []semiring.ScaledFloat, maxArcs int, scratch *batch.Scratch) {
	t.Helper()
	wantTotal, want := enumeratedCounts(g, table, maxArcs)
	count := make([]float64, len(table))
	total, err := b.Counts(n, table, 2, count, scratch)
	if err != nil {
		t.Fatal(err)
	}
	if !nearRelative(total, wantTotal) {
		t.Errorf("total %v, want %v", total, wantTotal)
	}
	if sum, err := b.Sum(n, table, scratch); err != nil || sum != total {
		t.Errorf("path sum %v, %v, counts have %v", sum, err, total)
	}
	for k := 2; k < len(table); k++ { // 1 counts arcs that only Append knows
		if math.Abs(count[k]-2*want[k]) > 1e-11*(1+want[k]) {
			t.Errorf("count %d is %v, want %v", k, count[k], 2*want[k])
		}
	}
	best := semiring.Viterbi{}.Zero()
	for p := range oracle.Paths(weighted(g, table, semiring.Viterbi{}), maxArcs) {
		best = semiring.Viterbi{}.Plus(best, p.Weight)
	}
	path, top, err := b.Best(n, table, []int32{-7}, scratch)
	if err != nil || !nearRelative(top, best) || path[0] != -7 {
		t.Errorf("best path %v, %v, %v, want %v", path, top, err, best)
	}
	product := semiring.NewScaled(1)
	for _, k := range path[1:] {
		product = product.Mul(table[k])
	}
	if !best.IsZero() && !nearRelative(product, best) || best.IsZero() && len(path) > 1 {
		t.Errorf("best path %v has weight %v, want %v", path, product, best)
	}
}

// TestBatchCycleTrimmedAway: an arc of weight 0 closes a cycle in the topology, beside
// a dead loop; what is left has an order, but not that of the components.
func TestBatchCycleTrimmedAway(t *testing.T) {
	row := []int32{0, 1, 1, 3, 6, 6}
	to := []int32{0, 3, 4, 2, 0, 1}
	weight := []int32{7, 0, 8, 8, 6, 7}
	final := []int32{0, 0, 0, 0, 7}
	starts := []graph.Start[int32]{{State: 3, Weight: 8}, {State: 4, Weight: 2}, {State: 0, Weight: 8}}
	g, err := graph.New(handles{}, row, to, weight, starts, final)
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	if ok, err := batch.AppendGraph(&b, g); !ok || err != nil {
		t.Fatal(ok, err)
	}
	table := make([]semiring.ScaledFloat, 9)
	for k := range table {
		table[k] = semiring.NewScaled(float64(k))
	}
	count := make([]float64, len(table))
	total, err := b.Counts(0, table, 1, count, new(batch.Scratch))
	// The paths are 3→2→4 of weight 8·8·8·7 and 4 of weight 2·7.
	if want := 3584. + 14; err != nil || total.Float64() != want || math.Abs(count[8]-3*3584/want) > 1e-12 || math.Abs(count[2]-14/want) > 1e-12 {
		t.Errorf("total %v, counts %v, %v", total, count, err)
	}
}

func TestBatchCyclic(t *testing.T) {
	var b batch.Batch
	var scratch batch.Scratch
	loops := 0
	for seed := range trials.Seeds(2000) {
		r := graphtest.Rand(seed)
		g := handleGraph(r, graphtest.Shape{States: 6, Arcs: 9, Starts: 3, Finals: .4, Zero: .1})
		table := randomTable(r, 3)
		for k := 2; k < len(table); k++ {
			table[k] = table[k].Mul(semiring.NewScaled(1. / 80))
		}
		b.Reset()
		some, err := batch.AppendGraph(&b, g)
		if err != nil {
			t.Fatal(err)
		}
		w := weighted(g, table, semiring.Scaled{})
		p, wantErr := graph.Posteriors(w)
		if wantErr == nil && p.Total.IsZero() && !some {
			continue
		}
		count := make([]float64, len(table))
		total, err := b.Counts(0, table, 1, count, &scratch)
		if wantErr != nil {
			// A loop of weight 1: handle 1 stands for 1.
			if !errors.Is(err, semiring.ErrDiverges) || !errors.Is(wantErr, semiring.ErrDiverges) {
				t.Fatalf("seed %d: errors %v and %v", seed, err, wantErr)
			}
			loops++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := make([]float64, len(table))
		for e, k := range g.Weights() {
			want[k] += p.Arc[e]
		}
		for i, start := range g.Starts() {
			want[start.Weight] += p.Start[i]
		}
		for s, k := range g.Finals() {
			want[k] += p.Final[s]
		}
		if !nearRelative(total, p.Total) || !nearSlices(count[2:], want[2:], nearTo) {
			t.Fatalf("seed %d: counts %v of %v, want %v of %v", seed, count, total, want, p.Total)
		}
		best, err := graph.BestPath(weighted(g, table, semiring.Viterbi{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, top, err := b.Best(0, table, nil, &scratch); err != nil || !nearRelative(top, best.Weight) {
			t.Fatalf("seed %d: best path %v, %v, want %v", seed, top, err, best.Weight)
		}
	}
	if loops == 0 {
		t.Error("no graph diverged")
	}
}

// Of two equally good arcs the first is taken.
func TestBatchBestPathTie(t *testing.T) {
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

func TestBatchZeroAndNotFinite(t *testing.T) {
	var b batch.Batch
	batch.AppendGraph(&b, chain(t, 1, 1, 2, 3))
	table, count := ones(), make([]float64, tableSize)
	var scratch batch.Scratch
	table[3] = semiring.ScaledFloat{}
	total, err := b.Counts(0, table, 1, count, &scratch)
	if path, _, _ := b.Best(0, table, nil, &scratch); err != nil || !total.IsZero() || path != nil {
		t.Errorf("total %v, %v, path %v, want 0 and none", total, err, path)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		table[3] = semiring.NewScaled(x)
		if _, err := b.Counts(0, table, 1, count, &scratch); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("error %v for %v, want semiring.ErrNotFinite", err, x)
		}
		if _, _, err := b.Best(0, table, nil, &scratch); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("error %v for %v, want semiring.ErrNotFinite", err, x)
		}
	}
	if !slices.Equal(count, make([]float64, tableSize)) {
		t.Errorf("counts %v, want none", count)
	}
}

// NaN is not lost beside terms of other magnitudes, whatever their order.
func TestBatchKeepsNaN(t *testing.T) {
	for _, weights := range [][]int32{{2, 3, 4}, {4, 3, 2}, {3, 4, 2}, {2, 4, 3}} {
		g, err := graph.New(handles{}, []int32{0, 3, 3}, []int32{1, 1, 1}, weights,
			[]graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		var b batch.Batch
		batch.AppendGraph(&b, g)
		table := ones()
		table[2], table[3] = semiring.ScaledFromLog(5000), semiring.ScaledFromLog(-5000)
		table[4] = semiring.NewScaled(math.NaN())
		if total, err := b.Counts(0, table, 1, make([]float64, tableSize), new(batch.Scratch)); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%v: total %v, error %v", weights, total, err)
		}
	}
}

// A clone is the batch, occupies no more than it must, and is left alone by Reset.
func TestBatchClone(t *testing.T) {
	var b batch.Batch
	r := graphtest.Rand(3)
	for range 200 {
		if _, err := batch.AppendGraph(&b, handleGraph(r, graphtest.Shape{States: 8, Arcs: 12, Starts: 2, Finals: .5})); err != nil {
			t.Fatal(err)
		}
	}
	c := b.Clone()
	if want := 4*(c.Len()+1+c.NumNodes()+1) + 8*c.NumEdges(); c.Bytes() != want {
		t.Errorf("%d bytes, want %d", c.Bytes(), want)
	}
	table := randomTable(r, 2)
	for k := range table {
		table[k] = table[k].Mul(semiring.NewScaled(1. / 64))
	}
	count := func(b *batch.Batch, scratch *batch.Scratch) []float64 {
		sum := make([]float64, tableSize)
		for g := range b.Len() {
			if _, err := b.Counts(g, table, 1, sum, scratch); err != nil {
				t.Error(err)
			}
		}
		return sum
	}
	want := count(&b, new(batch.Scratch))
	b.Reset()
	if b.Len() != 0 || b.NumEdges() != 0 {
		t.Error("Reset left something")
	}
	// Many goroutines share a batch.
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := count(c, new(batch.Scratch)); !slices.Equal(got, want) {
				t.Errorf("counts %v, want %v", got, want)
			}
		})
	}
	wait.Wait()
}

func TestBatchAllocatesNothing(t *testing.T) {
	var b batch.Batch
	g := handleGraph(graphtest.Rand(12), graphtest.Shape{States: 60, Arcs: 300, Acyclic: true, Starts: 3, Finals: .3})
	var scratch batch.Scratch
	table, count, path := ones(), make([]float64, tableSize), make([]int32, 0, 100)
	work := func() {
		b.Reset()
		if ok, err := batch.AppendGraph(&b, g); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.Counts(0, table, 1, count, &scratch)
		path, _, _ = b.Best(0, table, path[:0], &scratch)
	}
	work()
	if n := testing.AllocsPerRun(100, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestDivergenceInBatchNamesState(t *testing.T) {
	g, err := graph.New(handles{}, []int32{0, 2, 2}, []int32{0, 1}, []int32{2, 3},
		[]graph.Start[int32]{{State: 0, Weight: 1}}, []int32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	var b batch.Batch
	batch.AppendGraph(&b, g)
	_, err = b.Counts(0, ones(), 1, make([]float64, tableSize), new(batch.Scratch))
	if !errors.Is(err, semiring.ErrDiverges) || !strings.Contains(err.Error(), "state 1") {
		t.Errorf("error %v", err)
	}
}
