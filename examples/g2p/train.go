package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// trainer makes models of pairs.
type trainer struct {
	*flags
	script.Columns
	symbols
	pairset.Trainer
	r       *program.Run
	reading int // the index of Columns among the candidates
	pairs   []pairgram.Pair
	classes []float64         // probabilities of the hidden classes of words; nil without classes
	split   [][]pairgram.Pair // of each class; without classes, all
}

// choose returns a trainer with aligned pairs. It chooses first the way to cut columns into
// symbols, and then the number of hidden classes: those with which the product of all models
// makes the fewest errors on held-out words.
func (f *flags) choose(ctx context.Context, r *program.Run, c *corpus) (*trainer, error) {
	var best *trainer
	least := 2.0
	try := func(t *trainer) error {
		m, err := t.model(ctx)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("choice (%v, %s spaced, %d classes)", t.Word.Form, t.Spaced(), len(t.split))
		x, err := m.test(ctx, r, what, c.dev)
		if err == nil && x.WER < least {
			best, least = t, x.WER
		}
		return err
	}
	for i := range c.readings {
		t, err := f.align(ctx, r, c, i)
		if err != nil {
			return nil, err
		}
		if len(c.dev) == 0 || len(c.readings) == 1 && *f.classes > 0 {
			return t, nil
		}
		if err := try(t); err != nil {
			return nil, err
		}
	}
	for n := 2; *f.classes == 0 && n <= triedClasses; n++ {
		t := *best
		if err := t.classify(ctx, n); err != nil {
			return nil, err
		}
		if err := try(&t); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// lengthPrior is λ of the chunks, in alignment: see pairgram.AlignerOptions.
const lengthPrior = 1

// align aligns the training pairs of c in chunks of all kinds, with columns cut in one of the
// ways. If it is interrupted, it reports the result so far.
func (f *flags) align(ctx context.Context, r *program.Run, c *corpus, reading int) (*trainer, error) {
	kinds, err := pairset.ParseKinds(*f.chunks, *f.direction)
	if err != nil {
		return nil, err
	}
	t := &trainer{flags: f, Columns: c.readings[reading], r: r, reading: reading}
	t.Trainer = pairset.Trainer{Kinds: kinds, Recipe: pairgram.Recipe{
		Aligner:   pairgram.AlignerOptions{LengthPrior: lengthPrior},
		Count:     pairgram.CountOptions{Order: *f.order, Workers: *f.workers},
		Smoothing: ngram.Options{DiscountScale: []float64{1, *f.discount}},
	}}
	t.pairs, t.symbols = encode(t.Columns, c.train)
	t.split = [][]pairgram.Pair{t.pairs}
	progress := r.Progress("alignment", len(t.Inventories())**f.iterations)
	defer progress.Done()
	err = t.Align(ctx, t.pairs, func(i int) *em.Options {
		return &em.Options{Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers, Checkpoint: t.checkpoint("", i), Observer: progress.Observe}
	})
	if len(t.Fits) > 0 {
		r.Fitted(t.Fits[0])
	}
	if err == nil && *f.classes > 1 {
		err = t.classify(ctx, *f.classes)
	}
	return t, err
}

// checkpoint returns the name of the checkpoint of model number n, of a stage of training.
func (t *trainer) checkpoint(stage string, n int) string { return t.r.Checkpoint(t.reading, stage, n) }

// maxClasses is the greatest value of -classes, and triedClasses the greatest number of hidden
// classes of words that -classes 0 tries. sorting is the number of iterations that find the
// classes. A class omits pairs whose posterior probability is below leastShare.
const (
	maxClasses   = 10
	triedClasses = 3
	sorting      = 20
	leastShare   = .01
)

// classify finds n hidden classes of the training words, by their alignment in chunks of the
// first kind.
func (t *trainer) classify(ctx context.Context, n int) error {
	c, err := t.Aligners[0].Classes(n, rand.NewPCG(1, 0))
	if err != nil {
		return err
	}
	progress := t.r.Progress("classes", sorting)
	defer progress.Done()
	opts := &em.Options{Iterations: sorting, Tolerance: -1, Workers: *t.flags.workers, Checkpoint: t.checkpoint("classes", n), Observer: progress.Observe}
	if _, err := c.Fit(ctx, t.pairs, opts); err != nil {
		return err
	}
	t.classes = slices.Clone(c.Probs())
	t.split, err = c.Split(t.pairs, leastShare)
	return err
}

// describe reports the alignments of the pairs, and the choices.
func (t *trainer) describe() {
	t.Describe(t.r, t.pairs)
	fmt.Fprintf(t.r.Out, "characters as %v, words of %d classes; columns cut at spaces: %s\n", t.Word.Form, len(t.split), t.Spaced())
	t.r.Set("order", *t.order)
	t.r.Set("normalize", t.Word.Form.String())
	t.r.Set("spaced", t.Spaced())
	t.r.Set("classes", len(t.split))
}

// model returns a joint model for each kind and class.
func (t *trainer) model(ctx context.Context) (*model, error) {
	set, err := t.Joint(ctx, t.classes, t.split...)
	if err != nil {
		return nil, err
	}
	return newModel(t.Columns, t.symbols, set, t)
}

// strengths is the number of iterations that determine the strengths of features.
const strengths = 60

// conditionals returns a conditional model for each kind.
func (t *trainer) conditionals(ctx context.Context) (*model, error) {
	set := new(pairset.Set)
	for i, k := range t.Kinds {
		recipe, _ := t.Of(k)
		train := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
			m, err := recipe.Fit(ctx, pairs, &em.Options{Iterations: *t.iterations, Tolerance: -1, Workers: *t.workers})
			if err != nil {
				return nil, err
			}
			return m.Predictor(nil)
		}
		progress := t.r.Progress("conditional", strengths)
		c, result, err := pairgram.FitConditional(ctx, t.pairs, train, &pairgram.ConditionalOptions{Sigma: *t.sigma, Fit: em.Options{
			Iterations: strengths, Workers: *t.workers, Checkpoint: t.checkpoint("conditional", i), Observer: progress.Observe,
		}})
		progress.Done()
		if err != nil {
			return nil, err
		}
		set.AddConditional(c)
		fmt.Fprintf(t.r.Out, "%d features, %.6g nats before, %.6g after %d iterations\n", len(result.Theta)-1, result.Objective[0], result.Last(), result.Iterations())
	}
	return newModel(t.Columns, t.symbols, set, t)
}
