package trellis

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/matrix"
	"example.org/pathsum/semiring/internal/rows"
)

// Block is a matrix of transition weights, from the nodes of one layer of a Trellis (rows) to the
// nodes of the next (columns). Weight 0 means that there is no transition. A Block is meant to be
// shared by the steps of a trellis and by any number of trellises. It stores the weights by row
// and by column and, if their range allows it, by row as float64 numbers with one exponent.
//
// NewBlock makes a block with a cell for every row and column, NewSparseBlock a block with only
// the given cells.
//
// The zero Block has no cells and is ready for Reset.
//
// A Block is safe for concurrent use, except for SetWeights and Reset.
type Block struct {
	rows, cols int
	weight     []semiring.ScaledFloat // cell by cell
	transposed []semiring.ScaledFloat // nil if sparse
	number     []float64              // the weights are number·2^(512·exp), if real
	exp        int64
	real       bool
	narrow     bool     // real, and exp is in range
	excess     float64  // greatest number divided by greatestFactor, at least 1
	sparse     *pattern // nil if all cells exist
	late       late     // see Reset
	kept       bool     // number is the caller's
}

// NewBlock returns the block of rows × cols weights, given row by row; they are copied. The error
// wraps semiring.ErrShape if the number of weights is not rows × cols or rows or cols is not
// positive, and semiring.ErrLimit if there are too many cells for int32.
func NewBlock(rows, cols int, weight []semiring.ScaledFloat) (*Block, error) {
	n := len(weight)
	if err := checkShape(rows, cols, n); err != nil {
		return nil, err
	}
	b := &Block{
		rows: rows, cols: cols,
		weight: make([]semiring.ScaledFloat, n), transposed: make([]semiring.ScaledFloat, n),
		number: make([]float64, n),
	}
	return b, b.SetWeights(weight)
}

