// Package layers sums over the paths of graphs in layers weight by weight, whatever the weights
// are. Trellises and grids use it where float64 numbers cannot represent their sums.
//
// The idea: a Machine lists the arcs that leave each of its layers, and one recursion over
// these lists answers all questions. The type of the numbers that it computes decides which:
// sums of weights, greatest weights, or dual numbers, a sum and its derivative.
package layers

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Machine is an acyclic graph whose nodes lie in layers. All paths lead from the only node of
// the first layer to the only node of the last layer.
type Machine interface {
	// Layers returns the number of layers, at least two.
	Layers() int
	// Width returns the number of nodes of a layer.
	Width(layer int) int
	// AppendArcs appends the arcs that leave the nodes of a layer, except the last one. An arc
	// comes after all arcs that lead to the node that it leaves.
	AppendArcs(dst []Arc, layer int) []Arc
}

// Arc leads from a node of its layer to another node of the same layer, or to a node of the
// next layer: To counts on from the nodes of the one to those of the other.
type Arc struct {
	From, To int32
	Part     int32 // for the caller
	Weight   semiring.ScaledFloat
	Value    float64 // the value of a path is the sum of the values of its arcs
}

// Scratch is working storage. One goroutine uses it at a time. The zero value is ready for use.
type Scratch struct {
	arcs   []Arc // of the current layer
	sums   pass[sum]
	duals  pass[dual]
	maxima pass[maximum]
	choice []choice
}

// load returns the arcs that leave a layer.
func (s *Scratch) load(m Machine, layer int) []Arc {
	s.arcs = m.AppendArcs(s.arcs[:0], layer)
	return s.arcs
}

// PathSum returns the sum over all paths of m.
func PathSum(m Machine, s *Scratch) semiring.ScaledFloat {
	return s.sums.backward(m, s).ScaledFloat
}

// Counts calls count for the arcs of every layer in their order, from the first layer on, with
// the probability that a path uses the arc, if it is drawn in proportion to its weight. It goes
// over the arcs three times, and returns the PathSum. If that is 0 there are no calls. The error
// wraps semiring.ErrNotFinite if the PathSum is infinite, not a number, or without an inverse, and
// then there are none either.
func Counts(m Machine, s *Scratch, count func(layer int, a *Arc, p float64)) (semiring.ScaledFloat, error) {
	total := s.sums.backward(m, s).ScaledFloat
	scale, err := inverse(total)
	if err != nil || total.IsZero() {
		return total, err
	}
	s.sums.forward(m, s, func(layer int, before, after []sum) {
		for i := range s.arcs {
			a := &s.arcs[i]
			count(layer, a, scale.Mul(before[a.From].along(a).ScaledFloat).Mul(after[a.To].ScaledFloat).Float64())
		}
	})
	return total, nil
}

// Along is Counts, and covariance is that of the use of the arc and the value of the path. It is
// the derivative of p when the weight of every arc is multiplied by e^(ε·Value).
func Along(m Machine, s *Scratch, count func(layer int, a *Arc, p, covariance float64)) (semiring.ScaledFloat, error) {
	total := s.duals.backward(m, s).ScaledFloat
	scale, err := inverse(total)
	if err != nil || total.IsZero() {
		return total, err
	}
	s.duals.forward(m, s, func(layer int, before, after []dual) {
		for i := range s.arcs {
			a := &s.arcs[i]
			x := before[a.From].along(a).times(after[a.To])
			count(layer, a, scale.Mul(x.ScaledFloat).Float64(), scale.Mul(x.slope).Float64())
		}
	})
	return total, nil
}

// inverse returns the inverse of a path sum, anything for 0.
func inverse(total semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	if total.IsZero() {
		return total, nil
	}
	return weights.Inverse(semiring.Scaled{}, semiring.Scaled{}, total)
}

// Best returns the greatest weight of a path, and calls visit for the arcs of such a path in
// their order. Of equally good arcs to go on by it takes the first in the order of the Machine.
// Weights must not be negative. It visits nothing if the weight is 0 or not a number.
func Best(m Machine, s *Scratch, visit func(layer int, a *Arc)) semiring.ScaledFloat {
	p := &s.maxima
	weight := p.backward(m, s).ScaledFloat
	if weight.IsZero() || weight.IsNaN() {
		return weight
	}
	node := int32(0)
	for segment := range p.segments(m) {
		p.enter(m, s, segment)
		for layer := p.lo; layer < p.hi; layer++ {
			width := int32(m.Width(layer))
			choices := s.choose(s.load(m, layer), p.two(layer), width)
			for node < width {
				a := &s.arcs[choices[node].arc]
				visit(layer, a)
				node = a.To
			}
			node -= width
		}
	}
	return weight
}

// choice is the best arc to go on by from a node.
type choice struct {
	arc    int
	weight maximum
}

// choose returns the choice for each of width nodes, given the greatest weights from where their
// arcs lead.
func (s *Scratch) choose(arcs []Arc, after []maximum, width int32) []choice {
	s.choice = append(s.choice[:0], make([]choice, width)...)
	for i := range arcs {
		a := &arcs[i]
		weight, best := after[a.To].along(a), &s.choice[a.From]
		if (semiring.Viterbi{}).Compare(weight.ScaledFloat, best.weight.ScaledFloat) < 0 {
			*best = choice{i, weight}
		}
	}
	return s.choice
}
