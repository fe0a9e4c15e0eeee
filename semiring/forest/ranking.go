package forest

import (
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/agenda"
)

// ranking lists the derivations of nodes, best first, as far as they have been asked
// for.
//
// The best derivation of a node has the best of every tail. The one of next rank is
// among the candidates: the best by every other edge, and what differs from an earlier
// one in the rank of one tail by one. A vector of ranks is reached in one way only, if
// no tail before the last that was raised is raised again.
type ranking[W any] struct {
	*pass[W]
	order  semiring.Ordered[W]
	x      []W              // inside weights
	ranked []int32          // per node: the index of its derivations in lists, plus one
	lists  []derivations[W] // of the nodes asked for
	ranks  []int32          // of the tails of derivations; the first are 0
	stack  []step           // scratch of extend
}

// derivations are those of one node.
type derivations[W any] struct {
	found     []derivation[W]                 // best first
	next      agenda.Agenda[derivation[W], W] // candidates, once the second was asked for
	exhausted bool                            // there are no more than those found
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

// of returns the derivations of node v, which must have one. The pointer is valid
// until another node is asked for.
func (r *ranking[W]) of(v int32) *derivations[W] {
	if r.ranked[v] == 0 {
		r.lists = append(r.lists, derivations[W]{found: []derivation[W]{r.best(v)}})
		r.ranked[v] = int32(len(r.lists))
	}
	return &r.lists[r.ranked[v]-1]
}

// best returns the best derivation of node v, by the first such edge.
func (r *ranking[W]) best(v int32) derivation[W] {
	best := derivation[W]{edge: -1}
	for e := r.topology.edge[v]; e < r.topology.edge[v+1]; e++ {
		if w := r.weightOf(e, 0); best.edge < 0 || r.order.Compare(w, best.weight) < 0 {
			best.edge, best.weight = e, w
		}
	}
	return best
}

// weightOf returns the weight of the derivation by edge e whose tails have the ranks
// from r.ranks[rank] on. All of them must have been found.
func (r *ranking[W]) weightOf(e int32, rank int) W {
	w := r.weight[e]
	for i, u := range r.Tails(e) {
		below := r.x[u]
		if k := r.ranks[rank+i]; k > 0 {
			below = r.of(u).found[k].weight
		}
		w = r.ring.Times(w, below)
	}
	return w
}

// step is the state of the extension of a node's list: the tails of its last
// derivation before this one have been looked at.
type step struct{ node, tail int32 }

// extend finds one more derivation of node v, or that there is none. Where that takes
// one more derivation of a tail, it is found first; the stack takes the place of
// recursion.
func (r *ranking[W]) extend(v int32) {
	r.stack = append(r.stack[:0], r.begin(v))
	for len(r.stack) > 0 {
		top := &r.stack[len(r.stack)-1]
		node := r.of(top.node)
		last := node.found[len(node.found)-1]
		tails := r.Tails(last.edge)
		if int(top.tail) == len(tails) {
			r.take(node)
			r.stack = r.stack[:len(r.stack)-1]
			continue
		}
		u, rank := tails[top.tail], r.ranks[last.rank+int(top.tail)]+1
		below := r.of(u)
		if int(rank) == len(below.found) && !below.exhausted {
			r.stack = append(r.stack, r.begin(u))
			continue
		}
		if int(rank) < len(below.found) {
			r.raise(top.node, last, top.tail)
		}
		top.tail++
	}
}

// begin returns the first step for node v, and proposes the best derivation by each
// edge but the best if that is not done.
func (r *ranking[W]) begin(v int32) step {
	node := r.of(v)
	best := node.found[0]
	if len(node.found) == 1 && node.next.Len() == 0 {
		for e := r.topology.edge[v]; e < r.topology.edge[v+1]; e++ {
			if e == best.edge {
				continue
			}
			if w := r.weightOf(e, 0); !r.ring.IsZero(w) {
				node.next.Push(r.order, derivation[W]{edge: e, weight: w}, w)
			}
		}
	}
	return step{v, node.found[len(node.found)-1].last}
}

// raise proposes what differs from d, a derivation of node v, in that tail i is of the
// next rank.
func (r *ranking[W]) raise(v int32, d derivation[W], i int32) {
	rank, arity := len(r.ranks), len(r.Tails(d.edge))
	r.ranks = append(r.ranks, r.ranks[d.rank:d.rank+arity]...)
	r.ranks[rank+int(i)]++
	w := r.weightOf(d.edge, rank)
	if r.ring.IsZero(w) {
		r.ranks = r.ranks[:rank]
		return
	}
	r.of(v).next.Push(r.order, derivation[W]{edge: d.edge, last: i, rank: rank, weight: w}, w)
}

// take moves the best candidate to those found.
func (r *ranking[W]) take(node *derivations[W]) {
	if node.next.Len() == 0 {
		node.exhausted = true
		return
	}
	node.found = append(node.found, node.next.Pop(r.order))
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
		for i, u := range slices.Backward(r.Tails(d.edge)) {
			open = append(open, item{u, r.ranks[d.rank+i]})
		}
	}
	return edges
}

// derivation is a derivation of a node by an edge in which every tail has the
// derivation of a certain rank.
type derivation[W any] struct {
	edge   int32
	last   int32 // the tails before this one have rank 0
	rank   int   // where the ranks of the tails begin in ranking.ranks; 0: all are 0
	weight W
}
