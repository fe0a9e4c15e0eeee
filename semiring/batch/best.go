package batch

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Best finds the path or tree of greatest weight in item i. It appends the weights of its edges,
// as indices into table, to dst and returns the total weight. A path is written from source to
// sink; in a tree an edge comes before the derivations of its tails, from the first to the last.
// Edges of index 1, the number 1, are omitted. Of equally good edges of a node it takes the
// first. Entries of table must not be negative.
//
// If the total is 0, dst is unchanged. If the total is infinite or not a number, dst is unchanged
// and the error wraps semiring.ErrNotFinite. The error wraps semiring.ErrDiverges if a cycle
// improves paths without limit.
//
// Without a cycle it takes O(nodes + edges) and, once s has grown, allocates only for dst.
func (b *Batch) Best(i int, table []semiring.ScaledFloat, dst []int32, s *Scratch) ([]int32, semiring.ScaledFloat, error) {
	if c := b.cyclic[int32(i)]; c != nil {
		return c.best(b.item(i), table, dst)
	}
	x := b.item(i)
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

// maximize computes the weight of the best derivation of every node, and returns the weight for
// the root.
func (x *item) maximize(table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	s.sum = rows.Resized(s.sum, x.root()+1)
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
