package layers

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Graph returns the graph of m without its first and last layer, and the Part of each arc. Nodes
// are numbered layer by layer, and arcs are in the order of m. The arcs that leave the first layer
// are starts, and those that lead to the last layer final weights, at most one for each node. The
// error is semiring.ErrLimit if there are too many nodes or arcs for int32.
func Graph(m Machine) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	var p pass
	last := m.Layers() - 1
	nodes := 0
	for layer := 1; layer < last; layer++ {
		nodes += m.Width(layer)
	}
	if nodes >= math.MaxInt32 {
		return nil, nil, fmt.Errorf("%w: %d nodes", semiring.ErrLimit, nodes)
	}
	var starts []graph.Start[semiring.ScaledFloat]
	first := p.load(m, 0)
	for k, to := range first.To {
		starts = append(starts, graph.Start[semiring.ScaledFloat]{State: to - 1, Weight: first.Weight[k]})
	}
	final := make([]semiring.ScaledFloat, nodes)
	row := append(make([]int32, 0, nodes+1), 0)
	var to, part []int32
	var weight []semiring.ScaledFloat
	lo := int32(0)
	for layer := 1; layer < last; layer++ {
		width, a := m.Width(layer), p.load(m, layer)
		if len(to)+len(a.To) > math.MaxInt32 {
			return nil, nil, fmt.Errorf("%w: %d nodes and at least %d arcs", semiring.ErrLimit, nodes, len(to)+len(a.To))
		}
		for node := range width {
			for k := a.Row[node]; k < a.Row[node+1]; k++ {
				if layer == last-1 && int(a.To[k]) == width {
					final[lo+int32(node)] = a.Weight[k]
					continue
				}
				to, part, weight = append(to, lo+a.To[k]), append(part, a.Part[k]), append(weight, a.Weight[k])
			}
			row = append(row, int32(len(to)))
		}
		lo += int32(width)
	}
	g, err := graph.New(semiring.Scaled{}, row, to, weight, starts, final)
	return g, part, err
}
