package forest

import (
	"iter"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
)

// Tree is a tree of a forest: a derivation of a root. The edges in preorder, an edge
// before those that derive its tails, from left to right, say all about it. The weight
// is the sum of the node's root entries ⊗ the weights of the edges, multiplied in this
// order.
type Tree[W any] struct {
	Root   int32   // the node that it derives; −1 if there is no tree
	Edges  []int32 // its edges in preorder, an edge once for each of its uses
	Weight W
}

// Fold computes a value of a tree of f from the leaves up. It calls visit for each edge
// in Edges, from the last to the first, with what visit returned for the derivations of
// the edge's tails, from left to right. Fold returns what visit returns for the first.
// below is valid during the call. Fold does not recurse, so trees may be deep. It panics
// if the edges are no tree of f in preorder; of no edges it returns the zero value.
func Fold[W, A any](f *Forest[W], edges []int32, visit func(edge int32, below []A) A) A {
	type derivation struct {
		edge  int32
		value A
	}
	var done []derivation // those to come, the next one last
	var below []A
	for _, e := range slices.Backward(edges) {
		below = below[:0]
		for _, v := range f.Tails(e) {
			last := len(done) - 1
			if last < 0 || !f.topology.derives(done[last].edge, v) {
				panic("forest: the edges are no tree")
			}
			below = append(below, done[last].value)
			done = done[:last]
		}
		done = append(done, derivation{e, visit(e, below)})
	}
	switch len(done) {
	case 0:
		var none A
		return none
	case 1:
		return done[0].value
	}
	panic("forest: the edges are no tree")
}

// BestTree returns the tree that the ring, which must be semiring.Ordered, puts first;
// its weight is the tree sum, up to the rounding of ⊗. Of equally good derivations of
// a node on no cycle it takes that by the edge of the least number, of equally good roots
// the first. No path down the tree has a node twice. Without a tree it returns one whose
// Root is −1 and whose weight is Zero.
//
// The error wraps semiring.ErrCapability if the ring is not Ordered, or is that of
// TreeSum. It wraps semiring.ErrNotFinite if the tree sum is not a number (see
// semiring.Metric), or if a turn of a cycle makes it infinite. O(nodes + edges + tails), and
// the size of the tree, which is written out: where trees use nodes many times it may be far
// larger than the forest.
func BestTree[W any](f *Forest[W]) (Tree[W], error) {
	r, err := rank(f)
	if err != nil {
		return Tree[W]{}, err
	}
	for t := range r.trees {
		return t, nil
	}
	return Tree[W]{Root: -1, Weight: f.ring.Zero()}, nil
}

// rank returns a ranking of f that knows the best derivations.
func rank[W any](f *Forest[W]) (*ranking[W], error) {
	order, err := semiring.Require[semiring.Ordered[W]](f.ring)
	if err != nil {
		return nil, nested.Errorf("forest: best trees: %w", err)
	}
	p, x, err := passInside(f, (*pass[W]).useful)
	if err != nil {
		return nil, err
	}
	total := total(f, x)
	if m, ok := semiring.As[semiring.Metric[W]](f.ring); ok && math.IsNaN(m.Dist(total, total)) {
		return nil, nested.Errorf("forest: %w: the best tree weighs %v", semiring.ErrNotFinite, total)
	}
	return newRanking(p, order, x), nil
}

// BestTrees returns an iterator over all trees, best first; the ring must be
// semiring.Ordered, commutative or not: that ⊗ keeps the order on both sides follows
// from its distributing over a selective ⊕. Each tree is yielded once, equally good
// ones in an order that depends on the forest alone. The sequence is ordered by weights
// multiplied from the leaves up, another order than in Tree.Weight, so that these
// may step back by a rounding error. Errors are as for BestTree.
//
// The algorithm is the lazy one of Huang and Chiang (2005, algorithm 3): after an
// inside pass, a tree costs its own size, the edges of nodes on earlier trees once, and
// per node whose next derivation is needed a few heap operations. Every range over the
// iterator starts anew; it may be used by several goroutines at once.
//
// If a tree has a cycle there is no end of trees, and of the sequence. The nodes of a cycle
// are then ranked together. For that an edge on it, together with its tails elsewhere, must
// not be better than One, and each turn must make trees worse; otherwise the error wraps
// ErrCycle.
func BestTrees[W any](f *Forest[W]) (iter.Seq[Tree[W]], error) {
	r, err := rank(f)
	if err != nil {
		return nil, err
	}
	if r.pass.rising >= 0 {
		return nil, nested.Errorf("forest: best trees: %w: on that of node %d, edges make what they derive better than their tails", ErrCycle, r.pass.rising)
	}
	for _, c := range f.topology.cycles {
		if v := r.level(c); v >= 0 {
			return nil, nested.Errorf("forest: best trees: %w: deriving node %d from itself makes it no worse, and so there is no end of equally good trees", ErrCycle, v)
		}
	}
	return func(yield func(Tree[W]) bool) { newRanking(r.pass, r.order, r.x).trees(yield) }, nil
}

// trees yields all trees.
func (r *ranking[W]) trees(yield func(Tree[W]) bool) {
	roots := distinctRoots(r.pass.Forest)
	type candidate struct{ root, rank int } // the tree with that derivation of the root
	var next agenda.Agenda[candidate, W]
	for i, root := range roots {
		if w := r.pass.ring.Times(root.Weight, r.x[root.Node]); !r.pass.ring.IsZero(w) {
			next.Push(r.order, candidate{root: i}, w)
		}
	}
	size := 0
	for next.Len() > 0 {
		c := next.Pop(r.order)
		root := roots[c.root]
		t := Tree[W]{Root: root.Node, Edges: r.edges(root.Node, int32(c.rank), size), Weight: root.Weight}
		for _, e := range t.Edges {
			t.Weight = r.pass.ring.Times(t.Weight, r.pass.weight[e])
		}
		if !yield(t) {
			return
		}
		size = len(t.Edges)
		if c.rank+1 == len(r.of(root.Node).found) && !r.exhausted(root.Node) {
			r.extend(root.Node)
		}
		if found := r.of(root.Node).found; c.rank+1 < len(found) {
			if w := r.pass.ring.Times(root.Weight, found[c.rank+1].weight); !r.pass.ring.IsZero(w) {
				next.Push(r.order, candidate{c.root, c.rank + 1}, w)
			}
		}
	}
}

// distinctRoots returns the roots, each node once, in order.
func distinctRoots[W any](f *Forest[W]) []Root[W] {
	var distinct []Root[W]
	index := newRootIndex(f)
	for i, root := range f.roots {
		if index.first[root.Node] != int32(i+1) {
			continue // not the first entry of its node
		}
		for j := index.next[i]; j != 0; j = index.next[j-1] {
			root.Weight = f.ring.Plus(root.Weight, f.roots[j-1].Weight)
		}
		distinct = append(distinct, root)
	}
	return distinct
}
