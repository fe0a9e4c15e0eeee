package genomes

import (
	"context"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// The ways to train a model of windows: each submodel by itself, all to agree (Liang, Klein and
// Jordan 2007), by the average of their counts, or an iteration of agreement by squared
// probabilities and then each by itself.
const (
	Independent = "independent"
	Agreement   = "agreement"
	Averaged    = "averaged"
	Annealed    = "annealed"
)

// Ways are all of them.
var Ways = []string{Independent, Agreement, Averaged, Annealed}

// squared is the number of iterations of agreement in annealed training.
const squared = 1

// Train trains a model of windows in one of the ways. Like em.Fit it returns what it has if ctx is
// done.
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

// Average returns the predictor by the average of the posteriors of likelihoods, those of a
// model of windows, at theta. Nodes are those of the tree that it is for; nil: all.
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
	err     error // the first of Observe
}

// NewTrace returns the trace of a training that is to begin, or to go on from a checkpoint beside
// which the trace keeps its history; "" for none. The ways are the likelihoods of the model.
func NewTrace(ctx context.Context, d *Data, ways []*phylo.Likelihood, checkpoint string, workers int) (*Trace, error) {
	history, err := program.NewHistory(checkpoint)
	return &Trace{ctx: context.WithoutCancel(ctx), data: d, ways: ways, workers: workers, history: history}, err
}

// Observe is for the observer of training.
func (t *Trace) Observe(v em.Event) {
	if v.Iteration == 0 || t.err != nil {
		return
	}
	var before float64 // the iteration
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

// End returns the accuracies after each iteration of a training with that result; of one that was
// interrupted all but the last are known. One that was noted by an earlier run, but is not in
// the history, is NaN.
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
