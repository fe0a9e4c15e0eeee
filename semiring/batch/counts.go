package batch

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Sum returns the total weight of the paths or trees of item i under the given table; the total
// may be 0, and it may be infinite or not a number if entries of the table are. The error wraps
// semiring.ErrDiverges if the sum over a cycle diverges.
//
// Like the other methods, it takes O(nodes + edges) without a cycle.
func (b *Batch) Sum(i int, table []semiring.ScaledFloat, s *Scratch) (semiring.ScaledFloat, error) {
	if c := b.cyclic[int32(i)]; c != nil {
		return c.sum(b.item(i), table)
	}
	x := b.item(i)
	if x.right != nil {
		return x.addAlone(table, s), nil
	}
	return x.add(table, s), nil
}

// Counts returns the total weight of all paths or trees of item i. It adds to count[k] weight
// times the expected number of edges of weight table[k] in a random path or tree, drawn in
// proportion to its weight. Entries of table must not be negative. If the total is 0, count is
// unchanged. If the total is infinite or not a number, count is unchanged and the error wraps
// semiring.ErrNotFinite. The error wraps semiring.ErrDiverges if the sum over a cycle diverges.
// count[1] includes the edges that AppendForest adds.
//
// Without a cycle it takes O(nodes + edges) and, once s has grown, does not allocate. The result
// does not depend on earlier uses of s.
func (b *Batch) Counts(i int, table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if c := b.cyclic[int32(i)]; c != nil {
		return c.counts(b.item(i), table, weight, count)
	}
	x := b.item(i)
	total := x.add(table, s)
	switch {
	case !total.IsFinite():
		return total, notFinite(total)
	case !total.IsZero():
		x.push(weight, count, s)
	}
	return total, nil
}

// HessianVector is Counts with a second derivative. Let V be the sum of v[k] over the edges of a
// random path or tree of item i, where table[k] is the edge's weight. It adds weight·E[N] to
// count, like Counts, and weight·Cov(N, V) to change. This is the derivative by ε of weight·E[N]
// if every table[k] is multiplied by e^(ε·v[k]), and so the product of v and the matrix of second
// derivatives of weight·ln total with respect to ln table. If table[k] is 0, v[k] must be finite
// and is otherwise ignored.
//
// Conditions, errors and the total returned are the same as for Counts. It makes one more pass
// over the edges and does not allocate either without a cycle. The mean of V is subtracted step
// by step, as in graph.HessianVector.
func (b *Batch) HessianVector(i int, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if c := b.cyclic[int32(i)]; c != nil {
		return c.hessianVector(b.item(i), table, v, weight, count, change)
	}
	x := b.item(i)
	total := x.add(table, s)
	switch {
	case !total.IsFinite():
		return total, notFinite(total)
	case !total.IsZero():
		x.expect(v, s)
		x.pushAlong(weight, count, change, s)
	}
	return total, nil
}

// notFinite returns the error for a total.
func notFinite(total semiring.ScaledFloat) error {
	return nested.Errorf("batch: %w: the total is %v", semiring.ErrNotFinite, total)
}

// add computes the sum of the derivations of every node, and the terms of the sum in units of the
// sum's mantissa. It returns the sum of the root.
//
// The terms of a node are kept as multiples of one power of 2^512, and their sum in the same
// unit. If exponents differ, rescale converts the terms and the sum so far.
func (x *item) add(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	last := x.root()
	s.sum, s.term = rows.Resized(s.sum, last+1), rows.Resized(s.term, len(x.k))
	sums, k := s.sum, x.k
	left, right, term := x.left[:len(k)], x.right, s.term[:len(k)]
	row, lo := x.row[:last+2], 0
	exp := int64(0) // any exponent is valid while the sum is 0, so guess that it stays the same
	sums[0] = semiring.ScaledFloat{Mant: 1}
	for v := 1; v <= last; v++ {
		hi := int(row[v+1] - row[0])
		sum := 0.0
		if right == nil {
			for e := lo; e < hi; e++ {
				w, y := table[k[e]], sums[left[e]]
				t, q := w.Mant*y.Mant, w.Exp+y.Exp
				if q == exp {
					term[e] = t
					sum += t
				} else {
					sum, exp = rescale(term[lo:e+1], sum, exp, t, q)
				}
			}
		} else {
			for e := lo; e < hi; e++ {
				w, y, z := &table[k[e]], &sums[left[e]], &sums[right[e]]
				t, q := w.Mant*y.Mant*z.Mant, w.Exp+y.Exp+z.Exp
				if q == exp {
					term[e] = t
					sum += t
				} else {
					sum, exp = rescale(term[lo:e+1], sum, exp, t, q)
				}
			}
		}
		if a := math.Abs(sum); weights.MantLow <= a && a < weights.MantHigh && -farthest <= exp && exp <= farthest {
			sums[v] = semiring.ScaledFloat{Mant: sum, Exp: exp}
		} else {
			sums[v] = normalized(sum, exp, term[lo:hi])
		}
		lo = hi
	}
	return sums[last]
}

