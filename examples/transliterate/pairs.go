package main

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// The directions.
const (
	forward  = transliteration.Forward
	backward = transliteration.Backward
)

// kind is a kind of model of pairs: the sizes of its chunks, and whether it reads words from
// the end.
type kind struct {
	sizes    []pairgram.Size
	reversed bool
}

var (
	singletons = pairgram.Singletons()
	twofold    = append(pairgram.Singletons(), pairgram.Size{Source: 1, Target: 2}, pairgram.Size{Source: 2, Target: 1})
)

// kinds returns the kinds of models whose product decodes a direction, or the single best.
func kinds(dir int, single bool) []kind {
	all := []kind{{singletons, dir == forward}, {singletons, dir != forward}, {twofold, dir != forward}, {twofold, dir == forward}}
	if single {
		return all[:1]
	}
	return all
}

// Settings that were chosen on development pairs: the order of n-grams of chunks, and by how
// much the discounts of orders above 1 are multiplied.
const (
	order    = 6
	discount = 1.2
)

// searching says how answers are searched for in a direction. To letters, a third insertion
// after two others changes nothing on development pairs, and takes a part of the time.
func searching(dir int) *pairgram.PredictorOptions {
	if dir == backward {
		return &pairgram.PredictorOptions{Insertions: 2}
	}
	return nil
}

// trainer makes models of pairs for both directions.
type trainer struct {
	*experiment
	r        *program.Run
	progress *program.Progress
	fits     int // alignments and conditional models so far
	first    *em.Result
}

// lessons returns pairs as the models of a direction see them.
func lessons(dir int, pairs []pair) []pairgram.Pair {
	all := make([]pairgram.Pair, len(pairs))
	for i, p := range pairs {
		all[i] = pairgram.Pair{Source: p.x, Target: p.y, Name: fmt.Sprintf("%s: %s %s", p.where, p.latin, p.kana)}
		if dir == backward {
			all[i].Source, all[i].Target = p.y, p.x
		}
	}
	return all
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

// align returns a trained aligner of pairs.
func (t *trainer) align(ctx context.Context, pairs []pairgram.Pair, o pairgram.AlignerOptions) (*pairgram.Aligner, error) {
	a, err := pairgram.NewAligner(pairs, &o)
	if err != nil {
		return nil, err
	}
	fit, err := a.Fit(ctx, pairs, &em.Options{
		Iterations: *t.iterations, Tolerance: -1, Workers: *t.workers, Checkpoint: t.next(),
		Observer: t.progress.Observe,
	})
	if fit == nil {
		return nil, err
	}
	if t.first == nil {
		t.first = fit
		t.r.Fitted(fit)
	}
	return a, err
}

// recipe is how to make a joint model of a kind, of n-grams of an order.
func (e *experiment) recipe(k kind, order int) pairgram.Recipe {
	return pairgram.Recipe{
		Aligner:   pairgram.AlignerOptions{Sizes: k.sizes, LengthPrior: 1},
		Count:     pairgram.CountOptions{Order: order, Reversed: k.reversed, Workers: *e.workers},
		Smoothing: ngram.Options{DiscountScale: []float64{1, discount}},
	}
}

// predictor makes a model of aligned pairs of a direction.
func predictor(ctx context.Context, dir int, a *pairgram.Aligner, pairs []pairgram.Pair, recipe pairgram.Recipe) (*pairgram.Predictor, error) {
	counts, err := a.Count(ctx, pairs, &recipe.Count)
	if err != nil {
		return nil, err
	}
	m, err := counts.Model(&recipe.Smoothing)
	if err != nil {
		return nil, err
	}
	return m.Predictor(searching(dir))
}

// models returns the models of a direction.
func (t *trainer) models(ctx context.Context, dir int, pairs []pairgram.Pair, of []kind) ([]nbest.Predictor, error) {
	var all []nbest.Predictor
	aligners := map[int]*pairgram.Aligner{} // by the number of sizes
	for _, k := range of {
		recipe := t.recipe(k, order)
		a := aligners[len(k.sizes)]
		if a == nil {
			var err error
			if a, err = t.align(ctx, pairs, recipe.Aligner); err != nil {
				return nil, err
			}
			aligners[len(k.sizes)] = a
		}
		joint := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
			return predictor(ctx, dir, a, pairs, recipe)
		}
		if !*t.conditional {
			m, err := joint(ctx, pairs)
			if err != nil {
				return nil, err
			}
			all = append(all, m)
			continue
		}
		c, _, err := pairgram.FitConditional(ctx, pairs, joint, &pairgram.ConditionalOptions{Fit: em.Options{
			Iterations: strengths, Workers: *t.workers, Checkpoint: t.next(),
			Observer: t.progress.Observe,
		}})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// strengths is the number of iterations that find the strengths of the features of a
// conditional model.
const strengths = 60

// pairSystem is models of pairs for the directions that it has.
type pairSystem struct {
	columns [len(transliteration.Directions)]*transliteration.Column // of what is to be transliterated
	// models are of type *pairgram.Predictor, or *pairgram.Conditional.
	models [len(transliteration.Directions)][]nbest.Predictor
}

// transliterators returns the products of s.
func (s *pairSystem) transliterators() ([]*transliteration.Transliterator, error) {
	var all []*transliteration.Transliterator
	for dir, models := range s.models {
		if len(models) == 0 {
			continue
		}
		p, err := transliteration.Product(models)
		if err != nil {
			return nil, err
		}
		all = append(all, &transliteration.Transliterator{Name: transliteration.Directions[dir], From: s.columns[dir], To: s.columns[1-dir], Predictor: p})
	}
	return all, nil
}

// untrained returns the models that training begins with: chunks follow each other at random,
// with the expected counts that they have where all are equally probable.
func (e *experiment) untrained(ctx context.Context, d *data) (*pairSystem, error) {
	s := &pairSystem{columns: [...]*transliteration.Column{d.letters, d.kana}}
	for _, dir := range e.asked() {
		pairs := lessons(dir, d.train)
		recipe := e.recipe(kind{sizes: singletons}, 1)
		a, err := pairgram.NewAligner(pairs, &recipe.Aligner)
		if err != nil {
			return nil, err
		}
		m, err := predictor(ctx, dir, a, pairs, recipe)
		if err != nil {
			return nil, err
		}
		s.models[dir] = []nbest.Predictor{m}
	}
	return s, nil
}

// trainPairs returns models of the training pairs. Of a run that was interrupted it reports
// what is known.
func (e *experiment) trainPairs(ctx context.Context, r *program.Run, d *data, single bool) (*pairSystem, error) {
	s := &pairSystem{columns: [...]*transliteration.Column{d.letters, d.kana}}
	steps := 0
	for _, dir := range e.asked() {
		of := kinds(dir, single)
		aligners := 1
		if !single {
			aligners = 2
		}
		steps += aligners * *e.iterations
		if *e.conditional {
			steps += len(of) * strengths
		}
	}
	t := &trainer{experiment: e, r: r, progress: r.Progress("training", steps)}
	defer t.progress.Done()
	for _, dir := range e.asked() {
		var err error
		if s.models[dir], err = t.models(ctx, dir, lessons(dir, d.train), kinds(dir, single)); err != nil {
			return nil, err
		}
	}
	if e.plot.Given() {
		return s, drawCurve(e.plot, t.first.Objective, len(d.train))
	}
	return s, nil
}

// asked returns the directions that are asked for.
func (e *experiment) asked() []int {
	if i := slices.Index(transliteration.Directions[:], *e.direction); i >= 0 {
		return []int{i}
	}
	return []int{forward, backward}
}
