package forest

import (
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// label fills in x and p.best for the nodes of a cycle in a ring that selects. If no head
// is better than a tail on the cycle, nodes get their weights best first, each once (Knuth,
// "A generalization of Dijkstra's algorithm", 1977). Otherwise weights are corrected until
// none changes: trees that are higher than the cycle has nodes repeat one on the way, and
// if they still improve something, they always will.
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

// begin gives the node at place i its best derivation by an edge that is not recursive.
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

// derivation returns the weight of the derivation by edge e of the best of its tails.
func (q *equations[W]) derivation(e int32, x []W) W {
	w := q.p.weight[e]
	for _, u := range q.p.Tails(e) {
		w = q.p.ring.Times(w, x[u])
	}
	return w
}

// setLabels returns false, with nothing achieved, if some head is better than a tail.
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
	// Per recursive edge: how many of its tails are not set; and, by arc, the edges.
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

// correctLabels improves weights by rounds. The error wraps semiring.ErrDiverges, or
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

// checkGrounded returns an error if the best derivation of a node would contain itself. That is so
// where a weight on the cycle makes an infinite one of any other: one more turn is an improvement
// at first, and changes nothing from then on.
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
