package channel

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Model is a cascade T₁ ∘ … ∘ Tₙ, perhaps with branches, and its parameters. T₁ reads the
// source. In an example, X is what is known of the source, Y of the output and Branches
// of what came out of each branch; Fit, of em.Model, trains the parameters, and Save
// writes the model for Load.
type Model struct{ em.Model }

// New returns the model of the stages, whose weights must be of p's Space, with
// the parameters at their start. A stage without parameters comes from
// em.Constants.
func New(p *em.Params, stages ...*fst.FST[expr.W]) *Model {
	return NewBranching(p, stages)
}

// NewBranching returns a model in which the output of the cascade goes through further
// cascades, the branches, independently of each other: em.Problem says what its
// likelihood is. The first stage of each branch reads the output.
func NewBranching(p *em.Params, cascade []*fst.FST[expr.W], branches ...[]*fst.FST[expr.W]) *Model {
	nonnil.Check("channel: New", "parameters", p)
	for _, ms := range append([][]*fst.FST[expr.W]{cascade}, branches...) {
		for i, f := range ms {
			nonnil.Check("channel: New", fmt.Sprintf("stage %d", i), f)
		}
	}
	return &Model{em.NewModel(em.Problem{Params: p, Cascade: cascade, Branches: branches})}
}

// Load reads a model that Save has written. Errors are those of em.Load.
func Load(r io.Reader) (*Model, error) {
	m, err := em.Load(r)
	if err != nil {
		return nil, err
	}
	return &Model{*m}, nil
}

// FitConditional is Fit for P(Y | X), the share that Y has of all outputs of X: for models
// whose outputs do not sum to 1, and where the source is always known. It takes a lattice
// of all outputs per example: see em.Problem.ConditionalLikelihood.
func (m *Model) FitConditional(ctx context.Context, data em.Data, opts *em.Options) (*em.Result, error) {
	l, err := m.ConditionalLikelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &m.Theta, opts)
}
