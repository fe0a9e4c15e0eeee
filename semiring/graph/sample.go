package graph

import (
	"math/rand/v2"

	"example.org/pathsum/semiring/internal/derivation"
)

// Sampler draws random paths of one graph, each with probability weight / total.
// It is immutable, and so safe for concurrent use as long as every goroutine has
// its own source of random numbers.
type Sampler[W any] struct {
	g       *Graph[W]
	lambda  []W // per state: the sum of its start weights
	sampler *derivation.Sampler
}

// NewSampler returns a sampler of g. The ring's weights must be probabilities that
// ⊕ adds, and not negative; total and cycles may have any finite mass of any
// magnitude. It takes a backward pass and 8 bytes per arc.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, or is as for PathSum.
func NewSampler[W any](g *Graph[W]) (*Sampler[W], error) {
	d, err := randomPaths(g).Distribution()
	if err != nil {
		return nil, err
	}
	return &Sampler[W]{g, startWeights(g), derivation.NewSampler(d)}, nil
}

// Sample draws a path. The same random numbers give the same path: one is drawn
// for the start, and one per state. Its weight includes all starts at its first
// state. It takes O(length · log degree); a choice of probability below 2⁻⁵³
// at its state may never be taken, and one of probability 0 never is.
func (s *Sampler[W]) Sample(src rand.Source) Path[W] {
	g, r := s.g, rand.New(src)
	ring, to := g.ring, g.To()
	q := g.starts[s.sampler.Entry(r)].State
	p := Path[W]{Start: q, Weight: s.lambda[q]}
	for {
		e := s.sampler.Option(q, r)
		if e < 0 {
			p.Weight = ring.Times(p.Weight, g.final[q])
			return p
		}
		p.Arcs = append(p.Arcs, e)
		p.Weight = ring.Times(p.Weight, g.weight[e])
		q = to[e]
	}
}
