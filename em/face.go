package em

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"example.org/pathsum/internal/nested"
)

// bordered is a Law whose density has no bound as parameter i goes to 0 if pseudo(i), the
// number of pseudo-observations of i in the prior, is negative. If such a parameter is 0, LogPrior
// leaves it out, and so returns the density on the face of the simplex of the others.
type bordered interface {
	Law
	pseudo(i int) float64
}

// lnLeast is ln of the least positive float64.
var lnLeast = math.Log(math.SmallestNonzeroFloat64)

// face returns the terms that LogPrior leaves out at theta, with zeros replaced by the least
// positive float64. LogPrior plus face is comparable between all theta, and no M step of EM lowers
// the objective by it: if a count does not outweigh a prior, the density rises all the way to 0.
func (p *Params) face(theta []float64) float64 {
	sum := 0.0
	for _, pseudo := range p.gone(theta) {
		sum += pseudo * lnLeast
	}
	return sum
}

// gone yields the parameters that are 0 at theta, if the density has no bound there, each
// with the number of pseudo-observations of its prior.
func (p *Params) gone(theta []float64) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for _, g := range p.groups {
			law, ok := g.law.(bordered)
			if !ok {
				continue
			}
			for i, x := range g.In(theta) {
				if x != 0 {
					continue
				}
				if pseudo := law.pseudo(i); pseudo < 0 && !yield(g.first+i, pseudo) {
					return
				}
			}
		}
	}
}

// blamePrior returns err. If err reports examples without a derivation at theta, blamePrior adds
// the names of parameters that a prior has made 0 in this start.
func (s *start) blamePrior(p *Params, theta []float64, err error) error {
	if !errors.Is(err, ErrUnderivable) || len(s.Face) == 0 || p.face(theta) <= s.Face[0] {
		return err
	}
	first, others := -1, 0
	for i := range p.gone(theta) {
		if first < 0 {
			first = i
		} else {
			others++
		}
	}
	text := p.Name(int32(first))
	if others > 0 {
		text += fmt.Sprintf(" and %d others are", others)
	} else {
		text += " is"
	}
	return nested.Errorf("%w; %s 0, as their counts did not outweigh priors with alpha < 1: the data may need a greater alpha", err, text)
}

// bounded returns an error that names a group under whose law the objective has no bound in
// coordinates at theta. counts are the result of an E step there.
func (p *Params) bounded(theta, counts []float64) error {
	for _, g := range p.groups {
		law, ok := g.law.(Bounded)
		if !ok {
			continue
		}
		var own []float64
		if counts != nil {
			own = g.In(counts)
		}
		if err := law.Bounded(g.In(theta), own); err != nil {
			return nested.Errorf("group %s: %w", g.name, err)
		}
	}
	return nil
}

// Bounded returns an error that wraps ErrNoMode and names a group under whose law the objective has
// no bound in coordinates at theta. counts are the result of an E step over all data there. A
// method that follows a gradient calls it after each move.
func (t *Trainer) Bounded(theta, counts []float64) error {
	if _, own := t.likelihood.(maximizer); own {
		counts = nil // differences
	}
	if err := t.params.bounded(theta, counts); err != nil {
		return nested.Errorf("em: %v: %w", t.opts.Method, err)
	}
	return nil
}
