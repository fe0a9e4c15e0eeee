package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo"
)

// newWindows returns the model of neighbouring columns, of so many each; with own each way to
// divide an alignment into windows has parameters of its own.
func newWindows(t *phylo.Tree, columns int, own bool) (*phylo.Windows, error) {
	return phylo.NewWindows(t, em.Multinomial{}, &phylo.WindowOptions{Columns: columns, Own: own})
}

// train trains m in one of the ways.
func train(ctx context.Context, m *phylo.Windows, d *data, how string, opts *em.Options) (*em.Result, error) {
	var l em.Likelihood
	var err error
	switch how {
	case annealed:
		m.Squared = min(squared, opts.Iterations-1)
		opts.Iterations -= m.Squared
		return m.Fit(ctx, d.seen, opts)
	case independent:
		return m.Fit(ctx, d.seen, opts)
	case agreement:
		l, err = m.ParameterApproximate(d.seen)
	case averaged:
		l, err = m.Averaged(d.seen)
	}
	if err != nil {
		return nil, err
	}
	r, err := em.Fit(ctx, l, opts)
	if r != nil {
		m.Theta = r.Theta
	}
	return r, err
}
