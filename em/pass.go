package em

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// pass is what an E step over a corpus has in common for all shards.
type pass struct {
	eStep       EStep
	temperature float64
	values      []semiring.ScaledFloat // of the handles of the Params' Space
	tangents    []float64              // of these; nil: no second derivatives
	without     []Skipped              // examples to be left out, in order
	feed        *feeder                // nil: the source needs none
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

// backpropagate turns counts of the space's own handles into those of others, and of the
// parameters.
func (p pass) backpropagate(space *expr.Space, handles, params expr.Dual) {
	if p.tangents == nil {
		space.Backpropagate(p.values, handles.Value, params.Value)
		return
	}
	space.BackpropagateAlong(p.values, p.tangents, handles, params)
}

// finish makes counts of parameters of those of handles.
func (p pass) finish(params *Params, e *Expectations) error {
	of := expr.Dual{Value: make([]float64, params.n)}
	if p.tangents != nil {
		of.Change = make([]float64, params.n)
	}
	p.backpropagate(params.space, expr.Dual{Value: e.Counts, Change: e.Curvature}, of)
	e.Counts, e.Curvature = of.Value, of.Change
	return nil
}
