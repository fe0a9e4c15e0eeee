package channel

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Model is a cascade T₁ ∘ … ∘ Tₙ, perhaps with branches, and its parameters. T₁ reads the
// source, Tₙ writes the target. In a cascade.Example, X is what is known of the source, Y of the
// target and Branches of what came out of each branch. Fit, of cascade.Model, trains the
// parameters, and Save writes the model for Load.
type Model struct{ cascade.Model }

// New returns an untrained model of the stages, whose weights must be of p's Space: those of
// other em.Params are refused where the model is trained or used, and so is a stage that could
// not be made, with its error. A stage without parameters comes from cascade.Constants.
//
// Theta is p.Start() as it is now. It does not know of a later em.Group.SetStart.
func New(p *em.Params, stages ...cascade.Stage) *Model {
	return NewBranching(p, stages)
}

// NewBranching returns an untrained model in which the target of the cascade goes through
// further cascades, the branches, independently of each other: cascade.Problem says what its
// likelihood is. The first stage of each branch reads the target.
func NewBranching(p *em.Params, stages []cascade.Stage, branches ...[]cascade.Stage) *Model {
	nonnil.Check("channel: New", "parameters", p)
	for _, ms := range append([][]cascade.Stage{stages}, branches...) {
		for i, f := range ms {
			nonnil.Check("channel: New", fmt.Sprintf("stage %d", i), f)
		}
	}
	return &Model{cascade.NewModel(cascade.Problem{Params: p, Stages: stages, Branches: branches})}
}

// Load reads a model that Save has written. Errors are as for cascade.Load.
func Load(r io.Reader) (*Model, error) {
	m, err := cascade.Load(r)
	if err != nil {
		return nil, nested.Errorf("channel: %w", err)
	}
	if len(m.Edges) > 0 {
		return nil, nested.Errorf("channel: %w: a tree of tapes, want a cascade", em.ErrFormat)
	}
	return &Model{*m}, nil
}

// FitConditional is Fit for P(Y | X), the share of Y in all targets of X: for models whose
// targets do not sum to 1, and where the source is always known. It takes a lattice of all
// targets per example: see cascade.Problem.ConditionalLikelihood. The error is that of a stage that
// could not be made, of the likelihood, or of em.Fit.
func (m *Model) FitConditional(ctx context.Context, data cascade.Data, opts *em.Options) (*em.Result, error) {
	l, err := m.ConditionalLikelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}
