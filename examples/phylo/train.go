package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// The ways to train.
const (
	best        = "best"
	annealed    = "annealed"
	independent = "independent"
	agreement   = "agreement"
	averaged    = "averaged"
	single      = "single"
)

const (
	short   = 2000 // columns: too few for the parameters of windows
	squared = 1    // iterations of agreement in annealed training
)

// fitted is a trained model.
type fitted struct {
	tree     *phylo.Tree
	training program.Training
	remarks  []string
	accuracy []float64 // after each iteration
	predict  predictor
}

// print prints the curve.
func (f *fitted) print(w io.Writer, how string) {
	if len(f.accuracy) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s, after each iteration:", how)
	for i, a := range f.accuracy {
		if i%10 == 0 {
			fmt.Fprintf(w, "\n%4d ", i+1)
		}
		fmt.Fprintf(w, " %5.2f", 100*a)
	}
	fmt.Fprintf(w, "\n\n")
}

// fitSingle trains the model of single columns.
func (x *experiment) fitSingle(ctx context.Context, d *data) (*fitted, error) {
	if !x.saved.Loads() {
		x.model.Frequencies = d.seen.Frequencies()
	}
	m, err := phylo.NewColumns(d.tree, phylo.REV(x.model.Frequencies))
	if err != nil {
		return nil, err
	}
	f := &fitted{training: program.Training{Status: "loaded"}}
	if x.saved.Loads() {
		err = set(m.Params, &m.Theta, x.model.Single)
	} else {
		var r *em.Result
		if r, err = m.Fit(ctx, d.seen, &em.Options{Workers: *x.workers}); err == nil {
			f.training, f.remarks = program.TrainingOf(r), r.Remarks
		}
		x.model.Single = m.Theta
	}
	if err != nil {
		return nil, err
	}
	l, err := m.Likelihood(d.seen)
	if err != nil {
		return nil, err
	}
	p, err := l.Posteriors(ctx, m.Theta, nil, *x.workers)
	if err != nil {
		return nil, err
	}
	f.tree, f.predict = m.Tree(), p.Base
	return f, nil
}

// fitWindows trains the model of windows in one of the ways. Like em.Fit it returns what it
// has if ctx is done, but nil if that is nothing.
func (x *experiment) fitWindows(ctx context.Context, r *program.Run, d *data, how, checkpoint string) (*fitted, error) {
	m, err := newWindows(d.tree, x.model.Columns, x.model.Own)
	if err != nil {
		return nil, err
	}
	ways, err := m.Likelihoods(d.seen)
	if err != nil {
		return nil, err
	}
	f := &fitted{tree: d.tree}
	posteriors := func(theta []float64, nodes []int) (predictor, error) {
		var ps []*phylo.Posteriors
		for _, l := range ways {
			p, err := l.Posteriors(context.WithoutCancel(ctx), theta, nodes, *x.workers)
			if err != nil {
				return nil, err
			}
			ps = append(ps, p)
		}
		return func(node, column int) [msa.NumBases]float64 { return phylo.Average(ps, node, column) }, nil
	}
	if x.saved.Loads() {
		if err := set(m.Params, &m.Theta, x.model.Windows); err != nil {
			return nil, err
		}
		f.training.Status = "loaded"
		f.predict, err = posteriors(m.Theta, nil)
		return f, err
	}
	progress := r.Progress(how, *x.iterations)
	defer progress.Done()
	history, failed := program.NewHistory(checkpoint)
	if failed != nil {
		return nil, failed
	}
	accuracy := func(theta []float64) (float64, error) {
		predict, err := posteriors(theta, d.tree.Species())
		if err != nil {
			return 0, err
		}
		return d.accuracy(predict), nil
	}
	opts := &em.Options{Iterations: *x.iterations, Tolerance: -1, Workers: *x.workers, Checkpoint: checkpoint, Observer: func(v em.Event) {
		progress.Observe(v)
		if v.Iteration > 0 && failed == nil {
			var before float64 // the iteration
			if before, failed = accuracy(v.Theta); failed == nil {
				failed = history.Note(v.Iteration, v.Objective, before)
			}
		}
	}}
	result, err := train(ctx, m, d, how, opts)
	if result == nil {
		return nil, err
	}
	f.training = program.TrainingOf(result)
	x.model.Windows = m.Theta
	for i, objective := range result.Objective {
		before := history.Of(i, objective)
		switch {
		case i == 0:
		case before == nil:
			f.accuracy = append(f.accuracy, math.NaN())
			r.Warn("the accuracy after iteration %d, of an earlier run, is not in %s.history", i, checkpoint)
		default:
			f.accuracy = append(f.accuracy, before[0])
		}
	}
	if err == nil && failed == nil {
		var last float64
		last, failed = accuracy(m.Theta)
		f.accuracy = append(f.accuracy, last)
	}
	if failed != nil {
		return nil, failed
	}
	var fault error
	if f.predict, fault = posteriors(m.Theta, nil); fault != nil {
		return nil, fault
	}
	return f, err
}
