package align

import (
	"context"
	"fmt"
	"sync"

	"example.org/pathsum/em"
)

// Train trains a model of both directions on a corpus, stage by stage (default Recipe).
// The result is the same to the last bit for any number of workers.
//
// Errors: no sentences (ErrSentence); options that make no sense (ErrOptions); an
// M step without a solution; a sentence that the model gives probability 0, which
// Options.Floor prevents (em.ErrUnderivable); ctx's, with the model that has been
// reached.
func Train(ctx context.Context, c *Corpus, opts *Options) (*Model, error) {
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, fmt.Errorf("align: %w: no sentences to train on", ErrSentence)
	}
	t, err := newTrainer(c, o)
	if err != nil {
		return nil, err
	}
	for n, s := range o.Stages {
		if err := t.run(ctx, n, s); err != nil {
			return t.model, err
		}
	}
	return t.model, nil
}

// trainer is a call of Train.
type trainer struct {
	opts    Options
	corpus  *Corpus
	shards  *shards
	model   *Model
	prior   *prior
	counts  counts
	reducer *em.Reducer[worker, tally]
}

func newTrainer(c *Corpus, o Options) (*trainer, error) {
	l, slots := newLexicon(c)
	t := &trainer{opts: o, corpus: c, shards: newShards(c, slots), reducer: em.NewReducer[worker, tally](newWorker)}
	l.uniform()
	t.model = &Model{words: c.words, lexicon: l, null: nullRate(o.Null), floor: o.Floor, decode: o.Decode}
	t.counts.link = make([]pair, len(l.col))
	for d := range t.model.jumps {
		t.counts.null[d] = make([]float64, len(l.null[d]))
		t.model.jumps[d] = newJumps(o.Reach, o.Classes, o.Uniform)
		if o.Classes > 1 && o.Start == nil {
			t.model.classes[d] = classify(&c.text[d], len(c.words[d].words), o.Classes)
		}
	}
	if o.Start != nil {
		if err := t.model.goOnFrom(o.Start); err != nil {
			return nil, fmt.Errorf("align: %w: start: %w", ErrOptions, err)
		}
	}
	t.prior = newPrior(o.Prior, l, c)
	return t, nil
}

// run makes the iterations of a stage.
func (t *trainer) run(ctx context.Context, number int, s Stage) error {
	t.model.enter(s.Positions, t.corpus)
	for i := range s.Iterations {
		if err := t.iterate(ctx, s); err != nil {
			return fmt.Errorf("align: stage %d, iteration %d: %w", number, i, err)
		}
		if t.opts.Observer != nil {
			t.opts.Observer(Progress{number, i, t.counts.logP, t.model})
		}
	}
	return nil
}

// enter makes m a model of some kind.
func (m *Model) enter(kind Positions, c *Corpus) {
	if kind != m.kind && (kind == Model2 || kind == Diagonal) {
		for d := range m.where {
			m.where[d] = newWhere(c, d, kind == Diagonal)
		}
	}
	m.kind = kind
}

// iterate makes an E step and an M step.
func (t *trainer) iterate(ctx context.Context, s Stage) error {
	m := t.model.machine(s.EStep)
	for n := range t.corpus.Len() {
		if err := m.prepare(len(t.corpus.text[0].sentence(n)), len(t.corpus.text[1].sentence(n))); err != nil {
			return err
		}
	}
	if err := t.shards.expect(ctx, t.reducer, t.opts.Workers, m, s.Counting, &t.counts); err != nil {
		return err
	}
	return t.model.estimate(&t.counts, t.prior, t.opts.Jumps)
}

// estimate is the M step.
func (m *Model) estimate(c *counts, p *prior, step JumpStep) error {
	if err := m.lexicon.estimate(c, p, m.floor); err != nil {
		return err
	}
	for d := range c.positions {
		switch m.kind {
		case HMM:
			m.jumps[d].estimate(c.positions[d], step)
		case Model2, Diagonal:
			m.where[d].estimate(c.positions[d])
		}
	}
	m.aligners = sync.Pool{} // what they hold is of the parameters before
	return nil
}
