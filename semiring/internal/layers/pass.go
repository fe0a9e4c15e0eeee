package layers

import (
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// pass sums over the paths from every node on, layer by layer from the last one.
//
// In a large graph only the last layers of segments are stored. The other layers of a segment are
// recomputed when the segment is entered.
type pass struct {
	sweeper semiring.Sweeper[semiring.ScaledFloat]
	values  bool // ahead is also computed

	segment int                        // number of layers of a segment without its last one
	lo, hi  int                        // the current segment has the layers lo, …, hi
	at      []int                      // per layer of the segment: the offset of its nodes
	after   kept[semiring.ScaledFloat] // the sums
	ahead   kept[float64]              // the expected values of the path after each node,
	shift   []float64                  // minus the sum of shift over its layer and all later ones
	widest  int
	arcs    Arcs      // of the current layer
	down    []int32   // widest−1, …, 0
	chance  []float64 // per arc of a node
}

// kept has numbers of the nodes of the current segment, and numbers of the last layer of each
// segment.
type kept[T any] struct{ nodes, marks []T }

// reset allocates storage for m.
func (p *pass) reset(m Machine) {
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
	size := p.segments(m) * p.widest
	p.after.marks = rows.Resized(p.after.marks, size)
	if p.values {
		p.ahead.marks, p.shift = rows.Resized(p.ahead.marks, size), rows.Resized(p.shift, n)
	}
	p.down = rows.Resized(p.down, p.widest)
	for k := range p.down {
		p.down[k] = int32(p.widest - 1 - k)
	}
}

// mostNodes is the greatest number of nodes of a graph with a single segment.
var mostNodes = 1 << 20

// segments returns the number of segments.
func (p *pass) segments(m Machine) int { return (m.Layers() - 2 + p.segment) / p.segment }

// two returns the nodes of a layer of the current segment and of the next layer.
func (p *pass) two(layer int) []semiring.ScaledFloat {
	return p.after.nodes[p.at[layer-p.lo]:p.at[layer+2-p.lo]]
}

// aheadOf is two for the expected values ahead.
func (p *pass) aheadOf(layer int) []float64 {
	return p.ahead.nodes[p.at[layer-p.lo]:p.at[layer+2-p.lo]]
}

// load reads the arcs that leave a layer and makes them current.
func (p *pass) load(m Machine, layer int) *Arcs {
	p.arcs.reset()
	m.AppendArcs(&p.arcs, layer)
	return &p.arcs
}

// backward computes the sums of all nodes, and the expected values if values is set, and returns
// the sum of the first node. Afterwards the first segment is current.
func (p *pass) backward(m Machine, sweeper semiring.Sweeper[semiring.ScaledFloat], values bool) semiring.ScaledFloat {
	p.sweeper, p.values = sweeper, values
	p.reset(m)
	last := p.segments(m) - 1
	for segment := last; segment >= 0; segment-- {
		at := segment * p.widest
		if segment == last {
			p.after.marks[at] = semiring.ScaledFloat{Mant: 1}
		} else {
			copy(p.after.marks[at:], p.after.nodes[:m.Width(p.lo)])
		}
		if values && segment == last {
			p.ahead.marks[at] = 0
		} else if values {
			copy(p.ahead.marks[at:], p.ahead.nodes[:m.Width(p.lo)])
		}
		p.compute(m, segment)
	}
	return p.after.nodes[0]
}

// enter makes a segment current, after backward.
func (p *pass) enter(m Machine, segment int) {
	if p.lo != segment*p.segment {
		p.compute(m, segment)
	}
}

// compute makes a segment current, and computes the numbers of its nodes from its marks.
func (p *pass) compute(m Machine, segment int) {
	p.lo, p.hi = segment*p.segment, min((segment+1)*p.segment, m.Layers()-1)
	p.at = append(p.at[:0], 0)
	for layer := p.lo; layer <= p.hi; layer++ {
		p.at = append(p.at, p.at[layer-p.lo]+m.Width(layer))
	}
	n, last := p.at[p.hi+1-p.lo], p.at[p.hi-p.lo]
	p.after.nodes = rows.Resized(p.after.nodes, n)
	copy(p.after.nodes[last:], p.after.marks[segment*p.widest:])
	if p.values {
		p.ahead.nodes = rows.Resized(p.ahead.nodes, n)
		copy(p.ahead.nodes[last:], p.ahead.marks[segment*p.widest:])
	}
	for layer := p.hi - 1; layer >= p.lo; layer-- {
		width, after, a := m.Width(layer), p.two(layer), p.load(m, layer)
		clear(after[:width])
		p.sweeper.Sweep(after, p.down[p.widest-width:], a.Row, a.Weight, a.To)
		if p.values {
			p.expect(layer, width, a)
		}
	}
}

// expect computes the expected values after the nodes of a layer, and subtracts a common shift,
// so that the differences between them keep their digits.
func (p *pass) expect(layer, width int, a *Arcs) {
	after, ahead := p.two(layer), p.aheadOf(layer)
	for n := width - 1; n >= 0; n-- {
		sum, lo := 0.0, a.Row[n]
		for k, chance := range p.chances(a, n, after) {
			if chance != 0 {
				sum += chance * (a.Value[int(lo)+k] + ahead[a.To[int(lo)+k]])
			}
		}
		ahead[n] = sum
	}
	p.shift[layer] = 0
	if first := slices.IndexFunc(after[:width], func(x semiring.ScaledFloat) bool { return !x.IsZero() }); first >= 0 {
		p.shift[layer] = ahead[first]
	}
	for n := range width {
		ahead[n] -= p.shift[layer]
	}
}

// chances returns the conditional probabilities of the arcs of node n, given the sums of the
// nodes of its layer and the next.
func (p *pass) chances(a *Arcs, n int, after []semiring.ScaledFloat) []float64 {
	lo, hi := a.Row[n], a.Row[n+1]
	p.chance = rows.Resized(p.chance, int(hi-lo))
	if after[n].IsZero() {
		clear(p.chance)
	} else {
		semiring.Scaled{}.Marginals(p.chance, semiring.NewScaled(1).Div(after[n]), a.Weight[lo:hi], nil, after, a.To[lo:hi])
	}
	return p.chance
}
