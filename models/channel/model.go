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

// Model is a cascade T₁ ∘ … ∘ Tₙ, perhaps with branches, and its parameters. T₁ reads the source,
// Tₙ writes the target. In a cascade.Example, X holds the observation of the source, Y of the
// target and Branches of the output of each branch. Fit, of cascade.Model, trains the parameters,
// and Save writes the model for Load.
type Model struct{ cascade.Model }

// New returns an untrained model of the stages, whose weights must be of p's Space. Training and
// use return an error if a stage belongs to other em.Params, and the error of a stage that could
// not be made. A stage without parameters comes from cascade.Constants.
//
// Theta is p.Start() at the time of the call. A later em.Group.SetStart does not change it.
func New(p *em.Params, stages ...cascade.Stage) *Model {
	return NewBranching(p, stages)
}

// NewBranching returns an untrained model in which the target of the cascade goes through further
// cascades, the branches, independently of each other: cascade.Problem defines the likelihood. The
// first stage of each branch reads the target.
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

// FitConditional is Fit for P(Y | X), the share of Y in all targets of X: for models whose targets
// do not sum to 1. The source of every example must be known. It takes a lattice of all targets per
// example: see cascade.Problem.ConditionalLikelihood. The error comes from a stage that could not
// be made, from the likelihood, or from em.Fit.
func (m *Model) FitConditional(ctx context.Context, data cascade.Data, opts *em.Options) (*em.Result, error) {
	l, err := m.ConditionalLikelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}
