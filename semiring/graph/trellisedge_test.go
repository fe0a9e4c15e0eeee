package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func newBlock[W any](tb testing.TB, ring semiring.Semiring[W], rows, cols int, weight ...W) *graph.Block[W] {
	b, err := graph.NewBlock(ring, rows, cols, weight)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestTrellisRefuses(t *testing.T) {
	ring := semiring.Real{}
	b := newBlock(t, ring, 2, 3, 1, 2, 3, 4, 5, 6)
	blocks := []*graph.Block[float64]{b}
	two, three := []float64{1, 1}, []float64{1, 1, 1}
	for name, f := range map[string]func() error{
		"too few weights": func() error { _, err := graph.NewBlock(ring, 2, 3, []float64{1}); return err },
		"no rows":         func() error { _, err := graph.NewBlock(ring, 0, 3, nil); return err },
		"band":            func() error { _, err := graph.NewBand(ring, 2, 2, 0, 0, []float64{1, 2, 3}); return err },
		"other weights":   func() error { return b.SetWeights([]float64{1}) },
		"no start":        func() error { _, err := graph.NewTrellis(ring, nil, blocks, nil, nil, nil); return err },
		"rows":            func() error { _, err := graph.NewTrellis(ring, three, blocks, []int32{0}, nil, nil); return err },
		"no block":        func() error { _, err := graph.NewTrellis(ring, two, blocks, []int32{1}, nil, nil); return err },
		"columns":         func() error { _, err := graph.NewTrellis(ring, two, blocks, []int32{0, 0}, nil, nil); return err },
		"final":           func() error { _, err := graph.NewTrellis(ring, two, blocks, []int32{0}, nil, two); return err },
		"layers": func() error {
			_, err := graph.NewTrellis(ring, two, blocks, []int32{0}, [][]float64{two}, nil)
			return err
		},
		"nodes": func() error {
			_, err := graph.NewTrellis(ring, two, blocks, []int32{0}, [][]float64{two, two}, nil)
			return err
		},
	} {
		if err := f(); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	if _, err := graph.NewBand(ring, 1<<20, 1<<20, math.MinInt/2, math.MaxInt/2, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
}

// A band may lie beside the matrix in part or as a whole.
func TestBandRows(t *testing.T) {
	b, err := graph.NewBand(semiring.Real{}, 4, 3, 1, 2, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	want := [][3]int{{0, 2, 1}, {2, 3, 2}, {3, 3, 3}, {3, 3, 3}}
	for i, w := range want {
		if lo, hi, col := b.Row(i); [3]int{lo, hi, col} != w {
			t.Errorf("row %d is %d %d %d, want %v", i, lo, hi, col, w)
		}
	}
	for _, at := range []int{-9, 9, math.MinInt, math.MaxInt} {
		if b, err := graph.NewBand[float64](semiring.Real{}, 4, 3, at, at, nil); err != nil || b.NumCells() != 0 {
			t.Errorf("band at %d: %v", at, err)
		}
	}
}

// Probabilities far below the range of float64 survive a million steps, and so do those
// of layers whose exponents differ.
func TestTrellisLong(t *testing.T) {
	ring := semiring.Scaled{}
	for _, c := range []struct {
		name  string
		small float64
		steps int
	}{{"near", -40, 1_000_000}, {"far", -2000, 100_000}} {
		name, n := c.name, trials.Serial(c.steps)
		total := -20 * float64(n)
		x, y := semiring.ScaledFromLog(-20), semiring.ScaledFromLog(c.small)
		b := newBlock(t, ring, 2, 2, x, semiring.ScaledFloat{}, semiring.ScaledFloat{}, y)
		one := []semiring.ScaledFloat{semiring.NewScaled(1), semiring.NewScaled(1)}
		tr, err := graph.NewTrellis(ring, one, []*graph.Block[semiring.ScaledFloat]{b}, make([]int32, n), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Posteriors(new(graph.TrellisScratch[semiring.ScaledFloat]))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Total.Log(); !near(got, total) {
			t.Errorf("%s: ln total %v, want %v", name, got, total)
		}
		// A sum of as many terms, all alike, is off by as many roundings.
		if !(math.Abs(p.Block[0][0]/float64(n)-1) < 1e-11+1e-16*float64(n)) || p.Block[0][3] > 1e-100 || !near(p.Node[n], 1) {
			t.Errorf("%s: counts %v, node %v", name, p.Block[0], p.Node[n])
		}
	}
}

// A node far more likely from the left than all paths together, but without a way on.
func TestTrellisPosteriorsOfUnlikelyTotal(t *testing.T) {
	ring := semiring.Scaled{}
	zero, one := ring.Zero(), ring.One()
	b := newBlock(t, ring, 2, 2, one, zero, zero, one)
	initial := []semiring.ScaledFloat{semiring.NewScaled(0x1p255), semiring.NewScaled(0x1p-510)}
	tr, err := graph.NewTrellis(ring, initial, []*graph.Block[semiring.ScaledFloat]{b}, []int32{0}, nil, []semiring.ScaledFloat{zero, one})
	if err != nil {
		t.Fatal(err)
	}
	s, node, cells := new(graph.TrellisScratch[semiring.ScaledFloat]), make([]float64, 4), make([]float64, 4)
	for range 2 {
		if _, err := tr.Counts(.5, node, nil, s); err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Counts(.5, nil, [][]float64{cells}, s); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(node, []float64{0, 1, 0, 1}) || !slices.Equal(cells, []float64{0, 0, 0, 1}) {
		t.Errorf("nodes %v, cells %v", node, cells)
	}
}

// The inverse of a total that is barely a number is none.
func TestTrellisTotalWithoutInverse(t *testing.T) {
	tr, err := graph.NewTrellis(semiring.Real{}, []float64{1e-320}, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := tr.Posteriors(new(graph.TrellisScratch[float64])); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("%v, error %v, want semiring.ErrNotFinite", p, err)
	}
}

// Negative numbers that cancel leave nothing, exactly.
func TestTrellisCancels(t *testing.T) {
	ring := semiring.Real{}
	b := newBlock(t, ring, 2, 1, 1, -1)
	tr, err := graph.NewTrellis(ring, []float64{2, 2}, []*graph.Block[float64]{b}, []int32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := tr.Posteriors(new(graph.TrellisScratch[float64])); err != nil || p.Total != 0 || slices.Max(p.Node) != 0 {
		t.Errorf("%v, %v, want nothing", p, err)
	}
}

func TestTrellisNotFinite(t *testing.T) {
	ring := semiring.Scaled{}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		b := newBlock(t, ring, 2, 2, semiring.NewScaled(1), semiring.NewScaled(1), semiring.NewScaled(1), semiring.NewScaled(x))
		one := []semiring.ScaledFloat{semiring.NewScaled(1), semiring.NewScaled(1)}
		tr, err := graph.NewTrellis(ring, one, []*graph.Block[semiring.ScaledFloat]{b}, []int32{0, 0}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := new(graph.TrellisScratch[semiring.ScaledFloat])
		if _, err := tr.Posteriors(s); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("posteriors with %v: error %v, want semiring.ErrNotFinite", x, err)
		}
		if _, err := tr.NewSampler(s); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("sampler with %v: error %v, want semiring.ErrNotFinite", x, err)
		}
	}
	b := newBlock(t, semiring.Tropical{}, 1, 1, semiring.Cost(math.NaN()))
	tr, err := graph.NewTrellis(semiring.Tropical{}, []semiring.Cost{0}, []*graph.Block[semiring.Cost]{b}, []int32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if path, _, err := tr.BestPath(nil, new(graph.TrellisScratch[semiring.Cost])); !errors.Is(err, semiring.ErrNotFinite) || path != nil {
		t.Errorf("best path %v of cost NaN: error %v, want semiring.ErrNotFinite", path, err)
	}
}

func TestTrellisNeedsCapabilities(t *testing.T) {
	b := newBlock[sum](t, series{}, 1, 1, sum{"a": 1})
	tr, err := graph.NewTrellis(series{}, []sum{{"": 1}}, []*graph.Block[sum]{b}, []int32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := new(graph.TrellisScratch[sum])
	if _, err := tr.Posteriors(s); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("posteriors: error %v", err)
	}
	if _, err := tr.NewSampler(s); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("sampler: error %v", err)
	}
	// The paths of max-marginals are not drawn at random.
	one := []semiring.ScaledFloat{semiring.NewScaled(1)}
	viterbi, err := graph.NewTrellis(semiring.Viterbi{}, one, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viterbi.NewSampler(new(graph.TrellisScratch[semiring.ScaledFloat])); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("sampler of best paths: error %v", err)
	}
	// A sum from the left would be wrong: a and ab have a in common, abc and abbc ab.
	word := []semiring.Word{semiring.NewWord(1)}
	if _, err := graph.NewTrellis(semiring.LeftString{}, word, nil, nil, nil, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("trellis of words: error %v", err)
	}
}

// Weights may cancel in the total; random paths need every one to be a mass.
func TestTrellisSamplerNegative(t *testing.T) {
	s := new(graph.TrellisScratch[float64])
	for name, parts := range map[string][4][]float64{
		"initial": {{1, -1}, {1, 1, 1, 1}, {1, 1}, {1, 1}},
		"block":   {{1, 1}, {1, 1, 1, -1}, {1, 1}, {1, 1}},
		"nodes":   {{1, 1}, {1, 1, 1, 1}, {1, -1}, {1, 1}},
		"final":   {{1, 1}, {1, 1, 1, 1}, {1, 1}, {-1, 1}},
	} {
		b := newBlock(t, semiring.Real{}, 2, 2, parts[1]...)
		tr, err := graph.NewTrellis(semiring.Real{}, parts[0], []*graph.Block[float64]{b}, []int32{0}, [][]float64{nil, parts[2]}, parts[3])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.NewSampler(s); !errors.Is(err, semiring.ErrNegative) {
			t.Errorf("%s: error %v, want semiring.ErrNegative", name, err)
		}
	}
}

// Paths are drawn as often as their weights say.
func TestTrellisSampler(t *testing.T) {
	for seed := range uint64(20) {
		l := randomLayers(graphtest.Rand(seed), semiring.Scaled{}, []func(*rand.Rand) semiring.ScaledFloat{
			func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(unit(r)) }, anyMagnitude}[seed%2])
		total, weights := semiring.ScaledFloat{}, map[string]semiring.ScaledFloat{}
		name := func(path []int32) (s string) {
			for _, i := range path {
				s += string(rune('0' + i))
			}
			return s
		}
		l.paths(func(path []int32, w semiring.ScaledFloat) {
			total = total.Add(w)
			weights[name(path)] = w
		})
		sampler, err := l.trellis.NewSampler(new(graph.TrellisScratch[semiring.ScaledFloat]))
		if total.IsZero() && errors.Is(err, graph.ErrNoPath) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v of total %v", seed, err, total)
		}
		const n = 20000
		random, drawn := graphtest.Rand(seed+1), map[string]int{}
		var path []int32
		for range n {
			path = sampler.Sample(path[:0], random)
			drawn[name(path)]++
		}
		for path, w := range weights {
			p := w.Div(total).Float64()
			if d := math.Abs(float64(drawn[path]) - n*p); d > 6*math.Sqrt(n*p*(1-p))+1e-6 {
				t.Errorf("seed %d: path %s drawn %d times, want %v", seed, path, drawn[path], n*p)
			}
		}
	}
}

// A corpus of sequences shares blocks; the weights change between iterations, and
// nothing is allocated.
func TestTrellisAllocatesNothing(t *testing.T) {
	m := randomHMM(5, 4, 200)
	tr := hmmTrellis(m, semiring.Scaled{}, semiring.NewScaled)
	initial := make([]semiring.ScaledFloat, 5)
	for i := range initial {
		initial[i] = semiring.NewScaled(m.initial[i])
	}
	block := tr.Blocks()[0]
	cells := slices.Clone(block.Weights())
	nodes := make([][]semiring.ScaledFloat, 200)
	for layer := range nodes {
		nodes[layer] = initial
	}
	steps := make([]int32, 199)
	node, counts := make([]float64, tr.NumNodes()), [][]float64{make([]float64, block.NumCells())}
	s := new(graph.TrellisScratch[semiring.ScaledFloat])
	work := func() {
		if err := block.SetWeights(cells); err != nil {
			t.Fatal(err)
		}
		for length := 50; length <= 200; length += 50 {
			if err := tr.Reset(initial, tr.Blocks(), steps[:length-1], nodes[:length], nil); err != nil {
				t.Fatal(err)
			}
			if _, err := tr.Counts(1, node[:tr.NumNodes()], counts, s); err != nil {
				t.Fatal(err)
			}
			tr.PathSum(s)
		}
	}
	work()
	if n := testing.AllocsPerRun(20, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTrellisBestPathAllocatesNothing(t *testing.T) {
	tr := hmmTrellis(randomHMM(5, 4, 200), semiring.Viterbi{}, semiring.NewScaled)
	s, path := new(graph.TrellisScratch[semiring.ScaledFloat]), make([]int32, 0, 200)
	if n := testing.AllocsPerRun(20, func() { path, _, _ = tr.BestPath(path[:0], s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTrellisSamplerAllocatesNothing(t *testing.T) {
	tr := hmmTrellis(randomHMM(5, 4, 200), semiring.Scaled{}, semiring.NewScaled)
	sampler, err := tr.NewSampler(new(graph.TrellisScratch[semiring.ScaledFloat]))
	if err != nil {
		t.Fatal(err)
	}
	r, path := graphtest.Rand(1), make([]int32, 0, 200)
	if n := testing.AllocsPerRun(20, func() { path = sampler.Sample(path[:0], r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// SetWeights reaches every trellis that has the block, in all of its forms.
func TestBlockSetWeights(t *testing.T) {
	ring := semiring.Scaled{}
	r := graphtest.Rand(4)
	for range 200 {
		draw := func() semiring.ScaledFloat { return anyMagnitude(r) }
		b, _ := randomBlock(r, ring, 3, 3, draw)
		one := make([]semiring.ScaledFloat, 3)
		for i := range one {
			one[i] = semiring.NewScaled(r.Float64())
		}
		tr, err := graph.NewTrellis(ring, one, []*graph.Block[semiring.ScaledFloat]{b}, []int32{0, 0, 0}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]semiring.ScaledFloat, b.NumCells())
		for i := range cells {
			cells[i] = draw()
		}
		if err := b.SetWeights(cells); err != nil {
			t.Fatal(err)
		}
		g, err := tr.Graph()
		if err != nil {
			t.Fatal(err)
		}
		want, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.Posteriors(new(graph.TrellisScratch[semiring.ScaledFloat]))
		if err != nil || !nearRelative(p.Total, want.Total) {
			t.Fatalf("total %v, %v, want %v", p.Total, err, want.Total)
		}
		sums := make([]float64, b.NumCells())
		for e, x := range want.Arc {
			sums[e%len(sums)] += x
		}
		if !nearSlices(p.Block[0], sums, func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*b+1e-100 }) {
			t.Fatalf("counts %v, want %v", p.Block[0], sums)
		}
	}
}
