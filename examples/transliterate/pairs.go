package main

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/examples/internal/transliteration"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
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

// checkpointName returns where the state of the next alignment or conditional model is kept.
func (t *trainer) checkpointName() string {
	t.fits++
	if *t.checkpoint == "" || t.fits == 1 {
		return *t.checkpoint
	}
	return fmt.Sprintf("%s.%d", *t.checkpoint, t.fits)
}

// align returns an aligner of pairs in chunks of these sizes.
func (t *trainer) align(ctx context.Context, pairs []pairgram.Pair, sizes []pairgram.Size) (*pairgram.Aligner, error) {
	a, err := newAligner(pairs, sizes)
	if err != nil {
		return nil, err
	}
	fit, err := a.Fit(ctx, pairs, &em.Options{
		Iterations: *t.iterations, Tolerance: -1, Workers: *t.workers, Checkpoint: t.checkpointName(),
		Observer: func(v em.Event) {
			t.progress.Step(fmt.Sprintf("log likelihood %.3f after %.1f s", v.Objective, v.Elapsed.Seconds()))
		},
	})
	if fit == nil {
		return nil, err
	}
	if t.first == nil {
		t.first = fit
		t.trained(t.r, fit)
	}
	return a, err
}

func newAligner(pairs []pairgram.Pair, sizes []pairgram.Size) (*pairgram.Aligner, error) {
	return pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: sizes, LengthPrior: 1})
}

// count makes a model of aligned pairs.
func (e *experiment) count(ctx context.Context, a *pairgram.Aligner, pairs []pairgram.Pair, order int, reversed bool) (*pairgram.Predictor, error) {
	counts, err := a.Count(ctx, pairs, &pairgram.CountOptions{Order: order, Reversed: reversed, Workers: *e.workers})
	if err != nil {
		return nil, err
	}
	m, err := counts.Model(&ngram.Options{DiscountScale: []float64{1, discount}})
	if err != nil {
		return nil, err
	}
	return m.Predictor(nil)
}

// models returns the models of a direction.
func (t *trainer) models(ctx context.Context, dir int, pairs []pairgram.Pair, of []kind) ([]pairModel, error) {
	var all []pairModel
	aligners := map[int]*pairgram.Aligner{} // by the number of sizes
	for _, k := range of {
		a := aligners[len(k.sizes)]
		if a == nil {
			var err error
			if a, err = t.align(ctx, pairs, k.sizes); err != nil {
				return nil, err
			}
			aligners[len(k.sizes)] = a
		}
		joint := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
			return t.count(ctx, a, pairs, order, k.reversed)
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
			Iterations: strengths, Workers: *t.workers, Checkpoint: t.checkpointName(),
			Observer: func(v em.Event) { t.progress.Step(fmt.Sprintf("conditional, %.6g nats", v.Objective)) },
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

// pairModel is a *pairgram.Predictor or a *pairgram.Conditional.
type pairModel = nbest.Predictor

// product returns the product of models, with equal weights.
func product(all []pairModel) (nbest.Predictor, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	var factors []nbest.Factor
	for _, m := range all {
		factors = append(factors, nbest.Factor{Predictor: m, Weight: 1 / float64(len(all))})
	}
	p, err := nbest.NewProduct(factors...)
	return &agreed{p, all[0]}, err
}

// agreed is a product of models, or the first of them where they agree on no candidate: each
// gives probability 0 to what has chunks that it does not know.
type agreed struct {
	*nbest.Product
	first pairModel
}

func (a *agreed) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	found, err := a.Product.Best(ctx, x, n)
	if err == nil && len(found) == 0 {
		return a.first.Best(ctx, x, n)
	}
	return found, err
}

// pairSystem is models of pairs for the directions that it has.
type pairSystem struct {
	columns [len(directionNames)]*transliteration.Column // of what is to be transliterated
	models  [len(directionNames)][]pairModel
}

// transliterators returns the products of s.
func (s *pairSystem) transliterators() ([]*transliteration.Transliterator, error) {
	var all []*transliteration.Transliterator
	for dir, models := range s.models {
		if len(models) == 0 {
			continue
		}
		p, err := product(models)
		if err != nil {
			return nil, err
		}
		all = append(all, &transliteration.Transliterator{Name: directionNames[dir], From: s.columns[dir], To: s.columns[1-dir], Predictor: p})
	}
	return all, nil
}

// untrained returns the models that training begins with: chunks follow each other at random,
// with the expected counts that they have where all are equally probable.
func (e *experiment) untrained(ctx context.Context, d *data) (*pairSystem, error) {
	s := &pairSystem{columns: [...]*transliteration.Column{d.letters, d.kana}}
	for _, dir := range e.ways() {
		pairs := lessons(dir, d.train)
		a, err := newAligner(pairs, singletons)
		if err != nil {
			return nil, err
		}
		m, err := e.count(ctx, a, pairs, 1, false)
		if err != nil {
			return nil, err
		}
		s.models[dir] = []pairModel{m}
	}
	return s, nil
}

// trainPairs returns models of the training pairs. Of a run that was interrupted it reports
// what is known.
func (e *experiment) trainPairs(ctx context.Context, r *program.Run, d *data, single bool) (*pairSystem, error) {
	s := &pairSystem{columns: [...]*transliteration.Column{d.letters, d.kana}}
	steps := 0
	for _, dir := range e.ways() {
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
	for _, dir := range e.ways() {
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

// ways returns the directions that are asked for.
func (e *experiment) ways() []int {
	if i := slices.Index(directionNames[:], *e.direction); i >= 0 {
		return []int{i}
	}
	return []int{forward, backward}
}
