package forest

import "slices"

// Tree is a tree of a forest: a derivation of a root. The edges in preorder, an edge
// before those that derive its tails, from left to right, say all about it. The weight
// is that of the node's root entries together ⊗ those of the edges, multiplied in this
// order.
type Tree[W any] struct {
	Root   int32   // the node that it derives; −1 if there is no tree
	Edges  []int32 // its edges in preorder, an edge once for each of its uses
	Weight W
}

// Fold computes a value of a tree of f from the leaves up: visit is called for each
// edge in Edges, from the last to the first, with the values that it returned for the
// derivations of the edge's tails, from left to right, and Fold returns what it
// returns for the first. below is valid during the call. Fold does not recurse, so
// trees may be deep. It panics if the edges are not those of a tree of f in preorder;
// of no edges it returns the zero value.
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
			if last < 0 || !f.isOf(done[last].edge, v) {
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

// isOf reports whether edge e derives node v.
func (f *Forest[W]) isOf(e, v int32) bool {
	return f.topology.edge[v] <= e && e < f.topology.edge[v+1]
}
