package forest

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// Batch holds many small forests, those of a shard of sentences say, in one
// concatenation of compressed rows: twelve bytes per edge and four per node. The
// weight of an edge is an index into a table of numbers that the caller brings along,
// so that one batch serves any number of weightings; index 0 is for the number 0 and
// index 1 for the number 1.
//
// Every forest is trimmed and has one root. Its nodes are in topological order, tails
// first. An edge has two tails: node 0, whose sum is 1, stands in for those that are
// missing, and what is beyond two is multiplied in nodes of its own.
//
// The zero value is an empty batch. Append needs exclusive access; all other methods
// may be called by several goroutines at once.
type Batch struct {
	first          []int32 // forest g has nodes first[g], …, first[g+1]−1
	row            []int32 // the edges of node v are row[v], …, row[v+1]−1
	k, left, right []int32 // per edge: its weight is table[k]
	build          *assembler
}

// Scratch is working storage for the methods of Batch that take one. Its zero value
// is ready for use; one goroutine uses it at a time.
type Scratch struct {
	inside []semiring.ScaledFloat // per node
	flow   []float64              // per node: expected uses
	open   []int32                // nodes of the best tree to come

	below, above []float64 // per node, for second derivatives
}

// Len returns the number of forests.
func (b *Batch) Len() int { return max(0, len(b.first)-1) }

// NumEdges returns the number of edges of all forests.
func (b *Batch) NumEdges() int { return len(b.k) }

// NumEdgesOf returns the number of edges of forest g.
func (b *Batch) NumEdgesOf(g int) int { return int(b.row[b.first[g+1]] - b.row[b.first[g]]) }

// NumNodes returns the number of nodes of all forests.
func (b *Batch) NumNodes() int { return max(0, len(b.row)-1) }

// Bytes returns the memory that the forests occupy, without Append's scratch.
func (b *Batch) Bytes() int {
	return 4 * (cap(b.first) + cap(b.row) + cap(b.k) + cap(b.left) + cap(b.right))
}

// Clone returns a copy of b that has no spare capacity. To fill batches of exact
// size, append to one, clone it, reset it, and go on.
func (b *Batch) Clone() *Batch {
	exact := func(s []int32) []int32 { return append(make([]int32, 0, len(s)), s...) }
	return &Batch{first: exact(b.first), row: exact(b.row), k: exact(b.k), left: exact(b.left), right: exact(b.right)}
}

// Reset removes all forests and keeps the storage.
func (b *Batch) Reset() {
	b.first, b.row = b.first[:0], b.row[:0]
	b.k, b.left, b.right = b.k[:0], b.left[:0], b.right[:0]
}

// TreeSum returns the total weight of the trees of forest g under the given table; it
// may be 0, and infinite or not a number if entries of the table are.
// O(nodes + edges).
func (b *Batch) TreeSum(g int, table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	return b.insideSums(semiring.Scaled{}, g, table, s)
}

// insideSums computes the sum of the derivations of every node of forest g over a ring
// of ScaledFloat, and returns that of the root.
func (b *Batch) insideSums(ring semiring.Kernel[semiring.ScaledFloat], g int, table []semiring.ScaledFloat, s *Scratch) semiring.ScaledFloat {
	row := b.row[b.first[g] : b.first[g+1]+1]
	last := len(row) - 2
	if len(s.inside) <= last {
		s.inside, s.flow = make([]semiring.ScaledFloat, last+1+last/2), make([]float64, last+1+last/2)
	}
	x := s.inside
	x[0] = semiring.NewScaled(1)
	for v := 1; v <= last; v++ {
		lo, hi := row[v], row[v+1]
		ring.Dot2(&x[v], table, b.k[lo:hi], x, b.left[lo:hi], x, b.right[lo:hi])
	}
	return x[last]
}

// Counts adds to count[k] weight times the expected number of edges of weight
// table[k] in a random tree of forest g, drawn in proportion to its weight, and
// returns the total weight of all trees. The table must not be negative. If the total
// is 0 there is no such tree and nothing is added. If it is infinite or not a number,
// nothing is added and the error wraps semiring.ErrNotFinite. count[1] also counts
// what Append adds.
//
// O(nodes + edges), and no allocation once s has grown. The result does not depend on
// what s was used for before.
func (b *Batch) Counts(g int, table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) (semiring.ScaledFloat, error) {
	total := b.TreeSum(g, table, s)
	if !total.IsFinite() {
		return total, notFinite(g, total)
	}
	if !total.IsZero() {
		b.push(g, table, weight, count, s)
	}
	return total, nil
}

// notFinite returns the error for the total of forest g.
func notFinite(g int, total semiring.ScaledFloat) error {
	return fmt.Errorf("forest: %w: forest %d of the batch has total %v", semiring.ErrNotFinite, g, total)
}

// push distributes weight, the expected uses of the root, along the edges in
// proportion to the terms of the sums that insideSums has left.
func (b *Batch) push(g int, table []semiring.ScaledFloat, weight float64, count []float64, s *Scratch) {
	row := b.row[b.first[g] : b.first[g+1]+1]
	last := len(row) - 2
	x, flow := s.inside[:last+1], s.flow[:last+1]
	clear(flow)
	flow[last] = weight
	for v := last; v > 0; v-- {
		if flow[v] == 0 {
			continue
		}
		sum, unit := x[v], flow[v]/x[v].Mant
		lo, hi := row[v], row[v+1]
		left, right := b.left[lo:hi], b.right[lo:hi]
		right = right[:len(left)]
		for e, k := range b.k[lo:hi][:len(left)] {
			l, r := left[e], right[e]
			w, y, z := &table[k], &x[l], &x[r]
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

// BestTree appends to dst the weights, as indices into table, of the edges of the tree
// of greatest weight in forest g, and returns that weight too. The order is: an edge
// and then the derivations of its tails, from the first to the last; edges of index 1,
// the number 1, are left out. Of equally good edges of a node it takes the first. The
// table must not be negative. If the total is 0 there is no such tree and nothing is
// appended. If it is infinite or not a number, nothing is appended and the error wraps
// semiring.ErrNotFinite.
//
// O(nodes + edges), and no allocation but for dst once s has grown.
func (b *Batch) BestTree(g int, table []semiring.ScaledFloat, dst []int32, s *Scratch) ([]int32, semiring.ScaledFloat, error) {
	total := b.insideSums(semiring.Viterbi{}, g, table, s)
	if !total.IsFinite() {
		return dst, total, notFinite(g, total)
	}
	if total.IsZero() {
		return dst, total, nil
	}
	row := b.row[b.first[g] : b.first[g+1]+1]
	s.open = append(s.open[:0], int32(len(row)-2))
	for len(s.open) > 0 {
		v := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		best, top := int32(0), semiring.ScaledFloat{}
		for e := row[v]; e < row[v+1]; e++ {
			if x := table[b.k[e]].Mul(s.inside[b.left[e]]).Mul(s.inside[b.right[e]]); x.Cmp(top) > 0 {
				best, top = e, x
			}
		}
		if b.k[best] != 1 {
			dst = append(dst, b.k[best])
		}
		if r := b.right[best]; r != 0 {
			s.open = append(s.open, r)
		}
		if l := b.left[best]; l != 0 {
			s.open = append(s.open, l)
		}
	}
	return dst, total, nil
}
