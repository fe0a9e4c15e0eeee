package grid

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/layers"
)

// layered is the grid of a pair as a graph in layers, for sums weight by weight: the rows, before
// them a layer from which paths start, and after them one where they end.
type layered struct {
	*pair
	tangent *tangent // whose values the arcs have, nil for none
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

// AppendArcs appends the arcs that leave the nodes of a layer. Their parts are states where paths
// start or end, or else arcs as the machine orders them.
func (l *layered) AppendArcs(dst []layers.Arc, layer int) []layers.Arc {
	if layer == 0 {
		return l.appendStarts(dst)
	}
	i := layer - 1
	for j := range l.m + 1 {
		if j < l.m {
			dst = l.appendRow(dst, l.insert[j], j, j+1)
			if i < l.n {
				dst = l.appendRow(dst, l.rows.row(l.xs[i], l.ys[j]), j, l.m+1+j+1)
			}
		}
		if i < l.n {
			dst = l.appendRow(dst, l.remove[i], j, l.m+1+j)
		}
	}
	if i == l.n {
		dst = l.appendEnds(dst)
	}
	return dst
}

// appendRow appends the arcs of row r from one cell to another. Cells count on from those of a
// layer to those of the next.
func (l *layered) appendRow(dst []layers.Arc, r int32, from, to int) []layers.Arc {
	for k := l.start[r]; k < l.start[r+1]; k++ {
		a := layers.Arc{
			From: int32(from*l.states) + l.Machine.from[k], To: int32(to*l.states) + l.Machine.to[k],
			Part: k, Weight: l.weight[k],
		}
		if l.tangent != nil {
			a.Value = l.tangent.value[k]
		}
		dst = append(dst, a)
	}
	return dst
}

func (l *layered) appendStarts(dst []layers.Arc) []layers.Arc {
	for q, w := range l.initial {
		a := layers.Arc{To: int32(1 + q), Part: int32(q), Weight: w}
		if l.tangent != nil {
			a.Value = l.tangent.initial[q]
		}
		dst = append(dst, a)
	}
	return dst
}

func (l *layered) appendEnds(dst []layers.Arc) []layers.Arc {
	for q, w := range l.final {
		a := layers.Arc{From: int32(l.m*l.states + q), To: int32(l.width), Part: int32(q), Weight: w}
		if l.tangent != nil {
			a.Value = l.tangent.final[q]
		}
		dst = append(dst, a)
	}
	return dst
}

// part returns where parts has the number of an arc, nil if it has none.
func (l *layered) part(parts Parts, layer int, a *layers.Arc) *float64 {
	x, at := parts.Arc, a.Part
	switch {
	case layer == 0:
		x = parts.Initial
	case layer == l.n+1 && a.To == int32(l.width):
		x = parts.Final
	default:
		at = l.arc[at]
	}
	if x == nil {
		return nil
	}
	return &x[at]
}

// take makes l that of p.
func (l *layered) take(p *pair, t *tangent) { l.pair, l.tangent = p, t }

// named returns an error as one of this package.
func named(err error) error {
	if err == nil {
		return nil
	}
	return nested.Errorf("grid: %w", err)
}

// counts is Counts weight by weight.
func (l *layered) counts(weight float64, count Parts) (semiring.ScaledFloat, error) {
	total, err := layers.Counts(l, &l.scratch, func(layer int, a *layers.Arc, p float64) {
		if x := l.part(count, layer, a); x != nil {
			*x += weight * p
		}
	})
	return total, named(err)
}

// derivatives is HessianVector weight by weight.
func (l *layered) derivatives(weight float64, count, change Parts) (semiring.ScaledFloat, error) {
	total, err := layers.Along(l, &l.scratch, func(layer int, a *layers.Arc, p, covariance float64) {
		if x := l.part(count, layer, a); x != nil {
			*x += weight * p
		}
		if x := l.part(change, layer, a); x != nil {
			*x += weight * covariance
		}
	})
	return total, named(err)
}

// BestPath appends to dst the numbers of the arcs of the path of the greatest weight that
// reads x and writes y. It returns the state where it starts and its weight too,
// multiplied in the order of the path. Of equally good ways to go on it takes the first:
// by the order of states where it starts; then to write only, to read and write, to read
// only, to end; and of several arcs that do the same the one to the lesser state. Weights
// must not be negative. If there is no path, it appends nothing and returns weight 0. The
// error wraps semiring.ErrNotFinite if the weight is not a number.
func (m *Machine) BestPath(dst []int32, x, y []int32, s *Scratch) (path []int32, start int32, weight semiring.ScaledFloat, err error) {
	if !s.pair.take(m, x, y) {
		return dst, 0, weight, nil
	}
	l := &s.layered
	l.take(&s.pair, nil)
	weight = semiring.NewScaled(1)
	best := layers.Best(l, &l.scratch, func(layer int, a *layers.Arc) {
		weight = weight.Mul(a.Weight)
		switch {
		case layer == 0:
			start = a.Part
		case layer <= l.n || a.To < int32(l.width):
			dst = append(dst, m.arc[a.Part])
		}
	})
	switch {
	case best.IsNaN():
		return dst, 0, best, fmt.Errorf("grid: %w: the best path weighs %v", semiring.ErrNotFinite, best)
	case best.IsZero():
		return dst, 0, best, nil
	}
	return dst, start, weight, nil
}

// Graph returns the graph of all paths that read x and write y, over semiring.Scaled, and
// for each of its arcs the number of the machine's. State (i·(|y|+1) + j)·states + q
// says that i symbols were read, j written, and that the machine is in state q. So every
// query of package graph can be asked, and graph.Map takes it to other rings. If a string
// has a symbol that the machine lacks, the graph has no arcs. The error wraps
// semiring.ErrLimit if there are too many nodes or arcs for int32.
func (m *Machine) Graph(x, y []int32, s *Scratch) (*graph.Graph[semiring.ScaledFloat], []int32, error) {
	nodes := int64(len(x)+1) * int64(len(y)+1) * int64(m.states)
	if !s.pair.take(m, x, y) && nodes < math.MaxInt32 {
		g, err := graph.New(semiring.Scaled{}, make([]int32, nodes+1), nil, nil, nil, make([]semiring.ScaledFloat, nodes))
		return g, nil, err
	}
	s.layered.take(&s.pair, nil)
	g, number, err := layers.Graph(&s.layered)
	for a, k := range number {
		number[a] = m.arc[k]
	}
	return g, number, named(err)
}
