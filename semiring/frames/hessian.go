package frames

import (
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/layers"
)

// HessianVector is Counts without γ, and adds to change weight·Cov(N, V): N is the number of uses
// of every part on a random path, and V the sum of v over the parts that the path uses, where nil
// stands for zeros. This is the derivative by ε of weight·E[N] if every part's weight is
// multiplied by e^(ε·v). So it is the product of v and the matrix of second derivatives of
// weight·ln Z with respect to the logarithms of the weights. An entry of v for a part of weight 0
// is ignored.
//
// It takes O(frames × arcs), over weights of any size: about twenty times as long as Counts. If
// the graph has cycles of ε arcs, it builds the product, with frames × arcs arcs; otherwise
// memory is as for Counts. The error is as for PathSum, or wraps semiring.ErrShape if the lengths
// in v are wrong; uses and change are then unchanged.
func (g *Graph) HessianVector(e *Emissions, v Parts, weight float64, uses, change Parts, s *Scratch) (semiring.ScaledFloat, error) {
	if err := g.check(e); err != nil {
		return semiring.ScaledFloat{}, err
	}
	for _, c := range []struct {
		name    string
		n, want int
	}{{"starts", len(v.Initial), g.states}, {"arcs", len(v.Arc), len(g.arcs)}, {"ends", len(v.Final), g.states}} {
		if c.n != c.want && c.n != 0 {
			return semiring.ScaledFloat{}, nested.Errorf("frames: %w: a direction for %d %s of %d", semiring.ErrShape, c.n, c.name, c.want)
		}
	}
	g.checkParts("HessianVector", uses)
	g.checkParts("HessianVector", change)
	if total, err := g.PathSum(e, s); err != nil || total.IsZero() {
		return total, err
	}
	if len(g.knots) > 0 {
		return g.hessianOfProduct(e, v, weight, uses, change)
	}
	l := layered{g, e, v}
	total, err := layers.Along(&l, &s.layers, func(layer int, a *layers.Arcs, p, covariance []float64) {
		for k, part := range a.Part {
			switch {
			case layer == 0:
				add(uses.Initial, change.Initial, part, weight, p[k], covariance[k])
			case part < 0:
				add(uses.Final, change.Final, -1-part, weight, p[k], covariance[k])
			default:
				add(uses.Arc, change.Arc, part, weight, p[k], covariance[k])
			}
		}
	})
	if err != nil {
		return total, nested.Errorf("frames: %w", err)
	}
	return total, nil
}

// add adds weight times a use and its change to the use and the change of a part.
func add(uses, change []float64, part int32, weight, use, slope float64) {
	if uses != nil {
		uses[part] += weight * use
	}
	if change != nil {
		change[part] += weight * slope
	}
}

// layered is the product of a graph without cycles of ε arcs and emissions, as layers: a start, the
// positions after every frame, and an end.
type layered struct {
	g *Graph
	e *Emissions
	v Parts
}

func (l *layered) Layers() int { return l.e.frames + 3 }

func (l *layered) Width(layer int) int {
	if layer == 0 || layer == l.e.frames+2 {
		return 1
	}
	return l.g.states
}

func (l *layered) AppendArcs(a *layers.Arcs, layer int) {
	g, t := l.g, layer-1
	if layer == 0 {
		for p, q := range g.state {
			l.add(a, int32(1+p), q, g.w.Initial[q], l.v.Initial)
		}
		a.Next()
		return
	}
	width := int32(g.states)
	for p, q := range g.state {
		for i := g.leaving[p]; i < g.leaving[p+1]; i++ {
			k := g.leaves[i]
			switch arc := g.arcs[k]; {
			case arc.Symbol == Epsilon:
				l.add(a, g.position[arc.To], k, g.w.Arc[k], l.v.Arc)
			case t < l.e.frames:
				l.add(a, width+g.position[arc.To], k, g.w.Arc[k].Mul(l.e.Weight(t, int(arc.Symbol))), l.v.Arc)
			}
		}
		if t == l.e.frames && !g.w.Final[q].IsZero() {
			value := 0.0
			if l.v.Final != nil {
				value = l.v.Final[q]
			}
			a.Add(width, -1-q, g.w.Final[q], value)
		}
		a.Next()
	}
}

// add adds an arc of a part, unless its weight is 0.
func (l *layered) add(a *layers.Arcs, to, part int32, w semiring.ScaledFloat, v []float64) {
	switch {
	case w.IsZero():
	case v == nil:
		a.Add(to, part, w, 0)
	default:
		a.Add(to, part, w, v[part])
	}
}

// hessianOfProduct is HessianVector by package graph.
func (g *Graph) hessianOfProduct(e *Emissions, v Parts, weight float64, uses, change Parts) (semiring.ScaledFloat, error) {
	product, arc, err := g.Product(e)
	if err != nil {
		return semiring.ScaledFloat{}, err
	}
	along := graph.Parts{
		Start: make([]float64, len(product.Starts())), Arc: make([]float64, product.NumArcs()), Final: make([]float64, product.NumStates()),
	}
	last := e.frames * g.states // the states after all frames
	if v.Initial != nil {
		for i, start := range product.Starts() {
			along.Start[i] = v.Initial[start.State]
		}
	}
	if v.Arc != nil {
		for i, k := range arc {
			along.Arc[i] = v.Arc[k]
		}
	}
	copy(along.Final[last:], v.Final)
	p, slopes, err := graphs.PosteriorsAlong(product, along)
	if err != nil {
		return semiring.ScaledFloat{}, nested.Errorf("frames: %w", err)
	}
	for i, start := range product.Starts() {
		add(uses.Initial, change.Initial, start.State, weight, p.Start[i], slopes.Start[i])
	}
	for i, k := range arc {
		add(uses.Arc, change.Arc, k, weight, p.Arc[i], slopes.Arc[i])
	}
	for q := range int32(g.states) {
		add(uses.Final, change.Final, q, weight, p.Final[last+int(q)], slopes.Final[last+int(q)])
	}
	return p.Total, nil
}
