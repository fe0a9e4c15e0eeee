// Package layers sums over the paths of graphs in layers weight by weight, for weights of any
// magnitude. Trellises and grids use it if float64 numbers cannot represent their sums.
//
// The idea: a Machine lists the arcs that leave each of its layers, and one recursion over these
// lists, by semiring.Scaled or semiring.Viterbi, computes the sum or maximum over the paths from
// every node on. These sums have any magnitude. The probabilities of the arcs that leave a node
// do not, so derivatives continue in float64 numbers.
package layers

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Machine is an acyclic graph whose nodes lie in layers. All paths lead from the only node of
// the first layer to the only node of the last layer. Within a layer arcs lead to later nodes.
type Machine interface {
	// Layers returns the number of layers, at least two.
	Layers() int
	// Width returns the number of nodes of a layer.
	Width(layer int) int
	// AppendArcs adds the arcs that leave a layer to a, which is empty. The last layer has none.
	AppendArcs(a *Arcs, layer int)
}

// Arcs are the arcs that leave the nodes of a layer, node by node: node n has the arcs Row[n], …,
// Row[n+1]−1.
type Arcs struct {
	Row    []int32
	To     []int32 // numbers the nodes of the next layer after the nodes of the layer
	Part   []int32 // for the caller
	Weight []semiring.ScaledFloat
	Value  []float64 // the value of a path is the sum of the values of its arcs
}

// Add adds an arc that leaves the current node.
func (a *Arcs) Add(to, part int32, weight semiring.ScaledFloat, value float64) {
	a.To, a.Part = append(a.To, to), append(a.Part, part)
	a.Weight, a.Value = append(a.Weight, weight), append(a.Value, value)
}

// Next makes the next node current. It is called after the arcs of every node.
func (a *Arcs) Next() { a.Row = append(a.Row, int32(len(a.To))) }

// reset makes a empty.
func (a *Arcs) reset() {
	a.Row, a.To, a.Part = append(a.Row[:0], 0), a.To[:0], a.Part[:0]
	a.Weight, a.Value = a.Weight[:0], a.Value[:0]
}

// Scratch is working storage. One goroutine uses it at a time. The zero value is ready for use.
type Scratch struct {
	pass         pass
	before       []semiring.ScaledFloat // per node of a layer and the next: sums over paths to it
	p, q         []float64              // per arc of a layer
	flow, behind []float64              // per node of a layer and the next, see Along
}

// PathSum returns the sum over all paths of m.
func PathSum(m Machine, s *Scratch) semiring.ScaledFloat {
	return s.pass.backward(m, semiring.Scaled{}, false)
}

// Counts calls count for every layer but the last one, in order, with the arcs that leave it and
// the probability that a path, drawn in proportion to its weight, uses each of them. It returns
// the PathSum. The error wraps semiring.ErrNotFinite if the PathSum is infinite, NaN, or not
// invertible. After an error, or if the PathSum is 0, there are no calls.
func Counts(m Machine, s *Scratch, count func(layer int, a *Arcs, p []float64)) (semiring.ScaledFloat, error) {
	total := s.pass.backward(m, semiring.Scaled{}, false)
	scale, err := inverse(total)
	if err != nil || total.IsZero() {
		return total, err
	}
	s.before = rows.Resized(s.before, 2*s.pass.widest)
	s.before[0] = semiring.ScaledFloat{Mant: 1}
	s.pass.forward(m, func(layer int, a *Arcs) {
		after, width := s.pass.two(layer), m.Width(layer)
		before := s.before[:len(after)]
		clear(before[width:])
		semiring.Scaled{}.Spread(before, nil, a.Row, a.Weight, a.To)
		s.p = rows.Resized(s.p, len(a.To))
		for n := range width {
			lo, hi := a.Row[n], a.Row[n+1]
			semiring.Scaled{}.Marginals(s.p[lo:hi], scale.Mul(before[n]), a.Weight[lo:hi], nil, after, a.To[lo:hi])
		}
		count(layer, a, s.p)
		copy(before, before[width:])
	})
	return total, nil
}

