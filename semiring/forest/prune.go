package forest

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/rows"
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
	keep := derivation.Kept{
		Entries: rootNodes(f), Entry: make([]bool, len(f.roots)), Option: make([]bool, f.NumEdges()),
	}
	for i, r := range f.roots {
		keep.Entry[i] = p.Root[i] >= min && !f.ring.IsZero(r.Weight)
	}
	for e, w := range f.weight {
		keep.Option[e] = p.Edge[e] >= min && !f.ring.IsZero(w)
	}
	part := f.topology.part(keep)
	roots := make([]Root[W], len(part.Entry))
	for n, i := range part.Entry {
		roots[n] = Root[W]{part.Number[f.roots[i].Node], f.roots[i].Weight}
	}
	left, err := New(f.ring, part.Row, part.Tail, part.Tails, rows.Picked(f.weight, part.Option), roots)
	if err != nil {
		return nil, nested.Errorf("forest: pruning: %w", err)
	}
	return &Pruned[W]{left, part.Node, part.Option, part.Entry}, nil
}

// part returns the part of t in trees of what is kept.
func (t *topology) part(keep derivation.Kept) *derivation.Part {
	s := t.structure()
	return s.Part(keep, t.derivable(func(e int32) bool { return keep.Option[e] }))
}
