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
)

// lanesCase is a forest with leaves and columns of values.
type lanesCase struct {
	forest       *forest.Forest[int32]
	leaves       []int32
	leaf         [][]float64
	multiplicity []float64
	table        []semiring.ScaledFloat
}

// randomLanes has weights, and leaf values, of all magnitudes up to 2^(±spread).
func randomLanes(r *rand.Rand, nodes, lanes int, spread float64) *lanesCase {
	c := &lanesCase{forest: handleForest(r, nodes), table: randomTable(r, spread)}
	for v := range int32(c.forest.NumNodes()) {
		if c.forest.Edges()[v] == c.forest.Edges()[v+1] && r.IntN(4) > 0 {
			c.leaves = append(c.leaves, v)
		}
	}
	r.Shuffle(len(c.leaves), func(i, j int) { c.leaves[i], c.leaves[j] = c.leaves[j], c.leaves[i] })
	zeros := r.IntN(3)
	for range c.leaves {
		x := make([]float64, lanes)
		for i := range x {
			x[i] = math.Exp2(min(spread, 1000) * (2*r.Float64() - 1))
			if r.IntN(10) < 3*zeros {
				x[i] = 0
			}
		}
		c.leaf = append(c.leaf, x)
	}
	for range lanes {
		c.multiplicity = append(c.multiplicity, float64(r.IntN(4)))
	}
	return c
}

// Counts are those of all lanes together, with their multiplicities, as CountsByLane has
// them.
func TestLanesTogether(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		lanes := 1 + r.IntN(5)
		if seed%50 == 0 {
			lanes += 300
		}
		c := randomLanes(r, 14, lanes, []float64{3, 200, 600, 2000, 17000}[r.IntN(5)])
		l := must(batch.NewLanes(c.forest, c.leaves))
		total, again := make([]semiring.ScaledFloat, lanes), make([]semiring.ScaledFloat, lanes)
		count, byLane := make([]float64, tableSize), make([][]float64, tableSize)
		for k := range byLane {
			if k%5 != 4 {
				byLane[k] = make([]float64, lanes)
			}
		}
		var scratch batch.LanesScratch
		if err := l.Counts(c.table, c.leaf, 0, lanes, c.multiplicity, count, total, &scratch); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := l.CountsByLane(c.table, c.leaf, 0, lanes, byLane, again, &scratch); err != nil || !slices.Equal(again, total) {
			t.Fatalf("seed %d: totals %v, %v, want %v", seed, again, err, total)
		}
		for k, x := range byLane {
			want := 0.0
			for lane, x := range x {
				want += c.multiplicity[lane] * x
			}
			if x != nil && math.Abs(count[k]-want) > 1e-11*want+1e-150 {
				t.Fatalf("seed %d: count %d is %v, want %v", seed, k, count[k], want)
			}
		}
	}
}

// However the lanes are divided, totals have the same bits, and so have counts that are
// added in the same order.
func TestLanesDivided(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		const lanes = 600
		c := randomLanes(r, 12, lanes, 2000)
		l, err := batch.NewLanes(c.forest, c.leaves)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]semiring.ScaledFloat, lanes)
		count := make([]float64, tableSize)
		if err := l.Counts(c.table, c.leaf, 0, lanes, nil, count, want, new(batch.LanesScratch)); err != nil {
			t.Fatal(err)
		}
		total := make([]semiring.ScaledFloat, lanes)
		again := make([]float64, tableSize)
		var scratch batch.LanesScratch
		for lo := 0; lo < lanes; {
			hi := min(lanes, lo+1+r.IntN(300))
			if err := l.TreeSums(c.table, c.leaf, lo, hi, total, &scratch); err != nil {
				t.Fatal(err)
			}
			lo = hi
		}
		if !slices.Equal(total, want) {
			t.Fatalf("seed %d: other totals of divided lanes", seed)
		}
		for _, lo := range []int{0, 256, 512} { // multiples of the lanes that are evaluated at once
			if err := l.Counts(c.table, c.leaf, lo, min(lanes, lo+256), nil, again, total, &scratch); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(again, count) {
			t.Fatalf("seed %d: counts %v of divided lanes, %v otherwise", seed, again, count)
		}
	}
}

