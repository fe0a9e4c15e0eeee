package em

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// pass is what an E step has in common for all shards.
type pass struct {
	eStep       EStep
	temperature float64
	values      []semiring.ScaledFloat // of the handles of the Params' Space
	tangents    []float64              // of these; nil: no second derivatives
	without     []Skipped              // examples to be left out, in order
}

// newPass returns the pass of a query that is complete.
func newPass(p *Params, q Query, without []Skipped) (pass, error) {
	values, err := p.space.EvaluateTempered(nil, p.Values(q.Theta), q.Temperature)
	if err != nil {
		return pass{}, fmt.Errorf("em: %w", err)
	}
	ps := pass{eStep: q.EStep, temperature: q.Temperature, values: values, without: without}
	if q.Tangent != nil {
		direction := make([]float64, p.n) // of the tempered values
		floats.ScaleTo(direction, q.Temperature, q.Tangent)
		ps.tangents = p.space.Tangents(nil, values, direction, q.Temperature)
	}
	return ps, nil
}

// expectations returns what the tally of all shards comes to.
func (a *tally) expectations(p *Params, ps pass, examples int, policy Policy) (*Expectations, error) {
	if n := len(a.skipped); n > 0 && policy == Fail {
		return nil, fmt.Errorf("em: %w: %d of %d examples, the first is %v", ErrUnderivable, n, examples, a.skipped[0])
	}
	if math.IsNaN(a.logLikelihood) || math.IsInf(a.logLikelihood, 0) {
		return nil, fmt.Errorf("em: %w: the log likelihood is %g", ErrInvalid, a.logLikelihood)
	}
	e := &Expectations{LogLikelihood: a.logLikelihood, Counts: make([]float64, p.n), Examples: examples, Skipped: a.skipped, Arcs: a.arcs}
	if ps.tangents != nil {
		e.Curvature = make([]float64, p.n)
	}
	a.backpropagate(p.space, ps.values, ps.tangents, e.Counts, e.Curvature)
	return e, nil
}
