package phylo

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/models/phylo/msa"
)

// Independent returns the likelihood of an alignment under both submodels, each by
// itself: see agree.Independent. Errors are those of Likelihoods.
func (m *Pairs) Independent(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.Independent)
}

// ParameterApproximate returns the objective of parameter-approximate product EM with
// each submodel's own statistics: see agree.ParameterApproximate. Errors are those of
// Likelihoods.
func (m *Pairs) ParameterApproximate(a *msa.Alignment) (em.Likelihood, error) {
	return m.combine(a, agree.ParameterApproximate)
}

func (m *Pairs) combine(a *msa.Alignment, how func(...em.Likelihood) (em.Likelihood, error)) (em.Likelihood, error) {
	ways, err := m.Likelihoods(a)
	if err != nil {
		return nil, err
	}
	return how(ways[0], ways[1])
}

// Fit trains the model and leaves the result in Theta: from Theta, unless opts says
// otherwise, by Squared iterations of parameter-approximate product EM, and from there by
// Independent, as opts says. The former is quick, as squares of probabilities make up
// their minds sooner, and ends a little worse than the latter.
//
// The objective of the result holds those of both, of which the last of the first is not
// to be compared with the first of the second, and the observer's iterations are counted
// through; Starts are those of the second. There, Restarts begin at random as ever. The
// first has checkpoints of its own, in a file with .squared behind the name. Errors are
// those of Likelihoods and of em.Fit; a canceled run keeps what it has reached.
func (m *Pairs) Fit(ctx context.Context, a *msa.Alignment, opts *em.Options) (*em.Result, error) {
	var o em.Options
	if opts != nil {
		o = *opts
	}
	var before []float64
	if m.Squared > 0 {
		first := em.Options{Start: o.Start, Iterations: m.Squared, Tolerance: o.Tolerance, Workers: o.Workers, Observer: o.Observer}
		if o.Checkpoint != "" {
			first.Checkpoint = o.Checkpoint + ".squared"
		}
		l, err := m.ParameterApproximate(a)
		if err != nil {
			return nil, err
		}
		r, err := em.FitFrom(ctx, l, &m.Theta, &first)
		if r != nil {
			o.Start, before = r.Theta, r.Objective
		}
		if err != nil {
			return r, err
		}
	}
	l, err := m.Independent(a)
	if err != nil {
		return nil, err
	}
	if observe := o.Observer; observe != nil {
		o.Observer = func(v em.Event) {
			v.Iteration, v.Iterations = v.Iteration+len(before), v.Iterations+len(before)
			observe(v)
		}
	}
	r, err := em.FitFrom(ctx, l, &m.Theta, &o)
	if r != nil {
		r.Objective = slices.Concat(before, r.Objective)
	}
	return r, err
}
