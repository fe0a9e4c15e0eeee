package batch

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/internal/rows"
)

// forestAssembler is scratch storage of AppendForest for one forest, reused for the next.
type forestAssembler struct {
	order  []int32 // of the nodes, every tail before its head; nil for 0, 1, 2, …
	number []int32 // per node: its use, then its number in the batch
	wide   []int32 // per edge of a node with more than two tails: its product except for the last tail
}

// Uses of a node, before it gets a number.
const (
	useless   = -iota // it has no derivation
	derivable         // it has a derivation, perhaps in no tree
	useful            // a tree has a derivation of it
)

// AppendForest adds the nodes and edges of the trees of f to b, with nodes in topological order
// and weights as indices into a table. H is a handle such as an expression, with 0 for Zero and 1
// for One. Root weights become edges of a new root, unless there is a single root, of weight 1.
// Edges of one node keep their order. An edge of n > 2 tails becomes n−1 edges: the products of
// its first 2, …, n−1 tails are nodes of their own with an edge of weight 1.
//
// A cyclic forest is stored unchanged and summed by package forest.
//
// If f has no tree, b is unchanged and trees is false. The error wraps semiring.ErrLimit if the
// batch gets too large. It takes O(nodes + tails) and allocates only to grow the batch.
func AppendForest[H ~int32](b *Batch, f *forest.Forest[H]) (trees bool, err error) {
	if f.Cyclic() {
		return appendCyclic(b, f)
	}
	return appendInOrder(b, f, nil, f.Order())
}

// appendInOrder is AppendForest with the nodes in the given topological order. The leaves are
// nodes that have a derivation without having an edge.
func appendInOrder[H ~int32](b *Batch, f *forest.Forest[H], leaves, order []int32) (trees bool, err error) {
	tails := f.NumTails()
	nodes := len(b.row) + f.NumNodes() + tails + 3
	if edges := len(b.k) + f.NumEdges() + tails + len(f.Roots()); max(nodes, edges) > math.MaxInt32 {
		return false, nested.Errorf("batch: %w: a batch of %d edges takes no forest of %d more", semiring.ErrLimit, len(b.k), f.NumEdges())
	}
	if b.forests == nil {
		b.forests = new(forestAssembler)
	}
	a := b.forests
	a.order = order
	a.number = rows.Resized(a.number, f.NumNodes())
	findDerivable(a, f, leaves)
	if !findUseful(a, f) {
		return false, nil
	}
	b.begin()
	b.addRight(len(b.k) - len(b.right)) // for preceding graphs
	base := int32(len(b.row) - 1)
	b.endNode() // node 0
	for p := range f.NumNodes() {
		if v := a.at(p); a.number[v] == useful {
			appendNode(b, f, v, base)
		}
	}
	if !singleRoot(a, f) {
		for _, r := range f.Roots() {
			if n := a.number[r.Node]; n > 0 && r.Weight != 0 {
				b.addEdge(int32(r.Weight), n, 0)
			}
		}
		b.endNode()
	}
	b.end()
	return true, nil
}

// numberOf returns the number of node v of the appended forest in the batch's last forest, 0 if
// no tree uses v.
func (a *forestAssembler) numberOf(v int32) int32 { return max(0, a.number[v]) }

// at returns the node at position p of the order.
func (a *forestAssembler) at(p int) int32 {
	if a.order == nil {
		return int32(p)
	}
	return a.order[p]
}

// derives reports whether edge e has a derivation.
func derives[H ~int32](a *forestAssembler, f *forest.Forest[H], e int32) bool {
	if f.Weights()[e] == 0 {
		return false
	}
	for _, v := range f.Tails(e) {
		if a.number[v] == useless {
			return false
		}
	}
	return true
}

// findDerivable marks the nodes that have a derivation.
func findDerivable[H ~int32](a *forestAssembler, f *forest.Forest[H], leaves []int32) {
	clear(a.number)
	for _, v := range leaves {
		a.number[v] = derivable
	}
	for again := true; again; {
		again = false
		for p := range f.NumNodes() {
			v := a.at(p)
			for e := f.Edges()[v]; e < f.Edges()[v+1] && a.number[v] == useless; e++ {
				if derives(a, f, e) {
					a.number[v] = derivable
					again = f.Cyclic() // for nodes before v
				}
			}
		}
	}
}

// findUseful marks the derivable nodes that are below a root, and reports whether there are any.
func findUseful[H ~int32](a *forestAssembler, f *forest.Forest[H]) bool {
	some := false
	for _, r := range f.Roots() {
		if r.Weight != 0 && a.number[r.Node] != useless {
			a.number[r.Node] = useful
			some = true
		}
	}
	for again := some; again; {
		again = false
		for p := f.NumNodes() - 1; p >= 0; p-- {
			v := a.at(p)
			if a.number[v] != useful {
				continue
			}
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				if !derives(a, f, e) {
					continue
				}
				for _, u := range f.Tails(e) {
					again = again || f.Cyclic() && a.number[u] != useful // it may come before v
					a.number[u] = useful
				}
			}
		}
	}
	return some
}

// singleRoot reports whether only one root entry has trees, with weight 1. Its node then is the
// last node.
func singleRoot[H ~int32](a *forestAssembler, f *forest.Forest[H]) bool {
	n, one := 0, true
	for _, r := range f.Roots() {
		if r.Weight != 0 && a.number[r.Node] > 0 {
			n, one = n+1, one && r.Weight == 1
		}
	}
	return n == 1 && one
}

// appendNode appends node v with its edges; the forest's nodes start at base.
func appendNode[H ~int32](b *Batch, f *forest.Forest[H], v, base int32) {
	a := b.forests
	a.wide = a.wide[:0]
	lo, hi := f.Edges()[v], f.Edges()[v+1]
	for e := lo; e < hi; e++ {
		tails := f.Tails(e)
		if len(tails) <= 2 || !derives(a, f, e) {
			continue
		}
		product := a.number[tails[0]]
		for _, u := range tails[1 : len(tails)-1] {
			b.addEdge(1, product, a.number[u])
			product = int32(len(b.row)-1) - base
			b.endNode()
		}
		a.wide = append(a.wide, product)
	}
	wide := a.wide
	for e := lo; e < hi; e++ {
		if !derives(a, f, e) {
			continue
		}
		tails, w := f.Tails(e), int32(f.Weights()[e])
		switch len(tails) {
		case 0:
			b.addEdge(w, 0, 0)
		case 1:
			b.addEdge(w, a.number[tails[0]], 0)
		case 2:
			b.addEdge(w, a.number[tails[0]], a.number[tails[1]])
		default:
			b.addEdge(w, wide[0], a.number[tails[len(tails)-1]])
			wide = wide[1:]
		}
	}
	a.number[v] = int32(len(b.row)-1) - base
	b.endNode()
}

// addEdge appends an edge of the next node.
func (b *Batch) addEdge(k, left, right int32) {
	b.k, b.left, b.right = append(b.k, k), append(b.left, left), append(b.right, right)
}

// addRight appends n missing right tails.
func (b *Batch) addRight(n int) {
	b.right = append(b.right, make([]int32, n)...)
}

// endNode ends the node whose edges have been added.
func (b *Batch) endNode() { b.row = append(b.row, int32(len(b.k))) }
