package trellis_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// randomMatrix is a square matrix in which each cell exists with a given probability, as a sparse
// block and as one with all cells, and which cell of the latter each of the former is.
func randomMatrix(r *rand.Rand, n int, density float64, draw func(*rand.Rand) weight) (sparse, dense *trellis.Block, cell []int) {
	row, col, full := []int32{0}, []int32{}, make([]weight, n*n)
	var w []weight
	for i := range n {
		for j := range n {
			if r.Float64() < density {
				cell = append(cell, i*n+j)
				full[i*n+j] = draw(r)
				col, w = append(col, int32(j)), append(w, full[i*n+j])
			}
		}
		row = append(row, int32(len(col)))
	}
	return must(trellis.NewSparseBlock(n, n, row, col, w)), must(trellis.NewBlock(n, n, full)), cell
}

// A sparse block does what a block does that has weight 0 for the other cells, over
// hundreds of layers, in some of which few nodes can be reached.
func TestSparseAsDense(t *testing.T) {
	var s trellis.Scratch
	for name, draw := range magnitudes {
		for seed := range trials.Seeds(60) {
			r := graphtest.Rand(seed)
			n := 5 + r.IntN(30)
			var blocks [2][]*trellis.Block
			var cells [][]int
			for range 3 {
				sparse, dense, cell := randomMatrix(r, n, []float64{.1, .3, .9}[r.IntN(3)], draw)
				blocks[0], blocks[1], cells = append(blocks[0], sparse), append(blocks[1], dense), append(cells, cell)
			}
			initial, steps := make([]weight, n), make([]int32, 200)
			initial[r.IntN(n)] = draw(r)
			for t := range steps {
				steps[t] = int32(r.IntN(3))
			}
			tr := [2]*trellis.Trellis{must(trellis.New(initial, blocks[0], steps, nil, nil)), must(trellis.New(initial, blocks[1], steps, nil, nil))}
			v, counts, change := [2]trellis.Parts{}, [2]trellis.Parts{}, [2]trellis.Parts{}
			for form, x := range tr {
				v[form], counts[form], change[form] = zeros(x, len(steps), blocks[form]...), zeros(x, len(steps), blocks[form]...), zeros(x, len(steps), blocks[form]...)
			}
			for b, cell := range cells {
				for k, at := range cell {
					v[0].Block[b][k] = r.NormFloat64()
					v[1].Block[b][at] = v[0].Block[b][k]
				}
			}
			var total, best [2]weight
			for form, x := range tr {
				var err, err2, err3 error
				total[form], err = x.Counts(.5, counts[form], &s)
				_, err2 = x.HessianVector(v[form], .5, change[form], &s)
				_, best[form], err3 = x.BestPath(nil, &s)
				if err != nil || err2 != nil || err3 != nil {
					t.Fatal(err, err2, err3)
				}
				if sum := x.PathSum(&s); !nearRelative(sum, total[form]) {
					t.Fatalf("%s, seed %d: path sum %v, total %v", name, seed, sum, total[form])
				}
			}
			if !nearRelative(total[0], total[1]) || !nearRelative(best[0], best[1]) {
				t.Fatalf("%s, seed %d: totals %v, best paths %v", name, seed, total, best)
			}
			for b, cell := range cells {
				for k, at := range cell {
					near := func(x [2]trellis.Parts) bool {
						return math.Abs(x[0].Block[b][k]-x[1].Block[b][at]) <= 1e-10*max(1, math.Abs(x[1].Block[b][at]))
					}
					if !near(counts) || !near(change) {
						t.Fatalf("%s, seed %d: other counts of cell %d of block %d", name, seed, at, b)
					}
				}
			}
			if !slices.EqualFunc(counts[0].Node, counts[1].Node, func(a, b float64) bool { return math.Abs(a-b) <= 1e-11 }) {
				t.Fatalf("%s, seed %d: other counts of nodes", name, seed)
			}
		}
	}
}