// twoLeaves is the forest of the one tree of weight table[2] over leaves 0 and 1, which
// is node 2; node 3 is not used.
func twoLeaves(t *testing.T) *forest.Forest[int32] {
	f, err := forest.New(handles{}, []int32{0, 0, 0, 1, 1}, []int32{0, 2}, []int32{0, 1}, []int32{2},
		[]forest.Root[int32]{{Node: 2, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLanesRefuse(t *testing.T) {
	f := twoLeaves(t)
	for name, leaves := range map[string][]int32{"negative": {-1}, "too high": {4}, "has edges": {0, 2}, "twice": {0, 1, 0}} {
		if _, err := batch.NewLanes(f, leaves); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	l, err := batch.NewLanes(f, []int32{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	if l.NumLeaves() != 3 || l.NumEdges() != 1 {
		t.Errorf("%d leaves, %d edges, want 3 and 1", l.NumLeaves(), l.NumEdges())
	}
	good := func() ([]semiring.ScaledFloat, [][]float64, []float64) {
		table := []semiring.ScaledFloat{{}, semiring.NewScaled(1), semiring.NewScaled(.5)}
		return table, [][]float64{{1, 2, 3}, {4, 5, 6}, {math.NaN(), -1, 0}}, []float64{1, 2, 3}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name  string
		want  error
		spoil func(table []semiring.ScaledFloat, leaf [][]float64, multiplicity []float64)
	}{
		{"good", nil, func([]semiring.ScaledFloat, [][]float64, []float64) {}},
		{"−0", nil, func(_ []semiring.ScaledFloat, leaf [][]float64, _ []float64) { leaf[0][1] = math.Copysign(0, -1) }},
		{"NaN", semiring.ErrNotFinite, func(_ []semiring.ScaledFloat, leaf [][]float64, _ []float64) { leaf[0][1] = nan }},
		{"Inf", semiring.ErrNotFinite, func(_ []semiring.ScaledFloat, leaf [][]float64, _ []float64) { leaf[1][2] = inf }},
		{"−Inf", semiring.ErrNotFinite, func(_ []semiring.ScaledFloat, leaf [][]float64, _ []float64) { leaf[1][2] = -inf }},
		{"negative", semiring.ErrNegative, func(_ []semiring.ScaledFloat, leaf [][]float64, _ []float64) { leaf[1][0] = -1e-300 }},
		{"table of NaN", semiring.ErrNotFinite, func(table []semiring.ScaledFloat, _ [][]float64, _ []float64) { table[2].Mant = nan }},
		{"negative table", semiring.ErrNegative, func(table []semiring.ScaledFloat, _ [][]float64, _ []float64) { table[2].Mant = -1 }},
		{"negative multiplicity", semiring.ErrNegative, func(_ []semiring.ScaledFloat, _ [][]float64, m []float64) { m[1] = -1 }},
		{"infinite multiplicity", semiring.ErrNotFinite, func(_ []semiring.ScaledFloat, _ [][]float64, m []float64) { m[1] = inf }},
	} {
		table, leaf, multiplicity := good()
		c.spoil(table, leaf, multiplicity)
		total, count := make([]semiring.ScaledFloat, 3), make([]float64, 3)
		err := l.Counts(table, leaf, 0, 3, multiplicity, count, total, new(batch.LanesScratch))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if c.name == "good" && (count[2] != 6 || total[2] != semiring.NewScaled(9)) {
			t.Errorf("count %v, total %v, want 6 and 9", count[2], total[2])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for too few leaves")
		}
	}()
	table, leaf, _ := good()
	l.TreeSums(table, leaf[:2], 0, 3, make([]semiring.ScaledFloat, 3), new(batch.LanesScratch))
}

// Squared often enough, a value is beyond any exponent.
func TestLanesBeyondRange(t *testing.T) {
	for _, leaf := range [][]float64{{1e300, 1e300}, {1e-300, 1e-300}, {1e300, 1}, {1e300, 1e-300}} {
		edge, tail, tails, weight := []int32{0, 0}, []int32{0}, []int32{}, []int32{}
		for squares := 1; squares <= 80; squares++ {
			last := int32(squares - 1)
			tails, weight = append(tails, last, last), append(weight, 1)
			tail, edge = append(tail, int32(len(tails))), append(edge, int32(len(weight)))
			f := must(forest.New(nil, slices.Clone(edge), slices.Clone(tail), slices.Clone(tails),
				slices.Clone(weight), []forest.Root[int32]{{Node: last + 1, Weight: 1}}))
			l := must(batch.NewLanes(f, []int32{0}))
			table := []semiring.ScaledFloat{{}, semiring.NewScaled(1)}
			total, count := make([]semiring.ScaledFloat, 2), make([]float64, 2)
			err := l.Counts(table, [][]float64{leaf}, 0, 2, nil, count, total, new(batch.LanesScratch))
			if squares > 52 && !errors.Is(err, semiring.ErrNotFinite) {
				t.Errorf("%v squared %d times: %v, error %v", leaf, squares, total, err)
			}
			if squares > 50 {
				continue // near the limit
			}
			for lane, x := range leaf {
				want := math.Ldexp(math.Log(x), squares)
				if got := total[lane].Log(); err != nil || math.Abs(got-want) > 1e-12*math.Abs(want) {
					t.Errorf("%v squared %d times: logarithm %v of lane %d, want %v, error %v", leaf, squares, got, lane, want, err)
				}
			}
		}
	}
}

// Without a tree all totals are 0; a root may be a leaf.
func TestLanesOfNoTreeAndOfALeaf(t *testing.T) {
	f := twoLeaves(t)
	l, err := batch.NewLanes(f, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	total, table, count := make([]semiring.ScaledFloat, 2), randomTable(graphtest.Rand(1), 1), make([]float64, tableSize)
	total[0] = semiring.NewScaled(7)
	var scratch batch.LanesScratch
	if err := l.Counts(table, [][]float64{{1, 2}}, 0, 2, nil, count, total, &scratch); err != nil || !total[0].IsZero() {
		t.Errorf("totals %v, %v, want 0", total, err)
	}
	g, err := f.WithWeights(f.Weights(), []forest.Root[int32]{{Node: 3, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if l, err = batch.NewLanes(g, []int32{3}); err != nil {
		t.Fatal(err)
	}
	if err := l.Counts(table, [][]float64{{0, 2}}, 0, 2, nil, count, total, &scratch); err != nil || !total[0].IsZero() || total[1] != semiring.NewScaled(2) {
		t.Errorf("totals %v, %v, want 0 and 2", total, err)
	}
}
