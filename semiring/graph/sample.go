package graph

import (
	"math/rand/v2"

	"example.org/pathsum/internal/choice"
)

// Sampler draws random paths of one graph, each with probability weight / total.
// It is immutable, and so safe for concurrent use as long as every goroutine has
// its own source of random numbers.
type Sampler[W any] struct {
	g      *Graph[W]
	lambda []W // per state: the sum of its start weights
	// Sums of probabilities from the first option on: per start entry, and per arc
	// within its state; top, per state, includes ending there.
	start, arc, top []float64
}

// NewSampler returns a sampler of g. The ring's weights must be probabilities that
// ⊕ adds, and not negative; total and cycles may have any finite mass of any
// magnitude. It takes a backward pass and 8 bytes per arc.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, or is as for PathSum.
func NewSampler[W any](g *Graph[W]) (*Sampler[W], error) {
	d, err := newDistribution(g)
	if err != nil {
		return nil, err
	}
	n := g.NumStates()
	s := &Sampler[W]{
		g:      g,
		lambda: startWeights(g),
		start:  make([]float64, len(g.starts)),
		arc:    make([]float64, g.NumArcs()),
		top:    make([]float64, n),
	}
	var c choice.Choice
	d.Start(&c)
	choice.Accumulate(s.start, c.Share)
	for q := range int32(n) {
		d.Place(&c, q)
		s.top[q] = choice.Accumulate(s.arc[g.Row()[q]:g.Row()[q+1]], c.Share)
	}
	return s, nil
}

// Sample draws a path. The same random numbers give the same path: one is drawn
// for the start, and one per state. Its weight includes all starts at its first
// state. It takes O(length · log degree); a choice of probability below 2⁻⁵³
// at its state may never be taken, and one of probability 0 never is.
func (s *Sampler[W]) Sample(src rand.Source) Path[W] {
	g, r := s.g, rand.New(src)
	ring, row, to := g.ring, g.Row(), g.To()
	q := g.starts[choice.First(s.start, r.Float64()*s.start[len(s.start)-1])].State
	p := Path[W]{Start: q, Weight: s.lambda[q]}
	for {
		lo, hi := row[q], row[q+1]
		n := int32(choice.First(s.arc[lo:hi], r.Float64()*s.top[q]))
		if n == hi-lo {
			p.Weight = ring.Times(p.Weight, g.final[q])
			return p
		}
		e := lo + n
		p.Arcs = append(p.Arcs, e)
		p.Weight = ring.Times(p.Weight, g.weight[e])
		q = to[e]
	}
}
