package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// BestPath appends to path the table indices of the arcs of the path of graph g
// with the greatest product of weights, and returns it and the product. Weights
// must not be negative. Of equally good continuations from a state the first arc
// is taken. If the product is 0 there is no path and nothing is appended. The
// error wraps ErrNotFinite if it is infinite or not a number, and ErrDiverges if a
// cycle makes paths ever better.
//
// O(states + arcs) without a cycle, and then no allocation once path and scratch
// have grown.
func (b *Batch) BestPath(path []int32, g int, table []semiring.ScaledFloat, scratch *Scratch) ([]int32, semiring.ScaledFloat, error) {
	if t := b.loops[int32(g)]; t != nil {
		return b.cyclicBest(path, g, t, table)
	}
	total := b.best(g, table, scratch)
	if total.IsZero() {
		return path, total, nil
	}
	if !total.IsFinite() {
		return path, total, fmt.Errorf("graph: %w: graph %d of the batch has a best path of weight %v", ErrNotFinite, g, total)
	}
	row, arcs := b.graph(g)
	for p := int32(0); int(p) < len(row)-2; {
		a := arcs[scratch.choice[p]]
		path = append(path, a.k)
		p = a.to
	}
	return path, total, nil
}

// best computes, for every state of graph g, the best product of a path from it
// and the arc on which that begins, and returns the product from the source.
func (b *Batch) best(g int, table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	row, arcs := b.graph(g)
	last := len(row) - 2
	s.grow(last+1, 0)
	s.choice = resized(s.choice, last+1)
	beta, choice := s.beta[:last+1], s.choice
	beta[last] = semiring.ScaledFloat{Mant: 1}
	for p := last - 1; p >= 0; p-- {
		lo, hi := row[p], row[p+1]
		out := arcs[lo:hi]
		best, at := table[out[0].k].Mul(beta[out[0].to]), 0
		for e, a := range out[1:] {
			x := table[a.k].Mul(beta[a.to])
			if x.Cmp(best) > 0 && !best.IsNaN() || x.IsNaN() {
				best, at = x, e+1
			}
		}
		beta[p], choice[p] = best, lo+int32(at)
	}
	return beta[0]
}

func (b *Batch) cyclicBest(path []int32, g int, t *topology, table []semiring.ScaledFloat) ([]int32, semiring.ScaledFloat, error) {
	c := b.cyclic(g, t, table)
	c.ring = semiring.Viterbi{}
	best, err := BestPath(c)
	if err != nil {
		return path, semiring.ScaledFloat{}, fmt.Errorf("graph %d of the batch: %w", g, err)
	}
	row, arcs := b.graph(g)
	for _, e := range best.Arcs {
		path = append(path, arcs[row[0]+e].k)
	}
	return path, best.Weight, nil
}
