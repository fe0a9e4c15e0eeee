package trellis

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/layers"
)

// layered is a trellis as a graph in layers, for sums weight by weight: its layers, before them
// one from which paths start, and after them one where they end. An arc has the weight of a cell
// times the node weight where it leads.
type layered struct {
	*Trellis
	tangent *tangent // whose values the arcs have, nil for none
	first   []int    // per layer of the trellis: its first node; then the number of nodes
	scratch layers.Scratch
}

// Parts of arcs that are no cells.
const (
	noCell int32 = -1 - iota // a start or an end
	stay
)

// take makes l that of t.
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

// AppendArcs appends the arcs that leave the nodes of a layer. Their parts are cells of the block
// of the step, or else stay or noCell.
func (l *layered) AppendArcs(dst []layers.Arc, layer int) []layers.Arc {
	if layer == 0 {
		for i, w := range l.initial {
			dst = append(dst, l.arriving(layers.Arc{To: int32(1 + i), Part: noCell, Weight: w}, 0, i))
		}
		return dst
	}
	step := layer - 1 // of the trellis
	width := int32(l.Width(layer))
	if step == len(l.steps) {
		for i := range width {
			w := semiring.ScaledFloat{Mant: 1}
			if l.final != nil {
				w = l.final[i]
			}
			dst = append(dst, layers.Arc{From: i, To: width, Part: noCell, Weight: w})
		}
		return dst
	}
	b, number := l.block(step), l.steps[step]
	for i := range width {
		lo, _ := b.span(int(i))
		w, col := b.row(int(i))
		for n, x := range w {
			j := n
			if col != nil {
				j = int(col[n])
			}
			a := layers.Arc{From: i, To: width + int32(j), Part: int32(lo + n), Weight: x}
			if l.tangent != nil {
				a.Value = l.tangent.ofCell(number, lo+n)
			}
			dst = append(dst, l.arriving(a, step+1, j))
		}
		if l.stays(step) {
			a := layers.Arc{From: i, To: width + i, Part: stay, Weight: l.stay[step]}
			if l.tangent != nil {
				a.Value = l.tangent.ofStay(number, step)
			}
			dst = append(dst, a)
		}
	}
	return dst
}

// arriving returns a with the weight and value of node i of a layer of the trellis.
func (l *layered) arriving(a layers.Arc, layer, i int) layers.Arc {
	node := l.first[layer] + i
	switch {
	case l.numbers != nil:
		a.Weight = a.Weight.Mul(semiring.NewScaled(l.numbers[node]))
	case l.nodes != nil && l.nodes[layer] != nil:
		a.Weight = a.Weight.Mul(l.nodes[layer][i])
	}
	if l.tangent != nil {
		a.Value += l.tangent.ofNode(layer, node)
	}
	return a
}

// add adds x to the parts of an arc that leaves a layer.
func (l *layered) add(to Parts, layer int, a *layers.Arc, x float64) {
	if layer == len(l.steps)+1 { // an end
		return
	}
	if a.Part == stay {
		if to.Stay != nil {
			to.Stay[layer-1] += x
		}
		return
	}
	if to.Node != nil {
		before := -1 // node number to which To = 0 would belong
		if layer > 0 {
			before = l.first[layer-1]
		}
		to.Node[before+int(a.To)] += x
	}
	if a.Part >= 0 && to.Block != nil && to.Block[l.steps[layer-1]] != nil {
		to.Block[l.steps[layer-1]][a.Part] += x
	}
}

// named returns an error as one of this package.
func named(err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("trellis: %w", err)
}

// byWeights is Counts by ScaledFloat weights, whatever they are.
func (c *counting) byWeights() (semiring.ScaledFloat, error) {
	l := &c.s.layered
	l.take(c.Trellis, nil)
	total, err := layers.Counts(l, &l.scratch, func(layer int, a *layers.Arc, p float64) {
		if c.uses == nil {
			l.add(c.sum, layer, a, c.weight*p)
		} else if step := layer - 1; a.Part >= 0 && (step < c.left || !c.divides()) {
			c.uses.directly(l.steps[step])[a.Part] += c.weight * p
		}
	})
	return total, named(err)
}

// derivativesByWeights is HessianVector by ScaledFloat weights.
func (c *counting) derivativesByWeights(change Parts) (semiring.ScaledFloat, error) {
	l := &c.s.layered
	l.take(c.Trellis, c.tangent)
	total, err := layers.Along(l, &l.scratch, func(layer int, a *layers.Arc, _, covariance float64) {
		l.add(change, layer, a, c.weight*covariance)
	})
	return total, named(err)
}

// Graph returns the graph of t over semiring.Scaled, with a state per node and an arc
// per cell of every step: what leaves a node is in the order of the block's row, and
// then the arc to stay, if there is one. The start weight of node i of the first layer
// is λ(i)·v₀(i), the weight of an arc A(i, j)·v(j). So every query of package graph can
// be asked about a trellis, and graph.Map takes it to other rings. The error wraps
// semiring.ErrLimit if there are too many arcs for int32.
func (t *Trellis) Graph() (*graph.Graph[semiring.ScaledFloat], error) {
	var l layered
	l.take(t, nil)
	g, _, err := layers.Graph(&l)
	return g, named(err)
}
