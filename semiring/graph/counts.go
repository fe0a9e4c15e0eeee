package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Scratch is working storage for the methods of Batch that take one. Its zero
// value is ready for use; one goroutine uses it at a time.
type Scratch struct {
	beta          []semiring.ScaledFloat // per state: the sum over paths from it
	term          []float64              // per arc: its share of beta, in units of its state's
	unit          []float64              // per state: 1 / what beta is in these units
	flow          []float64              // per state: expected visits
	ahead, behind []float64              // per state: what HessianVector needs of both sides
	best          []int32                // per state: the first arc of the best path from it
}

// grow makes room for a graph.
func (s *Scratch) grow(states, arcs int) {
	if cap(s.beta) < states {
		n := states + states/2
		s.beta, s.best = make([]semiring.ScaledFloat, n), make([]int32, n)
		s.unit, s.flow = make([]float64, n), make([]float64, n)
	}
	if cap(s.term) < arcs {
		s.term = make([]float64, arcs+arcs/2)
	}
}

// PathSum returns the total weight of graph g under the given table; it may be 0,
// and infinite or not a number if entries of the table are. The error wraps
// semiring.ErrDiverges if a cycle has no sum. O(states + arcs) without a cycle.
func (b *Batch) PathSum(g int, table []semiring.ScaledFloat, s *Scratch) (semiring.ScaledFloat, error) {
	if t := b.loops[int32(g)]; t != nil {
		return PathSum(b.cyclic(g, t, table, semiring.Scaled{}))
	}
	return b.inside(g, table, s), nil
}

// Counts adds to count[k] weight times the expected number of arcs of weight table[k]
// on a random path of graph g, drawn in proportion to its weight, and returns the
// total weight of all paths. The table must not be negative. If the total is 0 there
// is no such path and nothing is added. If it is infinite or not a number, nothing is
// added and the error wraps semiring.ErrNotFinite; it wraps semiring.ErrDiverges if a
// cycle has no sum.
//
// O(states + arcs) without a cycle, and then no allocation once scratch has grown.
// The result does not depend on what scratch was used for before.
func (b *Batch) Counts(g int, table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if t := b.loops[int32(g)]; t != nil {
		return b.cyclicCounts(g, t, table, weight, count)
	}
	total := b.inside(g, table, s)
	if !total.IsFinite() {
		return total, notFinite(g, total)
	}
	if !total.IsZero() {
		b.push(g, weight, count, s)
	}
	return total, nil
}

// notFinite returns the error for the total of graph g.
func notFinite(g int, total semiring.ScaledFloat) error {
	return fmt.Errorf("graph: %w: graph %d of the batch has total %v", semiring.ErrNotFinite, g, total)
}

func (b *Batch) cyclicCounts(g int, t *topology, table []semiring.ScaledFloat, weight float64, count []float64) (semiring.ScaledFloat, error) {
	p, err := Posteriors(b.cyclic(g, t, table, semiring.Scaled{}))
	if err != nil {
		return semiring.ScaledFloat{}, fmt.Errorf("graph: graph %d of the batch: %w", g, err)
	}
	row, arcs := b.graph(g)
	for e, a := range arcs[row[0]:row[len(row)-1]] {
		count[a.k] += weight * p.Arc[e]
	}
	return p.Total, nil
}

// inside computes beta, and for push the terms of every sum, and returns the beta
// of the source.
//
// The terms of a state are kept as multiples of one power of 2^512, and their sum
// in the same unit. As long as all exponents agree, nothing else is done; where
// they do not, rescale mends what was done so far.
func (b *Batch) inside(g int, table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	row, arcs := b.graph(g)
	base := row[0]
	last := len(row) - 2
	s.grow(last+1, int(row[last+1]-base))
	beta, unit := s.beta[:last+1], s.unit[:last+1]
	arcs, terms := arcs[base:row[last+1]], s.term[:row[last+1]-base]
	beta[0], unit[0] = semiring.ScaledFloat{Mant: 1}, 1
	exp := int64(0) // as long as a sum is 0 any will do, so guess that of the last
	for p := 1; p <= last; p++ {
		lo, hi := row[p]-base, row[p+1]-base
		out := arcs[lo:hi]
		term := terms[lo:hi]
		term = term[:len(out)]
		sum := 0.0
		for e, a := range out {
			w, x := table[a.k], beta[a.to]
			t, q := w.Mant*x.Mant, w.Exp+x.Exp
			if q == exp {
				term[e] = t
				sum += t
			} else {
				sum, exp = rescale(term[:e+1], sum, exp, t, q)
			}
		}
		unit[p] = 1 / sum
		beta[p] = normal(sum, exp)
	}
	return beta[last]
}

// rescale stores t·2^(512·q) as the last of the terms, whose sum so far is
// sum·2^(512·exp), and returns the new sum and its exponent: the larger one. A
// zero does not raise it, and what is not finite is never dropped.
func rescale(term []float64, sum float64, exp int64, t float64, q int64) (float64, int64) {
	last := len(term) - 1
	switch {
	case t == 0:
		term[last] = 0
		return sum, exp
	case sum == 0:
		exp = q // the terms before are 0
	case q > exp:
		for e, x := range term[:last] {
			term[e] = lowered(x, q-exp)
		}
		sum, exp = lowered(sum, q-exp), q
	default:
		t = lowered(t, exp-q)
	}
	term[last] = t
	return sum + t, exp
}

// lowered returns x·2^(−512·digits) for digits > 0. Mantissas of products span two
// digits, so three digits make anything finite vanish beside them.
func lowered(x float64, digits int64) float64 {
	for range min(digits, 5) {
		x *= weights.DigitLow
	}
	return x
}

// normal returns m·2^(512·exp) for a sum m of products of mantissas.
func normal(m float64, exp int64) semiring.ScaledFloat {
	if a := math.Abs(m); weights.MantLow <= a && a < weights.MantHigh {
		return semiring.ScaledFloat{Mant: m, Exp: exp}
	}
	return normalized(m, exp)
}

// normalized is normal for an m that is not itself a normalized mantissa.
func normalized(m float64, exp int64) semiring.ScaledFloat {
	x := semiring.NewScaled(m)
	if x.IsZero() || !x.IsFinite() {
		return x
	}
	return x.Mul(semiring.ScaledFloat{Mant: 1, Exp: exp})
}

// push distributes weight, the expected visits of the source, along the arcs in
// proportion to the terms left by inside.
func (b *Batch) push(g int, weight float64, count []float64, s *Scratch) {
	row, arcs := b.graph(g)
	base := row[0]
	last := len(row) - 2
	arcs, terms := arcs[base:row[last+1]], s.term[:row[last+1]-base]
	unit, flow := s.unit[:last+1], s.flow[:last+1]
	clear(flow)
	flow[last] = weight
	for p := last; p > 0; p-- {
		visits := flow[p]
		if visits == 0 {
			continue
		}
		visits *= unit[p]
		lo, hi := row[p]-base, row[p+1]-base
		out := arcs[lo:hi]
		term := terms[lo:hi]
		term = term[:len(out)]
		for e, a := range out {
			v := visits * term[e]
			count[a.k] += v
			flow[a.to] += v
		}
	}
}
