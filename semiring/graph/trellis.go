package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// Trellis is a layered graph as of a hidden Markov model: layers 0, …, n of nodes, and
// between one layer and the next a Block of transition weights, shared by as many
// steps as one likes. The weight of a path, one node of every layer, is
//
//	λ(i₀) ⊗ v₀(i₀) ⊗ A₁(i₀, i₁) ⊗ v₁(i₁) ⊗ … ⊗ A_n(i_{n−1}, i_n) ⊗ v_n(i_n) ⊗ ρ(i_n)
//
// in this order, with initial weights λ, node weights v (emissions), blocks A and
// final weights ρ; see SetStay for paths that stay where they are. Its path sum is a
// product of vectors and matrices over the ring,
// λ·diag(v₀)·A₁·diag(v₁) ⋯ A_n·diag(v_n)·ρ, and the time of every operation is
// proportional to the number of cells on the way, that of all steps' blocks. Nothing
// is stored per arc.
//
// Nodes are numbered layer by layer; slices per node follow this order (see Layers).
// A Trellis is frozen and safe for concurrent use as long as nobody changes what it
// refers to. It keeps no copy of the slices that it is made of, so that changed node
// weights or blocks (Block.SetWeights) serve the next call.
//
// In rings with the capability semiring.BlockFloat, such as Scaled, steps are products
// of float64 matrices wherever the exponents of a layer allow it, and otherwise one
// bulk operation per node, as exact.
type Trellis[W any] struct {
	ring     semiring.Semiring[W]
	kernel   semiring.Kernel[W]
	float    semiring.BlockFloat[W] // nil if the ring is none
	initial  []W
	blocks   []*Block[W]
	steps    []int32
	nodes    [][]W
	final    []W
	stay     []W       // per step, nil for none
	numbers  []float64 // per node, see SetNumbers; nil for none
	numNodes int
	widest   int // the most nodes of a layer
}

// NewTrellis returns the trellis of len(steps)+1 layers in which blocks[steps[t]] leads
// from layer t to layer t+1. nodes[t] holds the node weights of layer t; it may be nil
// if all of them are One, and so may nodes itself, and final. Trellises of many
// sequences share their blocks, and the vectors in nodes: nodes[t] is the column of
// the emission table for the symbol at t.
//
// The error wraps semiring.ErrShape if sizes do not fit, semiring.ErrLimit if there
// are too many nodes for int32, and semiring.ErrCapability if the ring is
// semiring.OneSided: a trellis is summed from either end.
func NewTrellis[W any](ring semiring.Semiring[W], initial []W, blocks []*Block[W], steps []int32, nodes [][]W, final []W) (*Trellis[W], error) {
	if err := semiring.RequireSide(ring, semiring.BothSides); err != nil {
		return nil, fmt.Errorf("graph: trellis: %w", err)
	}
	t := &Trellis[W]{ring: ring, kernel: semiring.KernelOf(ring)}
	t.float, _ = semiring.As[semiring.BlockFloat[W]](ring)
	if err := t.Reset(initial, blocks, steps, nodes, final); err != nil {
		return nil, err
	}
	return t, nil
}

