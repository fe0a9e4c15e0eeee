package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// BestPath appends to dst the weights, as indices into table, of the arcs on the path
// of greatest weight in graph g, from source to sink, and returns that weight too. Of
// equally good ways to go on it takes the first arc. The table must not be negative.
// If the total is 0 there is no such path and nothing is appended. If it is infinite
// or not a number, nothing is appended and the error wraps semiring.ErrNotFinite; it
// wraps semiring.ErrDiverges if paths get ever better along a cycle.
//
// O(states + arcs) without a cycle, and then no allocation but for dst once scratch
// has grown.
func (b *Batch) BestPath(g int, table []semiring.ScaledFloat, dst []int32, s *Scratch) ([]int32, semiring.ScaledFloat, error) {
	if t := b.loops[int32(g)]; t != nil {
		return b.cyclicBestPath(g, t, table, dst)
	}
	total := b.maximize(g, table, s)
	if total.IsZero() {
		return dst, total, nil
	}
	if !total.IsFinite() {
		return dst, total, notFinite(g, total)
	}
	row, arcs := b.graph(g)
	for p := int32(len(row) - 2); p > 0; {
		a := arcs[s.best[p]]
		dst = append(dst, a.k)
		p = a.to
	}
	return dst, total, nil
}

func (b *Batch) cyclicBestPath(g int, t *topology, table []semiring.ScaledFloat, dst []int32) ([]int32, semiring.ScaledFloat, error) {
	p, err := BestPath(b.cyclic(g, t, table, semiring.Viterbi{}))
	if err == nil && !p.Weight.IsFinite() {
		return dst, p.Weight, notFinite(g, p.Weight)
	}
	if err != nil {
		return dst, semiring.ScaledFloat{}, fmt.Errorf("graph: graph %d of the batch: %w", g, err)
	}
	row, arcs := b.graph(g)
	for _, e := range p.Arcs {
		dst = append(dst, arcs[row[0]+e].k)
	}
	return dst, p.Weight, nil
}

// maximize computes, per state, the weight of the best path to the sink and its
// first arc, a number within the batch, and returns the weight from the source.
//
// As in inside, the best of a state is kept as a multiple of a power of 2^512, and
// products are compared as they are as long as all exponents agree.
func (b *Batch) maximize(g int, table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	row, arcs := b.graph(g)
	last := len(row) - 2
	s.grow(last+1, 0)
	value, best := s.beta[:last+1], s.best[:last+1]
	value[0] = semiring.ScaledFloat{Mant: 1}
	exp := int64(0) // any will do for a 0
	for p := 1; p <= last; p++ {
		lo := row[p]
		top, choice := 0.0, 0
		for e, a := range arcs[lo:row[p+1]] {
			w, x := &table[a.k], &value[a.to]
			t, q := w.Mant*x.Mant, w.Exp+x.Exp
			better := !(t <= top) // or NaN
			if q != exp {
				better = exceeds(t, q, top, exp)
			}
			if better {
				top, exp, choice = t, q, e
				if t != t {
					break // nothing exceeds NaN
				}
			}
		}
		value[p], best[p] = normal(top, exp), lo+int32(choice)
	}
	return value[last]
}

// exceeds reports whether t·2^(512·q) is greater than top·2^(512·exp) or not a
// number, for products of mantissas and q ≠ exp.
func exceeds(t float64, q int64, top float64, exp int64) bool {
	x := normal(t, q)
	return x.IsNaN() || x.Cmp(normal(top, exp)) > 0
}
