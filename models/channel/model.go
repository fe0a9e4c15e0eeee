package channel

import (
	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Model is a cascade T₁ ∘ … ∘ Tₙ and its parameters. T₁ reads the source. In an
// example, X is what is known of the source and Y of the observation; Fit, of
// em.Model, trains the parameters.
type Model struct{ em.Model }

// New returns the model of the stages, whose weights must be of p's Space, with
// the parameters at their start. A stage without parameters comes from
// em.Constants.
func New(p *em.Params, stages ...*fst.FST[expr.W]) *Model {
	return &Model{em.NewModel(em.Problem{Params: p, Cascade: stages})}
}
