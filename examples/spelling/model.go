package main

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// models are what is learnt: a memoryless channel that looks for words, the channel in context,
// the one of slips, and the mixture of these two; pair n-grams, and the n-grams of the words
// in the pairs; how words sound, and what is written for that; and the exponents of the product
// of all. The symbols of the outputs of channels are characters. Without a dictionary there are
// no sounds.
type models struct {
	scout, edits, slips, mixed *edit.Model
	pairs                      *pairgram.Model
	spelling                   *ngram.Model
	sounds                     *sounds
	weights                    []float64
	lexicon                    []word
}

// train trains the models, and reports how. Each row of steps needs those before it; the last
// two learn from pairs that the others have not seen, and from slips in their words.
func (e *experiment) train(ctx context.Context, r *program.Run, d *data) (*speller, error) {
	l := newLessons(d)
	progress := r.Progress("training", *e.iterations*(1+len(windows)))
	defer progress.Done()
	t := &trainer{lessons: l, e: e, r: r, options: em.Options{Iterations: *e.iterations, Workers: *e.workers, Observer: progress.Observe}}
	m := &models{lexicon: d.lexicon}
	for _, step := range []func(context.Context, *models) error{
		t.memoryless, t.inContext,
		t.slips,
		t.mix,
		t.pair, t.sounds,
	} {
		if err := step(ctx, m); err != nil {
			return nil, err
		}
	}
	s, err := newSpeller(m)
	if err != nil {
		return nil, err
	}
	return s, s.learn(ctx, l.held)
}
