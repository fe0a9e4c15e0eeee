package grid

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// BestPath appends to dst the numbers of the arcs of the path of the greatest weight that
// reads x and writes y. It returns the state where it starts and its weight too,
// multiplied in the order of the path. Of equally good ways to go on it takes the first:
// by the order of states where it starts; then to write only, to read and write, to read
// only, to end; and of several arcs that do the same the one to the lesser state. Weights
// must not be negative. If there is no path, it appends nothing and returns weight 0. The
// error wraps semiring.ErrNotFinite if the weight is not a number.
func (m *Machine) BestPath(dst []int32, x, y []int32, s *Scratch) (path []int32, start int32, weight semiring.ScaledFloat, err error) {
	p := &s.pair
	if !p.take(m, x, y) {
		return dst, 0, weight, nil
	}
	s.choose()
	beta := &s.weight[1]
	beta.backward(&s.exact, p)
	for q, w := range m.initial {
		way := w.Mul(beta.row(p, 0)[q])
		switch {
		case way.IsNaN():
			return dst, 0, way, fmt.Errorf("grid: %w: the best path weighs %v", semiring.ErrNotFinite, way)
		case better(way, weight):
			start, weight = int32(q), way
		}
	}
	if weight.IsZero() {
		return dst, 0, weight, nil
	}
	weight = m.initial[start]
	node, i := int(start), 0 // of row i
	for segment := range p.segments() {
		p.enter(segment)
		beta.backwardAgain(&s.exact, p, segment)
		p.prepare()
		for i < p.hi || p.hi == p.n {
			k, down, to := s.bestArc(i, node)
			if k == 0 {
				return dst, start, weight.Mul(m.final[node%m.states]), nil
			}
			dst, weight = append(dst, m.arc[k]), weight.Mul(m.weight[k])
			node, i = to, i+down
		}
	}
	return dst, start, weight, nil
}

// choose makes the exact kernel that of best paths.
func (s *Scratch) choose() {
	s.choosing = choosing{s.pair.Machine}
	s.exact = exact{&s.pair, &s.choosing}
}

// better reports whether a weighs more than b.
func better(a, b semiring.ScaledFloat) bool { return semiring.Viterbi{}.Compare(a, b) < 0 }

// bestArc returns the arc by which the best path leads on from a node of row i, to a node
// of row i+down; 0 where it ends.
func (s *Scratch) bestArc(i, node int) (k int32, down, to int) {
	p, best := &s.pair, semiring.ScaledFloat{}
	p.leaving(i, node/p.states, func(arc int32, from, d, end int) {
		if from != node {
			return
		}
		if way := p.weight[arc].Mul(s.weight[1].row(p, i+d)[end]); better(way, best) {
			k, down, to, best = arc, d, end, way
		}
	})
	return k, down, to
}
