package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/genomes"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// predictions has the predictions of a model.
type predictions struct {
	tree    *phylo.Tree       // fitted to single columns
	single  genomes.Predictor // by single columns
	windows genomes.Predictor // by windows; equal to single without them
	all     genomes.Predictor // by windows and the chain; equal to windows without it
}

// predict predicts the hidden cells by the parts of the model.
func (m *model) predict(ctx context.Context, d *genomes.Data, workers int) (p predictions, err error) {
	if p.single, p.tree, err = m.singles(ctx, d, workers); err != nil {
		return p, err
	}
	p.windows, p.all = p.single, p.single
	if m.How == single {
		return p, nil
	}
	w, err := m.newWindows(d.Tree)
	if err != nil {
		return p, err
	}
	if err := set(w.Params, &w.Theta, m.Windows); err != nil {
		return p, err
	}
	if m.ways == nil {
		if m.ways, err = w.Likelihoods(d.Seen); err != nil {
			return p, err
		}
	}
	if p.windows, err = genomes.Average(ctx, m.ways, w.Theta, nil, workers); err != nil {
		return p, err
	}
	p.all = p.windows
	if !m.Sequence {
		return p, nil
	}
	p.all, err = m.inSequence(ctx, d, p, workers)
	return p, err
}

// The chain along each sequence.
const (
	order           = 3
	concentration   = 21 // of the Dirichlet prior
	chainIterations = 3
	chainWeight     = 2. / 3 // in the average with the model of windows
)

// newChain returns the chain before training, and its data: the evidence of single columns.
func newChain(d *genomes.Data, single genomes.Predictor) (*phylo.Chain, phylo.ChainData, error) {
	nodes := d.Nodes()
	data := phylo.ChainData{Alignment: d.Seen, Posterior: func(row, column int) [msa.NumBases]float64 {
		return single(nodes[row], column)
	}}
	c, err := phylo.NewChain(order, em.Dirichlet{Alpha: concentration}, d.Seen)
	return c, data, err
}

// fitChain trains the chain.
func (f *flags) fitChain(ctx context.Context, r *program.Run, m *model, d *genomes.Data, single genomes.Predictor) error {
	c, data, err := newChain(d, single)
	if err != nil {
		return err
	}
	progress := r.Progress("chain", chainIterations)
	defer progress.Done()
	_, err = c.Fit(ctx, data, &em.Options{Iterations: chainIterations, Tolerance: -1, Workers: *f.workers, Observer: progress.Observe})
	m.Chain = c.Model.Theta
	return err
}

// inSequence returns the weighted average of the predictions by windows and by the chain along
// each sequence. The chain does not predict ancestors.
func (m *model) inSequence(ctx context.Context, d *genomes.Data, p predictions, workers int) (genomes.Predictor, error) {
	c, data, err := newChain(d, p.single)
	if err != nil {
		return nil, err
	}
	if err := set(c.Model.Params, &c.Model.Theta, m.Chain); err != nil {
		return nil, err
	}
	chain, err := c.Posteriors(ctx, data, workers)
	if err != nil {
		return nil, err
	}
	row := map[int]int{}
	for i, node := range d.Nodes() {
		row[node] = i
	}
	return func(node, column int) [msa.NumBases]float64 {
		q := p.windows(node, column)
		if i, ok := row[node]; ok {
			for b, y := range chain[i][column] {
				q[b] += chainWeight * (y - q[b])
			}
		}
		return q
	}, nil
}
