package trellis

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// pattern holds the positions of the cells of a sparse block.
type pattern struct {
	row, col   []int32 // row i has the cells row[i], …, row[i+1]−1, their columns ascending
	columns    []int32 // column j has the entries columns[j], …, columns[j+1]−1 of
	cell, from []int32 // the cells, and their rows
}

// NewSparseBlock returns the block of rows × cols weights that has only the given cells. Row i
// has the cells row[i], …, row[i+1]−1. Cell k is in column col[k], ascending in each row, and has
// the weight weight[k]. col and row are kept and must not be modified; weight is copied. A cell
// takes three quarters of the memory that it takes in a NewBlock, and about four times as long.
// So the sparse form is better if less than a quarter of the cells exist. Rows that no path has
// reached cost almost no time.
//
// Slices with a number per cell of the block have one number for each of these cells.
//
// The error wraps semiring.ErrShape if the sizes of the slices do not match, a column is out of
// range or not above the preceding column of its row, or rows or cols is not positive.
func NewSparseBlock(rows, cols int, row, col []int32, weight []semiring.ScaledFloat) (*Block, error) {
	switch {
	case rows <= 0 || cols <= 0:
		return nil, nested.Errorf("trellis: %w: a block of %d × %d", semiring.ErrShape, rows, cols)
	case rows >= math.MaxInt32 || cols >= math.MaxInt32:
		return nil, nested.Errorf("trellis: %w: a block of %d × %d", semiring.ErrLimit, rows, cols)
	case len(row) != rows+1 || row[0] != 0 || int(row[rows]) != len(col) || len(weight) != len(col):
		return nil, nested.Errorf("trellis: %w: %d ends of rows, %d columns and %d weights for a sparse block of %d × %d", semiring.ErrShape, len(row)-1, len(col), len(weight), rows, cols)
	}
	for i, lo := range row[:rows] {
		hi := row[i+1]
		if hi < lo || int(hi) > len(col) {
			return nil, nested.Errorf("trellis: %w: row %d of a sparse block has the cells from %d up to %d", semiring.ErrShape, i, lo, hi)
		}
		before := int32(-1)
		for _, j := range col[lo:hi] {
			if j <= before || int(j) >= cols {
				return nil, nested.Errorf("trellis: %w: column %d after %d in row %d of a sparse block of %d × %d", semiring.ErrShape, j, before, i, rows, cols)
			}
			before = j
		}
	}
	b := &Block{
		rows: rows, cols: cols, sparse: newPattern(cols, row, col),
		weight: make([]semiring.ScaledFloat, len(col)), number: make([]float64, len(col)),
	}
	return b, b.SetWeights(weight)
}

// newPattern returns the pattern with the given rows and columns.
func newPattern(cols int, row, col []int32) *pattern {
	p := &pattern{row: row, col: col, columns: make([]int32, cols+1), cell: make([]int32, len(col)), from: make([]int32, len(col))}
	for _, j := range col {
		p.columns[j+1]++
	}
	for j := range cols {
		p.columns[j+1] += p.columns[j]
	}
	next := make([]int32, cols)
	copy(next, p.columns)
	for i, lo := range row[:len(row)-1] {
		for k := lo; k < row[i+1]; k++ {
			at := &next[col[k]]
			p.cell[*at], p.from[*at] = k, int32(i)
			*at++
		}
	}
	return p
}

// timesColumn sets y = A·x for the matrix A with the numbers a per cell.
func (p *pattern) timesColumn(y, a, x []float64) {
	lo, col := p.row[0], p.col[:len(a)]
	for i, hi := range p.row[1:] {
		sum := 0.0
		for k := lo; k < hi; k++ {
			sum += a[k] * x[col[k]]
		}
		y[i], lo = sum, hi
	}
}

// rowTimes sets y = x·A for the matrix A with the numbers a per cell.
func (p *pattern) rowTimes(y, x, a []float64) {
	clear(y)
	lo, col := p.row[0], p.col[:len(a)]
	for i, hi := range p.row[1:] {
		if f := x[i]; f != 0 {
			for k := lo; k < hi; k++ {
				y[col[k]] += f * a[k]
			}
		}
		lo = hi
	}
}

// addOuter adds factor·x[i]·y[j] to the sum of every cell (i, j).
func (p *pattern) addOuter(sum []float64, factor float64, x, y []float64) {
	lo, col := p.row[0], p.col[:len(sum)]
	for i, hi := range p.row[1:] {
		if f := factor * x[i]; f != 0 {
			for k := lo; k < hi; k++ {
				sum[k] += f * y[col[k]]
			}
		}
		lo = hi
	}
}

// addBack is addOuter and then timesColumn in one loop, It skips rows with x[i] = 0 and sets z[i]
// = 0 for them.
func (p *pattern) addBack(z, sum []float64, factor float64, x, a, y []float64) {
	lo, col, sum := p.row[0], p.col[:len(a)], sum[:len(a)]
	for i, hi := range p.row[1:] {
		total := 0.0
		if f := factor * x[i]; x[i] != 0 {
			for k := lo; k < hi; k++ {
				b := y[col[k]]
				total += a[k] * b
				sum[k] += f * b
			}
		}
		z[i], lo = total, hi
	}
}
