package em

import "context"

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
	var o Options
	if opts != nil {
		o = *opts
	}
	l, err := m.Likelihood(data)
	if err != nil {
		return nil, err
	}
	if o.Start == nil {
		o.Start = m.Theta
	}
	r, err := Fit(ctx, l, &o)
	if r != nil {
		m.Theta = r.Theta
	}
	return r, err
}
