package graph

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// shares computes the posteriors of an acyclic graph. beta contains the final weights and is
// replaced by β. shares divides the visits of a state among its arcs and its final weight in
// proportion to their terms of β. It returns false, leaving garbage in p, if there is no path, if
// a sum or the total is out of range, or if negative weights may have cancelled in a β.
func shares[W any](p *Posterior[W], s *solver[W], prober semiring.Probabilistic[W], sweeper semiring.TermSweeper[W], beta []W) bool {
	g := s.g
	unit := rows.Borrowed[[]float64]()
	defer rows.Repaid(unit)
	*unit = rows.Resized(*unit, len(beta))
	ok := sweeper.SweepTerms(p.Arc, p.Final, *unit, beta, g.topology.ReverseOrder(), g.Row(), g.weight, g.To())
	p.Total = total(g, beta)
	scale, regular := semiring.Inverse(g.ring, prober, p.Total)
	if !ok || !regular {
		return false
	}
	if number, ok := any(p.Total).(float64); ok && weights.IsReal(g.ring) && !weights.Within(600, number) {
		return false
	}
	clear(p.State)
	inverse := []W{scale}
	for i, start := range g.starts {
		// A product of the start weight and scale may be out of range.
		b := beta[start.State : start.State+1]
		s.products.Kernel.Marginals(p.Start[i:i+1], start.Weight, b, nil, inverse, nil)
		p.State[start.State] += p.Start[i]
	}
	return pushShares(&g.topology.Topology, 0, p.Arc, p.State, p.Final, *unit)
}

// pushShares replaces the terms of arcs and of final weights by posteriors, and adds up the visits
// of states, from a position in topological order on. Visits begin with those that come from
// starts or from earlier positions. It returns false if visits are not finite or
// an arc has a negative posterior. It is not generic, so it is compiled once.
func pushShares(t *rows.Topology, position int, arc, state, final, unit []float64) bool {
	c, row, to := t.Components(), t.Row, t.To[:len(arc)]
	signs, sum := uint64(0), 0.0
	for ; position < len(state); position++ {
		s := c.State(position)
		visits := state[s]
		sum += visits
		visits *= unit[s]
		final[s] *= visits
		hi := int(row[s+1])
		for e := int(row[s]); e < hi; e++ {
			x := arc[e] * visits
			arc[e] = x
			state[to[e]] += x
			signs |= math.Float64bits(x)
		}
	}
	return signs>>63 == 0 && math.Abs(sum) <= math.MaxFloat64
}