// Reset makes t, which NewTrellis has made, the trellis that NewTrellis would return
// for these arguments and the same ring, without allocating. Nobody may be using t
// meanwhile. After an error t is invalid.
func (t *Trellis[W]) Reset(initial []W, blocks []*Block[W], steps []int32, nodes [][]W, final []W) error {
	if nodes != nil && len(nodes) != len(steps)+1 {
		return fmt.Errorf("graph: %w: node weights for %d layers, want %d", semiring.ErrShape, len(nodes), len(steps)+1)
	}
	t.initial, t.blocks, t.steps, t.nodes, t.final, t.stay = initial, blocks, steps, nodes, final, nil
	t.numbers = nil
	size := len(initial)
	if size == 0 {
		return fmt.Errorf("graph: %w: no initial weights", semiring.ErrShape)
	}
	t.numNodes, t.widest = size, size
	for layer := range t.NumLayers() {
		if layer > 0 {
			b := steps[layer-1]
			if uint32(b) >= uint32(len(blocks)) {
				return fmt.Errorf("graph: %w: step %d takes block %d of %d", semiring.ErrShape, layer-1, b, len(blocks))
			}
			if blocks[b].rows != size {
				return fmt.Errorf("graph: %w: step %d takes a block of %d rows from %d nodes", semiring.ErrShape, layer-1, blocks[b].rows, size)
			}
			size = blocks[b].cols
			t.numNodes, t.widest = t.numNodes+size, max(t.widest, size)
		}
		if v := t.nodeWeights(layer); v != nil && len(v) != size {
			return fmt.Errorf("graph: %w: %d node weights for layer %d of %d nodes", semiring.ErrShape, len(v), layer, size)
		}
	}
	if final != nil && len(final) != size {
		return fmt.Errorf("graph: %w: %d final weights for %d nodes of the last layer", semiring.ErrShape, len(final), size)
	}
	if t.numNodes > math.MaxInt32 {
		return fmt.Errorf("graph: %w: %d nodes", semiring.ErrLimit, t.numNodes)
	}
	return nil
}

// nodeWeights returns the node weights of a layer, nil if all are One.
func (t *Trellis[W]) nodeWeights(layer int) []W {
	switch {
	case t.numbers != nil:
		return t.numberWeights(layer)
	case t.nodes == nil:
		return nil
	}
	return t.nodes[layer]
}

// block returns the block that leads from a layer to the next.
func (t *Trellis[W]) block(layer int) *Block[W] { return t.blocks[t.steps[layer]] }

// Ring returns the ring of the weights.
func (t *Trellis[W]) Ring() semiring.Semiring[W] { return t.ring }

// Blocks returns the blocks. Not to be modified.
func (t *Trellis[W]) Blocks() []*Block[W] { return t.blocks }

// NumLayers returns the number of layers, one more than steps.
func (t *Trellis[W]) NumLayers() int { return len(t.steps) + 1 }

// NumNodes returns the number of nodes of all layers.
func (t *Trellis[W]) NumNodes() int { return t.numNodes }

// NumArcs returns the number of cells of all steps, and of arcs to stay.
func (t *Trellis[W]) NumArcs() int {
	n := 0
	for step, b := range t.steps {
		n += t.blocks[b].NumCells()
		if t.stays(step) {
			n += t.blocks[b].rows
		}
	}
	return n
}

// Layers returns the number of the first node of every layer, and NumNodes at last.
func (t *Trellis[W]) Layers() []int32 {
	first := make([]int32, t.NumLayers()+1)
	size := len(t.initial)
	for layer := range first[1:] {
		first[layer+1] = first[layer] + int32(size)
		if layer < len(t.steps) {
			size = t.block(layer).cols
		}
	}
	return first
}

// TrellisScratch is working storage for the methods of a Trellis. Its zero value is
// ready for use; one goroutine uses it at a time, for any number of trellises. Once it
// has grown to the largest of them, nothing is allocated in rings whose weights are
// plain numbers.
type TrellisScratch[W any] struct {
	node    []W       // per node of the trellis
	arrival []W       // of α, the part without stays
	stays   []float64 // per step, see Stays
	floats  trellisFloats
	layer   [4][]W      // per node of a layer
	x, y, p []float64   // per node of a layer, as p is per entry of a line
	sums    [][]float64 // per block and cell, see counting.addOuter
	used    []bool      // per block: whether its sums are in use
}

// grow makes room for t.
func (s *TrellisScratch[W]) grow(t *Trellis[W]) {
	if len(s.x) >= t.widest {
		return
	}
	for i := range s.layer {
		s.layer[i] = make([]W, t.widest+1) // a row may have an arc to stay
	}
	s.x, s.y, s.p = make([]float64, t.widest), make([]float64, t.widest), make([]float64, t.widest)
}
