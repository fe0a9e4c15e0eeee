package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// SetNumbers gives t node weights that are float64 numbers, one per node, layer by
// layer, in place of those of Reset: emissions that are computed for one sequence, and
// would have to become weights first. Counts takes them as they are if those that are
// not 0 are between 2⁻²⁵⁶ and 2²⁵⁶; all else makes weights of a layer's when it needs
// them. nil takes the numbers away, and so does Reset.
//
// The ring must have the capability semiring.BlockFloat, otherwise the error wraps
// semiring.ErrCapability; it wraps semiring.ErrShape if there is not one number per
// node. t keeps numbers.
func (t *Trellis[W]) SetNumbers(numbers []float64) error {
	if _, err := semiring.Require[semiring.BlockFloat[W]](t.ring); err != nil {
		return fmt.Errorf("graph: node weights as numbers: %w", err)
	}
	if numbers != nil && len(numbers) != t.numNodes {
		return fmt.Errorf("graph: %w: %d numbers for %d nodes", semiring.ErrShape, len(numbers), t.numNodes)
	}
	t.numbers = numbers
	return nil
}

// numberWeights returns the node weights of a layer of which numbers were given.
func (t *Trellis[W]) numberWeights(layer int) []W {
	lo, size := 0, len(t.initial)
	for step := range layer {
		lo, size = lo+size, t.block(step).cols
	}
	w := make([]W, size)
	t.float.FromBlock(w, t.numbers[lo:lo+size], 0, nil)
	return w
}