func TestNewSparseBlockRefuses(t *testing.T) {
	one, two := scaled(1), scaled(1, 1)
	for name, f := range map[string]func() (*trellis.Block, error){
		"no rows":         func() (*trellis.Block, error) { return trellis.NewSparseBlock(0, 1, []int32{0}, nil, nil) },
		"no ends of rows": func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 1, nil, nil, nil) },
		"first row":       func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 2, []int32{1, 2}, []int32{0, 1}, two) },
		"last row":        func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 2, []int32{0, 1}, []int32{0, 1}, two) },
		"rows back": func() (*trellis.Block, error) {
			return trellis.NewSparseBlock(3, 2, []int32{0, 2, 1, 2}, []int32{0, 1}, two)
		},
		"rows beyond": func() (*trellis.Block, error) {
			return trellis.NewSparseBlock(2, 2, []int32{0, 3, 2}, []int32{0, 1}, two)
		},
		"columns repeated": func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 2, []int32{0, 2}, []int32{1, 1}, two) },
		"columns beyond":   func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 1, []int32{0, 1}, []int32{1}, one) },
		"columns negative": func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 1, []int32{0, 1}, []int32{-1}, one) },
		"weights":          func() (*trellis.Block, error) { return trellis.NewSparseBlock(1, 1, []int32{0, 1}, []int32{0}, two) },
	} {
		if _, err := f(); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	if _, err := trellis.NewSparseBlock(math.MaxInt32, 1, nil, nil, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	// No cells at all are a matrix too.
	b := must(trellis.NewSparseBlock(2, 3, []int32{0, 0, 0}, nil, nil))
	tr := must(trellis.New(scaled(1, 1), []*trellis.Block{b}, []int32{0}, nil, nil))
	if total, err := tr.Counts(1, zeros(tr, 1, b), new(trellis.Scratch)); err != nil || !total.IsZero() {
		t.Errorf("a path sum of %v, %v without an arc", total, err)
	}
}

// sparseByHand is forward and backward over one sparse matrix for all steps, the greatest
// number of a layer made 1; all are positive.
func sparseByHand(row, col []int32, a []float64, n, steps int, alpha, beta, next, count []float64) {
	for t := range steps {
		x, y, top := alpha[t*n:(t+1)*n], alpha[(t+1)*n:(t+2)*n], 0.0
		clear(y)
		for i, f := range x {
			for k := row[i]; k < row[i+1]; k++ {
				y[col[k]] += f * a[k]
			}
		}
		for _, f := range y {
			top = max(top, f)
		}
		for j := range y {
			y[j] /= top
		}
	}
	for j := range beta {
		beta[j] = 1
	}
	for t := steps - 1; t >= 0; t-- {
		x, total := alpha[t*n:(t+1)*n], 0.0
		for i, f := range x {
			sum := 0.0
			for k := row[i]; k < row[i+1]; k++ {
				sum += a[k] * beta[col[k]]
			}
			next[i] = sum
			total += f * sum
		}
		for i, f := range x {
			f /= total
			for k := row[i]; k < row[i+1]; k++ {
				count[k] += f * a[k] * beta[col[k]]
			}
			next[i] /= total
		}
		beta, next = next, beta
	}
}

// Posteriors over a sparse matrix by density, in both forms and by hand; ns per cell that is
// there and step.
func BenchmarkSparse(b *testing.B) {
	const n, steps = 200, 1000
	for _, density := range []float64{.02, .1, .25, .5} {
		sparse, dense, _ := randomMatrix(graphtest.Rand(1), n, density, magnitudes["probabilities"])
		cells := sparse.NumCells() * steps
		for _, form := range []struct {
			name  string
			block *trellis.Block
		}{{"sparse", sparse}, {"dense", dense}} {
			b.Run(fmt.Sprintf("%g/%s", density, form.name), func(b *testing.B) {
				ones := scaled(slices.Repeat([]float64{1}, n)...)
				tr := must(trellis.New(ones, []*trellis.Block{form.block}, make([]int32, steps), nil, nil))
				p, s := trellis.Parts{Block: zeros(tr, steps, form.block).Block}, new(trellis.Scratch)
				defer benchtime.Per(b, cells, "cell")()
				for b.Loop() {
					if _, err := tr.Counts(1, p, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("%g/hand", density), func(b *testing.B) {
			row, col, a := []int32{0}, []int32{}, []float64{}
			for k, w := range dense.Weights() {
				if !w.IsZero() {
					col, a = append(col, int32(k%n)), append(a, w.Float64())
				}
				if k%n == n-1 {
					row = append(row, int32(len(col)))
				}
			}
			alpha, beta, next, count := make([]float64, n*(steps+1)), make([]float64, n), make([]float64, n), make([]float64, len(col))
			for i := range n {
				alpha[i] = 1
			}
			defer benchtime.Per(b, cells, "cell")()
			for b.Loop() {
				sparseByHand(row, col, a, n, steps, alpha, beta, next, count)
			}
		})
	}
}

// TestBlockReset: a block of numbers is the block of their weights, whatever it was before:
// another shape, sparse, or made of weights. Numbers beyond the range of sums are weights. The
// caller may know their range.
func TestBlockReset(t *testing.T) {
	var b trellis.Block
	sparse, err := trellis.NewSparseBlock(2, 2, []int32{0, 1, 2}, []int32{1, 0}, make([]semiring.ScaledFloat, 2))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range trials.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(5)
		scale := []float64{1, 1e-30, 1e30, 1e-200, 1e250}[r.IntN(5)]
		numbers, weights := make([]float64, n*n), make([]semiring.ScaledFloat, n*n)
		for i := range numbers {
			if r.IntN(4) > 0 {
				numbers[i] = r.ExpFloat64() * scale
			}
			weights[i] = semiring.NewScaled(numbers[i])
		}
		want, err := trellis.NewBlock(n, n, weights)
		if err != nil {
			t.Fatal(err)
		}
		given := slices.Clone(numbers)
		got := &b
		if r.IntN(8) == 0 {
			got = sparse
		}
		reset := func() error { return got.Reset(n, n, numbers) }
		if r.IntN(2) == 0 {
			least, most := math.Inf(1), 0.0
			for _, x := range numbers {
				if most = max(most, x); x > 0 {
					least = min(least, x)
				}
			}
			slack := 1 + r.Float64()
			reset = func() error { return got.ResetWithin(n, n, numbers, least/slack, most*slack) }
		}
		if err := reset(); err != nil {
			t.Fatal(err)
		}
		if got.NumCells() != n*n {
			t.Fatalf("%d cells", got.NumCells())
		}
		ones := slices.Repeat([]semiring.ScaledFloat{semiring.NewScaled(1)}, n)
		var answers [2][]any
		for i, b := range []*trellis.Block{got, want} {
			x, err := trellis.New(ones, []*trellis.Block{b}, make([]int32, 4), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var s trellis.Scratch
			sum := trellis.Parts{Node: make([]float64, 5*n), Block: [][]float64{make([]float64, n*n)}}
			total, err := x.Counts(1, sum, &s)
			if err != nil {
				t.Fatal(err)
			}
			answers[i] = []any{total, x.PathSum(&s)}
			for _, p := range slices.Concat(sum.Node, sum.Block[0]) {
				answers[i] = append(answers[i], p)
			}
			for _, w := range slices.Concat(x.Forward(nil, &s), x.Backward(nil, &s), b.Weights()) {
				answers[i] = append(answers[i], w)
			}
			if r.IntN(2) == 0 {
				if err := b.SetWeights(weights); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(given, numbers) {
			t.Fatal("the numbers are modified")
		}
		if !slices.Equal(answers[0], answers[1]) {
			t.Fatalf("seed %d, scale %g:\n%v, want\n%v", seed, scale, answers[0], answers[1])
		}
	}
}

// TestBlockResetShared: several goroutines may want the weights of a block of numbers first.
func TestBlockResetShared(t *testing.T) {
	var b trellis.Block
	for range 100 {
		if err := b.Reset(2, 2, []float64{1, 2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if w := b.Weights(); w[3].Float64() != 4 {
					t.Errorf("weight %v", w[3])
				}
			})
		}
		wg.Wait()
	}
}

func TestBlockResetFaults(t *testing.T) {
	var b trellis.Block
	for _, x := range []struct{ rows, cols, n int }{{0, 1, 0}, {1, 0, 0}, {2, 2, 3}, {-1, -1, 1}} {
		if err := b.Reset(x.rows, x.cols, make([]float64, x.n)); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%+v: %v", x, err)
		}
		if err := b.ResetWithin(x.rows, x.cols, make([]float64, x.n), 1, 1); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%+v within a range: %v", x, err)
		}
	}
	if err := b.Reset(1, 2, []float64{1, math.Inf(1)}); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(b.Weights()[1].Float64(), 1) {
		t.Errorf("weights %v", b.Weights())
	}
}
