package trellis

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Independent sums over the paths of a trellis of layers of width nodes each in which all
// paths go through a single node between two layers, so that no layer depends on another.
// The path sum is the product of the layers' sums. The node weights, layer by layer, become
// the posteriors of the nodes; if the path sum is 0 they hold anything afterwards.
//
// It takes time proportional to the nodes, and nothing is kept of them, where a Trellis with
// such layers would take and keep several times as much. The error wraps semiring.ErrShape if
// the layers do not have width nodes, and semiring.ErrNotFinite if the sum of one is
// infinite or not a number.
func Independent(nodes []float64, width int) (semiring.ScaledFloat, error) {
	if width <= 0 || len(nodes)%width != 0 {
		return semiring.ScaledFloat{}, fmt.Errorf("trellis: %w: %d nodes in layers of %d", semiring.ErrShape, len(nodes), width)
	}
	const least = 0x1p-1000 // whose inverse is a number
	total := semiring.NewScaled(1)
	for lo := 0; lo < len(nodes); lo += width {
		layer, sum := nodes[lo:lo+width], 0.0
		for _, x := range layer {
			sum += x
		}
		switch {
		case sum-sum != 0:
			return semiring.NewScaled(sum), fmt.Errorf("trellis: %w: the sum of layer %d is %g", semiring.ErrNotFinite, lo/width, sum)
		case sum == 0:
			return semiring.ScaledFloat{}, nil
		case sum >= least:
			inverse := 1 / sum
			for i := range layer {
				layer[i] *= inverse
			}
		default:
			for i := range layer {
				layer[i] /= sum
			}
		}
		total = total.Mul(semiring.NewScaled(sum))
	}
	return total, nil
}