// SetWeights copies new weights, cell by cell, into the block, without allocating. They apply to
// all trellises that refer to the block; such a trellis must not be in use during the call. The
// error wraps semiring.ErrShape if the number of weights is not the number of cells.
func (b *Block) SetWeights(weight []semiring.ScaledFloat) error {
	if len(weight) != len(b.number) {
		return nested.Errorf("trellis: %w: %d weights for the %d cells of a block of %d × %d", semiring.ErrShape, len(weight), len(b.number), b.rows, b.cols)
	}
	b.weight = append(b.weight[:0], weight...)
	if b.kept {
		b.number, b.kept = make([]float64, len(weight)), false
	}
	b.late.wanting.Store(false)
	b.exp, b.real = toNumbers(b.number, weight)
	b.narrow = b.real && inRange(b.exp)
	b.excess = max(1, greatest(b.number)/greatestFactor)
	if b.sparse == nil {
		b.transposed = rows.Resized(b.transposed, len(weight))
		transpose(b.transposed, weight, b.rows)
	}
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

// NumCells returns the number of cells, rows times columns unless the block is sparse.
func (b *Block) NumCells() int { return len(b.number) }

// Weights returns the weight of every cell, row by row. The caller must not modify the slice.
func (b *Block) Weights() []semiring.ScaledFloat {
	b.late.make(b)
	return b.weight
}

// span returns the first cell of row i and the cell after its last.
func (b *Block) span(i int) (lo, hi int) {
	if b.sparse != nil {
		return int(b.sparse.row[i]), int(b.sparse.row[i+1])
	}
	return i * b.cols, (i + 1) * b.cols
}

// row returns the weights of the cells of row i and their columns, nil for 0, 1, 2, ….
func (b *Block) row(i int) (w []semiring.ScaledFloat, col []int32) {
	b.late.make(b)
	lo, hi := b.span(i)
	if b.sparse != nil {
		col = b.sparse.col[lo:hi]
	}
	return b.weight[lo:hi], col
}

// column returns the cells of column j, as indices k of weights w (nil for 0, 1, 2, …), and their
// rows (also nil for 0, 1, 2, …).
func (b *Block) column(j int) (w []semiring.ScaledFloat, k, row []int32) {
	b.late.make(b)
	if p := b.sparse; p != nil {
		lo, hi := p.columns[j], p.columns[j+1]
		return b.weight, p.cell[lo:hi], p.from[lo:hi]
	}
	return b.transposed[j*b.rows : (j+1)*b.rows], nil, nil
}

// at returns the weight of the cell of row i and column j.
func (b *Block) at(i, j int) semiring.ScaledFloat {
	w, col := b.row(i)
	if b.sparse == nil {
		return w[j]
	}
	if n, ok := slices.BinarySearch(col, int32(j)); ok {
		return w[n]
	}
	return semiring.ScaledFloat{}
}

// timesColumn sets y = A·x for the matrix A with the numbers a per cell.
func (b *Block) timesColumn(y, a, x []float64) {
	switch {
	case b.sparse != nil:
		b.sparse.timesColumn(y, a, x)
	case b.cols == 1:
		scaled(y, x[0], a)
	default:
		matrix.TimesColumn(y, a, x)
	}
}

// rowTimes sets y = x·A.
func (b *Block) rowTimes(y, x, a []float64) {
	switch {
	case b.sparse != nil:
		b.sparse.rowTimes(y, x, a)
	case b.rows == 1:
		scaled(y, x[0], a)
	case b.cols == 1:
		matrix.TimesColumn(y, x, a)
	default:
		matrix.RowTimes(y, x, a)
	}
}

// addOuter adds factor·x[i]·y[j] to the sum of every cell (i, j).
func (b *Block) addOuter(sum []float64, factor float64, x, y []float64) {
	switch {
	case b.sparse != nil:
		b.sparse.addOuter(sum, factor, x, y)
	case b.cols == 1:
		addScaled(sum, factor*y[0], x)
	default:
		matrix.AddOuter(sum, factor, x, y)
	}
}

// addBack is addOuter, and then sets z = A·y for b's numbers. It may leave z[i] at 0 if x[i] is
// 0.
func (b *Block) addBack(z, sum []float64, factor float64, x, y []float64) {
	if b.sparse != nil {
		b.sparse.addBack(z, sum, factor, x, b.number, y)
		return
	}
	b.addOuter(sum, factor, x, y)
	b.timesColumn(z, b.number, y)
}

// rowTimesOnly is rowTimes if all entries of x except x[only] are 0.
func (b *Block) rowTimesOnly(y, x []float64, only int) {
	if b.sparse != nil {
		b.sparse.rowTimes(y, x, b.number)
		return
	}
	scaled(y, x[only], b.number[only*b.cols:(only+1)*b.cols])
}

// addBackOnly is addBack if all entries of x except x[only] are 0.
func (b *Block) addBackOnly(z, sum []float64, factor float64, x, y []float64, only int) {
	if b.sparse != nil {
		b.sparse.addBack(z, sum, factor, x, b.number, y)
		return
	}
	lo, hi := only*b.cols, (only+1)*b.cols
	clear(z)
	addScaled(sum[lo:hi], factor*x[only], y)
	matrix.TimesColumn(z[only:only+1], b.number[lo:hi], y)
}

// addScaled adds factor·x to y.
func addScaled(y []float64, factor float64, x []float64) {
	x = x[:len(y)]
	for i, a := range x {
		y[i] += factor * a
	}
}

// scaled sets y to factor·x.
func scaled(y []float64, factor float64, x []float64) {
	y = y[:len(x)]
	for i, a := range x {
		y[i] = factor * a
	}
}

// Reset makes b a block with a cell for every row and column and float64 numbers as weights, row
// by row. Use it for a matrix that is computed for one sequence. b keeps number, which must not
// be modified, and converts it to weights on demand; Counts does not need the weights if it
// computes with float64 numbers. Once b has been as large, Reset does not allocate, unless
// numbers are below 2⁻²⁵⁶ or above 2²⁵⁶. A trellis that refers to b must not be in use during the
// call. The zero Block is ready for Reset. Reset returns the same errors as NewBlock.
func (b *Block) Reset(height, width int, number []float64) error {
	least, most := extremes(number)
	return b.ResetWithin(height, width, number, least, most)
}

// ResetWithin is Reset for numbers whose range the caller knows: each is 0 or has an absolute value
// from least to most. It saves the pass over the numbers that finds their range. If a number is out
// of range, sums may lose digits.
func (b *Block) ResetWithin(height, width int, number []float64, least, most float64) error {
	if err := checkShape(height, width, len(number)); err != nil {
		return err
	}
	b.rows, b.cols, b.sparse = height, width, nil
	b.kept = true
	b.number = number
	const above = 0x1p256 // numbers between 1/above and above need no exponent
	if !(most < above && least > 1/above) {
		weight := make([]semiring.ScaledFloat, len(number))
		fromNumbers(weight, number, 0)
		return b.SetWeights(weight)
	}
	b.exp, b.real, b.narrow = 0, true, true
	b.excess = max(1, most/greatestFactor)
	b.late.wanting.Store(true)
	return nil
}

// extremes returns the greatest absolute value of x, and the least absolute value ≠ 0, +Inf if all
// are 0.
func extremes(x []float64) (least, most float64) {
	var high, otherHigh uint64
	low := absBits(math.Inf(1)) - 1
	otherLow := low // of every other number, to compare in parallel
	for len(x) >= 2 {
		a, b := absBits(x[0]), absBits(x[1])
		x = x[2:]
		high, otherHigh = max(high, a), max(otherHigh, b)
		low, otherLow = min(low, a-1), min(otherLow, b-1) // 0 wraps around to the greatest value
	}
	if len(x) > 0 {
		a := absBits(x[0])
		high, low = max(high, a), min(low, a-1)
	}
	return math.Float64frombits(min(low, otherLow) + 1), math.Float64frombits(max(high, otherHigh))
}

// checkShape returns an error unless a block of rows × cols can have that number of weights.
func checkShape(rows, cols, weights int) error {
	switch {
	case rows <= 0 || cols <= 0:
		return nested.Errorf("trellis: %w: a block of %d × %d", semiring.ErrShape, rows, cols)
	case rows > math.MaxInt32/cols:
		return nested.Errorf("trellis: %w: a block of %d × %d", semiring.ErrLimit, rows, cols)
	case weights != rows*cols:
		return nested.Errorf("trellis: %w: %d weights for a block of %d × %d", semiring.ErrShape, weights, rows, cols)
	}
	return nil
}

// late records whether the weights of a block must still be computed from its numbers.
type late struct {
	sync.Mutex
	wanting atomic.Bool
}

// make computes the weights of a block if they are missing. Several goroutines may call it.
func (l *late) make(b *Block) {
	if !l.wanting.Load() {
		return
	}
	l.Lock()
	defer l.Unlock()
	if !l.wanting.Load() {
		return
	}
	b.weight, b.transposed = rows.Resized(b.weight, len(b.number)), rows.Resized(b.transposed, len(b.number))
	fromNumbers(b.weight, b.number, 0)
	transpose(b.transposed, b.weight, b.rows)
	l.wanting.Store(false)
}
