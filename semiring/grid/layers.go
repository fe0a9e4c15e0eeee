package grid

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/layers"
)

// layered is the grid of a pair as a layered graph, for sums weight by weight. Its layers are a
// start layer, the rows, and an end layer.
type layered struct {
	*pair
	tangent *tangent // holds the values of the arcs, nil if they have no values
	scratch layers.Scratch
}

// Layers returns the number of layers.
func (l *layered) Layers() int { return l.n + 3 }

// Width returns the number of nodes of a layer.
func (l *layered) Width(layer int) int {
	if layer == 0 || layer == l.n+2 {
		return 1
	}
	return l.width
}

// AppendArcs adds the arcs that leave the nodes of a layer. The part of an arc is the state in
// which a path starts or ends, or else the arc of the machine, in the machine's order.
func (l *layered) AppendArcs(a *layers.Arcs, layer int) {
	if layer == 0 {
		for q, w := range l.initial {
			value := 0.0
			if l.tangent != nil {
				value = l.tangent.initial[q]
			}
			a.Add(int32(1+q), int32(q), w, value)
		}
		a.Next()
		return
	}
	i := layer - 1
	for j := range l.m + 1 {
		var insert, both, remove rowArcs
		if j < l.m {
			insert = l.rowArcs(l.insert[j], j+1)
		}
		if i < l.n {
			remove = l.rowArcs(l.remove[i], l.m+1+j)
			if j < l.m {
				both = l.rowArcs(l.rows.row(l.xs[i], l.ys[j]), l.m+1+j+1)
			}
		}
		for q := range int32(l.states) {
			l.leave(a, &insert, q)
			l.leave(a, &both, q)
			l.leave(a, &remove, q)
			if i == l.n && j == l.m {
				l.end(a, q)
			}
			a.Next()
		}
	}
}

// rowArcs are the arcs of a row, ordered by source state, that lead to a cell whose first node is
// to.
type rowArcs struct{ next, end, to int32 }

// rowArcs returns the arcs of row r that lead to cell. The cells of the next layer are numbered
// after the cells of this layer.
func (l *layered) rowArcs(r int32, cell int) rowArcs {
	return rowArcs{l.start[r], l.start[r+1], int32(cell * l.states)}
}

// leave adds the arcs of r that leave state q; they are the next ones, if there are any.
func (l *layered) leave(a *layers.Arcs, r *rowArcs, q int32) {
	for ; r.next < r.end && l.from[r.next] == q; r.next++ {
		value := 0.0
		if l.tangent != nil {
			value = l.tangent.value[r.next]
		}
		a.Add(r.to+l.to[r.next], r.next, l.weight[r.next], value)
	}
}

// end adds the arc by which paths end in state q.
func (l *layered) end(a *layers.Arcs, q int32) {
	value := 0.0
	if l.tangent != nil {
		value = l.tangent.final[q]
	}
	a.Add(int32(l.width), q, l.final[q], value)
}

// add adds weight times x, per arc that leaves a layer, to parts.
func (l *layered) add(parts Parts, layer int, a *layers.Arcs, weight float64, x []float64) {
	for k, part := range a.Part {
		switch {
		case layer == 0:
			add(parts.Initial, part, weight*x[k])
		case layer == l.n+1 && int(a.To[k]) == l.width:
			add(parts.Final, part, weight*x[k])
		default:
			add(parts.Arc, l.arc[part], weight*x[k])
		}
	}
}

// take makes l the layered graph of p, with the values of t.
func (l *layered) take(p *pair, t *tangent) {
	l.pair, l.tangent = p, t
	p.findRows()
}

// named wraps err with the name of this package.
func named(err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("grid: %w", err)
}

// counts is Counts weight by weight.
func (l *layered) counts(weight float64, count Parts) (semiring.ScaledFloat, error) {
	total, err := layers.Counts(l, &l.scratch, func(layer int, a *layers.Arcs, p []float64) {
		l.add(count, layer, a, weight, p)
	})
	return total, named(err)
}

// derivatives is HessianVector weight by weight.
func (l *layered) derivatives(weight float64, count, change Parts) (semiring.ScaledFloat, error) {
	total, err := layers.Along(l, &l.scratch, func(layer int, a *layers.Arcs, p, covariance []float64) {
		l.add(count, layer, a, weight, p)
		l.add(change, layer, a, weight, covariance)
	})
	return total, named(err)
}

// BestPath appends to dst the numbers of the arcs of the path of the greatest weight that reads x
// and writes y. It also returns the state in which the path starts and the weight of the path,
// multiplied in the order of the path. Ties are broken in this order: at the start, the lower
// state; after that, writing only, reading and writing, reading only, ending; among arcs of the
// same kind, the arc to the lower state. Weights must not be negative. If there is no path, it
// appends nothing and returns weight 0. The error wraps semiring.ErrNotFinite if the weight is
// not a number.
func (m *Machine) BestPath(dst []int32, x, y []int32, s *Scratch) (path []int32, start int32, weight semiring.ScaledFloat, err error) {
	own := contentOf(s)
	if !own.pair.take(m, x, y) {
		return dst, 0, weight, nil
	}
	l := &own.layered
	l.take(&own.pair, nil)
	weight = semiring.NewScaled(1)
	best := layers.Best(l, &l.scratch, func(layer int, a *layers.Arcs, k int32) {
		weight = weight.Mul(a.Weight[k])
		switch {
		case layer == 0:
			start = a.Part[k]
		case layer <= l.n || int(a.To[k]) < l.width:
			dst = append(dst, m.arc[a.Part[k]])
		}
	})
	switch {
	case best.IsNaN():
		return dst, 0, best, nested.Errorf("grid: %w: the best path weighs %v", semiring.ErrNotFinite, best)
	case best.IsZero():
		return dst, 0, best, nil
	}
	return dst, start, weight, nil
}

// Graph returns the graph of all paths that read x and write y, over semiring.Scaled, and the
// number of the machine's arc for each of its arcs. In state (i·(|y|+1) + j)·states + q, i
// symbols were read, j were written, and the machine is in state q. All queries of package graph
// apply to it, and graph.Map converts it to other rings. If a string has a symbol that the
// machine lacks, the graph has no arcs. The error wraps semiring.ErrLimit if there are too many
// nodes or arcs for int32.
func (m *Machine) Graph(x, y []int32, s *Scratch) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	own := contentOf(s)
	nodes := int64(len(x)+1) * int64(len(y)+1) * int64(m.states)
	known := own.pair.take(m, x, y)
	if nodes >= math.MaxInt32 {
		return nil, nil, nested.Errorf("grid: %w: %d nodes", semiring.ErrLimit, nodes)
	}
	all, start, final := layers.Arcs{Row: make([]int32, nodes+1)}, m.initial, make([]semiring.ScaledFloat, nodes)
	copy(final[int(nodes)-m.states:], m.final)
	if known {
		var err error
		own.layered.take(&own.pair, nil)
		if all, start, final, err = layers.All(&own.layered); err != nil {
			return nil, nil, named(err)
		}
	}
	for a, k := range all.Part {
		all.Part[a] = m.arc[k]
	}
	starts := make([]graph.Start[semiring.ScaledFloat], len(start))
	for q, w := range start[:m.states] {
		starts[q] = graph.Start[semiring.ScaledFloat]{State: int32(q), Weight: w}
	}
	g, err := graph.New(semiring.Scaled{}, all.Row, all.To, all.Weight, starts[:m.states], final)
	return g, all.Part, err
}
