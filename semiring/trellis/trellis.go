package trellis

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Trellis is a graph in layers 0, …, n of nodes. Step t leads from layer t to layer t+1
// by a Block of transition weights. The weight of a path, one node of every layer, is
//
//	λ(i₀) · v₀(i₀) · A₁(i₀, i₁) · v₁(i₁) ⋯ A_n(i_{n−1}, i_n) · v_n(i_n) · ρ(i_n)
//
// with initial weights λ, node weights v, blocks A and final weights ρ; SetStay adds paths that
// stay at a node. The sum over all paths is a product of vectors and matrices,
// λ·diag(v₀)·A₁·diag(v₁) ⋯ A_n·diag(v_n)·ρ. Every operation takes time proportional to the number
// of cells of all steps' blocks, and a Trellis stores no arcs.
//
// Nodes are numbered layer by layer; slices per node are in this order. A Trellis is safe for
// concurrent use while the slices and blocks that it refers to do not change. It refers to its
// slices without copying them: changed node weights or blocks take effect in the next call. The
// zero value is ready for Reset.
type Trellis struct {
	initial  []semiring.ScaledFloat
	blocks   []*Block
	steps    []int32
	nodes    [][]semiring.ScaledFloat
	final    []semiring.ScaledFloat
	stay     []semiring.ScaledFloat // per step, nil if paths cannot stay
	numbers  []float64              // per node, see SetNumbers; nil if not set
	numNodes int
	widest   int // the greatest number of nodes of a layer
}

// New returns the trellis of len(steps)+1 layers in which blocks[steps[t]] leads from layer t to
// layer t+1. nodes[t] holds the node weights of layer t. nodes[t], nodes itself and final may be
// nil if all of their weights are 1. Trellises of many sequences share their blocks, and the
// vectors in nodes: nodes[t] is the column of the emission table for the symbol at t.
//
// The error wraps semiring.ErrShape if sizes do not match, and semiring.ErrLimit if there are too
// many nodes for int32.
func New(initial []semiring.ScaledFloat, blocks []*Block, steps []int32, nodes [][]semiring.ScaledFloat, final []semiring.ScaledFloat) (*Trellis, error) {
	t := new(Trellis)
	if err := t.Reset(initial, blocks, steps, nodes, final); err != nil {
		return nil, err
	}
	return t, nil
}

// Reset makes t the trellis that New would return for these arguments, without allocating. t must
// not be in use during the call. After an error t is invalid.
func (t *Trellis) Reset(initial []semiring.ScaledFloat, blocks []*Block, steps []int32, nodes [][]semiring.ScaledFloat, final []semiring.ScaledFloat) error {
	if nodes != nil && len(nodes) != len(steps)+1 {
		return nested.Errorf("trellis: %w: node weights for %d layers, want %d", semiring.ErrShape, len(nodes), len(steps)+1)
	}
	*t = Trellis{initial: initial, blocks: blocks, steps: steps, nodes: nodes, final: final}
	size := len(initial)
	if size == 0 {
		return nested.Errorf("trellis: %w: no initial weights", semiring.ErrShape)
	}
	t.numNodes, t.widest = size, size
	for layer := range len(steps) + 1 {
		if layer > 0 {
			b := steps[layer-1]
			if uint32(b) >= uint32(len(blocks)) {
				return nested.Errorf("trellis: %w: step %d takes block %d of %d", semiring.ErrShape, layer-1, b, len(blocks))
			}
			if blocks[b].rows != size {
				return nested.Errorf("trellis: %w: step %d takes a block of %d rows from %d nodes", semiring.ErrShape, layer-1, blocks[b].rows, size)
			}
			size = blocks[b].cols
			t.numNodes, t.widest = t.numNodes+size, max(t.widest, size)
		}
		if v := t.nodeWeights(layer); v != nil && len(v) != size {
			return nested.Errorf("trellis: %w: %d node weights for layer %d of %d nodes", semiring.ErrShape, len(v), layer, size)
		}
	}
	if final != nil && len(final) != size {
		return nested.Errorf("trellis: %w: %d final weights for %d nodes of the last layer", semiring.ErrShape, len(final), size)
	}
	if t.numNodes > math.MaxInt32 {
		return nested.Errorf("trellis: %w: %d nodes", semiring.ErrLimit, t.numNodes)
	}
	return nil
}

