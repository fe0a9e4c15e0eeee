package batch

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/rows"
)

// Lanes is one forest for many columns of data, its lanes, for example a phylogenetic tree for
// the columns of an alignment. All lanes share the edges and weights; each has its own values for
// certain nodes, the leaves. While Batch visits edges one by one, Lanes visits an edge for a
// block of lanes at once, in loops over float64 numbers.
//
// Sums neither overflow nor underflow, and are exact to rounding as in semiring.Scaled. A node
// has one exponent for all lanes of a block if its values lie within 222 decimal digits of each
// other. Otherwise lanes have separate exponents, which nodes share if possible, so that loops
// need not check them.
//
// A Lanes is frozen and safe for concurrent use, each goroutine with its own scratch.
type Lanes struct {
	batch  Batch   // holds one forest; empty if the forest has no tree
	leaves []int32 // per leaf its node in the batch, 0 if no tree uses it
	block  int     // lanes evaluated at once
	slot   []int32 // per node the slot of its units, see Lanes.push
	slots  int     // number of slots
}

// NewLanes returns the forest f with the given leaves, nodes without edges that have a value in
// every lane. As for AppendForest, weights of edges and roots are indices into a table, 0 for the
// number 0 and 1 for the number 1; nodes that no tree uses are dropped. The error wraps
// semiring.ErrShape if a leaf is not a node, has edges, or is given twice, semiring.ErrLimit as
// for AppendForest, and forest.ErrCycle if the forest is cyclic.
func NewLanes[H ~int32](f *forest.Forest[H], leaves []int32) (*Lanes, error) {
	seen := make([]bool, f.NumNodes())
	for i, v := range leaves {
		switch {
		case uint32(v) >= uint32(len(seen)):
			return nil, nested.Errorf("batch: %w: leaf %d is node %d of %d", semiring.ErrShape, i, v, len(seen))
		case f.Edges()[v] != f.Edges()[v+1]:
			return nil, nested.Errorf("batch: %w: leaf %d, node %d, has edges", semiring.ErrShape, i, v)
		case seen[v]:
			return nil, nested.Errorf("batch: %w: leaf %d, node %d, is a leaf already", semiring.ErrShape, i, v)
		}
		seen[v] = true
	}
	if f.Cyclic() {
		return nil, nested.Errorf("batch: lanes: %w", forest.ErrCycle)
	}
	l := &Lanes{leaves: make([]int32, len(leaves))}
	trees, err := appendInOrder(&l.batch, f, leaves, depthFirst(f))
	if err != nil {
		return nil, err
	}
	for i, v := range leaves {
		if trees {
			l.leaves[i] = l.batch.forests.numberOf(v)
		}
	}
	l.batch.forests = nil
	l.assignSlots()
	const most = 1 << 23 // numbers in a scratch
	for l.block = 256; l.block > 64 && l.block*l.batch.NumNodes() > most; {
		l.block /= 2 // few lanes are slow, because each edge has a fixed cost
	}
	return l, nil
}

// depthFirst returns the nodes in a topological order that keeps tails close to their heads, so
// that most values that a node reads are in the cache.
func depthFirst[H any](f *forest.Forest[H]) []int32 {
	nodes := f.NumNodes()
	row, tails := make([]int32, 1, nodes+1), make([]int32, 0, f.NumTails())
	for v := range nodes {
		for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
			tails = append(tails, f.Tails(e)...)
		}
		row = append(row, int32(len(tails)))
	}
	heads := slices.Clone(f.Order())
	for v := len(heads); v < nodes; v++ {
		heads = append(heads, int32(v))
	}
	slices.Reverse(heads)
	order, _ := rows.Postorder(row, tails, heads)
	return order
}

// NumLeaves returns the number of leaves.
func (l *Lanes) NumLeaves() int { return len(l.leaves) }

// NumEdges returns the number of edges that trees use, as they are stored (see AppendForest).
func (l *Lanes) NumEdges() int { return l.batch.NumEdges() }

// TreeSums sets total[lane], for the lanes lo, …, hi−1, to the total weight of the trees if leaf
// i has the value leaf[i][lane]: ⊕ over trees of the product of weights and values. The total of
// a lane does not depend on the other lanes.
//
// The error wraps semiring.ErrNegative for a negative number in leaf or table, and
// semiring.ErrNotFinite for an infinite number or NaN, or if a sum leaves the range of a
// ScaledFloat. It names the lane or the index; totals are then undefined.
//
// It takes O((nodes + edges) · lanes) and, once s has grown, does not allocate. It panics if
// len(leaf) is not the number of leaves.
func (l *Lanes) TreeSums(table []semiring.ScaledFloat, leaf [][]float64, lo, hi int, total []semiring.ScaledFloat, s *LanesScratch) error {
	return l.eachBlock(table, leaf, lo, hi, total, s, func(int) {})
}

