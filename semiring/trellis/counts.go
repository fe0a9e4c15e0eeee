package trellis

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Parts holds a number for every part of a trellis: its nodes, stays and cells. As input, a nil
// slice or a nil Block[b] stands for zeros; as output, it means that these numbers are not
// computed.
type Parts struct {
	Node  []float64   // per node: for arriving there; a stay does not arrive
	Stay  []float64   // per step: for staying
	Block [][]float64 // per block and cell, for every step that takes the block
}

// Counts adds to sum weight times the expected number of uses of every part on a random path,
// drawn in proportion to its weight, and returns the path sum. If the path sum is 0, it leaves
// sum unchanged. To sum expected counts over a corpus, pass the same Block slices for every
// sequence. The error wraps semiring.ErrNotFinite if the path sum is infinite, not a number, or
// without an inverse; sum is unchanged then, too.
//
// Posteriors less than 1e-150 may count as 0, otherwise they are as accurate as α and
// β. It keeps α of all nodes in s and costs three products per cell of every step. The
// result does not depend on what s was used for before.
func (t *Trellis) Counts(weight float64, sum Parts, s *Scratch) (semiring.ScaledFloat, error) {
	s.grow(t)
	c := counting{Trellis: t, s: s, weight: weight, sum: sum}
	c.start()
	if total, ok := c.byNumbers(); ok {
		return total, nil
	}
	return c.byWeights()
}

// counting is one call of Counts, of Uses.Counts, or of HessianVector.
type counting struct {
	*Trellis
	s      *Scratch
	weight float64
	sum    Parts
	uses   *Uses // collects the uses of cells; if nil, s and then sum collect them
	left   int   // the steps before this one are still to be counted

	tangent *tangent // set by HessianVector, which does not count; else nil
}

// start clears the sums in s.
func (c *counting) start() {
	s := c.s
	c.left = len(c.steps)
	s.stays = rows.Resized(s.stays, len(c.steps))
	clear(s.stays)
	s.used = rows.Resized(s.used, len(c.blocks))
	clear(s.used)
	for len(s.sums) < len(c.blocks) {
		s.sums = append(s.sums, nil)
	}
}

// divides reports whether uses divided by the weights of cells are added to a Uses. They are if
// weighted values stay within the range of numbers.
func (c *counting) divides() bool {
	const least, most = 0x1p-64, 0x1p64
	return c.uses != nil && least <= c.weight && c.weight <= most
}

// unit returns the factor of uses divided by weights of cells when they are added up.
func (c *counting) unit() float64 {
	if c.divides() {
		return c.weight
	}
	return 1
}

// counts reports whether the cells of the block with the given number are counted.
func (c *counting) counts(number int32) bool {
	return c.uses != nil || c.sum.Block != nil && c.sum.Block[number] != nil
}

// cells returns the slice to which weighted posteriors of the cells of a block are added.
func (c *counting) cells(number int32) []float64 {
	if c.uses != nil {
		return c.uses.directly(number)
	}
	return c.sum.Block[number]
}

// blockSums returns the sums of α(i)·z(j)/total for the block with the given number, in units of
// its weights, where z is node weights times β. They are initially 0.
func (c *counting) blockSums(number int32) []float64 {
	if c.divides() {
		return c.uses.of[number].dividing(c.blocks[number].NumCells())
	}
	s := c.s
	if !s.used[number] {
		s.used[number] = true
		s.sums[number] = rows.Resized(s.sums[number], c.blocks[number].NumCells())
		clear(s.sums[number])
	}
	return s.sums[number]
}

// finish adds the sums of cells and the posteriors of stays. The sums of cells of weight 0 are
// meaningless.
func (c *counting) finish() {
	for number, used := range c.s.used {
		if !used {
			continue
		}
		numbers := c.blocks[number].number
		counts, sums := c.cells(int32(number))[:len(numbers)], c.s.sums[number][:len(numbers)]
		for cell, w := range numbers {
			if w != 0 {
				counts[cell] += c.weight * (w * sums[cell])
			}
		}
	}
	if stay := c.sum.Stay; stay != nil {
		for step, p := range c.s.stays {
			stay[step] += c.weight * p
		}
	}
}

// Uses adds up the expected uses of the cells of blocks over many trellises that share the
// blocks. Counts makes an extra pass over all cells of a trellis's blocks to add its counts; Uses
// makes this pass once for all trellises. One goroutine uses it at a time. The zero value is
// ready for Reset.
type Uses struct {
	blocks []*Block
	of     []blockUses
}

// blockUses are the uses of one block's cells.
type blockUses struct {
	divided, direct       []float64 // uses divided by the cell's weight, and undivided uses
	hasDivided, hasDirect bool      // whether they are valid
}

// Reset empties u and prepares it for trellises with the given blocks. It reuses the storage of
// u.
func (u *Uses) Reset(blocks []*Block) {
	u.blocks = blocks
	for len(u.of) < len(blocks) {
		u.of = append(u.of, blockUses{})
	}
	for b := range u.of {
		u.of[b].hasDivided, u.of[b].hasDirect = false, false
	}
}

// Counts adds weight times the expected uses of every cell on a random path of t to u, and of nodes
// and stays to sum, and returns the path sum of t. It is t.Counts, with the same errors, but for
// the cells: sum.Block must be nil. weight must be ≥ 0. t must have the same blocks that u was
// Reset for, and the blocks must keep their weights until the uses have been read.
//
// The error wraps semiring.ErrShape if t has a different number of blocks.
func (u *Uses) Counts(t *Trellis, weight float64, sum Parts, s *Scratch) (semiring.ScaledFloat, error) {
	switch {
	case len(t.blocks) != len(u.blocks):
		return semiring.ScaledFloat{}, nested.Errorf("trellis: %w: uses of %d blocks, the trellis has %d", semiring.ErrShape, len(u.blocks), len(t.blocks))
	case sum.Block != nil:
		return semiring.ScaledFloat{}, nested.Errorf("trellis: %w: a sum of uses by block, and Uses for them", semiring.ErrShape)
	}
	s.grow(t)
	c := counting{Trellis: t, s: s, weight: weight, sum: sum, uses: u}
	c.start()
	if total, ok := c.byNumbers(); ok {
		return total, nil
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
				} else { // the sum is meaningless
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

// Factors returns the expected uses of the cells of a block without multiplying them out: the uses
// of cell c are weights[c]·divided[c] + direct[c]. A nil divided or direct stands for zeros;
// divided[c] is meaningless, but finite, if weights[c] is 0. Factors leaves the uses in u.
//
// Use Factors instead of Drain to sum the uses of groups of cells in one pass over them. The caller
// must not modify the slices, which are valid until the next call of another method of u.
func (u *Uses) Factors(block int) (weights, divided, direct []float64) {
	x := &u.of[block]
	if x.hasDivided {
		weights, divided = u.blocks[block].number, x.divided
	}
	if x.hasDirect {
		direct = x.direct
	}
	return weights, divided, direct
}

// dividing returns the uses of n cells divided by their weights, initially 0.
func (x *blockUses) dividing(n int) []float64 {
	if !x.hasDivided {
		x.hasDivided = true
		x.divided = rows.Resized(x.divided, n)
		clear(x.divided)
	}
	return x.divided
}

// directly returns the undivided uses of the cells of a block, initially 0.
func (u *Uses) directly(block int32) []float64 {
	x, n := &u.of[block], u.blocks[block].NumCells()
	if !x.hasDirect {
		x.hasDirect = true
		x.direct = rows.Resized(x.direct, n)
		clear(x.direct)
	}
	return x.direct
}
