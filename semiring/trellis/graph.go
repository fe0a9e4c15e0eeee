package trellis

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Graph returns the graph of t over semiring.Scaled, with a state per node and an arc
// per cell of every step: what leaves a node is in the order of the block's row, and
// then the arc to stay, if there is one. The start weight of node i of the first layer
// is λ(i)·v₀(i), the weight of an arc A(i, j)·v(j). So every query of package graph can
// be asked about a trellis, and graph.Map takes it to other rings. The error wraps
// semiring.ErrLimit if there are too many arcs for int32.
func (t *Trellis) Graph() (*graph.Graph[semiring.ScaledFloat], error) {
	arcs := t.NumArcs()
	if arcs > math.MaxInt32 {
		return nil, fmt.Errorf("trellis: %w: %d nodes and %d arcs", semiring.ErrLimit, t.numNodes, arcs)
	}
	row := append(make([]int32, 0, t.numNodes+1), 0)
	to, weight := make([]int32, 0, arcs), make([]semiring.ScaledFloat, 0, arcs)
	next := int32(len(t.initial)) // the first node of the layer after
	for layer := range t.steps {
		b, v := t.block(layer), t.nodeWeights(layer+1)
		for i := range b.rows {
			ws, col := b.row(i)
			for n, w := range ws {
				j := int32(n)
				if col != nil {
					j = col[n]
				}
				if v != nil {
					w = w.Mul(v[j])
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
	last := t.numNodes - t.lastSize()
	for range t.lastSize() {
		row = append(row, int32(len(to)))
	}
	final := make([]semiring.ScaledFloat, t.numNodes)
	t.end(final[last:])
	lambda := make([]semiring.ScaledFloat, len(t.initial))
	t.begin(lambda)
	starts := make([]graph.Start[semiring.ScaledFloat], len(lambda))
	for i, w := range lambda {
		starts[i] = graph.Start[semiring.ScaledFloat]{State: int32(i), Weight: w}
	}
	return graph.New(semiring.Scaled{}, row, to, weight, starts, final)
}
