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

// zeros returns parts for a trellis of some blocks.
func zeros(t *trellis.Trellis, steps int, blocks ...*trellis.Block) trellis.Parts {
	p := trellis.Parts{Node: make([]float64, t.NumNodes()), Stay: make([]float64, steps)}
	for _, b := range blocks {
		p.Block = append(p.Block, make([]float64, b.NumCells()))
	}
	return p
}

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
func eachTrellis(t *testing.T, test func(t *testing.T, seed uint64, x *indexed)) {
	for name, draw := range magnitudes {
		t.Run(name, func(t *testing.T) {
			for seed := range trials.Seeds(1000) {
				r := graphtest.Rand(seed)
				table := make([]weight, 12)
				for k := 1; k < len(table); k++ {
					table[k] = draw(r)
				}
				x := newIndexed(r, 4, true)
				if err := x.weigh(table); err != nil {
					t.Fatal(err)
				}
				test(t, seed, x)
			}
		})
	}
}

func (t *indexed) zeros() trellis.Parts { return zeros(&t.Trellis, len(t.steps), t.block...) }

// arcNumbers returns, per arc of the graph of t, the numbers of p that its uses count for.
func (t *indexed) arcNumbers(p trellis.Parts) (arcs [][]*float64) {
	next := 0
	for n, b := range t.steps {
		next += t.sizes[n]
		cell := 0
		for i := range t.sizes[n] {
			for ; cell < len(t.places[b]) && int(t.places[b][cell].row) == i; cell++ {
				to := next + int(t.places[b][cell].col)
				arcs = append(arcs, []*float64{&p.Block[b][cell], &p.Node[to]})
			}
			if t.stay.index != nil && !t.stay.weight[n].IsZero() {
				arcs = append(arcs, []*float64{&p.Stay[n]})
			}
		}
	}
	return arcs
}

// Sums, counts and derivatives agree with the graph.
func TestGraph(t *testing.T) {
	var scratch trellis.Scratch
	var alpha, beta []weight
	eachTrellis(t, func(t *testing.T, seed uint64, x *indexed) {
		g, err := x.Graph()
		if err != nil {
			t.Fatal(err)
		}
		total := oracle.PathSum(g, len(x.steps))
		if got := x.PathSum(&scratch); !nearRelative(got, total) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, total)
		}
		alpha, beta = x.Forward(alpha, &scratch), x.Backward(beta, &scratch)
		if want := oracle.Forward(g, len(x.steps)); !slices.EqualFunc(alpha, want, nearRelative) {
			t.Fatalf("seed %d: forward %v, want %v", seed, alpha, want)
		}
		if want := oracle.Backward(g, len(x.steps)); !slices.EqualFunc(beta, want, nearRelative) {
			t.Fatalf("seed %d: backward %v, want %v", seed, beta, want)
		}
		if total.IsZero() {
			return // a graph without a path has no posteriors
		}
		found, err := graph.Posteriors(g)
		if err != nil {
			t.Fatal(err)
		}
		got, want := x.zeros(), x.zeros()
		copy(want.Node, found.Start)
		for e, numbers := range x.arcNumbers(want) {
			for _, n := range numbers {
				*n += found.Arc[e]
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }
		if _, err := x.Counts(1, got, &scratch); err != nil || !nearParts(got, want, near) {
			t.Fatalf("seed %d: counts %v, %v, want %v", seed, got, err, want)
		}
		v, change := filled(randomValues(graphtest.Rand(seed+1<<32), x.zeros()), x.zeros()), x.zeros()
		values := graph.Parts{Start: v.Node[:x.sizes[0]], Arc: make([]float64, g.NumArcs())}
		for e, numbers := range x.arcNumbers(v) {
			for _, n := range numbers {
				values.Arc[e] += *n
			}
		}
		h, err := graph.HessianVector(g, values)
		if err != nil {
			t.Fatal(err)
		}
		want = x.zeros()
		copy(want.Node, h.Start)
		for e, numbers := range x.arcNumbers(want) {
			for _, n := range numbers {
				*n += h.Arc[e]
			}
		}
		near = func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }
		if _, err := x.HessianVector(v, 1, change, &scratch); err != nil || !nearParts(change, want, near) {
			t.Fatalf("seed %d: derivatives %v, %v, want %v", seed, change, err, want)
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
		// A sum of n equal terms has an error of up to n roundings.
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
