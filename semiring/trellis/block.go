package trellis

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// Block is a matrix of transition weights, from the nodes of one layer of a Trellis
// (rows) to the nodes of the next (columns). Weight 0 says that there is no transition. A
// Block is meant to be shared by the steps of a trellis and by any number of trellises,
// and keeps what all of them need: the weights by row and by column and, where they
// allow it, as float64 numbers with one exponent.
//
// A Block is safe for concurrent use, SetWeights excepted.
type Block struct {
	rows, cols int
	weight     []semiring.ScaledFloat // row by row
	transposed []semiring.ScaledFloat
	number     []float64 // times 2^(512·exp) the weights, if real
	transpose  []float64 // of number
	exp        int64
	real       bool
	narrow     bool // exp is 0 and no number is above greatestFactor
}

// NewBlock returns the block of rows × cols weights, given row by row; they are copied.
// The error wraps semiring.ErrShape if there are not as many or none, and
// semiring.ErrLimit if there are too many for int32.
func NewBlock(rows, cols int, weight []semiring.ScaledFloat) (*Block, error) {
	switch {
	case rows <= 0 || cols <= 0:
		return nil, fmt.Errorf("trellis: %w: a block of %d × %d", semiring.ErrShape, rows, cols)
	case rows > math.MaxInt32/cols:
		return nil, fmt.Errorf("trellis: %w: a block of %d × %d", semiring.ErrLimit, rows, cols)
	}
	n := rows * cols
	if len(weight) != n {
		return nil, fmt.Errorf("trellis: %w: %d weights for a block of %d × %d", semiring.ErrShape, len(weight), rows, cols)
	}
	b := &Block{
		rows: rows, cols: cols,
		weight: make([]semiring.ScaledFloat, n), transposed: make([]semiring.ScaledFloat, n),
		number: make([]float64, n), transpose: make([]float64, n),
	}
	return b, b.SetWeights(weight)
}

// SetWeights gives the block, and with it all trellises that refer to it, other
// weights, row by row, without allocating; they are copied. Nobody may be using such a
// trellis meanwhile. The error wraps semiring.ErrShape if there are not as many as
// cells.
func (b *Block) SetWeights(weight []semiring.ScaledFloat) error {
	if len(weight) != len(b.weight) {
		return fmt.Errorf("trellis: %w: %d weights for a block of %d × %d", semiring.ErrShape, len(weight), b.rows, b.cols)
	}
	copy(b.weight, weight)
	transpose(b.transposed, weight, b.rows)
	b.exp, b.real = toNumbers(b.number, weight)
	b.narrow = b.real && b.exp == 0 && greatest(b.number) <= greatestFactor
	transpose(b.transpose, b.number, b.rows)
	return nil
}

// transpose sets dst to the transpose of x, a matrix with the given number of rows.
func transpose[T any](dst, x []T, rows int) {
	cols := len(x) / rows
	for i := range rows {
		at := i
		for _, a := range x[i*cols : (i+1)*cols] {
			dst[at] = a
			at += rows
		}
	}
}

// NumCells returns the number of cells, rows times columns.
func (b *Block) NumCells() int { return len(b.weight) }

// Weights returns the weight of every cell, row by row. Not to be modified.
func (b *Block) Weights() []semiring.ScaledFloat { return b.weight }

// row returns the weights of row i.
func (b *Block) row(i int) []semiring.ScaledFloat { return b.weight[i*b.cols : (i+1)*b.cols] }

// timesColumn sets y = A·x for the matrix A of b's numbers.
func (b *Block) timesColumn(y, x []float64) {
	switch {
	case b.cols == 1:
		scaled(y, x[0], b.number)
	case b.rows == 1:
		y[0] = floats.Dot(b.number, x)
	default:
		// A sum of columns is the faster loop.
		blas64.Gemv(blas.Trans, 1, general(b.cols, b.rows, b.transpose), vector(x), 0, vector(y))
	}
}

// rowTimes sets y = x·A.
func (b *Block) rowTimes(y, x []float64) {
	switch {
	case b.cols == 1:
		y[0] = floats.Dot(b.number, x)
	case b.rows == 1:
		scaled(y, x[0], b.number)
	default:
		blas64.Gemv(blas.Trans, 1, general(b.rows, b.cols, b.number), vector(x), 0, vector(y))
	}
}

// addOuter adds factor·x[i]·y[j] to the sum of every cell (i, j).
func (b *Block) addOuter(sum []float64, factor float64, x, y []float64) {
	blas64.Ger(factor, vector(x), vector(y), general(b.rows, b.cols, sum))
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
