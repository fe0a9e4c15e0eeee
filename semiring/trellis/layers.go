package trellis

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/layers"
)

// layered is a trellis as a layered graph, for sums weight by weight. Its layers are a start
// layer, the layers of the trellis, and an end layer. The weight of an arc is the weight of a
// cell times the weight of the node that the arc leads to.
type layered struct {
	*Trellis
	tangent *tangent // holds the values of the arcs, nil if they have no values
	all     bool     // whether arcs of weight 0 are included
	first   []int    // per layer of the trellis: its first node; at the end, the number of nodes
	scratch layers.Scratch
}

// Parts of arcs that are not cells.
const (
	noCell int32 = -1 - iota // a start or an end
	stay
)

// take makes l the layered graph of t, with the values of along.
func (l *layered) take(t *Trellis, along *tangent) {
	l.Trellis, l.tangent = t, along
	l.first = append(l.first[:0], 0, len(t.initial))
	for step := range t.steps {
		l.first = append(l.first, l.first[step+1]+t.block(step).cols)
	}
}

// Layers returns the number of layers.
func (l *layered) Layers() int { return len(l.steps) + 3 }

// Width returns the number of nodes of a layer.
func (l *layered) Width(layer int) int {
	if layer == 0 || layer == len(l.steps)+2 {
		return 1
	}
	return l.first[layer] - l.first[layer-1]
}

// AppendArcs adds the arcs that leave the nodes of a layer. The part of an arc is a cell of the
// step's block, or else stay or noCell.
func (l *layered) AppendArcs(a *layers.Arcs, layer int) {
	step, width := layer-1, l.Width(layer) // step of the trellis
	switch step {
	case -1:
		for i, w := range l.initial {
			l.arrive(a, int32(1+i), noCell, w, 0, 0, i)
		}
		a.Next()
	case len(l.steps):
		for i := range width {
			w := semiring.ScaledFloat{Mant: 1}
			if l.final != nil {
				w = l.final[i]
			}
			a.Add(int32(width), noCell, w, 0)
			a.Next()
		}
	default:
		l.appendStep(a, step, width)
	}
}

// appendStep adds the arcs of a step from a layer of width nodes.
func (l *layered) appendStep(a *layers.Arcs, step, width int) {
	b, number := l.block(step), l.steps[step]
	for i := range width {
		lo, _ := b.span(i)
		w, col := b.row(i)
		for n, x := range w {
			if x.Mant == 0 && !l.all {
				continue
			}
			j, value := n, 0.0
			if col != nil {
				j = int(col[n])
			}
			if l.tangent != nil {
				value = l.tangent.ofCell(number, lo+n)
			}
			l.arrive(a, int32(width+j), int32(lo+n), x, value, step+1, j)
		}
		if l.stays(step) {
			value := 0.0
			if l.tangent != nil {
				value = l.tangent.stay[step]
			}
			a.Add(int32(width+i), stay, l.stay[step], value)
		}
		a.Next()
	}
}

// arrive adds an arc to node i of a layer of the trellis, with its weight and its value.
func (l *layered) arrive(a *layers.Arcs, to, part int32, w semiring.ScaledFloat, value float64, layer, i int) {
	switch {
	case l.numbers != nil:
		w = w.Mul(semiring.NewScaled(l.numbers[l.first[layer]+i]))
	case l.nodes != nil && l.nodes[layer] != nil:
		w = w.Mul(l.nodes[layer][i])
	}
	if l.tangent != nil {
		value += l.tangent.node[l.first[layer]+i]
	}
	a.Add(to, part, w, value)
}

// add adds weight times x, per arc that leaves a layer, to parts.
func (l *layered) add(parts Parts, layer int, a *layers.Arcs, weight float64, x []float64) {
	step, node := layer-1, parts.Node
	var cells []float64
	switch step {
	case -1:
		node = tail(node, 0)
	case len(l.steps): // ends
		return
	default:
		node = tail(node, l.first[layer])
		if parts.Block != nil {
			cells = parts.Block[l.steps[step]]
		}
	}
	width := l.Width(layer)
	for k, to := range a.To {
		if a.Part[k] == stay {
			if parts.Stay != nil {
				parts.Stay[step] += weight * x[k]
			}
			continue
		}
		if node != nil {
			node[int(to)-width] += weight * x[k]
		}
		if cells != nil {
			cells[a.Part[k]] += weight * x[k]
		}
	}
}

// tail returns x without its first n numbers, nil for nil.
func tail(x []float64, n int) []float64 {
	if x == nil {
		return nil
	}
	return x[n:]
}

// named wraps err with the name of this package.
func named(err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("trellis: %w", err)
}

// byWeights is Counts by ScaledFloat weights, for weights of any size.
func (c *counting) byWeights() (semiring.ScaledFloat, error) {
	l := &c.s.layered
	l.take(c.Trellis, nil)
	total, err := layers.Counts(l, &l.scratch, func(layer int, a *layers.Arcs, p []float64) {
		l.add(c.sum, layer, a, c.weight, p)
		step := layer - 1
		if c.uses != nil && 0 <= step && step < len(l.steps) && (step < c.left || !c.divides()) {
			counts := c.cells(l.steps[step])
			for k, cell := range a.Part {
				if cell >= 0 {
					counts[cell] += c.weight * p[k]
				}
			}
		}
	})
	l.Trellis = nil
	return total, named(err)
}

// derivativesByWeights is HessianVector by ScaledFloat weights.
func (c *counting) derivativesByWeights(change Parts) (semiring.ScaledFloat, error) {
	l := &c.s.layered
	l.take(c.Trellis, c.tangent)
	total, err := layers.Along(l, &l.scratch, func(layer int, a *layers.Arcs, _, covariance []float64) {
		l.add(change, layer, a, c.weight, covariance)
	})
	l.Trellis, l.tangent = nil, nil
	return total, named(err)
}

// Graph returns the graph of t over semiring.Scaled, with a state per node and an arc per cell of
// every step. The arcs that leave a node are in the order of the block's row, followed by the arc
// to stay, if it exists. The start weight of node i of the first layer is λ(i)·v₀(i), the weight
// of an arc A(i, j)·v(j). All queries of package graph apply to it, and graph.Map converts it to
// other rings. The error wraps semiring.ErrLimit if there are too many arcs for int32.
func (t *Trellis) Graph() (*graph.Graph[semiring.ScaledFloat], error) {
	l := layered{all: true}
	l.take(t, nil)
	all, start, final, err := layers.All(&l)
	if err != nil {
		return nil, named(err)
	}
	starts := make([]graph.Start[semiring.ScaledFloat], len(start))
	for i, w := range start {
		starts[i] = graph.Start[semiring.ScaledFloat]{State: int32(i), Weight: w}
	}
	return graph.New(semiring.Scaled{}, all.Row, all.To, all.Weight, starts, final)
}
