package trellis_test

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
	"example.org/pathsum/semiring/trellis"
)

// longTrellis is a trellis of many layers, of numbers that grow far apart on the way.
type longTrellis struct {
	*trellis.Trellis
	states, steps int
	blocks        []*trellis.Block
	nodes         [][]float64
}

func randomLongTrellis(t *testing.T, r *rand.Rand) *longTrellis {
	l := &longTrellis{states: 1 + r.IntN(4), steps: 1 + r.IntN(80)}
	spread := float64(1 + r.IntN(60))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			if r.IntN(6) > 0 {
				x[i] = math.Pow(10, -spread*r.Float64()*r.Float64())
			}
		}
		return x
	}
	initial, block, last, stay := draw(l.states), draw(l.states*l.states), draw(l.states), draw(l.steps)
	stay[l.steps-1] = 0 // the last block is not square
	for range l.steps {
		l.nodes = append(l.nodes, draw(l.states))
	}
	l.nodes = append(l.nodes, draw(1))
	var nodes [][]weight
	for _, v := range l.nodes {
		nodes = append(nodes, scaled(v...))
	}
	l.blocks = []*trellis.Block{newBlock(t, l.states, l.states, scaled(block...)...), newBlock(t, l.states, 1, scaled(last...)...)}
	steps := make([]int32, l.steps)
	steps[l.steps-1] = 1
	var err error
	if l.Trellis, err = trellis.New(scaled(initial...), l.blocks, steps, nodes, nil); err == nil {
		err = l.SetStay(scaled(stay...))
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// byGraph returns the posteriors that the trellis's graph has: its arcs have the order
// of cells, step by step, each row followed by the arc to stay.
func (l *longTrellis) byGraph(t *testing.T) (trellis.Parts, weight) {
	g, err := l.Graph()
	if err != nil {
		t.Fatal(err)
	}
	found, err := graph.Posteriors(g)
	if err != nil {
		t.Fatal(err)
	}
	p := zeros(l.Trellis, l.steps, l.blocks...)
	copy(p.Node, found.Start)
	for state := range l.states * l.steps {
		step, i := state/l.states, state%l.states
		b, cols := 0, l.states
		if step == l.steps-1 {
			b, cols = 1, 1
		}
		for n, e := 0, g.Row()[state]; e < g.Row()[state+1]; n, e = n+1, e+1 {
			if n < cols {
				p.Block[b][i*cols+n] += found.Arc[e]
				p.Node[g.To()[e]] += found.Arc[e]
			} else {
				p.Stay[step] += found.Arc[e]
			}
		}
	}
	return p, found.Total
}

// What float64 numbers find, of weights and of numbers, is what the graph has, also
// where α or β of a layer are further apart than float64 numbers can be.
func TestNumbers(t *testing.T) {
	s := new(trellis.Scratch)
	for seed := range trials.Seeds(500) {
		l := randomLongTrellis(t, graphtest.Rand(seed))
		want, total := l.byGraph(t)
		sum := l.PathSum(s)
		for _, numbers := range [][]float64{nil, slices.Concat(l.nodes...)} {
			if err := l.SetNumbers(numbers); err != nil {
				t.Fatal(err)
			}
			got := zeros(l.Trellis, l.steps, l.blocks...)
			found, err := l.Counts(1, got, s)
			if err != nil {
				t.Fatal(err)
			}
			if !nearRelative(found, total) {
				t.Errorf("seed %d: total %v, want %v", seed, found, total)
			}
			if !nearParts(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b+1e-150 }) {
				t.Errorf("seed %d: posteriors %v, want %v", seed, got, want)
			}
		}
		if x := l.PathSum(s); !nearRelative(x, sum) {
			t.Errorf("seed %d: path sum %v of numbers, %v of weights", seed, x, sum)
		}
	}
}

