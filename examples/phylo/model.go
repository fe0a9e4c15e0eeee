package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// Values of -train, in addition to genomes.Ways.
const (
	best   = "best"
	single = "single"
)

const short = 2000 // columns: too few for the parameters of windows

// model predicts by three parts: single columns, windows of neighbouring columns, and a chain
// along each sequence.
type model struct {
	parameters
	accuracy []float64           // of the windows after each iteration
	ways     []*phylo.Likelihood // of the windows of the alignment; nil until they are needed
}

// parameters is the saved form: the way of training, and the parameters of the parts.
type parameters struct {
	Tree        string // Newick
	How         string // single, or one of genomes.Ways
	Columns     int    // of a window
	Own         bool
	Sequence    bool // averaged with a chain
	Frequencies [msa.NumBases]float64
	Single      []float64 // of the model of single columns
	Windows     []float64 // nil if How is single
	Chain       []float64 // nil without Sequence
}

// savedFormat is the format of a saved model.
const savedFormat saved.Format = "pathsum phylo 2"

func (m *model) save(w io.Writer) error { return savedFormat.Write(w, &m.parameters) }

// load returns a model written by save, and its tree.
func load(r io.Reader) (*model, *phylo.Tree, error) {
	m := new(model)
	if err := savedFormat.Read(r, &m.parameters); err != nil {
		return nil, nil, fmt.Errorf("no saved model: %w", err)
	}
	tree, err := phylo.ParseTree(m.Tree)
	return m, tree, err
}

// set sets theta to trained or saved values.
func set(p *em.Params, theta *[]float64, values []float64) error {
	if err := p.Check(values); err != nil {
		return fmt.Errorf("the saved model: %w", err)
	}
	*theta = values
	return nil
}

// fitSingle trains the model of single columns.
func (m *model) fitSingle(ctx context.Context, d *genomes.Data, workers int) (*em.Result, error) {
	c, err := phylo.NewColumns(d.Tree, phylo.REV(m.Frequencies))
	if err != nil {
		return nil, err
	}
	result, err := c.Fit(ctx, d.Seen, &em.Options{Workers: workers})
	m.Single = c.Theta
	return result, err
}

// singles returns the predictions by single columns, and the tree that was fitted to them.
func (m *model) singles(ctx context.Context, d *genomes.Data, workers int) (genomes.Predictor, *phylo.Tree, error) {
	c, err := phylo.NewColumns(d.Tree, phylo.REV(m.Frequencies))
	if err != nil {
		return nil, nil, err
	}
	if err := set(c.Params, &c.Theta, m.Single); err != nil {
		return nil, nil, err
	}
	l, err := c.Likelihood(d.Seen)
	if err != nil {
		return nil, nil, err
	}
	p, err := l.Posteriors(ctx, c.Theta, nil, workers)
	if err != nil {
		return nil, nil, err
	}
	return p.Base, c.Tree(), nil
}

// newWindows returns the model of windows before training.
func (m *model) newWindows(t *phylo.Tree) (*phylo.Windows, error) {
	return phylo.NewWindows(t, em.Multinomial{}, &phylo.WindowOptions{Columns: m.Columns, SeparateParams: m.Own})
}

// fitWindows trains the model of windows in the way m.How.
func (f *flags) fitWindows(ctx context.Context, r *program.Run, m *model, d *genomes.Data) error {
	w, err := m.newWindows(d.Tree)
	if err != nil {
		return err
	}
	if m.ways, err = w.Likelihoods(d.Seen); err != nil {
		return err
	}
	checkpoint := r.Checkpoint()
	r.Checkpoint("squared") // a second file of the training
	trace, err := genomes.NewTrace(ctx, d, m.ways, checkpoint, *f.workers)
	if err != nil {
		return err
	}
	progress := r.Progress(m.How, *f.iterations)
	defer progress.Done()
	result, err := genomes.Train(ctx, w, d, m.How, &em.Options{
		Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers, Checkpoint: checkpoint,
		Observer: func(v em.Event) {
			progress.Observe(v)
			trace.Observe(v)
		},
	})
	if result == nil {
		return err
	}
	r.Trained(program.TrainingOf(result))
	m.Windows = w.Theta
	accuracy, fault := trace.End(result, err != nil)
	if fault != nil {
		return fault
	}
	if m.accuracy = accuracy; slices.ContainsFunc(accuracy, math.IsNaN) {
		r.Warn("the accuracy of iterations of an earlier run is not in %s.history", checkpoint)
	}
	return err
}
