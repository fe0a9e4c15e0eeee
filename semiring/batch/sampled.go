package batch

import (
	"errors"
	"math/rand/v2"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// SampledCounts is Counts with a mean over random paths or trees in place of the expectation. It
// draws draws ≥ 1 of them in proportion to their weights, and adds weight/draws to count[k] for
// each edge of weight table[k] in a draw. The mean of the result equals the result of Counts, and
// its variance is weight²/draws times the variance of the number of these edges. Counts are
// determined by the numbers of src: one is drawn per edge.
//
// Conditions, errors and the total returned are the same as for Counts. The error also wraps
// semiring.ErrNegative for a weight below 0. A choice of probability below 2⁻⁵³ at its node may
// never be taken, and a choice of probability 0 is never taken. It takes O(nodes + edges), and
// per draw the number of its edges times the logarithm of the number of edges per node.
func (b *Batch) SampledCounts(i int, table []semiring.ScaledFloat, weight float64, draws int, src rand.Source, count []float64, s *Scratch) (semiring.ScaledFloat, error) {
	x, r := b.item(i), rand.New(src)
	share := weight / float64(draws)
	if c := b.cyclic[int32(i)]; c != nil {
		return c.sampledCounts(x, table, share, draws, r, count)
	}
	total := x.add(table, s)
	switch {
	case !total.IsFinite():
		return total, notFinite(total)
	case total.IsZero():
		return total, nil
	}
	if err := x.accumulate(table, s); err != nil {
		return total, err
	}
	for range draws {
		x.draw(share, r, count, s)
	}
	return total, nil
}

// accumulate replaces the terms left by add by cumulative sums: per edge, the sum over the edges
// of its node up to and including the edge.
func (x *item) accumulate(table []semiring.ScaledFloat, s *Scratch) error {
	for v := 1; v <= x.root(); v++ {
		lo, hi := x.edges(v)
		for e := lo; e < hi; e++ {
			if s.term[e] < 0 {
				return nested.Errorf("batch: random derivations: %w: an edge of node %d has the weight %v, or one of its tails has a negative weight", semiring.ErrNegative, v, table[x.k[e]])
			}
		}
		choice.Accumulate(s.term[lo:hi], s.term[lo:hi])
	}
	return nil
}

// draw adds share to count for each edge of a random derivation of the root.
func (x *item) draw(share float64, r *rand.Rand, count []float64, s *Scratch) {
	s.open = append(s.open[:0], int32(x.root()))
	for len(s.open) > 0 {
		v := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		if v == 0 {
			continue
		}
		lo, hi := x.edges(int(v))
		sums := s.term[lo:hi]
		e := lo + int32(choice.First(sums, r.Float64()*sums[len(sums)-1]))
		count[x.k[e]] += share
		if x.right != nil {
			s.open = append(s.open, x.right[e])
		}
		s.open = append(s.open, x.left[e])
	}
}

func (g *cyclicGraph) sampledCounts(x item, table []semiring.ScaledFloat, share float64, draws int, r *rand.Rand, count []float64) (semiring.ScaledFloat, error) {
	weighted := g.weighted(x, table, semiring.Scaled{})
	total, err := graphs.PathSum(weighted)
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	sampler, err := graphs.NewSampler(weighted)
	if errors.Is(err, graph.ErrNoPath) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for range draws {
		for _, e := range sampler.Sample(r).Arcs {
			count[x.k[e]] += share
		}
	}
	return total, nil
}

func (f cyclicForest) sampledCounts(_ item, table []semiring.ScaledFloat, share float64, draws int, r *rand.Rand, count []float64) (semiring.ScaledFloat, error) {
	weighted := f.weighted(table, semiring.Scaled{})
	total, err := forests.TreeSum(weighted)
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	sampler, err := forests.NewSampler(weighted)
	if errors.Is(err, forest.ErrNoTree) {
		return semiring.ScaledFloat{}, nil
	}
	if err != nil {
		return semiring.ScaledFloat{}, failed(err)
	}
	for range draws {
		tree := sampler.Sample(r)
		count[f.entry(tree.Root, table, r)] += share
		for _, e := range tree.Edges {
			count[f.Weights()[e]] += share
		}
	}
	return total, nil
}

// entry draws one of the root entries of a node and returns its weight. A tree does not determine
// its root entry.
func (f cyclicForest) entry(node int32, table []semiring.ScaledFloat, r *rand.Rand) int32 {
	var c choice.Choice
	var entries []int32
	for _, root := range f.Roots() {
		if root.Node == node {
			c.Add(table[root.Weight])
			entries = append(entries, root.Weight)
		}
	}
	c.Divide()
	top := choice.Accumulate(c.Share, c.Share)
	return entries[choice.First(c.Share, r.Float64()*top)]
}