func TestSetNumbersRefuses(t *testing.T) {
	tr, err := trellis.New(scaled(1, 2), nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.SetNumbers([]float64{1}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("one number for two nodes: %v", err)
	}
	s := new(trellis.Scratch)
	for _, test := range []struct {
		numbers []float64
		want    float64
	}{{[]float64{3, 5}, 13}, {[]float64{1e200, 0}, 1e200}, {nil, 3}} {
		if err := tr.SetNumbers(test.numbers); err != nil || tr.PathSum(s).Float64() != test.want {
			t.Errorf("%v: path sum %v, %v", test.numbers, tr.PathSum(s), err)
		}
	}
	if err := tr.SetNumbers([]float64{1, math.NaN()}); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Counts(1, trellis.Parts{}, s); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// Uses of several trellises are the sums of their Counts, for all kinds of weights, and products of
// their Factors. Other parts are counted as by Counts.
func TestUses(t *testing.T) {
	var s trellis.Scratch
	var u trellis.Uses
	eachTrellis(t, func(t *testing.T, seed uint64, x *indexed) {
		r := graphtest.Rand(seed + 1<<33)
		u.Reset(x.block)
		want, others := x.zeros(), x.zeros()
		others.Block = nil
		for range 1 + r.IntN(3) {
			weight := []float64{0, .5, 3, 0x1p-100, 0x1p100}[r.IntN(5)]
			total, err := x.Counts(weight, want, &s)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := u.Counts(&x.Trellis, weight, others, &s); err != nil || got != total {
				t.Fatalf("seed %d: path sum %v, %v, want %v", seed, got, err, total)
			}
		}
		if !slices.Equal(others.Node, want.Node) || !slices.Equal(others.Stay, want.Stay) {
			t.Fatalf("seed %d: nodes and stays %v, want %v", seed, others, want)
		}
		multiplied := x.zeros()
		for b, counts := range multiplied.Block {
			weights, divided, direct := u.Factors(b)
			for c := range counts {
				if divided != nil {
					counts[c] = weights[c] * divided[c]
				}
				if direct != nil {
					counts[c] += direct[c]
				}
			}
		}
		got, last := x.zeros(), -1
		u.Drain(func(b int, counts []float64) {
			if b <= last {
				t.Fatalf("seed %d: block %d after %d", seed, b, last)
			}
			last = b
			copy(got.Block[b], counts)
		})
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }
		if !slices.EqualFunc(got.Block, want.Block, func(x, y []float64) bool { return slices.EqualFunc(x, y, near) }) {
			t.Fatalf("seed %d: uses %v, want %v", seed, got.Block, want.Block)
		}
		if !slices.EqualFunc(got.Block, multiplied.Block, slices.Equal) {
			t.Fatalf("seed %d: factors of uses %v, want %v", seed, multiplied.Block, got.Block)
		}
		u.Drain(func(b int, _ []float64) { t.Fatalf("seed %d: block %d has uses after Drain", seed, b) })
	})
}

// Where numbers fail at a step, weights take over, and no step is counted twice. Node 0 is
// far more likely than node 1 in the first layer, and far less so two steps on.
func TestUsesHalfByNumbers(t *testing.T) {
	var u trellis.Uses
	var s trellis.Scratch
	for seed := range trials.Seeds(50) {
		r := graphtest.Rand(seed)
		alike := newBlock(t, 2, 2, scaled(r.Float64(), r.Float64(), r.Float64(), r.Float64())...)
		apart := newBlock(t, 2, 2, scaled(math.Ldexp(r.Float64(), -197), 0, 0, 1)...)
		blocks := []*trellis.Block{alike, apart}
		tr := must(trellis.New(scaled(1, 0x1p-230), blocks, []int32{1, 1, 0, 0}, nil, nil))
		want := zeros(tr, 4, blocks...)
		nodes := make([]float64, tr.NumNodes())
		u.Reset(blocks)
		for range 2 {
			if _, err := tr.Counts(2, want, &s); err != nil {
				t.Fatal(err)
			}
			if _, err := u.Counts(tr, 2, trellis.Parts{Node: nodes}, &s); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(nodes, want.Node) {
			t.Fatalf("seed %d: nodes %v, want %v", seed, nodes, want.Node)
		}
		u.Drain(func(b int, counts []float64) {
			if !slices.EqualFunc(counts, want.Block[b], func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
				t.Fatalf("seed %d: uses %v of block %d, want %v", seed, counts, b, want.Block[b])
			}
		})
	}
}

func TestUsesRefuses(t *testing.T) {
	b := newBlock(t, 1, 1, scaled(1)...)
	tr := must(trellis.New(scaled(1), []*trellis.Block{b}, []int32{0}, nil, nil))
	var u trellis.Uses
	if _, err := u.Counts(tr, 1, trellis.Parts{}, new(trellis.Scratch)); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	u.Reset([]*trellis.Block{b})
	if _, err := u.Counts(tr, 1, trellis.Parts{Block: make([][]float64, 1)}, new(trellis.Scratch)); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("two sums for the cells: error %v, want semiring.ErrShape", err)
	}
	infinite := must(trellis.New([]weight{semiring.NewScaled(math.Inf(1))}, []*trellis.Block{b}, []int32{0}, nil, nil))
	if _, err := u.Counts(infinite, 1, trellis.Parts{}, new(trellis.Scratch)); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
	u.Drain(func(int, []float64) { t.Error("an infinite path sum was counted") })
}