// SetStay lets paths stay at a node. Besides the arcs of its block, step n gets arcs of weight
// stay[n] from every node to the node with the same number in the next layer. These arcs do not
// take the weight of that node. So a hidden Markov model with symbols that no state emits, such
// as unaligned words, needs no second copy of its states. SetStay(nil) and Reset remove the
// stays.
//
// The error wraps semiring.ErrShape if len(stay) is not the number of steps, or if a step with a
// weight ≠ 0 has a block that is not square. t keeps stay.
func (t *Trellis) SetStay(stay []semiring.ScaledFloat) error {
	if stay != nil && len(stay) != len(t.steps) {
		return nested.Errorf("trellis: %w: weights to stay in %d steps, want %d", semiring.ErrShape, len(stay), len(t.steps))
	}
	for n, w := range stay {
		if b := t.block(n); b.rows != b.cols && !w.IsZero() {
			return nested.Errorf("trellis: %w: step %d stays, but takes a block of %d × %d", semiring.ErrShape, n, b.rows, b.cols)
		}
	}
	t.stay = stay
	return nil
}

// SetNumbers replaces the node weights of Reset by float64 numbers, one per node. Use it for
// emissions that are computed for one sequence, to save their conversion to weights. Counts uses
// the numbers directly if all numbers ≠ 0 are between 2⁻²⁵⁶ and 2²⁵⁶. Other methods convert a
// layer's numbers to weights on demand. SetNumbers(nil) and Reset remove the numbers.
//
// The error wraps semiring.ErrShape if len(numbers) is not the number of nodes. t keeps numbers.
func (t *Trellis) SetNumbers(numbers []float64) error {
	if numbers != nil && len(numbers) != t.numNodes {
		return nested.Errorf("trellis: %w: %d numbers for %d nodes", semiring.ErrShape, len(numbers), t.numNodes)
	}
	t.numbers = numbers
	return nil
}

// NumNodes returns the number of nodes of all layers.
func (t *Trellis) NumNodes() int { return t.numNodes }

// NumArcs returns the number of cells of all steps, and of arcs to stay.
func (t *Trellis) NumArcs() int {
	n := 0
	for step := range t.steps {
		b := t.block(step)
		n += b.NumCells()
		if t.stays(step) {
			n += b.rows
		}
	}
	return n
}

// nodeWeights returns the node weights of a layer, nil if all are 1.
func (t *Trellis) nodeWeights(layer int) []semiring.ScaledFloat {
	switch {
	case t.numbers != nil:
		lo, size := 0, len(t.initial)
		for step := range layer {
			lo, size = lo+size, t.block(step).cols
		}
		w := make([]semiring.ScaledFloat, size)
		fromNumbers(w, t.numbers[lo:lo+size], 0)
		return w
	case t.nodes == nil:
		return nil
	}
	return t.nodes[layer]
}

// block returns the block that leads from layer to the next layer.
func (t *Trellis) block(layer int) *Block { return t.blocks[t.steps[layer]] }

// stays reports whether paths may stay in a step.
func (t *Trellis) stays(step int) bool { return t.stay != nil && !t.stay[step].IsZero() }

// lastSize returns the number of nodes of the last layer.
func (t *Trellis) lastSize() int {
	if n := len(t.steps); n > 0 {
		return t.block(n - 1).cols
	}
	return len(t.initial)
}

// Scratch is working storage for the methods of a Trellis. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of trellises. Once it has grown to the largest of
// them, methods do not allocate.
type Scratch struct {
	node    []semiring.ScaledFloat // per node of the trellis
	stays   []float64              // per step: posteriors
	floats  forwardBackward
	tangent tangent
	layered layered
	layer   [2][]semiring.ScaledFloat // per node of a layer
	x, y    []float64                 // per node of a layer
	sums    [][]float64               // per block and cell, see counting.blockSums
	used    []bool                    // per block: whether its sums are in use
}

// grow makes s large enough for t.
func (s *Scratch) grow(t *Trellis) {
	if len(s.x) >= t.widest {
		return
	}
	for i := range s.layer {
		s.layer[i] = make([]semiring.ScaledFloat, t.widest+1) // a row may have an arc to stay
	}
	s.x, s.y = make([]float64, t.widest), make([]float64, t.widest)
}
