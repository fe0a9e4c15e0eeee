package forest

import (
	"math/rand/v2"
	"slices"

	"example.org/pathsum/semiring/internal/derivation"
)

// Sampler draws random trees of one forest, each with probability weight / total. It
// is immutable, and so safe for concurrent use as long as every goroutine has its own
// source of random numbers.
type Sampler[W any] struct {
	f          *Forest[W]
	rootWeight []W // per root entry: the sum over all entries of its node
	sampler    *derivation.Sampler
}

// NewSampler returns a sampler of f. The ring's weights must be probabilities that ⊕
// adds, and not negative; the total may have any finite mass of any magnitude. It
// takes an inside pass and 8 bytes per edge.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite
// or ErrNoTree.
func NewSampler[W any](f *Forest[W]) (*Sampler[W], error) {
	d, err := randomTrees(f).Distribution()
	if err != nil {
		return nil, err
	}
	s := &Sampler[W]{f, make([]W, len(f.roots)), derivation.NewSampler(d)}
	sum := make(map[int32]W)
	for _, r := range distinctRoots(f) {
		sum[r.Node] = r.Weight
	}
	for i, r := range f.roots {
		s.rootWeight[i] = sum[r.Node]
	}
	return s, nil
}

// Sample draws a tree. The same random numbers give the same tree: one is drawn for
// the root, and one per edge. It takes O(size of the tree · log(edges per node)); a
// choice of probability below 2⁻⁵³ for its node may never be taken, and one of
// probability 0 never is.
func (s *Sampler[W]) Sample(src rand.Source) Tree[W] {
	f, r := s.f, rand.New(src)
	root := s.sampler.Entry(r)
	t := Tree[W]{Root: f.roots[root].Node, Weight: s.rootWeight[root]}
	open := []int32{t.Root}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		e := s.sampler.Option(v, r)
		t.Edges = append(t.Edges, e)
		t.Weight = f.ring.Times(t.Weight, f.weight[e])
		for _, u := range slices.Backward(f.Tails(e)) {
			open = append(open, u)
		}
	}
	return t
}
