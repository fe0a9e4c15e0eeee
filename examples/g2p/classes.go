package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/pairgram"
)

// maxClasses is the most hidden classes of words.
const maxClasses = 10

// sorting is the number of iterations that find the hidden classes.
const sorting = 20

// leastShare is the posterior probability of a class below which nothing of a pair belongs to it.
const leastShare = .01

// classify finds n hidden classes of the training words, by their alignment in chunks of the
// first kind.
func (t *trainer) classify(ctx context.Context, r *program.Run, n int) error {
	c, err := t.aligners[0].Classes(n, rand.NewPCG(1, 0))
	if err != nil {
		return err
	}
	progress := r.Progress("classes", sorting)
	defer progress.Done()
	opts := &em.Options{Iterations: sorting, Tolerance: -1, Workers: *t.e.workers, Checkpoint: t.checkpoint(r, "classes", n), Observer: progress.Observe}
	if _, err := c.Fit(ctx, t.pairs, opts); err != nil {
		return err
	}
	t.classes, t.shares = slices.Clone(c.Probs()), make([][]em.Multiplicity, n)
	for i := range t.pairs {
		posterior, err := c.Posteriors(&t.pairs[i])
		if err != nil {
			return err
		}
		for k, p := range posterior {
			if p < leastShare {
				p = 0
			}
			t.shares[k] = append(t.shares[k], em.Times(p*t.pairs[i].Weight.Float64()))
		}
	}
	return nil
}

// of returns the training pairs, as often as they belong to a class.
func (t *trainer) of(class int) []pairgram.Pair {
	if t.classes == nil {
		return t.pairs
	}
	pairs := slices.Clone(t.pairs)
	for i := range pairs {
		pairs[i].Weight = t.shares[class][i]
	}
	return pairs
}
