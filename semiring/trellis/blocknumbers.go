package trellis

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Reset makes b the block with a cell for every row and column whose weights are float64
// numbers, row by row: for a matrix that is computed for one sequence. b keeps number,
// which must not be modified, and makes weights of it only if something asks for weights:
// Counts does not where it goes by numbers. Nothing is allocated once b has been as
// large, unless numbers are below 2⁻²⁵⁶ or above 2²⁵⁶. Nobody may be using a trellis that
// refers to b meanwhile. The zero Block is ready for Reset. Errors are those of NewBlock.
func (b *Block) Reset(height, width int, number []float64) error {
	if err := checkShape(height, width, len(number)); err != nil {
		return err
	}
	b.rows, b.cols, b.sparse = height, width, nil
	b.kept = true
	b.number = number
	const above = 0x1p256 // and between its inverse and it a number needs no exponent
	most, least := extremes(number)
	if most >= math.Float64bits(above) || least < math.Float64bits(1/above) {
		weight := make([]semiring.ScaledFloat, len(number))
		fromNumbers(weight, number, 0)
		return b.SetWeights(weight)
	}
	b.exp, b.real, b.narrow = 0, true, math.Float64frombits(most) <= greatestFactor
	b.late.wanting.Store(true)
	return nil
}

// extremes returns the bits of the greatest absolute value of x, and of the least that is not 0
// less one.
func extremes(x []float64) (most, least uint64) {
	least = math.MaxUint64
	otherMost, otherLeast := most, least // of every other number: both can be compared at once
	for len(x) >= 2 {
		a, b := absBits(x[0]), absBits(x[1])
		x = x[2:]
		most, otherMost = max(most, a), max(otherMost, b)
		least, otherLeast = min(least, a-1), min(otherLeast, b-1) // of 0 the greatest
	}
	if len(x) > 0 {
		a := absBits(x[0])
		most, least = max(most, a), min(least, a-1)
	}
	return max(most, otherMost), min(least, otherLeast)
}

// checkShape returns what is wrong with a block of rows × cols with so many weights.
func checkShape(rows, cols, weights int) error {
	switch {
	case rows <= 0 || cols <= 0:
		return fmt.Errorf("trellis: %w: a block of %d × %d", semiring.ErrShape, rows, cols)
	case rows > math.MaxInt32/cols:
		return fmt.Errorf("trellis: %w: a block of %d × %d", semiring.ErrLimit, rows, cols)
	case weights != rows*cols:
		return fmt.Errorf("trellis: %w: %d weights for a block of %d × %d", semiring.ErrShape, weights, rows, cols)
	}
	return nil
}

// late says whether the weights of a block are still to be made of its numbers.
type late struct {
	sync.Mutex
	wanting atomic.Bool
}

// make makes the weights of a block if they are wanting. Several goroutines may want them.
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
