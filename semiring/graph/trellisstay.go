package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// SetStay lets paths stay where they are: besides the arcs of its block, step n has an
// arc of weight stay[n] from every node to the node of the same number in the next
// layer, which does not take the node weight there. A hidden Markov model with symbols
// that no state emits, as the words aligned with nothing in a word alignment, needs no
// second copy of its states for them. nil takes the stays away, and so does Reset.
//
// The error wraps semiring.ErrShape if there is not one weight per step, or if one
// that is not Zero is that of a block that is not square. t keeps stay.
func (t *Trellis[W]) SetStay(stay []W) error {
	if stay != nil && len(stay) != len(t.steps) {
		return fmt.Errorf("graph: %w: weights to stay in %d steps, want %d", semiring.ErrShape, len(stay), len(t.steps))
	}
	if stay != nil {
		for n, number := range t.steps {
			if b := t.blocks[number]; b.rows != b.cols && !t.ring.IsZero(stay[n]) {
				return fmt.Errorf("graph: %w: step %d stays, but takes a block of %d × %d", semiring.ErrShape, n, b.rows, b.cols)
			}
		}
	}
	t.stay = stay
	return nil
}

// Stays returns, per step, the posterior of staying that the last call of
// Trellis.Counts with s has found; 0 if it found no path, nil if there were no stays.
// It is valid until s is used again.
func (s *TrellisScratch[W]) Stays() []float64 { return s.stays }

// stays reports whether paths may stay in a step.
func (t *Trellis[W]) stays(step int) bool {
	return t.stay != nil && !t.ring.IsZero(t.stay[step])
}

// addStay adds the paths that stay in a step to those that do not: y ⊕ x ⊗ stay, where
// x is α before the step.
func (t *Trellis[W]) addStay(y, x []W, step int) {
	a := t.stay[step]
	if t.float != nil {
		t.float.AddScaled(y, a, x)
		return
	}
	for i, w := range x {
		y[i] = t.ring.Plus(y[i], t.ring.Times(w, a))
	}
}

// addStayBack is addStay for β: stay ⊗ x, where x is β after the step.
func (t *Trellis[W]) addStayBack(y, x []W, step int) {
	a := t.stay[step]
	if t.float != nil {
		t.float.AddScaled(y, a, x)
		return
	}
	for i, w := range x {
		y[i] = t.ring.Plus(y[i], t.ring.Times(a, w))
	}
}

// countStay notes the posterior of staying in a step, from α before and β after it.
func (c *counting[W]) countStay(alpha, beta []W, step int) {
	p := c.s.p[:len(alpha)]
	c.kernel.Marginals(p, c.ring.Times(c.scale, c.stay[step]), alpha, nil, beta, nil)
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	c.s.stays[step] = sum
}

// startStays makes room for the stays of t.
func (s *TrellisScratch[W]) startStays(t *Trellis[W]) {
	if t.stay == nil {
		s.stays = nil
		return
	}
	s.stays = rows.Resized(s.stays, len(t.steps))
	clear(s.stays)
}
