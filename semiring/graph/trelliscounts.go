package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// TrellisPosterior holds expected numbers of uses on a random path, drawn in
// proportion to its weight.
type TrellisPosterior[W any] struct {
	Total W           // the path sum
	Node  []float64   // per node: the probability of arriving there (by a stay does not count)
	Stay  []float64   // per step: the probability of staying; nil if there are no stays
	Block [][]float64 // per block and cell: uses, summed over all steps that take the block
}

// Posteriors returns the posteriors of the nodes and of the cells of blocks, all 0 if
// there is no path. The ring must be a semiring.Prober; in a selective one they are
// (sums of) max-marginals. The error wraps semiring.ErrCapability if it is none, and
// semiring.ErrNotFinite if the total is infinite, not a number, or not invertible.
func (t *Trellis[W]) Posteriors(s *TrellisScratch[W]) (*TrellisPosterior[W], error) {
	p := &TrellisPosterior[W]{Node: make([]float64, t.numNodes), Block: make([][]float64, len(t.blocks))}
	for i, b := range t.blocks {
		p.Block[i] = make([]float64, b.NumCells())
	}
	var err error
	p.Total, err = t.Counts(1, p.Node, p.Block, s)
	if err != nil {
		return nil, err
	}
	p.Stay = append(p.Stay, s.stays...)
	return p, nil
}

// Counts adds weight times what Posteriors returns to node and block, and returns the
// total. Where node, block or a block[b] is nil that part is left out. Expected counts
// of a corpus are summed in one block: give every sequence the same. Errors are those
// of Posteriors, and then nothing is added.
//
// Posteriors less than 1e-150 may count as 0, otherwise they are as accurate as α and
// β. It keeps α of all nodes in s, and the posteriors of stays (see Stays), and costs
// three products per cell of every step. The result does not depend on what s was used
// for before.
func (t *Trellis[W]) Counts(weight float64, node []float64, block [][]float64, s *TrellisScratch[W]) (W, error) {
	prober, err := semiring.Require[semiring.Prober[W]](t.ring)
	if err != nil {
		return t.ring.Zero(), fmt.Errorf("graph: posteriors: %w", err)
	}
	s.grow(t)
	c := counting[W]{Trellis: t, s: s, prober: prober, weight: weight, block: block}
	c.start()
	if total, ok := c.floats(node); ok {
		return total, nil
	}
	c.start()
	s.node = rows.Resized(s.node, t.numNodes)
	arrival := s.node
	if t.stay == nil {
		t.alphas(s.node, nil, s)
	} else {
		s.arrival = rows.Resized(s.arrival, t.numNodes)
		arrival = s.arrival
		t.alphas(s.node, arrival, s)
	}
	hi := t.numNodes
	lo := hi - t.lastSize()
	z, next, beta, after := s.layer[0], s.layer[1], s.layer[2], s.layer[3]
	t.end(beta[:hi-lo])
	clear(after[:1])
	t.kernel.Dot(&after[0], s.node[lo:hi], nil, beta[:hi-lo], nil)
	total := after[0]
	if t.ring.IsZero(total) {
		return total, nil
	}
	if c.scale, err = weights.Inverse(t.ring, prober, total); err != nil {
		return total, fmt.Errorf("graph: %w", err)
	}
	c.unscaled()
	if len(t.steps) > 0 {
		t.weighted(next, beta, len(t.steps), 0, int32(hi-lo))
	}
	c.addNodes(node, arrival[lo:hi], beta[:hi-lo], lo)
	for layer := len(t.steps) - 1; layer >= 0; layer-- {
		z, next = next, z
		beta, after = after, beta
		b := t.block(layer)
		lo, hi = lo-b.rows, lo
		exp, real := t.backward(beta[:b.rows], next, after[:b.cols], z, layer, s)
		c.addNodes(node, arrival[lo:hi], beta[:b.rows], lo)
		c.addCells(s.node[lo:hi], z[:b.cols], layer, exp, real)
		if t.stays(layer) {
			c.countStay(s.node[lo:hi], after[:b.cols], layer)
		}
	}
	c.finish()
	return total, nil
}

