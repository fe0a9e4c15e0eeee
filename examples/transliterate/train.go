package main

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Settings that were chosen on development pairs: the order of n-grams of chunks, the factor of
// the discounts of orders above 1, and λ of the chunks in alignment.
const (
	order       = 6
	discount    = 1.2
	lengthPrior = 1
)

// trainer returns a trainer of models of the given kinds, with n-grams of the given order.
func (f *flags) trainer(order int, kinds ...pairset.Kind) *pairset.Trainer {
	return &pairset.Trainer{Kinds: kinds, Recipe: pairgram.Recipe{
		Aligner:   pairgram.AlignerOptions{LengthPrior: lengthPrior},
		Count:     pairgram.CountOptions{Order: order, Workers: *f.workers},
		Smoothing: ngram.Options{DiscountScale: []float64{1, discount}},
	}}
}

// asked returns the requested directions.
func (f *flags) asked() []int {
	if i := slices.Index(transliteration.Directions[:], *f.direction); i >= 0 {
		return []int{i}
	}
	return []int{forward, backward}
}

// untrained returns the model at the beginning of training: chunks follow each other
// independently, with their expected counts if all chunks are equally probable.
func (f *flags) untrained(ctx context.Context, m *model, pairs []transliteration.Pair) (*model, error) {
	u := &model{columns: m.columns}
	for _, dir := range f.asked() {
		lessons, t := u.lessons(dir, pairs), f.trainer(1, pairset.Kind{Sizes: singletons})
		a, err := pairgram.NewAligner(lessons, &pairgram.AlignerOptions{LengthPrior: lengthPrior})
		if err != nil {
			return nil, err
		}
		t.Aligners = append(t.Aligners, a)
		if u.sets[dir], err = t.Joint(ctx, nil, lessons); err != nil {
			return nil, err
		}
	}
	return u, u.combine()
}

// strengths is the number of iterations that determine the strengths of features of a
// conditional model.
const strengths = 60

// train trains the models. If it is interrupted, it reports the result so far. The learning
// curve is for the first direction.
func (f *flags) train(ctx context.Context, r *program.Run, m *model, pairs []transliteration.Pair) error {
	steps, stages := 0, 0
	for _, dir := range f.asked() {
		t := f.trainer(order, kinds(dir, *f.kind == single)...)
		steps += len(t.Inventories()) * *f.iterations
		if *f.conditional {
			steps += len(t.Kinds) * strengths
		}
	}
	progress := r.Progress("training", steps)
	defer progress.Done()
	options := func(iterations int, tolerance float64) em.Options {
		stages++
		number := stages
		if number == 1 {
			number = 0 // the first uses the name of the checkpoint itself
		}
		return em.Options{Iterations: iterations, Tolerance: tolerance, Workers: *f.workers, Checkpoint: r.Checkpoint(number), Observer: progress.Observe}
	}
	for i, dir := range f.asked() {
		lessons, t := m.lessons(dir, pairs), f.trainer(order, kinds(dir, *f.kind == single)...)
		err := t.Align(ctx, lessons, func(int) *em.Options {
			o := options(*f.iterations, -1)
			return &o
		})
		if i == 0 && len(t.Fits) > 0 {
			r.Fitted(t.Fits[0])
		}
		if err != nil {
			return err
		}
		if i == 0 {
			t.Describe(r, lessons)
			m.drawn = func() (program.Drawing, error) {
				return pairset.Alignment(t.Aligners[0], lessons, m.columns[dir].Symbols, m.columns[1-dir].Symbols)
			}
		}
		if !*f.conditional {
			m.sets[dir], err = t.Joint(ctx, nil, lessons)
		} else {
			m.sets[dir], err = conditionals(ctx, dir, t, lessons, func() em.Options { return options(strengths, 0) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// conditionals returns a conditional model of a direction for each kind.
func conditionals(ctx context.Context, dir int, t *pairset.Trainer, pairs []pairgram.Pair, options func() em.Options) (*pairset.Set, error) {
	set := new(pairset.Set)
	for _, k := range t.Kinds {
		recipe, a := t.Of(k)
		predictor := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
			joint, err := recipe.FitAligned(ctx, a, pairs)
			if err != nil {
				return nil, err
			}
			return joint.Predictor(searching(dir))
		}
		c, _, err := pairgram.FitConditional(ctx, pairs, predictor, &pairgram.ConditionalOptions{Fit: options()})
		if err != nil {
			return nil, err
		}
		set.AddConditional(c)
	}
	return set, nil
}
