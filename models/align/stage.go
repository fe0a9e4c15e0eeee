package align

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
)

// stage is the likelihood of a Stage.
type stage struct {
	em.Likelihood
	corpus    *Corpus
	heuristic bool
}

// stage returns the likelihood of a Stage that m has entered: how its two directions, as
// submodels, are combined, and where what a sentence counts is kept, nil for nowhere.
func (m *Model) stage(s Stage, o *FitOptions, c *cells, p *prior, kept *own) (*stage, error) {
	var both [2]agree.Submodel
	var each [2]em.Likelihood
	var err error
	for d := range both {
		x := &direction{number: d, model: m, cells: c, prior: p, step: s.EStep, counted: s.Counting.counted(d)}
		both[d] = x
		if d == ef && kept != nil { // what Multiplied counts of links, for both directions
			both[d] = recorded{x, kept}
		}
		if each[d], err = agree.Likelihood(em.Skip, both[d]); err != nil {
			return nil, nested.Errorf("align: %w", err)
		}
	}
	out := &stage{corpus: c.corpus, heuristic: !m.climbs(s, p)}
	switch s.Counting {
	case Separately:
		out.Likelihood, err = agree.Independent(each[:]...)
	case Averaged:
		out.Likelihood, err = agree.DomainApproximate(each[:]...)
	case Multiplied:
		out.Likelihood, err = agree.ProductOfPosteriors(em.Skip, both[:]...)
	}
	if err == nil && o.Via != nil {
		out.Likelihood, err = o.Via(s, out.Likelihood.(em.Divisible))
	}
	if err != nil {
		return nil, nested.Errorf("align: %w", err)
	}
	return out, nil
}

// counted returns the directions whose translations direction d counts.
func (c Counting) counted(d int) []int {
	switch {
	case c == Separately:
		return []int{d}
	case c == Multiplied && d == fe: // direction ef does, by the same product
		return nil
	}
	return []int{ef, fe}
}

// climbs reports whether what a Stage counts are derivatives of its objective, and all M
// steps raise it: those of jumps do not.
func (m *Model) climbs(s Stage, p *prior) bool {
	derivatives := s.EStep == Own && s.Counting == Separately || s.EStep == Joint && s.Counting == Averaged
	return derivatives && m.floor == 0 && p.climbs() && s.Positions != HMM
}

// Heuristic reports whether M steps may lower the objective.
func (s *stage) Heuristic() bool { return s.heuristic }

// Expect makes an E step and names the sentences that are skipped. It is an error if that
// is all of them.
func (s *stage) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	e, err := s.Likelihood.Expect(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, x := range e.Skipped {
		e.Skipped[i] = s.corpus.example(x.Index)
	}
	if e.Examples > 0 && len(e.Skipped) == e.Examples {
		return nil, nested.Errorf("align: %w: all %d sentences, the first is %v", em.ErrUnderivable, e.Examples, e.Skipped[0])
	}
	return e, nil
}
