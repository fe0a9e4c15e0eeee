package graph

import (
	"errors"
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// HessianVector is Counts with a second derivative. Let V be the sum, over the arcs of
// a random path of graph g, of v[k] where table[k] is the arc's weight. It adds to
// count what Counts adds, weight·E[N], and to change weight·Cov(N, V): the derivative
// of that when every table[k] is multiplied by e^(ε·v[k]), and so the product of v and
// the matrix of second derivatives of weight·ln total by ln table. An entry of v for a
// table[k] of 0 has to be finite and does not matter.
//
// Conditions, errors and the total returned are those of Counts. It takes one more
// pass over the arcs, and no allocation either without a cycle. The mean of V is taken
// out step by step, as in the function HessianVector.
func (b *Batch) HessianVector(g int, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if t := b.loops[int32(g)]; t != nil {
		return b.cyclicHessianVector(g, t, table, v, weight, count, change)
	}
	total := b.inside(g, table, s)
	if !total.IsFinite() {
		return total, notFinite(g, total)
	}
	if !total.IsZero() {
		b.lookAhead(g, v, s)
		b.pushTilted(g, v, weight, count, change, s)
	}
	return total, nil
}

func (b *Batch) cyclicHessianVector(g int, t *topology, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64) (semiring.ScaledFloat, error) {
	fail := func(err error) (semiring.ScaledFloat, error) {
		return semiring.ScaledFloat{}, fmt.Errorf("graph: graph %d of the batch: %w", g, err)
	}
	c := b.cyclic(g, t, table, semiring.Scaled{})
	d, err := newDistribution(c)
	if errors.Is(err, ErrNoPath) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return fail(err)
	}
	r, err := newResponse(d)
	if err != nil {
		return fail(err)
	}
	values, _ := newParts(c)
	product, _ := newParts(c)
	row, arcs := b.graph(g)
	arcs = arcs[row[0]:row[len(row)-1]]
	for e, a := range arcs {
		values.Arc[e] = v[a.k]
	}
	if err := r.solve(values, product); err != nil {
		return fail(err)
	}
	for e, a := range arcs {
		count[a.k] += weight * r.p.Arc[e]
		change[a.k] += weight * product.Arc[e]
	}
	return d.total, nil
}

// lookAhead sets ahead, per state, to the expected V of what follows it, from the
// terms left by inside.
func (b *Batch) lookAhead(g int, v []float64, s *Scratch) {
	row, arcs := b.graph(g)
	base := row[0]
	last := len(row) - 2
	s.ahead = rows.Resized(s.ahead, last+1)
	ahead, unit, beta := s.ahead, s.unit[:last+1], s.beta[:last+1]
	arcs, terms := arcs[base:row[last+1]], s.term[:row[last+1]-base]
	ahead[0] = 0
	for p := 1; p <= last; p++ {
		if beta[p].Mant == 0 {
			ahead[p] = 0
			continue
		}
		lo, hi := row[p]-base, row[p+1]-base
		out := arcs[lo:hi]
		term := terms[lo:hi]
		term = term[:len(out)]
		sum := 0.0
		for e, a := range out {
			sum += term[e] * (v[a.k] + ahead[a.to])
		}
		ahead[p] = sum * unit[p]
	}
}

// pushTilted is push, and pushes the surprises of each step along (see response):
// behind is, per state, its visits times the expected surprises before one.
func (b *Batch) pushTilted(g int, v []float64, weight float64, count, change []float64, s *Scratch) {
	row, arcs := b.graph(g)
	base := row[0]
	last := len(row) - 2
	s.behind = rows.Resized(s.behind, last+1)
	arcs, terms := arcs[base:row[last+1]], s.term[:row[last+1]-base]
	unit, flow, ahead, behind := s.unit[:last+1], s.flow[:last+1], s.ahead[:last+1], s.behind
	clear(flow)
	clear(behind)
	flow[last] = weight
	for p := last; p > 0; p-- {
		visits := flow[p]
		if visits == 0 {
			continue
		}
		past, m := behind[p]/visits, ahead[p]
		visits *= unit[p]
		lo, hi := row[p]-base, row[p+1]-base
		out := arcs[lo:hi]
		term := terms[lo:hi]
		term = term[:len(out)]
		for e, a := range out {
			x := visits * term[e]
			count[a.k] += x
			flow[a.to] += x
			y := x * (past + (v[a.k] + (ahead[a.to] - m)))
			change[a.k] += y
			behind[a.to] += y
		}
	}
}
