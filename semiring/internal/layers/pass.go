package layers

import (
	"math"

	"example.org/pathsum/semiring/internal/rows"
)

// pass computes numbers of the nodes: for the paths from a node on, layer by layer from the last
// one, and then for the paths to it, layer by layer from the first one.
//
// Of a large graph only the last layers of its segments are kept, and the others computed again
// when their segment is entered.
type pass[W number[W]] struct {
	segment int       // number of layers of a segment, all but its last one
	lo, hi  int       // the current segment has the layers lo, …, hi
	at      []int     // per layer of the segment: where its nodes are in after
	after   []W       // per node of the segment: for the paths from it on
	marks   []W       // per segment: after of its last layer, widest entries each
	before  []W       // per node of a layer and the next one: for the paths to it
	means   []float64 // per layer: taken from the values of the arcs that lead to the next one
	widest  int
}

// mostNodes is the greatest number of nodes of a graph that is one segment.
var mostNodes = 1 << 20

// reset makes room for m.
func (p *pass[W]) reset(m Machine) {
	n, nodes := m.Layers(), 0
	p.widest = 0
	for layer := range n {
		width := m.Width(layer)
		nodes, p.widest = nodes+width, max(p.widest, width)
	}
	p.segment = n - 1
	if nodes > mostNodes {
		p.segment = int(math.Ceil(math.Sqrt(float64(n))))
	}
	p.before = rows.Resized(p.before, 2*p.widest)
	p.means = rows.Resized(p.means, n)
	p.marks = rows.Resized(p.marks, p.segments(m)*p.widest)
}

// segments returns the number of segments.
func (p *pass[W]) segments(m Machine) int { return (m.Layers() - 2 + p.segment) / p.segment }

// take makes a segment current, without the numbers of its nodes.
func (p *pass[W]) take(m Machine, segment int) {
	p.lo, p.hi = segment*p.segment, min((segment+1)*p.segment, m.Layers()-1)
	p.at = append(p.at[:0], 0)
	for layer := p.lo; layer <= p.hi; layer++ {
		p.at = append(p.at, p.at[layer-p.lo]+m.Width(layer))
	}
	p.after = rows.Resized(p.after, p.at[p.hi+1-p.lo])
}

// two returns after of a layer of the current segment and of the next layer.
func (p *pass[W]) two(layer int) []W { return p.after[p.at[layer-p.lo]:p.at[layer+2-p.lo]] }

// backward computes after of all nodes, and returns that of the first one. The first segment is
// the current one then.
func (p *pass[W]) backward(m Machine, s *Scratch) W {
	p.reset(m)
	var one W
	last := append(p.before[:0], one.one())
	for segment := p.segments(m) - 1; segment >= 0; segment-- {
		copy(p.marks[segment*p.widest:], last)
		p.fill(m, s, segment)
		last = append(p.before[:0], p.after[:m.Width(p.lo)]...)
	}
	return last[0]
}

// fill makes a segment current, and computes after of its nodes.
func (p *pass[W]) fill(m Machine, s *Scratch, segment int) {
	p.take(m, segment)
	copy(p.after[p.at[p.hi-p.lo]:], p.marks[segment*p.widest:])
	for layer := p.hi - 1; layer >= p.lo; layer-- {
		two, width := p.two(layer), m.Width(layer)
		clear(two[:width])
		arcs := s.load(m, layer)
		for i := len(arcs) - 1; i >= 0; i-- {
			a := &arcs[i]
			if x := two[a.To]; !x.isZero() {
				two[a.From] = two[a.From].plus(x.along(a))
			}
		}
		p.means[layer] = center(two[:width])
	}
}

// enter makes a segment the current one, after backward.
func (p *pass[W]) enter(m Machine, s *Scratch, segment int) {
	if p.lo != segment*p.segment {
		p.fill(m, s, segment)
	}
}

// forward calls visit for every layer but the last one, after backward. before and after are of
// the nodes of the layer and of the next one, and the layer's arcs are in s.
func (p *pass[W]) forward(m Machine, s *Scratch, visit func(layer int, before, after []W)) {
	var one W
	p.before[0] = one.one()
	for segment := range p.segments(m) {
		p.enter(m, s, segment)
		for layer := p.lo; layer < p.hi; layer++ {
			after, width := p.two(layer), int32(m.Width(layer))
			before := p.before[:len(after)]
			clear(before[width:])
			arcs := s.load(m, layer)
			for i := range arcs {
				a := &arcs[i]
				if a.To >= width {
					a.Value -= p.means[layer]
				}
				if x := before[a.From]; !x.isZero() {
					before[a.To] = before[a.To].plus(x.along(a))
				}
			}
			visit(layer, before, after)
			copy(before, before[width:])
		}
	}
}
