package trellis

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Parts holds a number for every part of a trellis that a path is made of. A nil slice,
// or a nil Block[b], stands for zeros, and for what is not asked for.
type Parts struct {
	Node  []float64   // per node: for arriving there, which a stay does not
	Stay  []float64   // per step: for staying
	Block [][]float64 // per block and cell, for every step that takes the block
}

// Counts adds to sum weight times the expected number of uses of every part on a random
// path, drawn in proportion to its weight, and returns the path sum. If that is 0
// nothing is added. Expected counts of a corpus are summed in one block: give every
// sequence the same. The error wraps semiring.ErrNotFinite if the path sum is infinite,
// not a number, or without an inverse, and then nothing is added either.
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
	c.start()
	return c.byWeights()
}

// counting is one call of Counts, or of Uses.Add.
type counting struct {
	*Trellis
	s      *Scratch
	weight float64
	sum    Parts
	uses   *Uses                // where cells are counted, nil: in s and then in sum
	left   int                  // the cells of the steps before are still to be counted
	scale  semiring.ScaledFloat // 1 / total
}

// start empties what is summed up in s.
func (c *counting) start() {
	s := c.s
	c.left = len(c.steps)
	s.stays = rows.Resized(s.stays, len(c.steps))
	clear(s.stays)
	if c.uses != nil {
		return
	}
	s.used = rows.Resized(s.used, len(c.blocks))
	clear(s.used)
	for len(s.sums) < len(c.blocks) {
		s.sums = append(s.sums, nil)
	}
}

// divides reports whether weighted uses divided by the weights of cells are within the
// range of numbers.
func (c *counting) divides() bool {
	const least, most = 0x1p-64, 0x1p64
	return c.uses == nil || least <= c.weight && c.weight <= most
}

// unit returns what uses divided by weights of cells are multiplied by when they are added up.
func (c *counting) unit() float64 {
	if c.uses == nil {
		return 1
	}
	return c.weight
}

// byWeights is Counts by ScaledFloat weights, whatever they are.
func (c *counting) byWeights() (semiring.ScaledFloat, error) {
	s := c.s
	s.node = rows.Resized(s.node, c.numNodes)
	arrival := s.node
	if c.stay == nil {
		c.alphas(s.node, nil, s)
	} else {
		s.arrival = rows.Resized(s.arrival, c.numNodes)
		arrival = s.arrival
		c.alphas(s.node, arrival, s)
	}
	hi := c.numNodes
	lo := hi - c.lastSize()
	beta, after := s.layer[0], s.layer[1]
	c.end(beta[:hi-lo])
	var total semiring.ScaledFloat
	semiring.Scaled{}.Dot(&total, s.node[lo:hi], nil, beta[:hi-lo], nil)
	if total.IsZero() {
		return total, nil
	}
	var err error
	if c.scale, err = weights.Inverse(semiring.Scaled{}, semiring.Scaled{}, total); err != nil {
		return total, nested.Errorf("trellis: %w", err)
	}
	c.addNodes(arrival[lo:hi], beta[:hi-lo], lo)
	for layer := len(c.steps) - 1; layer >= 0; layer-- {
		beta, after = after, beta
		b := c.block(layer)
		z := s.layer[2][:b.cols]
		c.weighted(z, after[:b.cols], layer+1)
		lo, hi = lo-b.rows, lo
		exp, real := c.backward(beta[:b.rows], after[:b.cols], z, layer, adding, s)
		c.addNodes(arrival[lo:hi], beta[:b.rows], lo)
		c.addCells(s.node[lo:hi], z, layer, exp, real)
		if c.stays(layer) {
			c.countStay(s.node[lo:hi], after[:b.cols], layer)
		}
	}
	c.finish()
	return total, nil
}

// addNodes adds the posteriors of the nodes lo, lo+1, … of one layer, given α without
// stays and β.
func (c *counting) addNodes(alpha, beta []semiring.ScaledFloat, lo int) {
	if c.sum.Node == nil {
		return
	}
	p := c.s.p[:len(beta)]
	semiring.Scaled{}.Marginals(p, c.scale, alpha, nil, beta, nil)
	node := c.sum.Node[lo : lo+len(beta)]
	for i, x := range p {
		node[i] += c.weight * x
	}
}

// counts reports whether the cells of the block with the given number are counted.
func (c *counting) counts(number int32) bool {
	return c.uses != nil || c.sum.Block != nil && c.sum.Block[number] != nil
}

// cells returns where weighted posteriors of the cells of a block are added.
func (c *counting) cells(number int32) []float64 {
	if c.uses != nil {
		return c.uses.of[number].directly(c.blocks[number].NumCells())
	}
	return c.sum.Block[number]
}

// addCells adds the posteriors of the cells of the step from layer to the next. alpha
// belongs to the former, and z is node weights times β of the latter, the same as
// s.x·2^(512·exp) if real.
func (c *counting) addCells(alpha, z []semiring.ScaledFloat, layer int, exp int64, real bool) {
	number := c.steps[layer]
	if layer >= c.left || !c.counts(number) || real && c.addOuter(number, alpha, exp) {
		return
	}
	b, counts := c.blocks[number], c.cells(number)
	for i, a := range alpha {
		w, col := b.row(i)
		p := c.s.p[:len(w)]
		semiring.Scaled{}.Marginals(p, c.scale.Mul(a), w, nil, z, col)
		lo, hi := b.span(i)
		sum := counts[lo:hi]
		for n, x := range p {
			sum[n] += c.weight * x
		}
	}
}

// addOuter adds α(i)·z(j)/total to the sums of the block with the given number, in
// units of its weights; z is s.x·2^(512·exp). It returns false, having done nothing, if
// the numbers do not allow it.
func (c *counting) addOuter(number int32, alpha []semiring.ScaledFloat, exp int64) bool {
	b := c.blocks[number]
	x, z := c.s.p[:b.rows], c.s.x[:b.cols]
	e, ok := toNumbers(x, alpha)
	factor := c.scale.Mant * c.unit()
	switch e + exp + b.exp + c.scale.Exp {
	case -1:
		factor *= weights.DigitLow
	case 0:
	case 1:
		factor *= weights.DigitUp
	default:
		return false
	}
	if !ok || !c.divides() {
		return false
	}
	const limit = 0x1p700 // times a number of z it is finite
	scaled(x, factor, x)
	if !(greatest(x) <= limit) {
		return false
	}
	b.addOuter(c.blockSums(number), 1, x, z)
	return true
}

// blockSums returns the sums of addOuter for the block with the given number, 0 at first.
func (c *counting) blockSums(number int32) []float64 {
	if c.uses != nil {
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

// countStay notes the posterior of staying in a step, from α before and β after it.
func (c *counting) countStay(alpha, beta []semiring.ScaledFloat, step int) {
	p := c.s.p[:len(alpha)]
	semiring.Scaled{}.Marginals(p, c.scale.Mul(c.stay[step]), alpha, nil, beta, nil)
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	c.s.stays[step] = sum
}

// finish adds the sums of cells and the posteriors of stays. Where there is no
// transition the sums mean nothing.
func (c *counting) finish() {
	if c.uses != nil {
		return
	}
	for number, used := range c.s.used {
		if !used {
			continue
		}
		numbers := c.blocks[number].number
		counts, sums := c.sum.Block[number][:len(numbers)], c.s.sums[number][:len(numbers)]
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