// counting is one call of Counts.
type counting[W any] struct {
	*Trellis[W]
	s      *TrellisScratch[W]
	prober semiring.Prober[W]
	scale  W // 1 / total
	weight float64
	block  [][]float64

	// scale is unit·2^(512·exp), if real.
	unit float64
	exp  int64
	real bool
}

// start empties what is summed up in s.
func (c *counting[W]) start() {
	s := c.s
	s.startStays(c.Trellis)
	s.used = rows.Resized(s.used, len(c.blocks))
	clear(s.used)
	for len(s.sums) < len(c.blocks) {
		s.sums = append(s.sums, nil)
	}
}

// unscaled writes scale as a number, if it can be.
func (c *counting[W]) unscaled() {
	s := c.s
	if c.float != nil {
		s.layer[3][0] = c.scale
		c.exp, c.real = c.float.ToBlock(s.p, s.layer[3][:1])
		c.unit = s.p[0]
	}
}

// addNodes adds the posteriors of the nodes lo, lo+1, … of one layer, given α without
// stays and β.
func (c *counting[W]) addNodes(node []float64, alpha, beta []W, lo int) {
	if node == nil {
		return
	}
	p := c.s.p[:len(beta)]
	c.kernel.Marginals(p, c.scale, alpha, nil, beta, nil)
	node = node[lo : lo+len(beta)]
	for i, x := range p {
		node[i] += c.weight * x
	}
}

// counts returns the counts to which the cells of block b are added, nil for none.
func (c *counting[W]) counts(b int32) []float64 {
	if c.block == nil {
		return nil
	}
	return c.block[b]
}

// addCells adds the posteriors of the cells of the step from layer to the next; alpha
// belongs to the former, and z is node weights ⊗ β of the latter, the same as
// s.x·2^(512·exp) if real.
func (c *counting[W]) addCells(alpha, z []W, layer int, exp int64, real bool) {
	number := c.steps[layer]
	b, counts := c.blocks[number], c.counts(number)
	if counts == nil || real && c.addOuter(number, alpha, exp) {
		return
	}
	for i, a := range alpha {
		lo, hi, first, end := b.out.line(i)
		p := c.s.p[:hi-lo]
		c.kernel.Marginals(p, c.ring.Times(c.scale, a), b.out.weight[lo:hi], nil, z[first:end], nil)
		sum := counts[lo:hi]
		for n, x := range p {
			sum[n] += c.weight * x
		}
	}
}

// addOuter adds α(i)·z(j)/total to the sums of the block with the given number, in
// units of its weights; z is s.x·2^(512·exp). It returns false, having done nothing, if
// the numbers do not allow it.
func (c *counting[W]) addOuter(number int32, alpha []W, exp int64) bool {
	b := c.blocks[number]
	x, z := c.s.p[:b.rows], c.s.x[:b.cols]
	e, ok := c.float.ToBlock(x, alpha)
	factor := c.unit
	switch e + exp + b.exp + c.exp {
	case -1:
		factor *= weights.DigitLow
	case 0:
	case 1:
		factor *= 1 / weights.DigitLow
	default:
		return false
	}
	if !ok || !c.real {
		return false
	}
	const limit = 0x1p700 // times a number of z it is finite
	top := 0.0
	for i := range x {
		x[i] *= factor
		top = max(top, math.Abs(x[i]))
	}
	if !(top <= limit) {
		return false
	}
	b.addOuter(c.sums(number, b.NumCells()), 1, x, z)
	return true
}

// sums returns the sums of addOuter for the block with the given number, 0 at first.
func (c *counting[W]) sums(number int32, cells int) []float64 {
	s := c.s
	if !s.used[number] {
		s.used[number] = true
		s.sums[number] = rows.Resized(s.sums[number], cells)
		clear(s.sums[number])
	}
	return s.sums[number]
}

// finish adds the sums to the counts. Where there is no transition the sums mean
// nothing.
func (c *counting[W]) finish() {
	for number, used := range c.s.used {
		if !used {
			continue
		}
		counts, sums := c.block[number], c.s.sums[number]
		for cell, w := range c.blocks[number].out.real {
			if w != 0 {
				counts[cell] += c.weight * (w * sums[cell])
			}
		}
	}
}
