package trellis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/trellis"
)

type weight = semiring.ScaledFloat

// layers describes a trellis by its cells, for enumeration.
type layers struct {
	initial, final []weight
	blocks         []*trellis.Block
	cells          [][]cell                          // per block
	make           []func(w []weight) *trellis.Block // the same block with other weights
	steps          []int32
	nodes          [][]weight
	stay           []weight // nil: none
	sizes          []int
	trellis        *trellis.Trellis
}

// randomLayers has layers of at most three nodes, blocks that are shared, and any of the
// optional parts missing.
func randomLayers(r *rand.Rand, draw func(*rand.Rand) weight) *layers {
	vector := func(n int) []weight {
		v := make([]weight, n)
		for i := range v {
			if r.IntN(8) > 0 {
				v[i] = draw(r)
			}
		}
		return v
	}
	l := &layers{sizes: []int{1 + r.IntN(3)}}
	l.initial = vector(l.sizes[0])
	var shapes [][2]int
	for range r.IntN(5) {
		rows, number := l.sizes[len(l.sizes)-1], -1
		for n, shape := range shapes {
			if shape[0] == rows && r.IntN(2) == 0 {
				number = n
			}
		}
		if number < 0 {
			number = len(shapes)
			cols := 1 + r.IntN(3)
			shapes = append(shapes, [2]int{rows, cols})
			make, cells := randomBlock(r, rows, cols)
			l.blocks = append(l.blocks, make(vector(len(cells))))
			l.make, l.cells = append(l.make, make), append(l.cells, cells)
		}
		l.steps = append(l.steps, int32(number))
		l.sizes = append(l.sizes, shapes[number][1])
	}
	if r.IntN(4) > 0 {
		for _, n := range l.sizes {
			l.nodes = append(l.nodes, vector(n))
			if r.IntN(4) == 0 {
				l.nodes[len(l.nodes)-1] = nil
			}
		}
	}
	if r.IntN(2) == 0 {
		l.final = vector(l.sizes[len(l.sizes)-1])
	}
	var err error
	if l.trellis, err = trellis.New(l.initial, l.blocks, l.steps, l.nodes, l.final); err != nil {
		panic(err)
	}
	if r.IntN(2) == 0 { // every other trellis stays, where it can
		l.stay = vector(len(l.steps))
		for n := range l.steps {
			if l.sizes[n] != l.sizes[n+1] {
				l.stay[n] = weight{}
			}
		}
		if err := l.trellis.SetStay(l.stay); err != nil {
			panic(err)
		}
	}
	return l
}

// cell is a cell of a block.
type cell struct{ row, col int32 }

