package graph

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// TrellisSampler draws random paths of one trellis, each with probability weight /
// total. One goroutine uses it at a time.
type TrellisSampler[W any] struct {
	t    *Trellis[W]
	s    *TrellisScratch[W] // node holds β
	mass func(W) semiring.ScaledFloat

	c   choice.Choice
	sum []float64 // of the shares of c
}

// NewSampler returns a sampler of t. The ring's weights must be probabilities that ⊕
// adds, and not negative. It takes a backward pass and keeps β of all nodes in s, which
// serves nothing else as long as the sampler is in use.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite
// or ErrNoPath.
func (t *Trellis[W]) NewSampler(s *TrellisScratch[W]) (*TrellisSampler[W], error) {
	mass := weights.MassOf(t.ring)
	if mass == nil {
		return nil, fmt.Errorf("graph: random paths: %w: weights of %T are not probabilities that ⊕ adds",
			semiring.ErrCapability, t.ring)
	}
	if err := t.checkMasses(mass.Of); err != nil {
		return nil, err
	}
	total := t.prepare(s)
	if t.ring.IsZero(total) {
		return nil, fmt.Errorf("graph: %w", ErrNoPath)
	}
	if !mass.Of(total).IsFinite() {
		return nil, fmt.Errorf("graph: %w: the total is %v", semiring.ErrNotFinite, total)
	}
	return &TrellisSampler[W]{t: t, s: s, mass: mass.Of}, nil
}

// checkMasses returns an error unless every weight is a mass.
func (t *Trellis[W]) checkMasses(mass func(W) semiring.ScaledFloat) error {
	check := func(what string, number int, list []W) error {
		for i, w := range list {
			if err := weights.CheckMass(mass(w)); err != nil {
				return fmt.Errorf("graph: %s %d: weight %d is %v: %w", what, number, i, w, err)
			}
		}
		return nil
	}
	if err := check("layer", 0, t.initial); err != nil {
		return err
	}
	for number, b := range t.blocks {
		if err := check("block", number, b.out.weight); err != nil {
			return err
		}
	}
	for layer := range t.NumLayers() {
		if err := check("nodes of layer", layer, t.nodeWeights(layer)); err != nil {
			return err
		}
	}
	if err := check("stays of trellis", 0, t.stay); err != nil {
		return err
	}
	return check("end after layer", len(t.steps), t.final)
}

// Sample appends a random path to dst, in the form that BestPath has. The same random numbers give the same path: one is drawn per layer. It takes
// time in proportion to the cells of the rows on the path. A choice of probability
// below 2⁻⁵³ at its node may never be taken, and one of probability 0 never is.
func (p *TrellisSampler[W]) Sample(dst []int32, r *rand.Rand) []int32 {
	return p.t.follow(dst, p.s, func(ways []W) int {
		p.c.Clear()
		for _, w := range ways {
			p.c.Add(p.mass(w))
		}
		p.c.Divide()
		p.sum = rows.Resized(p.sum, len(ways))
		return choice.First(p.sum, r.Float64()*choice.Accumulate(p.sum, p.c.Share))
	})
}
