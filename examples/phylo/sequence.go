package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// The chain along each sequence.
const (
	order           = 3
	concentration   = 21 // of the Dirichlet prior
	chainIterations = 3
	chainWeight     = 2. / 3 // in the average with the model of pairs
)

// inSequence returns the weighted average of what two models say of hidden bases of the
// species: that of pairs, and a chain along each sequence with the evidence of single
// columns. Of ancestors only the former says something.
func (x *experiment) inSequence(ctx context.Context, r *program.Run, d *data, columns, pairs predictor) (predictor, error) {
	node := make([]int, len(d.seen.Species)) // per row
	row := map[int]int{}
	for i, name := range d.seen.Species {
		node[i] = d.tree.Node(name)
		row[node[i]] = i
	}
	data := phylo.ChainData{Alignment: d.seen, Posterior: func(row, column int) [msa.NumBases]float64 {
		return columns(node[row], column)
	}}
	c, err := phylo.NewChain(order, em.Dirichlet{Alpha: concentration}, d.seen)
	if err != nil {
		return nil, err
	}
	if err := x.fitChain(ctx, r, c, data); err != nil {
		return nil, err
	}
	chain, err := c.Posteriors(ctx, data, *x.workers)
	if err != nil {
		return nil, err
	}
	return func(node, column int) [msa.NumBases]float64 {
		q := pairs(node, column)
		if i, ok := row[node]; ok {
			for b, y := range chain[i][column] {
				q[b] += chainWeight * (y - q[b])
			}
		}
		return q
	}, nil
}

// fitChain trains the chain, or takes it from the model that was loaded.
func (x *experiment) fitChain(ctx context.Context, r *program.Run, c *phylo.Chain, data phylo.ChainData) error {
	if x.saved.Loads() {
		return set(c.Model.Params, &c.Model.Theta, x.model.Chain)
	}
	progress := r.Progress("chain", chainIterations)
	defer progress.Done()
	_, err := c.Fit(ctx, data, &em.Options{Iterations: chainIterations, Tolerance: -1, Workers: *x.workers, Observer: progress.Observe})
	x.model.Chain = c.Model.Theta
	return err
}