// randomBlock returns how to make a block of the weights of its cells, which are some or
// all there are, in either form.
func randomBlock(r *rand.Rand, rows, cols int) (make func(w []weight) *trellis.Block, cells []cell) {
	row, col := []int32{0}, []int32{}
	full := r.IntN(2) == 0
	for i := range int32(rows) {
		for j := range int32(cols) {
			if full || r.IntN(3) > 0 {
				cells, col = append(cells, cell{i, j}), append(col, j)
			}
		}
		row = append(row, int32(len(col)))
	}
	dense := full && r.IntN(2) == 0
	return func(w []weight) *trellis.Block {
		if dense {
			return must(trellis.NewBlock(rows, cols, w))
		}
		return must(trellis.NewSparseBlock(rows, cols, row, col, w))
	}, cells
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// paths calls visit for all sequences of nodes i, or ^i for a stay, with weights.
func (l *layers) paths(visit func(path []int32, w weight)) {
	var follow func(path []int32, w weight)
	follow = func(path []int32, w weight) {
		t := len(path) - 1
		i, stays := path[t], path[t] < 0
		if stays {
			i = ^i
		}
		if !stays && l.nodes != nil && l.nodes[t] != nil {
			w = w.Mul(l.nodes[t][i])
		}
		if t == len(l.steps) {
			if l.final != nil {
				w = w.Mul(l.final[i])
			}
			visit(path, w)
			return
		}
		b := l.steps[t]
		for n, x := range l.blocks[b].Weights() {
			if c := l.cells[b][n]; c.row == i {
				follow(append(path[:t+1:t+1], c.col), w.Mul(x))
			}
		}
		if l.stay != nil && !l.stay[t].IsZero() {
			follow(append(path[:t+1:t+1], ^i), w.Mul(l.stay[t]))
		}
	}
	for i, w := range l.initial {
		follow([]int32{int32(i)}, w)
	}
}

// number returns the number of node i of a layer.
func (l *layers) number(layer int, i int32) int32 {
	for _, n := range l.sizes[:layer] {
		i += int32(n)
	}
	return i
}

// each calls visit for every part that a path uses: its place in one of the slices of
// parts.
func (l *layers) each(parts trellis.Parts, path []int32, visit func(x *float64)) {
	here := path[0]
	for layer, i := range path {
		if i < 0 {
			visit(&parts.Stay[layer-1])
			continue
		}
		visit(&parts.Node[l.number(layer, i)])
		if layer > 0 {
			b := l.steps[layer-1]
			visit(&parts.Block[b][slices.Index(l.cells[b], cell{here, i})])
		}
		here = i
	}
}

// zeros returns parts for a trellis of some blocks.
func zeros(t *trellis.Trellis, steps int, blocks ...*trellis.Block) trellis.Parts {
	p := trellis.Parts{Node: make([]float64, t.NumNodes()), Stay: make([]float64, steps)}
	for _, b := range blocks {
		p.Block = append(p.Block, make([]float64, b.NumCells()))
	}
	return p
}

func (l *layers) zeros() trellis.Parts { return zeros(l.trellis, len(l.steps), l.blocks...) }

// nearParts compares part by part.
func nearParts(a, b trellis.Parts, near func(a, b float64) bool) bool {
	return slices.EqualFunc(a.Node, b.Node, near) && slices.EqualFunc(a.Stay, b.Stay, near) &&
		slices.EqualFunc(a.Block, b.Block, func(x, y []float64) bool { return slices.EqualFunc(x, y, near) })
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-11*max(math.Abs(a), math.Abs(b))
}

func nearRelative(a, b weight) bool { return semiring.Scaled{}.Dist(a, b) < 1e-12 }

// magnitudes are distributions of weights.
var magnitudes = map[string]func(*rand.Rand) weight{
	"probabilities":  func(r *rand.Rand) weight { return semiring.NewScaled(r.Float64()) },
	"all magnitudes": anyMagnitude,
}

// anyMagnitude returns numbers from 2^-1500 to 2^1500, often near each other.
func anyMagnitude(r *rand.Rand) weight {
	spread := []float64{3, 300, 1500}[r.IntN(3)]
	return semiring.ScaledFromLog(spread * math.Ln2 * (2*r.Float64() - 1))
}

// eachTrellis runs a test for many random trellises.
func eachTrellis(t *testing.T, test func(t *testing.T, seed uint64, l *layers)) {
	for name, draw := range magnitudes {
		t.Run(name, func(t *testing.T) {
			for seed := range trials.Seeds(1500) {
				test(t, seed, randomLayers(graphtest.Rand(seed), draw))
			}
		})
	}
}

func TestTrellis(t *testing.T) {
	var scratch trellis.Scratch
	var alpha, beta []weight
	eachTrellis(t, func(t *testing.T, seed uint64, l *layers) {
		var want, best weight
		l.paths(func(_ []int32, w weight) {
			want = want.Add(w)
			best = semiring.Viterbi{}.Plus(best, w)
		})
		if got := l.trellis.PathSum(&scratch); !nearRelative(got, want) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
		g, err := l.trellis.Graph()
		if err != nil {
			t.Fatal(err)
		}
		if got := oracle.PathSum(g, len(l.steps)); !nearRelative(got, want) {
			t.Fatalf("seed %d: path sum of the graph %v, want %v", seed, got, want)
		}
		alpha = l.trellis.Forward(alpha, &scratch)
		beta = l.trellis.Backward(beta, &scratch)
		if want := oracle.Forward(g, len(l.steps)); !slices.EqualFunc(alpha, want, nearRelative) {
			t.Fatalf("seed %d: forward %v, want %v", seed, alpha, want)
		}
		if want := oracle.Backward(g, len(l.steps)); !slices.EqualFunc(beta, want, nearRelative) {
			t.Fatalf("seed %d: backward %v, want %v", seed, beta, want)
		}
		path, w, err := l.trellis.BestPath(nil, &scratch)
		if err != nil || !nearRelative(w, best) || (path != nil) != !best.IsZero() {
			t.Fatalf("seed %d: best path %v of weight %v, %v, want %v", seed, path, w, err, best)
		}
		l.paths(func(p []int32, x weight) {
			if slices.Equal(p, path) && !nearRelative(w, x) {
				t.Fatalf("seed %d: best path %v weighs %v, not %v", seed, path, x, w)
			}
		})
	})
}

func TestCounts(t *testing.T) {
	var scratch trellis.Scratch
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }
	eachTrellis(t, func(t *testing.T, seed uint64, l *layers) {
		var total weight
		l.paths(func(_ []int32, w weight) { total = total.Add(w) })
		want, got := l.zeros(), l.zeros()
		l.paths(func(path []int32, w weight) {
			if !total.IsZero() {
				l.each(want, path, func(x *float64) { *x += w.Div(total).Float64() })
			}
		})
		sum, err := l.trellis.Counts(1, got, &scratch)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !nearRelative(sum, total) {
			t.Fatalf("seed %d: total %v, want %v", seed, sum, total)
		}
		if !nearParts(got, want, near) {
			t.Fatalf("seed %d: posteriors %v, want %v", seed, got, want)
		}
	})
}

