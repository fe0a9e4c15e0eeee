package forest

import (
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
	"example.org/pathsum/semiring/internal/rows"
)

// ranking lists the derivations of nodes, best first, as far as they have been requested.
//
// The best derivation of a node contains the best derivation of every tail. The derivation of the
// next rank is among the candidates: the best derivation by every other edge, and derivations
// that differ from an earlier one by one in the rank of one tail. Each vector of ranks is reached
// in only one way, because tails before the last raised tail are not raised again.
//
// Nodes of a cycle share an agenda, which yields the derivations of all of them best first: a
// derivation is never better than the derivations that it contains. A candidate that needs a
// derivation of the same cycle waits until the agenda has yielded it.
type ranking[W any] struct {
	pass   *pass[W]
	order  semiring.Ordered[W]
	x      []W              // inside weights
	ranked []int32          // per node: the index of its derivations in lists, plus one
	lists  []derivations[W] // of the requested nodes
	groups []group[W]
	ranks  []int32 // of the tails of derivations; the first are 0
	stack  []int32 // scratch of extend: nodes
}

// derivations are the derivations of one node.
type derivations[W any] struct {
	found []alternative[W] // best first
	group int32            // the group that yields the next ones
}

// group yields the derivations of a node, or of all nodes of a cycle.
type group[W any] struct {
	begun     bool // a second derivation was requested
	exhausted bool // all derivations are found
	next      agenda.Agenda[alternative[W], W]
	raised    []alternative[W]          // derivations found whose tails have not all been raised; …
	tail      int32                     // … in the last, tails from this one on
	waiting   map[rankedNode][]raise[W] // nil for a single node
	nodes     []int32                   // of the cycle
}

// rankedNode is a derivation of a node, by its rank.
type rankedNode struct{ node, rank int32 }

// raise is a derivation that results from another by raising the rank of a tail.
type raise[W any] struct {
	of   alternative[W]
	tail int32
}

func newRanking[W any](p *pass[W], order semiring.Ordered[W], x []W) *ranking[W] {
	arity := int32(0)
	for e := range int32(p.NumEdges()) {
		arity = max(arity, p.topology.tail[e+1]-p.topology.tail[e])
	}
	return &ranking[W]{
		pass:   p,
		order:  order,
		x:      x,
		ranked: make([]int32, p.NumNodes()),
		ranks:  make([]int32, arity),
	}
}

// of returns the derivations of node v, which must have one. The pointer is valid until another
// node is requested.
func (r *ranking[W]) of(v int32) *derivations[W] {
	if r.ranked[v] == 0 {
		if c := r.pass.topology.cycleOf(v); c != nil {
			r.open(c)
		} else {
			r.lists = append(r.lists, derivations[W]{[]alternative[W]{r.bestOf(v)}, int32(len(r.groups))})
			r.groups = append(r.groups, group[W]{})
			r.ranked[v] = int32(len(r.lists))
		}
	}
	return &r.lists[r.ranked[v]-1]
}

// arcs returns the components of the arcs of a cycle, from heads to tails, for which keep returns
// true.
func (r *ranking[W]) arcs(c *cycle, keep func(e, tail int32) bool) *rows.Components {
	kept, nodes := rows.Topology{Row: []int32{0}}, r.pass.topology.nodesOf(c)
	for i := range nodes {
		for n := c.row[i]; n < c.row[i+1]; n++ {
			for _, to := range c.graph.To[c.arc[n]:c.arc[n+1]] {
				if keep(c.recursive[n], nodes[to]) {
					kept.To = append(kept.To, to)
				}
			}
		}
		kept.Row = append(kept.Row, int32(len(kept.To)))
	}
	return kept.Components()
}

// level returns a node of the cycle that is derived from itself by edges that do not make the
// best derivation worse, or −1 if there is no such node.
func (r *ranking[W]) level(c *cycle) int32 {
	components := r.arcs(c, func(e, tail int32) bool {
		return r.pass.usable(e, r.x) && r.order.Compare(r.weightOf(e, 0), r.x[tail]) == 0
	})
	for n := range components.Len() {
		if components.Cyclic() && components.Loop[n] {
			lo, _ := components.Bounds(n)
			return r.pass.topology.nodesOf(c)[components.State(lo)]
		}
	}
	return -1
}

// open begins the lists of all nodes of a cycle that have a derivation. If weights of Zero cut
// the cycle, nodes that are still on a common cycle form a group: each of them has infinitely
// many derivations, but other nodes may have few.
func (r *ranking[W]) open(c *cycle) {
	nodes, components := r.pass.topology.nodesOf(c), r.arcs(c, func(e, _ int32) bool { return r.pass.usable(e, r.x) })
	for n := range components.Len() {
		var g group[W]
		if components.Cyclic() && components.Loop[n] {
			g.waiting = map[rankedNode][]raise[W]{}
		}
		lo, hi := components.Bounds(n)
		for p := lo; p < hi; p++ {
			v := nodes[components.State(p)]
			if r.pass.best[v] < 0 {
				continue
			}
			best := alternative[W]{head: v, edge: r.pass.best[v], weight: r.x[v]}
			r.lists = append(r.lists, derivations[W]{[]alternative[W]{best}, int32(len(r.groups))})
			r.ranked[v] = int32(len(r.lists))
			g.nodes = append(g.nodes, v)
		}
		r.groups = append(r.groups, g)
	}
}

// bestOf returns the best derivation of node v, which is on no cycle, by the first of equally
// good edges.
func (r *ranking[W]) bestOf(v int32) alternative[W] {
	best := alternative[W]{head: v, edge: -1}
	for e := r.pass.topology.edge[v]; e < r.pass.topology.edge[v+1]; e++ {
		if w := r.weightOf(e, 0); best.edge < 0 || r.order.Compare(w, best.weight) < 0 {
			best.edge, best.weight = e, w
		}
	}
	return best
}

