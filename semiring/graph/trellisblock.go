package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// Block is a matrix of transition weights, from the nodes of one layer of a Trellis
// (rows) to those of the next (columns): dense, or a band low ≤ column − row ≤ high
// outside which there are no transitions. It is meant to be shared by the steps of a
// trellis and by any number of trellises, and keeps what all of them need: the
// weights by row and by column, and as float64 numbers with one exponent where the
// ring has the capability semiring.BlockFloat and they allow it.
//
// The weights in the band and in the matrix, row by row, are its cells. A Block is
// safe for concurrent use, SetWeights excepted.
type Block[W any] struct {
	ring       semiring.Semiring[W]
	float      semiring.BlockFloat[W] // nil if the ring is none
	rows, cols int
	out, in    lines[W] // by row; by column
	cell       []int32  // the cell of every entry of in
	dense      bool
	real       bool // out.real and in.real, times 2^(512·exp), are the weights
	exp        int64
	narrow     bool // see narrow
}

// lines is a band matrix in compressed rows: line i has the entries row[i], …,
// row[i+1]−1, in the columns from first[i] on.
type lines[W any] struct {
	row, first []int32
	weight     []W
	real       []float64
}

// line returns the entries of line i and the range of their columns.
func (l *lines[W]) line(i int) (lo, hi, first, end int32) {
	lo, hi, first = l.row[i], l.row[i+1], l.first[i]
	return lo, hi, first, first + hi - lo
}

// NewBlock returns the dense block of rows × cols weights, given row by row; they are
// copied. The error wraps semiring.ErrShape if there are not as many or none, and
// semiring.ErrLimit if there are too many for int32.
func NewBlock[W any](ring semiring.Semiring[W], rows, cols int, weight []W) (*Block[W], error) {
	return NewBand(ring, rows, cols, 1-rows, cols-1, weight)
}

// NewBand returns the block of rows × cols whose row i holds the columns from i+low
// to i+high, as far as they exist; weight lists these cells row by row, without gaps
// for what is missing. Errors are those of NewBlock.
func NewBand[W any](ring semiring.Semiring[W], rows, cols, low, high int, weight []W) (*Block[W], error) {
	if rows <= 0 || cols <= 0 {
		return nil, fmt.Errorf("graph: %w: a block of %d × %d", semiring.ErrShape, rows, cols)
	}
	low, high = max(-rows, min(low, cols)), max(-rows, min(high, cols)) // the same band
	b := &Block[W]{ring: ring, rows: rows, cols: cols}
	b.float, _ = semiring.As[semiring.BlockFloat[W]](ring)
	var err error
	if b.out, err = newLines[W](rows, cols, low, high); err != nil {
		return nil, err
	}
	if b.in, err = newLines[W](cols, rows, -high, -low); err != nil {
		return nil, err
	}
	b.dense = b.NumCells() == rows*cols
	b.cell = make([]int32, b.NumCells())
	for j := range cols {
		lo, _, first, end := b.in.line(j)
		for i := first; i < end; i++ {
			b.cell[lo+i-first] = b.out.row[i] + int32(j) - b.out.first[i]
		}
	}
	if b.float != nil {
		b.out.real, b.in.real = make([]float64, b.NumCells()), make([]float64, b.NumCells())
	}
	return b, b.SetWeights(weight)
}

// newLines lays out a band.
func newLines[W any](rows, cols, low, high int) (lines[W], error) {
	l := lines[W]{row: make([]int32, rows+1), first: make([]int32, rows)}
	n := 0
	for i := range rows {
		first := min(max(0, i+low), cols)
		n += max(0, min(cols, i+high+1)-first)
		if n > math.MaxInt32 {
			return l, fmt.Errorf("graph: %w: a block of %d × %d", semiring.ErrLimit, rows, cols)
		}
		l.first[i], l.row[i+1] = int32(first), int32(n)
	}
	l.weight = make([]W, n)
	return l, nil
}

// SetWeights gives the block, and with it all trellises that refer to it, other
// weights, one per cell, without allocating; they are copied. Nobody may be using
// such a trellis meanwhile. The error wraps semiring.ErrShape if there are not as
// many as cells.
func (b *Block[W]) SetWeights(weight []W) error {
	if len(weight) != b.NumCells() {
		return fmt.Errorf("graph: %w: %d weights for a block of %d × %d with %d cells",
			semiring.ErrShape, len(weight), b.rows, b.cols, b.NumCells())
	}
	copy(b.out.weight, weight)
	for n, c := range b.cell {
		b.in.weight[n] = weight[c]
	}
	if b.float == nil {
		return nil
	}
	b.exp, b.real = b.float.ToBlock(b.out.real, weight)
	b.narrow = b.real && narrow(b.exp, b.out.real)
	for n := range b.in.real {
		b.in.real[n] = b.out.real[b.cell[n]]
	}
	return nil
}

// Size returns the numbers of rows and columns.
func (b *Block[W]) Size() (rows, cols int) { return b.rows, b.cols }

// NumCells returns the number of cells.
func (b *Block[W]) NumCells() int { return len(b.out.weight) }

// Row returns the cells of row i, lo, …, hi−1; they are in the columns col, col+1, ….
func (b *Block[W]) Row(i int) (lo, hi, col int) {
	l, h, first, _ := b.out.line(i)
	return int(l), int(h), int(first)
}

// Weights returns the weight of every cell. Not to be modified.
func (b *Block[W]) Weights() []W { return b.out.weight }

// timesColumn sets y = A·x for the real matrix A of b.
func (b *Block[W]) timesColumn(y, x []float64) {
	switch {
	case b.cols == 1 && b.dense:
		scaled(y, x[0], b.out.real)
		return
	case b.rows == 1 && b.dense:
		y[0] = floats.Dot(b.out.real, x)
		return
	case b.dense:
		// That of the transpose is the faster loop, a sum of columns.
		blas64.Gemv(blas.Trans, 1, general(b.cols, b.rows, b.in.real), vector(x), 0, vector(y))
		return
	}
	b.out.times(y, x)
}

// rowTimes sets y = x·A.
func (b *Block[W]) rowTimes(y, x []float64) {
	switch {
	case b.cols == 1 && b.dense:
		y[0] = floats.Dot(b.out.real, x)
		return
	case b.rows == 1 && b.dense:
		scaled(y, x[0], b.out.real)
		return
	case b.dense:
		blas64.Gemv(blas.Trans, 1, general(b.rows, b.cols, b.out.real), vector(x), 0, vector(y))
		return
	}
	b.in.times(y, x)
}

// times sets y to the product of the real matrix and x.
func (l *lines[W]) times(y, x []float64) {
	for i := range y {
		lo, hi, first, end := l.line(i)
		y[i] = floats.Dot(l.real[lo:hi], x[first:end])
	}
}

// addOuter adds factor·x[i]·y[j] to the sum of every cell (i, j).
func (b *Block[W]) addOuter(sum []float64, factor float64, x, y []float64) {
	if b.dense {
		blas64.Ger(factor, vector(x), vector(y), general(b.rows, b.cols, sum))
		return
	}
	for i, a := range x {
		lo, hi, first, end := b.out.line(i)
		floats.AddScaled(sum[lo:hi], factor*a, y[first:end])
	}
}

// scaled sets y to factor·x.
func scaled(y []float64, factor float64, x []float64) {
	y = y[:len(x)]
	for i, a := range x {
		y[i] = factor * a
	}
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Data: data, Stride: cols}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }
