package batch

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Sum returns the total weight of the paths or trees of item i under the given table;
// it may be 0, and infinite or not a number if entries of the table are. The error wraps
// semiring.ErrDiverges if a cycle has no sum.
//
// O(nodes + edges) without a cycle, as the other methods.
func (b *Batch) Sum(i int, table []semiring.ScaledFloat, s *Scratch) (semiring.ScaledFloat, error) {
	if g := b.cyclic[int32(i)]; g != nil {
		return b.cyclicSum(i, g, table)
	}
	if f := b.tangled[int32(i)]; f != nil {
		return b.tangledSum(i, f, table)
	}
	x := b.item(i)
	return x.add(table, s), nil
}

// add computes the sum of the derivations of every node, and returns the root's.
func (x *item) add(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	s.begin(x)
	if x.right == nil {
		return x.addPaths(table, s)
	}
	return x.addTrees(table, s)
}

// Counts returns the total weight of all paths or trees of item i. It adds to count[k]
// weight times the expected number of edges of weight table[k] in a random one, drawn in
// proportion to its weight. The table must not be negative. If the total is 0 there is
// nothing to draw and the counts stay. They also stay if it is infinite or not a number;
// then the error wraps semiring.ErrNotFinite; it wraps semiring.ErrDiverges if a
// cycle has no sum. count[1] also counts what AppendForest adds.
//
// O(nodes + edges) without a cycle, and then no allocation once s has grown. The result
// does not depend on what s was used for before.
func (b *Batch) Counts(i int, table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if g := b.cyclic[int32(i)]; g != nil {
		return b.cyclicCounts(i, g, table, weight, count)
	}
	if f := b.tangled[int32(i)]; f != nil {
		return b.tangledCounts(i, f, table, weight, count)
	}
	x := b.item(i)
	total := x.add(table, s)
	switch {
	case !total.IsFinite():
		return total, notFinite(total)
	case total.IsZero():
	case x.right == nil:
		x.pushPaths(weight, count, s)
	default:
		x.pushTrees(table, weight, count, s)
	}
	return total, nil
}

// HessianVector is Counts with a second derivative. Let V be the sum, over the edges of
// a random path or tree of item i, of v[k] where table[k] is the edge's weight. It adds
// to count what Counts adds, weight·E[N], and to change weight·Cov(N, V): the derivative
// of that when every table[k] is multiplied by e^(ε·v[k]), and so the product of v and
// the matrix of second derivatives of weight·ln total by ln table. An entry of v for a
// table[k] of 0 has to be finite and does not matter.
//
// Conditions, errors and the total returned are the same as for Counts. It takes one
// more pass over the edges, and no allocation either without a cycle. The mean of V is
// taken out step by step, as in graph.HessianVector.
func (b *Batch) HessianVector(i int, table []semiring.ScaledFloat, v []float64, weight float64, count, change []float64, s *Scratch) (semiring.ScaledFloat, error) {
	if g := b.cyclic[int32(i)]; g != nil {
		return b.cyclicHessianVector(i, g, table, v, weight, count, change)
	}
	if f := b.tangled[int32(i)]; f != nil {
		return b.tangledHessianVector(i, f, table, v, weight, count, change)
	}
	x := b.item(i)
	total := x.add(table, s)
	if !total.IsFinite() {
		return total, notFinite(total)
	}
	if total.IsZero() {
		return total, nil
	}
	s.below, s.above = rows.Resized(s.below, len(s.sum)), rows.Resized(s.above, len(s.sum))
	if x.right == nil {
		x.lookBelowPaths(v, s)
		x.pushTiltedPaths(v, weight, count, change, s)
	} else {
		x.lookBelowTrees(table, v, s)
		x.pushTiltedTrees(table, v, weight, count, change, s)
	}
	return total, nil
}

// Best appends to dst the weights, as indices into table, of the edges of the path or
// tree of greatest weight in item i, and returns that weight too. A path is written from
// source to sink; in a tree an edge comes before the derivations of its tails, from the
// first to the last. Edges of index 1, the number 1, are left out. Of equally good edges
// of a node it takes the first. The table must not be negative. If the total is 0 there
// is nothing to choose from and dst stays. It also stays if the total is infinite or not
// a number; then the error wraps semiring.ErrNotFinite. It wraps
// semiring.ErrDiverges if paths get ever better along a cycle.
//
// O(nodes + edges) without a cycle, and then no allocation but for dst once s has grown.
func (b *Batch) Best(i int, table []semiring.ScaledFloat, dst []int32, s *Scratch) ([]int32, semiring.ScaledFloat, error) {
	if g := b.cyclic[int32(i)]; g != nil {
		return b.cyclicBest(i, g, table, dst)
	}
	if f := b.tangled[int32(i)]; f != nil {
		return b.tangledBest(i, f, table, dst)
	}
	x := b.item(i)
	s.begin(&x)
	total := x.maximize(table, s)
	if !total.IsFinite() {
		return dst, total, notFinite(total)
	}
	if total.IsZero() {
		return dst, total, nil
	}
	s.open = append(s.open[:0], int32(x.root()))
	for len(s.open) > 0 {
		v := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		if v == 0 {
			continue
		}
		e := x.best(int(v), table, s.sum)
		if x.k[e] != 1 {
			dst = append(dst, x.k[e])
		}
		if x.right != nil {
			s.open = append(s.open, x.right[e])
		}
		s.open = append(s.open, x.left[e])
	}
	return dst, total, nil
}

// maximize computes the weight of the best derivation of every node, and returns the
// root's.
func (x *item) maximize(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	ring, sum := semiring.Viterbi{}, s.sum
	sum[0] = ring.One()
	for v := 1; v <= x.root(); v++ {
		lo, hi := x.edges(v)
		if x.right == nil {
			ring.Dot(&sum[v], table, x.k[lo:hi], sum, x.left[lo:hi])
		} else {
			ring.Dot2(&sum[v], table, x.k[lo:hi], sum, x.left[lo:hi], sum, x.right[lo:hi])
		}
	}
	return sum[x.root()]
}

// best returns the first edge of node v with the greatest term, given all sums.
func (x *item) best(v int, table, sum []semiring.ScaledFloat) (best int32) {
	top := semiring.ScaledFloat{}
	lo, hi := x.edges(v)
	for e := lo; e < hi; e++ {
		t := table[x.k[e]].Mul(sum[x.left[e]])
		if x.right != nil {
			t = t.Mul(sum[x.right[e]])
		}
		if t.Cmp(top) > 0 {
			best, top = e, t
		}
	}
	return best
}

// notFinite returns the error for a total.
func notFinite(total semiring.ScaledFloat) error {
	return fmt.Errorf("batch: %w: the total is %v", semiring.ErrNotFinite, total)
}
