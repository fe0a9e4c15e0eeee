package forest

import (
	"iter"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
	"example.org/pathsum/semiring/internal/rows"
)

// Tree is a tree of a forest: a derivation of a root. Its edges in preorder, an edge before the
// edges that derive its tails from left to right, determine it. Its weight is the sum of the
// node's root entries ⊗ the weights of the edges, multiplied in this order.
type Tree[W any] struct {
	Root   int32   // the node that the tree derives; −1 if there is no tree
	Edges  []int32 // its edges in preorder, an edge once for each of its uses
	Weight W
}

// Fold computes a value of a tree of f from the leaves up. It calls visit for each edge, from the
// last to the first; below contains the values that visit returned for the derivations of the
// edge's tails, from left to right. Fold returns the value of the first edge. below is valid only
// during the call. Fold does not recurse, so trees may be deep. It panics if the edges are not a
// tree of f in preorder. Without edges it returns the zero value.
func Fold[W, A any](f *Forest[W], edges []int32, visit func(edge int32, below []A) A) A {
	type derivation struct {
		edge  int32
		value A
	}
	var done []derivation // pending values, the next one last
	var below []A
	for _, e := range slices.Backward(edges) {
		below = below[:0]
		for _, v := range f.Tails(e) {
			last := len(done) - 1
			if last < 0 || !f.topology.derives(done[last].edge, v) {
				panic("forest: the edges do not form a tree")
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
	panic("forest: the edges do not form a tree")
}

// BestTree returns the tree that the ring, which must be semiring.Ordered, puts first; its weight
// is the tree sum, up to the rounding of ⊗. Of equally good derivations of a node that is on no
// cycle it takes the edge with the lowest number; of equally good roots it takes the first. A
// path down the tree visits each node at most once. If f has no tree, it returns a Tree with Root
// −1 and weight Zero.
//
// The error wraps semiring.ErrCapability if the ring is not Ordered; errors of TreeSum are
// returned as well. It wraps semiring.ErrNotFinite if the tree sum is not a number (see
// semiring.Metric), or if a cycle makes it infinite. BestTree takes O(nodes + edges + tails) plus
// the size of the tree, which may be far larger than the forest if the tree uses nodes many
// times.
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

// rank returns a ranking of f in which the best derivations are already found.
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

// BestTrees returns an iterator over all trees, best first; the ring must be semiring.Ordered,
// commutative or not: ⊗ preserves the order on both sides because it distributes over a selective
// ⊕. Each tree is yielded once; the order of equally good trees is determined by the forest.
// Trees are sorted by weights multiplied from the leaves up. Tree.Weight is multiplied in another
// order, so it may be out of order by a rounding error. Errors are as for BestTree.
//
// The algorithm is the lazy algorithm of Huang and Chiang (2005, algorithm 3). After an inside
// pass, a tree costs time for its own size, once for the edges of nodes on earlier trees, and a
// few heap operations per node whose next derivation is needed. Every range over the iterator
// starts again; several goroutines may use it at once.
//
// If a tree contains a node of a cycle, the sequence is infinite. The nodes of a cycle are ranked
// together. This requires that no edge of the cycle, together with its tails elsewhere, is better
// than One, and that each turn of the cycle makes trees worse; otherwise the error wraps
// ErrCycle.
func BestTrees[W any](f *Forest[W]) (iter.Seq[Tree[W]], error) {
	r, err := rank(f)
	if err != nil {
		return nil, err
	}
	if r.pass.rising >= 0 {
		return nil, nested.Errorf("forest: best trees: %w: on the cycle of node %d, an edge has a better weight than its tails", ErrCycle, r.pass.rising)
	}
	for _, c := range f.topology.cycles {
		if v := r.level(c); v >= 0 {
			return nil, nested.Errorf("forest: best trees: %w: deriving node %d from itself does not worsen its weight, so there are infinitely many equally good trees", ErrCycle, v)
		}
	}
	return func(yield func(Tree[W]) bool) { newRanking(r.pass, r.order, r.x).trees(yield) }, nil
}

// trees yields all trees.
func (r *ranking[W]) trees(yield func(Tree[W]) bool) {
	roots := distinctRoots(r.pass.Forest)
	type candidate struct{ root, rank int } // the tree with the derivation of that rank
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

// label fills in x and p.best for the nodes of a cycle in a ring that selects. If no head is
// better than a tail on the cycle, nodes get their weights best first, each once (Knuth, "A
// generalization of Dijkstra's algorithm", 1977). Otherwise weights are corrected until they are
// stable. A tree that is higher than the number of nodes of the cycle repeats a node on a path;
// if it still improves a weight, weights improve forever.
func (q *equations[W]) label(order semiring.Ordered[W], x []W) error {
	p := q.p
	if p.best == nil {
		p.best = make([]int32, p.NumNodes())
	}
	if q.setLabels(order, x) {
		return nil
	}
	p.rising = q.nodes[0]
	return q.correctLabels(order, x)
}

// begin gives node i of the cycle its best derivation by an edge that is not recursive.
func (q *equations[W]) begin(order semiring.Ordered[W], i int, x []W) {
	p, v := q.p, q.nodes[i]
	x[v], p.best[v] = p.ring.Zero(), -1
	if !q.use[i] {
		return
	}
	recursive := q.c.recursive[q.c.row[i]:q.c.row[i+1]]
	for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
		if len(recursive) > 0 && recursive[0] == e {
			recursive = recursive[1:]
			continue
		}
		if w := q.derivation(e, x); order.Compare(w, x[v]) < 0 {
			x[v], p.best[v] = w, e
		}
	}
}

// derivation returns the weight of the derivation by edge e and the best derivations of its
// tails.
func (q *equations[W]) derivation(e int32, x []W) W {
	w := q.p.weight[e]
	for _, u := range q.p.Tails(e) {
		w = q.p.ring.Times(w, x[u])
	}
	return w
}

// setLabels sets weights best first. If some head is better than a tail, it returns false, and x
// must be computed by correctLabels.
func (q *equations[W]) setLabels(order semiring.Ordered[W], x []W) bool {
	p, c := q.p, q.c
	var queue rows.Queue[W]
	queue.Init(len(q.nodes), func(a, b rows.Entry[W]) bool {
		d := order.Compare(a.Key, b.Key)
		return d < 0 || d == 0 && a.Item < b.Item
	})
	for i, v := range q.nodes {
		if q.begin(order, i, x); !p.ring.IsZero(x[v]) {
			queue.Push(int32(i), x[v])
		}
	}
	// Per recursive edge: the number of its tails that are not set; per arc: its edge.
	missing, edgeOf, head := make([]int32, len(c.recursive)), make([]int32, len(c.graph.To)), make([]int32, len(c.recursive))
	for i := range q.nodes {
		for n := c.row[i]; n < c.row[i+1]; n++ {
			head[n], missing[n] = int32(i), c.arc[n+1]-c.arc[n]
			for a := c.arc[n]; a < c.arc[n+1]; a++ {
				edgeOf[a] = n
			}
		}
	}
	in := c.graph.In()
	for !queue.Empty() {
		set := queue.Pop()
		for k := in.Row[set.Item]; k < in.Row[set.Item+1]; k++ {
			n := edgeOf[in.Arc[k]]
			if missing[n]--; missing[n] > 0 {
				continue
			}
			i, e := head[n], c.recursive[n]
			if !q.use[i] {
				continue
			}
			w, v := q.derivation(e, x), q.nodes[i]
			if order.Compare(w, set.Key) < 0 {
				return false
			}
			if order.Compare(w, x[v]) < 0 {
				x[v], p.best[v] = w, e
				queue.Push(i, w)
			}
		}
	}
	return true
}

// correctLabels improves weights in rounds. The error wraps semiring.ErrDiverges, or
// semiring.ErrNotFinite if weights stop improving because they are infinite.
func (q *equations[W]) correctLabels(order semiring.Ordered[W], x []W) error {
	p, c := q.p, q.c
	for i := range q.nodes {
		q.begin(order, i, x)
	}
	for range len(q.nodes) + 1 {
		changed := false
		for i, v := range q.nodes {
			for n := c.row[i]; q.use[i] && n < c.row[i+1]; n++ {
				if w := q.derivation(c.recursive[n], x); order.Compare(w, x[v]) < 0 {
					x[v], p.best[v], changed = w, c.recursive[n], true
				}
			}
		}
		if !changed {
			return q.checkGrounded(x)
		}
	}
	return nested.Errorf("forest: %w: deriving node %d from itself, on a cycle of %d nodes, improves it every time",
		semiring.ErrDiverges, q.nodes[0], len(q.nodes))
}

// checkGrounded returns an error if the best derivation of a node would contain itself. This
// happens if a weight on the cycle makes every other weight infinite: the first turn is an
// improvement, and further turns change nothing.
func (q *equations[W]) checkGrounded(x []W) error {
	p := q.p
	grounded := make([]bool, len(q.nodes)) // the best derivation is a finite tree
	circular := func(tail int32) bool {
		i, ok := p.topology.place(q.c, tail)
		return ok && !grounded[i]
	}
	for changed := true; changed; {
		changed = false
		for i, v := range q.nodes {
			if !grounded[i] && !p.ring.IsZero(x[v]) && !slices.ContainsFunc(p.Tails(p.best[v]), circular) {
				grounded[i], changed = true, true
			}
		}
	}
	for i, v := range q.nodes {
		if !grounded[i] && !p.ring.IsZero(x[v]) {
			return nested.Errorf("forest: %w: node %d weighs %v by trees without end, on a cycle of %d nodes; want finite weights there",
				semiring.ErrNotFinite, v, x[v], len(q.nodes))
		}
	}
	return nil
}
