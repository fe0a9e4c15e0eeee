package forest

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Pruned is a part of a forest: every node and edge of it is part of a tree. Weights
// are those of the whole forest; nodes, edges and roots keep their order.
type Pruned[W any] struct {
	Forest           *Forest[W]
	Node, Edge, Root []int32 // per node, edge and root entry: which one it was
}

// PrunePosterior returns what is left of f without the edges and roots that a random
// tree uses less than min times on average (see Posteriors), and without what then is
// part of no tree. The ring must be a semiring.Prober; in a selective one the posteriors
// are max-marginals, so that all trees within a factor of min of the best survive.
//
// Where trees are many, the posterior of each may be low, even all of a node's edges
// below min, and then nothing may be left: a forest without nodes, no error. A min of 0
// keeps all trees. Posteriors and O(nodes + edges + tails); the errors are as for
// Posteriors.
func PrunePosterior[W any](f *Forest[W], min float64) (*Pruned[W], error) {
	p, err := Posteriors(f)
	if err != nil {
		return nil, err
	}
	keep, err := f.WithWeights(make([]W, f.NumEdges()), make([]Root[W], len(f.roots)))
	if err != nil {
		return nil, err
	}
	for e, w := range f.weight {
		if keep.weight[e] = f.ring.Zero(); p.Edge[e] >= min {
			keep.weight[e] = w
		}
	}
	for i, r := range f.roots {
		if keep.roots[i] = (Root[W]{r.Node, f.ring.Zero()}); p.Root[i] >= min {
			keep.roots[i] = r
		}
	}
	return trimmed(keep)
}

// trimmed returns the part of f that is in trees without a weight of Zero.
func trimmed[W any](f *Forest[W]) (*Pruned[W], error) {
	useful := newPass(Map(f, semiring.Boolean{}, func(w W) bool { return !f.ring.IsZero(w) }))
	derived, err := useful.inside((*pass[bool]).derivable)
	if err != nil {
		return nil, err
	}
	occurs := useful.onTrees(derived)
	p := &Pruned[W]{}
	number := make([]int32, f.NumNodes())
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []W{}
	for at := range occurs {
		if occurs[at] {
			number[at] = int32(len(p.Node))
			p.Node = append(p.Node, int32(at))
		}
	}
	for _, v := range p.Node {
		for e := f.topology.edge[v]; e < f.topology.edge[v+1]; e++ {
			if !useful.usable(e, derived) {
				continue
			}
			for _, u := range f.Tails(e) {
				tails = append(tails, number[u])
			}
			p.Edge = append(p.Edge, e)
			tail, weight = append(tail, int32(len(tails))), append(weight, f.weight[e])
		}
		edge = append(edge, int32(len(weight)))
	}
	var roots []Root[W]
	for i, r := range f.roots {
		if useful.roots[i].Weight && derived[r.Node] {
			p.Root = append(p.Root, int32(i))
			roots = append(roots, Root[W]{number[r.Node], r.Weight})
		}
	}
	if p.Forest, err = New(f.ring, edge, tail, tails, weight, roots); err != nil {
		return nil, nested.Errorf("forest: pruning: %w", err)
	}
	return p, nil
}
