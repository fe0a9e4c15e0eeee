package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// Graph returns the graph of t, with a state per node and an arc per cell of every
// step: what leaves a node is in the order of the block's row, and then the arc to
// stay, if there is one. The start weight of node i of the first layer is λ(i) ⊗
// v₀(i), the weight of an arc A(i, j) ⊗ v(j). So every query of this package can be
// asked about a trellis: BestPaths for the best k paths, for example. The error wraps
// semiring.ErrLimit if there are too many arcs for int32.
func (t *Trellis[W]) Graph() (*Graph[W], error) {
	arcs := t.NumArcs()
	if arcs > math.MaxInt32 {
		return nil, fmt.Errorf("graph: %w: a trellis of %d nodes and %d arcs", semiring.ErrLimit, t.numNodes, arcs)
	}
	row := append(make([]int32, 0, t.numNodes+1), 0)
	to, weight := make([]int32, 0, arcs), make([]W, 0, arcs)
	next := int32(len(t.initial)) // the first node of the layer after
	for layer := range t.steps {
		b, v := t.block(layer), t.nodeWeights(layer+1)
		for i := range b.rows {
			lo, hi, first, _ := b.out.line(i)
			for n, w := range b.out.weight[lo:hi] {
				j := first + int32(n)
				if v != nil {
					w = t.ring.Times(w, v[j])
				}
				to, weight = append(to, next+j), append(weight, w)
			}
			if t.stays(layer) {
				to, weight = append(to, next+int32(i)), append(weight, t.stay[layer])
			}
			row = append(row, int32(len(to)))
		}
		next += int32(b.cols)
	}
	final := make([]W, t.numNodes)
	last := t.numNodes - t.lastSize()
	for s := range last {
		final[s] = t.ring.Zero()
	}
	for range final[last:] {
		row = append(row, int32(len(to)))
	}
	t.end(final[last:])
	lambda := make([]W, len(t.initial))
	scratch := new(TrellisScratch[W])
	scratch.grow(t)
	t.begin(lambda, scratch)
	starts := make([]Start[W], len(lambda))
	for i, w := range lambda {
		starts[i] = Start[W]{int32(i), w}
	}
	return New(t.ring, row, to, weight, starts, final)
}