// Counts is TreeSums and also adds to count[k], for every lane, multiplicity times the expected
// number of edges of weight table[k] in a random tree, drawn in proportion to its weight.
// multiplicity[lane] is the number of occurrences of the lane's column; nil means one each. Lanes
// without a tree do not contribute. count[1] includes the edges that NewLanes adds. After an
// error the counts are undefined.
//
// Lanes may be divided among several calls, which may run concurrently if each has its own count
// and scratch. Equal divisions give bit-identical results. Expected numbers less than 1e-150 may
// count as 0.
func (l *Lanes) Counts(table []semiring.ScaledFloat, leaf [][]float64, lo, hi int, multiplicity []float64, count []float64, total []semiring.ScaledFloat, s *LanesScratch) error {
	const limit = 0x1p100
	for lane := lo; lane < hi && multiplicity != nil; lane++ {
		if m := multiplicity[lane]; !(m >= 0 && m <= limit) {
			return nested.Errorf("batch: %w: the multiplicity %v of lane %d", fault(m), m, lane)
		}
	}
	return l.eachBlock(table, leaf, lo, hi, total, s, func(first int) {
		u := s.unit(int32(len(s.nodes) - 1))
		for i := range u {
			u[i] = 1
			if multiplicity != nil {
				u[i] = multiplicity[first+i]
			}
		}
		l.push(table, count, s)
	})
}

// CountsByLane is TreeSums and also adds to count[k][lane] the expected number of edges of weight
// table[k] in a random tree of the lane, drawn in proportion to its weight. It gives expected
// counts per column, Counts their sum over all columns. If count[k] is nil, these numbers are not
// computed. Several k may have the same slice. Lanes without a tree do not contribute. After an
// error the counts are undefined.
//
// It takes O((nodes + edges) · lanes) and, once s has grown, does not allocate. It panics if
// count is shorter than table, or one of its slices ends before lane hi.
func (l *Lanes) CountsByLane(table []semiring.ScaledFloat, leaf [][]float64, lo, hi int, count [][]float64, total []semiring.ScaledFloat, s *LanesScratch) error {
	if len(s.count) < len(table) {
		s.count = make([]float64, len(table))
	}
	return l.eachBlock(table, leaf, lo, hi, total, s, func(first int) {
		u := s.unit(int32(len(s.nodes) - 1))
		for i := range u {
			u[i] = 1
		}
		s.byLane, s.first = count, first
		l.push(table, s.count, s)
		s.byLane = nil
	})
}

// fault returns the error for a number that is out of range.
func fault(x float64) error {
	if x < 0 && !math.IsInf(x, 0) {
		return semiring.ErrNegative
	}
	return semiring.ErrNotFinite
}

// eachBlock computes totals block by block, and calls then with the first lane of each block once
// the sums of its nodes are computed.
func (l *Lanes) eachBlock(table []semiring.ScaledFloat, leaf [][]float64, lo, hi int, total []semiring.ScaledFloat, s *LanesScratch, then func(first int)) error {
	if len(leaf) != len(l.leaves) {
		panic(fmt.Sprintf("batch: values for %d leaves, want %d", len(leaf), len(l.leaves)))
	}
	for k, w := range table {
		if !w.IsFinite() || w.Mant < 0 {
			return nested.Errorf("batch: %w: table[%d] is %v", fault(w.Mant), k, w)
		}
	}
	if l.batch.Len() == 0 {
		clear(total[lo:hi])
		return nil
	}
	nodes := l.batch.NumNodes()
	for first := lo; first < hi; {
		end := min(hi, (first/l.block+1)*l.block)
		s.begin(l, min(l.block, hi-lo), end-first)
		for i, v := range l.leaves {
			if v == 0 {
				continue
			}
			if lane := s.load(v, leaf[i][first:end]); lane >= 0 {
				x := leaf[i][first+lane]
				return nested.Errorf("batch: %w: leaf %d of lane %d is %v", fault(x), i, first+lane, x)
			}
		}
		l.inside(table, s)
		s.totals(total[first:end], int32(nodes-1))
		for i, x := range total[first:end] {
			if s.beyond || !x.IsFinite() {
				return nested.Errorf("batch: %w: the total of lane %d, or a sum below it, is beyond 2^(512·±2^53)", semiring.ErrNotFinite, first+i)
			}
		}
		then(first)
		first = end
	}
	return nil
}

// ofLanes returns the counts of weight k by lane of the block, nil if they are not requested.
func (s *LanesScratch) ofLanes(k int32) []float64 {
	if s.byLane == nil || s.byLane[k] == nil {
		return nil
	}
	return s.byLane[k][s.first:][:s.lanes]
}

// addByLane counts an edge of weight k by lane: m·x·y times the units u of its head.
func (s *LanesScratch) addByLane(k int32, m float64, u, x, y []float64) {
	z := s.ofLanes(k)
	if z == nil {
		return
	}
	u, x, y = u[:len(z)], x[:len(z)], y[:len(z)]
	for i := range z {
		z[i] += m * (u[i] * x[i] * y[i]) // units are so large that multiplying by m first could overflow
	}
}
