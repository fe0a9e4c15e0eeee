package batch

import (
	"math"

	"example.org/pathsum/semiring"
)

// addTrees computes the sum of the derivations of every node, and returns the root's.
func (x *item) addTrees(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	ring, sum := semiring.Scaled{}, s.sum
	sum[0] = ring.One()
	for v := 1; v <= x.root(); v++ {
		lo, hi := x.edges(v)
		ring.Dot2(&sum[v], table, x.k[lo:hi], sum, x.left[lo:hi], sum, x.right[lo:hi])
	}
	return sum[x.root()]
}

// pushTrees distributes weight, the expected uses of the root, along the edges in
// proportion to the terms of the sums that addTrees has left.
func (x *item) pushTrees(table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) {
	last := x.root()
	sums, flow := s.sum[:last+1], s.flow[:last+1]
	clear(flow)
	flow[last] = weight
	for v := last; v > 0; v-- {
		if flow[v] == 0 {
			continue
		}
		sum, unit := sums[v], flow[v]/sums[v].Mant
		lo, hi := x.edges(v)
		left, right := x.left[lo:hi], x.right[lo:hi]
		right = right[:len(left)]
		for e, k := range x.k[lo:hi][:len(left)] {
			l, r := left[e], right[e]
			w, y, z := &table[k], &sums[l], &sums[r]
			t := w.Mant * y.Mant * z.Mant
			if q := w.Exp + y.Exp + z.Exp - sum.Exp; q != 0 {
				t = shifted(t, q)
			}
			t *= unit
			count[k] += t
			flow[l] += t
			flow[r] += t
		}
	}
}

// shifted returns t·2^(512·digits), where t is a product of three mantissas.
func shifted(t float64, digits int64) float64 {
	switch digits {
	case 0:
		return t
	case -1:
		return t * 0x1p-512
	case 1:
		return t * 0x1p512
	}
	return math.Ldexp(t, 512*int(max(-4, min(digits, 4))))
}

// lookBelowTrees sets below, per node, to the expected V of a derivation of it, given
// the sums that addTrees has left.
func (x *item) lookBelowTrees(table []semiring.ScaledFloat, v []float64, s *Scratch) {
	sums, below := s.sum, s.below
	below[0] = 0
	for n := 1; n <= x.root(); n++ {
		below[n] = 0
		if sums[n].Mant == 0 {
			continue
		}
		sum := 0.0
		for e, hi := x.edges(n); e < hi; e++ {
			k, l, r := x.k[e], x.left[e], x.right[e]
			sum += term(&table[k], &sums[l], &sums[r], sums[n].Exp) * (v[k] + below[l] + below[r])
		}
		below[n] = sum / sums[n].Mant
	}
}

// pushTiltedTrees is pushTrees, and pushes the surprises of each choice along: an edge
// adds to V, over what was expected of its head, v[k] + below(tails) − below(head). above
// is, per node, its expected uses times the surprises above one.
func (x *item) pushTiltedTrees(table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64, s *Scratch) {
	last := x.root()
	sums, flow, below, above := s.sum[:last+1], s.flow[:last+1], s.below[:last+1], s.above[:last+1]
	clear(flow)
	clear(above)
	flow[last] = weight
	for n := last; n > 0; n-- {
		if flow[n] == 0 {
			continue
		}
		unit, past := flow[n]/sums[n].Mant, above[n]/flow[n]
		for e, hi := x.edges(n); e < hi; e++ {
			k, l, r := x.k[e], x.left[e], x.right[e]
			t := unit * term(&table[k], &sums[l], &sums[r], sums[n].Exp)
			count[k] += t
			flow[l] += t
			flow[r] += t
			t *= past + (v[k] + below[l] + below[r] - below[n])
			change[k] += t
			above[l] += t
			above[r] += t
		}
	}
}

// term returns the product of three numbers in units of 2^(512·exp).
func term(w, y, z *semiring.ScaledFloat, exp int64) float64 {
	return shifted(w.Mant*y.Mant*z.Mant, w.Exp+y.Exp+z.Exp-exp)
}
