package genomes

import (
	"context"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// The ways to train a model of windows: each submodel by itself; all to agree (Liang, Klein and
// Jordan 2007); with the average of their counts; or an iteration of agreement by squared
// probabilities, followed by each by itself.
const (
	Independent = "independent"
	Agreement   = "agreement"
	Averaged    = "averaged"
	Annealed    = "annealed"
)

// Ways lists all ways.
var Ways = []string{Independent, Agreement, Averaged, Annealed}

// squared is the number of iterations of agreement in annealed training.
const squared = 1

// Train trains a model of windows in one of the ways. If ctx is done, it returns the result so
// far, like em.Fit.
func Train(ctx context.Context, m *phylo.Windows, d *Data, how string, opts *em.Options) (*em.Result, error) {
	var l em.Likelihood
	var err error
	switch how {
	case Agreement:
		l, err = m.ParameterApproximate(d.Seen)
	case Averaged:
		l, err = m.Averaged(d.Seen)
	default:
		if how == Annealed {
			m.Squared = min(squared, opts.Iterations-1)
			opts.Iterations -= m.Squared
		}
		return m.Fit(ctx, d.Seen, opts)
	}
	if err != nil {
		return nil, err
	}
	return em.Fit(ctx, l, opts)
}

// Average returns the predictor by the average of the posteriors of likelihoods of a model of
// windows, at theta. It predicts for the given nodes of the tree; nil means all.
func Average(ctx context.Context, of []*phylo.Likelihood, theta []float64, nodes []int, workers int) (Predictor, error) {
	var ps []*phylo.Posteriors
	for _, l := range of {
		p, err := l.Posteriors(ctx, theta, nodes, workers)
		if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return func(node, column int) [msa.NumBases]float64 { return phylo.Average(ps, node, column) }, nil
}

// Trace finds the accuracy after each iteration of the training of a model of windows.
type Trace struct {
	ctx     context.Context
	data    *Data
	ways    []*phylo.Likelihood
	workers int
	history *program.History
	err     error // the first error of Observe
}

// NewTrace returns the trace of a training that begins, or that resumes from a checkpoint. The
// trace keeps its history next to the checkpoint; "" for no history. The ways are the
// likelihoods of the model.
func NewTrace(ctx context.Context, d *Data, ways []*phylo.Likelihood, checkpoint string, workers int) (*Trace, error) {
	history, err := program.NewHistory(checkpoint)
	return &Trace{ctx: context.WithoutCancel(ctx), data: d, ways: ways, workers: workers, history: history}, err
}

// Observe is the observer to pass to training.
func (t *Trace) Observe(v em.Event) {
	if v.Iteration == 0 || t.err != nil {
		return
	}
	var before float64 // accuracy before the iteration
	if before, t.err = t.accuracy(v.Theta); t.err == nil {
		t.err = t.history.Note(v.Iteration, v.Objective, before)
	}
}

// accuracy returns the accuracy at theta.
func (t *Trace) accuracy(theta []float64) (float64, error) {
	predict, err := Average(t.ctx, t.ways, theta, t.data.Tree.Species(), t.workers)
	if err != nil {
		return 0, err
	}
	return t.data.Accuracy(predict), nil
}

// End returns the accuracies after each iteration of a training with the given result; if it
// was interrupted, the last one is unknown. An accuracy from an earlier run that is not in the
// history is NaN.
func (t *Trace) End(result *em.Result, interrupted bool) ([]float64, error) {
	if t.err != nil {
		return nil, t.err
	}
	var all []float64
	for i, objective := range result.Objective {
		switch before := t.history.Of(i, objective); {
		case i == 0:
		case before == nil:
			all = append(all, math.NaN())
		default:
			all = append(all, before[0])
		}
	}
	if interrupted {
		return all, nil
	}
	last, err := t.accuracy(result.Theta)
	return append(all, last), err
}
