package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// trainer makes models of pairs.
type trainer struct {
	e        *experiment
	kinds    []kind
	columns  columns
	phrases  bool // columns are cut otherwise than those of the corpus
	symbols  symbols
	pairs    []pairgram.Pair
	aligners []*pairgram.Aligner // per kind
	weight   float64             // of the pairs
	skipped  int
	fits     []*em.Result
	classes  []float64           // probabilities of the hidden classes of words; nil: there are none
	shares   [][]em.Multiplicity // per class: of the pairs
}

// align aligns the training pairs of c in chunks of each kind, with columns that are cut so.
// Of a run that was interrupted it reports what is known.
func (e *experiment) align(ctx context.Context, r *program.Run, c *corpus, cut columns) (*trainer, error) {
	kinds, err := parseKinds(*e.chunks, *e.direction)
	if err != nil {
		return nil, err
	}
	t := &trainer{e: e, kinds: kinds, columns: cut, phrases: cut.spaced() != c.spaced()}
	t.pairs, t.symbols = encode(cut.items(c.train))
	pairs := t.pairs
	for i := range pairs {
		t.weight += pairs[i].Weight.Float64()
	}
	progress := r.Progress("alignment", len(kinds)**e.iterations)
	defer progress.Done()
	for _, k := range kinds {
		a, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: k.sizes, LengthPrior: *e.prior})
		if err != nil {
			return nil, err
		}
		opts := &em.Options{Iterations: *e.iterations, Tolerance: -1, Workers: *e.workers, Checkpoint: t.checkpoint(r, "", len(t.aligners)), Observer: progress.Observe}
		fit, err := a.Fit(ctx, pairs, opts)
		if fit != nil {
			t.fits = append(t.fits, fit)
			t.skipped = max(t.skipped, len(fit.Skipped))
			first := t.fits[0]
			r.Trained(program.Training{Iterations: first.Iterations(), Objective: first.Objective, Status: first.Status.String(), Skipped: t.skipped})
		}
		if err != nil {
			return nil, err
		}
		for i, s := range fit.Skipped {
			if i == 3 {
				r.Warn("%d further pairs cannot be cut into chunks of %v", len(fit.Skipped)-i, k.sizes)
				break
			}
			r.Warn("%s cannot be cut into chunks of %v", s.Name, k.sizes)
		}
		t.aligners = append(t.aligners, a)
	}
	if *e.classes > 1 {
		return t, t.classify(ctx, r, *e.classes)
	}
	return t, nil
}

// checkpoint returns the name of the checkpoint of model number n, of a stage of training.
func (t *trainer) checkpoint(r *program.Run, stage string, n int) string {
	form, phrases := "", ""
	if f := t.columns.Word.Form; f == script.Decomposed {
		form = f.String()
	}
	if t.phrases {
		phrases = "phrases"
	}
	return r.Checkpoint(phrases, form, stage, n)
}

// items returns the pairs of p in the columns of t.
func (t *trainer) items(p part) []item { return t.columns.items(p) }

// describe says how well the pairs were aligned, and what was chosen.
func (t *trainer) describe(w io.Writer, chosen settings) {
	for i, fit := range t.fits {
		fmt.Fprintf(w, "alignment in chunks of %v: %.4f nats per pair before, %.4f after %d iterations, %d pairs skipped\n",
			t.aligners[i].Chunks().Sizes(), fit.Objective[0]/t.weight, fit.Last()/t.weight, fit.Iterations(), len(fit.Skipped))
	}
	fmt.Fprintf(w, "order %d, discounts times %g, characters as %v, words of %d classes; columns cut at spaces: %s\n",
		chosen.order, chosen.discount, t.columns.Word.Form, max(1, len(t.classes)), t.columns.spaced())
}

// counts returns the expected counts for a model of each kind, direction and class, in this
// order.
func (t *trainer) counts(ctx context.Context, order int) ([]*pairgram.Counts, error) {
	var all []*pairgram.Counts
	for i, a := range t.aligners {
		for _, d := range t.kinds[i].directions {
			for class := range max(1, len(t.classes)) {
				c, err := a.Count(ctx, t.of(class), &pairgram.CountOptions{Order: order, Reversed: d == backward, Workers: *t.e.workers})
				if err != nil {
					return nil, err
				}
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// smooth returns the models of counts.
func smooth(counts []*pairgram.Counts, discount float64) ([]*pairgram.Model, error) {
	var all []*pairgram.Model
	for _, c := range counts {
		m, err := c.Model(&ngram.Options{DiscountScale: []float64{1, discount}})
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// models returns a model for each kind, direction and class.
func (t *trainer) models(ctx context.Context, s settings) ([]*pairgram.Model, error) {
	counts, err := t.counts(ctx, s.order)
	if err != nil {
		return nil, err
	}
	return smooth(counts, s.discount)
}
