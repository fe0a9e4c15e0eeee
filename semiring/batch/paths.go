package batch

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// addPaths computes the sum of the paths from every state, and for pushPaths the terms
// of every sum, and returns the source's.
//
// The terms of a state are kept as multiples of one power of 2^512, and their sum
// in the same unit. As long as all exponents agree, nothing else is done; where
// they do not, rescale mends what was done so far.
func (x *item) addPaths(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	last := x.root()
	sums, unit := s.sum[:last+1], s.unit[:last+1]
	sums[0], unit[0] = semiring.ScaledFloat{Mant: 1}, 1
	exp := int64(0) // as long as a sum is 0 any will do, so guess the last one's
	k := x.k
	to, term := x.left[:len(k)], s.term[:len(k)]
	row, lo := x.row[:last+2], 0
	for v := 1; v <= last; v++ {
		hi := int(row[v+1] - row[0])
		sum := 0.0
		for e := lo; e < hi; e++ {
			w, x := table[k[e]], sums[to[e]]
			t, q := w.Mant*x.Mant, w.Exp+x.Exp
			if q == exp {
				term[e] = t
				sum += t
			} else {
				sum, exp = rescale(term[lo:e+1], sum, exp, t, q)
			}
		}
		lo = hi
		unit[v] = 1 / sum
		sums[v] = normal(sum, exp)
	}
	return sums[last]
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

// pushPaths distributes weight, the expected visits of the source, along the arcs in
// proportion to the terms left by addPaths.
func (x *item) pushPaths(weight float64, count []float64, s *Scratch) {
	last := x.root()
	unit, flow := s.unit[:last+1], s.flow[:last+1]
	clear(flow)
	flow[last] = weight
	k := x.k
	to, term, row := x.left[:len(k)], s.term[:len(k)], x.row[:last+2]
	for v := last; v > 0; v-- {
		visits := flow[v]
		if visits == 0 {
			continue
		}
		visits *= unit[v]
		lo, hi := int(row[v]-row[0]), int(row[v+1]-row[0])
		for e := lo; e < hi; e++ {
			t := visits * term[e]
			count[k[e]] += t
			flow[to[e]] += t
		}
	}
}

// lookBelowPaths sets below, per state, to the expected V of what follows it, from the
// terms left by addPaths.
func (x *item) lookBelowPaths(v []float64, s *Scratch) {
	last := x.root()
	below, unit := s.below[:last+1], s.unit[:last+1]
	below[0] = 0
	for p := 1; p <= last; p++ {
		if s.sum[p].Mant == 0 {
			below[p] = 0
			continue
		}
		lo, hi := x.edges(p)
		k, to, term := x.k[lo:hi], x.left[lo:hi], s.term[lo:hi]
		to, term = to[:len(k)], term[:len(k)]
		sum := 0.0
		for e, k := range k {
			sum += term[e] * (v[k] + below[to[e]])
		}
		below[p] = sum * unit[p]
	}
}

// pushTiltedPaths is pushPaths, and pushes the surprises of each step along, see
// pushTiltedTrees.
func (x *item) pushTiltedPaths(v []float64, weight float64, count, change []float64, s *Scratch) {
	last := x.root()
	unit, flow, below, above := s.unit[:last+1], s.flow[:last+1], s.below[:last+1], s.above[:last+1]
	clear(flow)
	clear(above)
	flow[last] = weight
	for p := last; p > 0; p-- {
		visits := flow[p]
		if visits == 0 {
			continue
		}
		past, m := above[p]/visits, below[p]
		visits *= unit[p]
		lo, hi := x.edges(p)
		k, to, term := x.k[lo:hi], x.left[lo:hi], s.term[lo:hi]
		to, term = to[:len(k)], term[:len(k)]
		for e, k := range k {
			q := to[e]
			t := visits * term[e]
			count[k] += t
			flow[q] += t
			y := t * (past + (v[k] + (below[q] - m)))
			change[k] += y
			above[q] += y
		}
	}
}