// weightOf returns the weight of the derivation by edge e whose tails have the ranks
// r.ranks[rank:]. The derivations of these ranks must have been found.
func (r *ranking[W]) weightOf(e int32, rank int) W {
	w := r.pass.weight[e]
	for i, u := range r.pass.Tails(e) {
		below := r.x[u]
		if k := r.ranks[rank+i]; k > 0 {
			below = r.of(u).found[k].weight
		}
		w = r.pass.ring.Times(w, below)
	}
	return w
}

// exhausted reports whether all derivations of node v are found.
func (r *ranking[W]) exhausted(v int32) bool { return r.groups[r.of(v).group].exhausted }

// extend finds one more derivation of node v, or marks v as exhausted. If this requires one more
// derivation of a tail, it finds that first; the stack replaces recursion.
func (r *ranking[W]) extend(v int32) {
	r.stack = append(r.stack[:0], v)
	for len(r.stack) > 0 {
		v := r.stack[len(r.stack)-1]
		n := r.of(v).group
		if !r.groups[n].begun {
			r.begin(v, n)
		}
		if u := r.raiseAll(n); u >= 0 {
			r.stack = append(r.stack, u)
		} else if r.take(n) == v || r.groups[n].exhausted {
			r.stack = r.stack[:len(r.stack)-1]
		}
	}
}

// begin proposes, for node v alone or for all nodes of its cycle, the best derivation by each
// edge except the best edge.
func (r *ranking[W]) begin(v, n int32) {
	nodes := r.groups[n].nodes
	if nodes == nil {
		nodes = []int32{v}
	}
	for _, v := range nodes {
		best := r.of(v).found[0]
		for e := r.pass.topology.edge[v]; e < r.pass.topology.edge[v+1]; e++ {
			if e == best.edge {
				continue
			}
			if w := r.weightOf(e, 0); !r.pass.ring.IsZero(w) {
				r.groups[n].next.Push(r.order, alternative[W]{head: v, edge: e, weight: w}, w)
			}
		}
		r.groups[n].raised = append(r.groups[n].raised, best)
	}
	r.groups[n].begun = true
}

// raiseAll proposes to group n the derivations that differ from those found by the next rank of
// one tail. If this needs one more derivation of a node of another group, it returns the node,
// and −1 when it is done.
func (r *ranking[W]) raiseAll(n int32) int32 {
	for len(r.groups[n].raised) > 0 {
		g := &r.groups[n]
		last := len(g.raised) - 1
		d := g.raised[last]
		tails := r.pass.Tails(d.edge)
		if int(g.tail) == len(tails) {
			if g.raised = g.raised[:last]; last > 0 {
				g.tail = g.raised[last-1].last
			}
			continue
		}
		u, rank := tails[g.tail], r.ranks[d.rank+int(g.tail)]+1
		below := r.of(u) // may reallocate the groups
		switch g = &r.groups[n]; {
		case int(rank) < len(below.found):
			r.raise(n, d, g.tail)
		case below.group == n:
			at := rankedNode{u, rank}
			g.waiting[at] = append(g.waiting[at], raise[W]{d, g.tail})
		case !r.groups[below.group].exhausted:
			return u
		}
		r.groups[n].tail++
	}
	return -1
}

// raise proposes to group n the derivation that differs from d by the next rank of tail i.
func (r *ranking[W]) raise(n int32, d alternative[W], i int32) {
	rank, arity := len(r.ranks), len(r.pass.Tails(d.edge))
	r.ranks = append(r.ranks, r.ranks[d.rank:d.rank+arity]...)
	r.ranks[rank+int(i)]++
	w := r.weightOf(d.edge, rank)
	if r.pass.ring.IsZero(w) {
		r.ranks = r.ranks[:rank]
		return
	}
	r.groups[n].next.Push(r.order, alternative[W]{head: d.head, edge: d.edge, last: i, rank: rank, weight: w}, w)
}

// take moves the best candidate of group n to the derivations found. It returns the candidate's
// node, −1 if there is no candidate.
func (r *ranking[W]) take(n int32) int32 {
	g := &r.groups[n]
	if g.next.Len() == 0 {
		g.exhausted = true
		return -1
	}
	d := g.next.Pop(r.order)
	g.raised, g.tail = append(g.raised, d), d.last
	list := r.of(d.head)
	list.found = append(list.found, d)
	at := rankedNode{d.head, int32(len(list.found) - 1)}
	for _, x := range g.waiting[at] {
		r.raise(n, x.of, x.tail)
	}
	delete(g.waiting, at)
	return d.head
}

// edges returns the edges, in preorder, of the derivation of node v of the given rank.
func (r *ranking[W]) edges(v int32, rank int32, size int) []int32 {
	edges := make([]int32, 0, size)
	type item struct{ node, rank int32 }
	open := []item{{v, rank}}
	for len(open) > 0 {
		top := open[len(open)-1]
		open = open[:len(open)-1]
		d := r.of(top.node).found[top.rank]
		edges = append(edges, d.edge)
		for i, u := range slices.Backward(r.pass.Tails(d.edge)) {
			open = append(open, item{u, r.ranks[d.rank+i]})
		}
	}
	return edges
}

// alternative is a derivation of a node, head, by an edge, with the derivation of a certain rank
// for every tail.
type alternative[W any] struct {
	head   int32
	edge   int32
	last   int32 // the tails before this one have rank 0
	rank   int   // index of the tails' ranks in ranking.ranks; 0 if all ranks are 0
	weight W
}
