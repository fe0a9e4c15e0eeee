package trellis

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"example.org/pathsum/semiring"
)

// SetNumbers is SetWeights of float64 numbers, cell by cell: for a matrix that is computed
// for one sequence, and would have to become weights first. Weights are made of them only
// if something asks for weights; Counts does not where it goes by numbers. The error wraps
// semiring.ErrShape if there are not as many numbers as cells.
func (b *Block) SetNumbers(number []float64) error {
	if len(number) != len(b.number) {
		return fmt.Errorf("trellis: %w: %d numbers for the %d cells of a block of %d × %d", semiring.ErrShape, len(number), len(b.number), b.rows, b.cols)
	}
	const above = 0x1p256 // and between its inverse and it a number needs no exponent
	copy(b.number, number)
	most, least := uint64(0), uint64(math.MaxUint64)
	for _, a := range b.number {
		bits := absBits(a)
		most = max(most, bits)
		least = min(least, bits-1) // of 0 the greatest
	}
	if most >= math.Float64bits(above) || least < math.Float64bits(1/above) {
		fromNumbers(b.weight, number, 0)
		return b.SetWeights(b.weight)
	}
	b.exp, b.real, b.narrow = 0, true, math.Float64frombits(most) <= greatestFactor
	if b.sparse == nil {
		transpose(b.transpose, b.number, b.rows)
	}
	b.late.wanting.Store(true)
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
	fromNumbers(b.weight, b.number, 0)
	if b.sparse == nil {
		transpose(b.transposed, b.weight, b.rows)
	}
	l.wanting.Store(false)
}
