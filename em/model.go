package em

import (
	"context"

	"example.org/pathsum/internal/nonnil"
)

// Model is a problem with values for its parameters, which training improves:
// what packages of models build on.
type Model struct {
	Problem
	// Theta are the values, of length Params.Len.
	Theta []float64
}

// NewModel returns the model of problem at its start.
func NewModel(problem Problem) Model { return Model{problem, problem.Params.Start()} }

// Fit trains the model on data, from Theta unless opts says otherwise, and leaves
// the result in Theta. It returns what Fit, the function, does; a canceled run
// keeps what it has reached.
func (m *Model) Fit(ctx context.Context, data Data, opts *Options) (*Result, error) {
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return FitFrom(ctx, l, &m.Theta, opts)
}

// FitFrom is Fit from *theta, unless opts says otherwise, and leaves the result there: how
// a model that holds the values of its parameters is trained. A canceled run keeps what
// it has reached; *theta stays as it was where Fit returns no result.
func FitFrom(ctx context.Context, l Likelihood, theta *[]float64, opts *Options) (*Result, error) {
	nonnil.Check("em: FitFrom", "context", ctx, "likelihood", l)
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Start == nil {
		o.Start = *theta
	}
	r, err := Fit(ctx, l, &o)
	if r != nil {
		*theta = r.Theta
	}
	return r, err
}