// Probabilities far below the range of float64 survive a million steps, and so do those
// of layers whose exponents differ.
func TestLong(t *testing.T) {
	for _, c := range []struct {
		name  string
		small float64
		steps int
	}{{"near", -40, 1_000_000}, {"far", -2000, 100_000}} {
		name, n := c.name, trials.Serial(c.steps)
		total := -20 * float64(n)
		b := newBlock(t, 2, 2, semiring.ScaledFromLog(-20), weight{}, weight{}, semiring.ScaledFromLog(c.small))
		tr, err := trellis.New(scaled(1, 1), []*trellis.Block{b}, make([]int32, n), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := zeros(tr, n, b)
		sum, err := tr.Counts(1, p, new(trellis.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		if got := sum.Log(); !near(got, total) {
			t.Errorf("%s: ln total %v, want %v", name, got, total)
		}
		// A sum of as many terms, all alike, is off by as many roundings.
		if !(math.Abs(p.Block[0][0]/float64(n)-1) < 1e-11+1e-16*float64(n)) || p.Block[0][3] > 1e-100 || !near(p.Node[n], 1) {
			t.Errorf("%s: counts %v, node %v", name, p.Block[0], p.Node[n])
		}
	}
}

// SetWeights reaches every trellis that has the block, in all of its forms.
func TestBlockSetWeights(t *testing.T) {
	r := graphtest.Rand(4)
	for range 200 {
		draw := func(n int) []weight {
			w := make([]weight, n)
			for i := range w {
				w[i] = anyMagnitude(r)
			}
			return w
		}
		b := newBlock(t, 3, 3, draw(9)...)
		initial := scaled(r.Float64(), r.Float64(), r.Float64())
		tr, err := trellis.New(initial, []*trellis.Block{b}, []int32{0, 0, 0}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.SetWeights(draw(9)); err != nil {
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
		p := zeros(tr, 3, b)
		total, err := tr.Counts(1, p, new(trellis.Scratch))
		if err != nil || !nearRelative(total, want.Total) {
			t.Fatalf("total %v, %v, want %v", total, err, want.Total)
		}
		sums := make([]float64, b.NumCells())
		for e, x := range want.Arc {
			sums[e%len(sums)] += x
		}
		if !slices.EqualFunc(p.Block[0], sums, func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*b+1e-100 }) {
			t.Fatalf("counts %v, want %v", p.Block[0], sums)
		}
	}
}

func newBlock(tb testing.TB, rows, cols int, w ...weight) *trellis.Block {
	b, err := trellis.NewBlock(rows, cols, w)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func scaled(x ...float64) []weight {
	w := make([]weight, len(x))
	for i, a := range x {
		w[i] = semiring.NewScaled(a)
	}
	return w
}