// Along is Counts, and covariance is the covariance of the use of each arc and the value of the
// path. It is the derivative of p if the weight of every arc is multiplied by e^(ε·Value).
//
// Let M be the expected value of the path after a node. An arc contributes its surprise to the
// value of a path: its value plus the growth of M. Surprises add up to the value less its mean,
// and each has mean 0 given all earlier arcs. So the covariance of the value with the use of an
// arc is the covariance of the use with the arc's own surprise and earlier ones.
func Along(m Machine, s *Scratch, count func(layer int, a *Arcs, p, covariance []float64)) (semiring.ScaledFloat, error) {
	total := s.pass.backward(m, semiring.Scaled{}, true)
	if _, err := inverse(total); err != nil || total.IsZero() {
		return total, err
	}
	// flow is the probability of each node; behind is flow times the expected surprises before
	// it.
	s.flow, s.behind = rows.Resized(s.flow, 2*s.pass.widest), rows.Resized(s.behind, 2*s.pass.widest)
	s.flow[0], s.behind[0] = 1, 0
	s.pass.forward(m, func(layer int, a *Arcs) {
		after, width := s.pass.two(layer), m.Width(layer)
		flow, behind := s.flow[:len(after)], s.behind[:len(after)]
		clear(flow[width:])
		clear(behind[width:])
		s.p, s.q = rows.Resized(s.p, len(a.To)), rows.Resized(s.q, len(a.To))
		clear(s.p)
		clear(s.q)
		for n := range width {
			if flow[n] != 0 {
				s.push(layer, width, n, a, after, flow, behind)
			}
		}
		count(layer, a, s.p, s.q)
		copy(flow, flow[width:])
		copy(behind, behind[width:])
	})
	return total, nil
}

// push continues from node n of a layer along its arcs.
func (s *Scratch) push(layer, width, n int, a *Arcs, after []semiring.ScaledFloat, flow, behind []float64) {
	ahead, shift := s.pass.aheadOf(layer), s.pass.shift[layer]
	past := behind[n] / flow[n]
	for k, chance := range s.pass.chances(a, n, after) {
		p := flow[n] * chance
		if p == 0 {
			continue
		}
		k += int(a.Row[n])
		to, here := int(a.To[k]), ahead[n]
		if to >= width {
			here += shift
		}
		surprise := p * (past + (a.Value[k] + (ahead[to] - here)))
		s.p[k], s.q[k] = p, surprise
		flow[to] += p
		behind[to] += surprise
	}
}

// forward calls visit for every layer but the last one, after backward, with its arcs.
func (p *pass) forward(m Machine, visit func(layer int, a *Arcs)) {
	for segment := range p.segments(m) {
		p.enter(m, segment)
		for layer := p.lo; layer < p.hi; layer++ {
			visit(layer, p.load(m, layer))
		}
	}
}

// inverse returns the inverse of a path sum, and 0 for 0.
func inverse(total semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	if total.IsZero() {
		return total, nil
	}
	return weights.Inverse(semiring.Scaled{}, semiring.Scaled{}, total)
}

// Best returns the greatest weight of a path, and calls visit in order for the arcs of such a
// path, number k of a. Among equally good continuations it takes the first arc. Weights must not
// be negative. If the weight is 0 or NaN there are no calls.
func Best(m Machine, s *Scratch, visit func(layer int, a *Arcs, k int32)) semiring.ScaledFloat {
	weight := s.pass.backward(m, semiring.Viterbi{}, false)
	if weight.IsZero() || weight.IsNaN() {
		return weight
	}
	node := int32(0)
	s.pass.forward(m, func(layer int, a *Arcs) {
		width, after := int32(m.Width(layer)), s.pass.two(layer)
		for node < width {
			k := a.best(node, after)
			visit(layer, a, k)
			node = a.To[k]
		}
		node -= width
	})
	return weight
}

// best returns the arc of the best continuation from a node.
func (a *Arcs) best(node int32, after []semiring.ScaledFloat) int32 {
	best, weight := a.Row[node], semiring.ScaledFloat{}
	for k := best; k < a.Row[node+1]; k++ {
		w := a.Weight[k].Mul(after[a.To[k]])
		if (semiring.Viterbi{}).Compare(w, weight) < 0 {
			best, weight = k, w
		}
	}
	return best
}
