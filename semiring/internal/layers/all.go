package layers

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// All returns all arcs of m except the arcs that leave the first layer or lead to the last one.
// These are returned as start weights of the nodes of the second layer and final weights of all
// nodes in between, each of which has at most one arc to the last layer. The nodes of the layers
// in between have consecutive numbers, which To contains. The error is semiring.ErrLimit if there
// are too many nodes or arcs for int32.
func All(m Machine) (all Arcs, start, final []semiring.ScaledFloat, err error) {
	var p pass
	last := m.Layers() - 1
	nodes := 0
	for layer := 1; layer < last; layer++ {
		nodes += m.Width(layer)
	}
	if nodes >= math.MaxInt32 {
		return all, nil, nil, fmt.Errorf("%w: %d nodes", semiring.ErrLimit, nodes)
	}
	start, final = make([]semiring.ScaledFloat, m.Width(1)), make([]semiring.ScaledFloat, nodes)
	first := p.load(m, 0)
	for k, to := range first.To {
		start[to-1] = first.Weight[k]
	}
	all.reset()
	lo := int32(0)
	for layer := 1; layer < last; layer++ {
		width, a := m.Width(layer), p.load(m, layer)
		if len(all.To)+len(a.To) > math.MaxInt32 {
			return all, nil, nil, fmt.Errorf("%w: %d nodes and at least %d arcs", semiring.ErrLimit, nodes, len(all.To)+len(a.To))
		}
		for node := range width {
			for k := a.Row[node]; k < a.Row[node+1]; k++ {
				if layer == last-1 && int(a.To[k]) == width {
					final[lo+int32(node)] = a.Weight[k]
				} else {
					all.Add(lo+a.To[k], a.Part[k], a.Weight[k], a.Value[k])
				}
			}
			all.Next()
		}
		lo += int32(width)
	}
	return all, start, final, nil
}
