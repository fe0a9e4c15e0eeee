package main

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Settings that were chosen on development pairs: the order of n-grams of chunks, and by how
// much the discounts of orders above 1 are multiplied.
const (
	order    = 6
	discount = 1.2
)

// recipe is how to make a joint model of a kind, of n-grams of an order.
func (f *flags) recipe(k kind, order int) pairgram.Recipe {
	return pairgram.Recipe{
		Aligner:   pairgram.AlignerOptions{Sizes: k.sizes, LengthPrior: 1},
		Count:     pairgram.CountOptions{Order: order, Reversed: k.reversed, Workers: *f.workers},
		Smoothing: ngram.Options{DiscountScale: []float64{1, discount}},
	}
}

// asked returns the directions that are asked for.
func (f *flags) asked() []int {
	if i := slices.Index(transliteration.Directions[:], *f.direction); i >= 0 {
		return []int{i}
	}
	return []int{forward, backward}
}

// untrained returns the model that training begins with: chunks follow each other at random,
// with the expected counts that they have where all are equally probable.
func (f *flags) untrained(ctx context.Context, m *model, pairs []transliteration.Pair) (*model, error) {
	u := &model{columns: m.columns}
	for _, dir := range f.asked() {
		lessons, recipe := u.lessons(dir, pairs), f.recipe(kind{sizes: singletons}, 1)
		a, err := pairgram.NewAligner(lessons, &recipe.Aligner)
		if err != nil {
			return nil, err
		}
		joint, err := recipe.FitAligned(ctx, a, lessons)
		if err != nil {
			return nil, err
		}
		if err := u.add(dir, joint); err != nil {
			return nil, err
		}
	}
	return u, u.combine()
}

// trainer makes the models of a run.
type trainer struct {
	*flags
	r        *program.Run
	progress *program.Progress
	fits     int // alignments and conditional models so far
}

// train trains the models. Of a run that was interrupted it reports what is known.
func (f *flags) train(ctx context.Context, r *program.Run, m *model, pairs []transliteration.Pair) error {
	aligners, models := 2, len(kinds(forward, false))
	if *f.kind == single {
		aligners, models = 1, 1
	}
	steps := aligners * *f.iterations
	if *f.conditional {
		steps += models * strengths
	}
	t := &trainer{flags: f, r: r, progress: r.Progress("training", len(f.asked())*steps)}
	defer t.progress.Done()
	for _, dir := range f.asked() {
		lessons := m.lessons(dir, pairs)
		aligned := map[int]*pairgram.Aligner{} // by the number of sizes
		for _, k := range kinds(dir, *f.kind == single) {
			recipe := f.recipe(k, order)
			a := aligned[len(k.sizes)]
			if a == nil {
				var err error
				if a, err = t.align(ctx, lessons, recipe.Aligner); err != nil {
					return err
				}
				aligned[len(k.sizes)] = a
			}
			if err := t.model(ctx, m, dir, lessons, a, recipe); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the name of the checkpoint of the next alignment or conditional model.
func (t *trainer) next() string {
	number := t.fits
	if number > 0 {
		number++ // they are the first, the second, …
	}
	t.fits++
	return t.r.Checkpoint(number)
}

// align returns a trained aligner of pairs. The learning curve is that of the first.
func (t *trainer) align(ctx context.Context, pairs []pairgram.Pair, o pairgram.AlignerOptions) (*pairgram.Aligner, error) {
	a, err := pairgram.NewAligner(pairs, &o)
	if err != nil {
		return nil, err
	}
	first := t.fits == 0
	fit, err := a.Fit(ctx, pairs, &em.Options{
		Iterations: *t.iterations, Tolerance: -1, Workers: *t.workers, Checkpoint: t.next(),
		Observer: t.progress.Observe,
	})
	if fit != nil && first {
		t.r.Fitted(fit)
		t.r.Curve("", 1, floats.ScaleTo(make([]float64, len(fit.Objective)), 1/float64(len(pairs)), fit.Objective))
	}
	return a, err
}

// strengths is the number of iterations that find the strengths of the features of a
// conditional model.
const strengths = 60

// model adds the model of a recipe to those of a direction.
func (t *trainer) model(ctx context.Context, m *model, dir int, pairs []pairgram.Pair, a *pairgram.Aligner, recipe pairgram.Recipe) error {
	if !*t.conditional {
		joint, err := recipe.FitAligned(ctx, a, pairs)
		if err != nil {
			return err
		}
		return m.add(dir, joint)
	}
	predictor := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
		joint, err := recipe.FitAligned(ctx, a, pairs)
		if err != nil {
			return nil, err
		}
		return joint.Predictor(searching(dir))
	}
	c, _, err := pairgram.FitConditional(ctx, pairs, predictor, &pairgram.ConditionalOptions{Fit: em.Options{
		Iterations: strengths, Workers: *t.workers, Checkpoint: t.next(), Observer: t.progress.Observe,
	}})
	m.models[dir] = append(m.models[dir], c)
	return err
}
