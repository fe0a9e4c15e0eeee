package trellis

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Uses adds up the expected uses of the cells of blocks over many trellises that share the
// blocks. Counts goes over all cells of a trellis's blocks once more to add its own; Uses
// does so once for all trellises. One goroutine uses it at a time. The zero value is
// ready for Reset.
type Uses struct {
	blocks []*Block
	of     []blockUses
}

// blockUses are the uses of one block's cells.
type blockUses struct {
	divided, direct       []float64 // uses divided by the cell's weight, and as they are
	hasDivided, hasDirect bool      // whether they mean anything
}

// Reset empties u, and makes it one for trellises with the given blocks. It keeps the
// storage that u has.
func (u *Uses) Reset(blocks []*Block) {
	u.blocks = blocks
	for len(u.of) < len(blocks) {
		u.of = append(u.of, blockUses{})
	}
	for b := range u.of {
		u.of[b].hasDivided, u.of[b].hasDirect = false, false
	}
}

// Add adds weight times the expected uses of every cell on a random path of t, and returns
// the path sum of t: what Counts does, with its errors. weight is ≥ 0, t has the very
// blocks that u was Reset for, and they keep their weights until Drain.
//
// The error wraps semiring.ErrShape if t has not as many blocks.
func (u *Uses) Add(t *Trellis, weight float64, s *Scratch) (semiring.ScaledFloat, error) {
	if len(t.blocks) != len(u.blocks) {
		return semiring.ScaledFloat{}, fmt.Errorf("trellis: %w: uses of %d blocks, the trellis has %d", semiring.ErrShape, len(u.blocks), len(t.blocks))
	}
	s.grow(t)
	c := counting{Trellis: t, s: s, weight: weight, uses: u}
	c.start()
	if c.divides() {
		if total, ok := c.byNumbers(); ok {
			return total, nil
		}
	}
	return c.byWeights()
}

// Drain calls add for every block that was used, in their order, with the expected uses of
// its cells, and empties u. counts is valid until add returns.
func (u *Uses) Drain(add func(block int, counts []float64)) {
	for number, b := range u.blocks {
		x := &u.of[number]
		if !x.hasDivided && !x.hasDirect {
			continue
		}
		if x.hasDivided {
			for cell, w := range b.number {
				if w != 0 {
					x.divided[cell] *= w
				} else { // the sum means nothing
					x.divided[cell] = 0
				}
			}
		}
		switch {
		case !x.hasDirect:
			add(number, x.divided)
		case x.hasDivided:
			floats.Add(x.direct, x.divided)
			fallthrough
		default:
			add(number, x.direct)
		}
		x.hasDivided, x.hasDirect = false, false
	}
}

// dividing returns the uses of n cells divided by their weights, 0 at first.
func (x *blockUses) dividing(n int) []float64 {
	if !x.hasDivided {
		x.hasDivided = true
		x.divided = rows.Resized(x.divided, n)
		clear(x.divided)
	}
	return x.divided
}

// directly returns the uses of n cells as they are, 0 at first.
func (x *blockUses) directly(n int) []float64 {
	if !x.hasDirect {
		x.hasDirect = true
		x.direct = rows.Resized(x.direct, n)
		clear(x.direct)
	}
	return x.direct
}
