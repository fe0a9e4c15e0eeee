package layers

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Graph returns the graph of m without its first and last layer, and the Part of each arc. Nodes
// are numbered layer by layer, and arcs that leave a node are in the order of m. The arcs that
// leave the first layer are starts, and those that lead to the last layer final weights, at most
// one for each node. The error is semiring.ErrLimit if there are too many nodes or arcs for int32.
func Graph(m Machine) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	var s Scratch
	last := m.Layers() - 1
	nodes, arcs := 0, 0
	for layer := 1; layer < last; layer++ {
		nodes += m.Width(layer)
	}
	for layer := 1; layer < last && nodes < math.MaxInt32 && arcs <= math.MaxInt32; layer++ {
		arcs += len(s.load(m, layer))
	}
	if nodes >= math.MaxInt32 || arcs > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%w: %d nodes and at least %d arcs", semiring.ErrLimit, nodes, arcs)
	}
	var starts []graph.Start[semiring.ScaledFloat]
	for _, a := range s.load(m, 0) {
		starts = append(starts, graph.Start[semiring.ScaledFloat]{State: a.To - 1, Weight: a.Weight})
	}
	final := make([]semiring.ScaledFloat, nodes)
	row := make([]int32, nodes+1)
	each := func(visit func(from, to int32, a *Arc)) {
		lo := int32(0)
		for layer := 1; layer < last; layer++ {
			width := int32(m.Width(layer))
			for _, a := range s.load(m, layer) {
				if layer == last-1 && a.To == width {
					final[lo+a.From] = a.Weight
				} else {
					visit(lo+a.From, lo+a.To, &a)
				}
			}
			lo += width
		}
	}
	each(func(from, _ int32, _ *Arc) { row[from+1]++ })
	for n := range nodes {
		row[n+1] += row[n]
	}
	arcs = int(row[nodes])
	to, weight, part := make([]int32, arcs), make([]semiring.ScaledFloat, arcs), make([]int32, arcs)
	next := append([]int32(nil), row...) // per node: its next arc
	each(func(from, end int32, a *Arc) {
		k := next[from]
		next[from]++
		to[k], weight[k], part[k] = end, a.Weight, a.Part
	})
	g, err := graph.New(semiring.Scaled{}, row, to, weight, starts, final)
	return g, part, err
}