// addAlone is add without terms, which is faster for a forest: its nodes have many edges.
func (x *item) addAlone(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	s.sum = rows.Resized(s.sum, x.root()+1)
	ring, sum := semiring.Scaled{}, s.sum
	sum[0] = ring.One()
	for v := 1; v <= x.root(); v++ {
		lo, hi := x.edges(v)
		ring.Dot2(&sum[v], table, x.k[lo:hi], sum, x.left[lo:hi], sum, x.right[lo:hi])
	}
	return sum[x.root()]
}

// rescale stores t·2^(512·q) as the last of the terms, whose sum so far is sum·2^(512·exp), and
// returns the new sum and its exponent. The exponent is chosen for normalized numbers, so that no
// term of relevant size underflows. A zero does not raise the exponent, and infinities and NaNs
// are never dropped.
func rescale(term []float64, sum float64, exp int64, t float64, q int64) (float64, int64) {
	last := len(term) - 1
	if t == 0 || sum == 0 { // if the sum is 0, so are the terms before
		term[last] = t
		if t != 0 {
			exp = q
		}
		return sum + t, exp
	}
	unit := max(unitOf(sum, exp), unitOf(t, q))
	if unit != exp {
		for e, x := range term[:last] {
			term[e] = shifted(x, exp-unit)
		}
		sum = shifted(sum, exp-unit)
	}
	t = shifted(t, q-unit)
	term[last] = t
	return sum + t, unit
}

// unitOf returns the exponent of m·2^(512·exp) after m has been normalized to a mantissa.
func unitOf(m float64, exp int64) int64 {
	if math.Abs(m) < weights.MantLow {
		return exp - 1
	}
	return exp
}

// shifted returns t·2^(512·digits), where t is a product of three mantissas: products span three
// digits, so a finite product that is five digits lower is negligible.
func shifted(t float64, digits int64) float64 {
	switch digits {
	case 0:
		return t
	case -1:
		return t * 0x1p-512
	case 1:
		return t * 0x1p512
	}
	return math.Ldexp(t, 512*int(max(-5, min(digits, 5))))
}

// normalized returns m·2^(512·exp) for a sum m, and converts its terms to units of the result's
// mantissa.
func normalized(m float64, exp int64, term []float64) semiring.ScaledFloat {
	sum := scaled(m, exp)
	for e, t := range term {
		term[e] = shifted(t, exp-sum.Exp)
	}
	return sum
}

// farthest is the greatest exponent of a ScaledFloat. Sums of a few such exponents do not
// overflow.
const farthest = 1 << 53

// scaled returns m·2^(512·exp).
func scaled(m float64, exp int64) semiring.ScaledFloat {
	return semiring.NewScaled(m).Mul(semiring.ScaledFloat{Mant: 1, Exp: exp})
}

// push distributes weight, the expected uses of the root, along the edges in proportion
// to the terms left by add.
func (x *item) push(weight float64, count []float64, s *Scratch) {
	last := x.root()
	s.flow = rows.Resized(s.flow, last+1)
	clear(s.flow)
	s.flow[last] = weight
	if x.right == nil {
		pushArcs(x.row, x.k, x.left, s.term, s.sum, s.flow, count)
	} else {
		pushEdges(x.row, x.k, x.left, x.right, s.term, s.sum, s.flow, count)
	}
}

// pushArcs is push for a graph.
func pushArcs(row, k, to []int32, term []float64, sums []semiring.ScaledFloat, flow, count []float64) {
	sums, row, to, term = sums[:len(flow)], row[:len(flow)+1], to[:len(k)], term[:len(k)]
	for v := len(flow) - 1; v > 0; v-- {
		visits := flow[v]
		if visits == 0 {
			continue
		}
		visits *= 1 / sums[v].Mant // a quotient that need not wait for the state before
		lo, hi := int(row[v]-row[0]), int(row[v+1]-row[0])
		for e := lo; e < hi; e++ {
			t := visits * term[e]
			count[k[e]] += t
			flow[to[e]] += t
		}
	}
}

// pushEdges is push for a forest.
func pushEdges(row, k, left, right []int32, term []float64, sums []semiring.ScaledFloat, flow, count []float64) {
	sums, row = sums[:len(flow)], row[:len(flow)+1]
	left, right, term = left[:len(k)], right[:len(k)], term[:len(k)]
	for v := len(flow) - 1; v > 0; v-- {
		uses := flow[v]
		if uses == 0 {
			continue
		}
		uses /= sums[v].Mant
		lo, hi := int(row[v]-row[0]), int(row[v+1]-row[0])
		for e := lo; e < hi; e++ {
			t := uses * term[e]
			count[k[e]] += t
			flow[left[e]] += t
			flow[right[e]] += t
		}
	}
}

// expect computes expectations of V from the terms left by add: below, per node, over the
// derivations of the node, and gain, per edge, over the derivations that begin with the edge.
func (x *item) expect(v []float64, s *Scratch) {
	last := x.root()
	s.below, s.gain = rows.Resized(s.below, last+1), rows.Resized(s.gain, len(x.k))
	sums, below := s.sum[:last+1], s.below
	k, left, right, term, gain := x.k, x.left[:len(x.k)], x.right, s.term[:len(x.k)], s.gain[:len(x.k)]
	row, lo := x.row[:last+2], 0
	below[0] = 0
	for n := 1; n <= last; n++ {
		hi := int(row[n+1] - row[0])
		sum := 0.0
		for e := lo; e < hi; e++ {
			y := v[k[e]] + below[left[e]]
			if right != nil {
				y += below[right[e]]
			}
			gain[e] = y
			sum += term[e] * y
		}
		lo = hi
		below[n] = 0
		if m := sums[n].Mant; m != 0 {
			below[n] = sum / m
		}
	}
}

// pushAlong is push and also pushes the surprise of each choice: by choosing an edge, the
// expected V changes by the gain of the edge minus the expected V of its head. above is, per
// node, its expected uses times the expected surprise above a use. Passes over complex weights
// would need no extra formulas, but complex products per edge take a quarter more time.
func (x *item) pushAlong(weight float64, count, change []float64, s *Scratch) {
	last := x.root()
	s.flow, s.above = rows.Resized(s.flow, last+1), rows.Resized(s.above, last+1)
	sums, flow, below, above := s.sum[:last+1], s.flow, s.below[:last+1], s.above
	k, left, right, term, gain := x.k, x.left[:len(x.k)], x.right, s.term[:len(x.k)], s.gain[:len(x.k)]
	row := x.row[:last+2]
	clear(flow)
	clear(above)
	flow[last] = weight
	for n := last; n > 0; n-- {
		uses := flow[n]
		if uses == 0 {
			continue
		}
		past, mean := above[n]/uses, below[n]
		uses *= 1 / sums[n].Mant
		lo, hi := int(row[n]-row[0]), int(row[n+1]-row[0])
		for e := lo; e < hi; e++ {
			l := left[e]
			t := uses * term[e]
			y := t * (past + (gain[e] - mean))
			count[k[e]] += t
			change[k[e]] += y
			flow[l] += t
			above[l] += y
			if right != nil {
				r := right[e]
				flow[r] += t
				above[r] += y
			}
		}
	}
}
