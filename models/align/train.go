package align

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
)

// Train trains a model of both directions on a corpus, stage by stage (default Recipe).
// The result is the same to the last bit for any number of workers, and after any
// number of stops and resumptions from Options.Checkpoint.
//
// A sentence that the model gives probability 0, which Options.Floor prevents unless it is
// negative, has no part in an iteration: see Result.Skipped.
//
// Errors: no sentences, or options that make no sense (ErrInvalid); an M step without a
// solution; no sentence of a probability greater than 0 (em.ErrUnderivable); a checkpoint that cannot be read or written or belongs to another
// run (em.ErrCheckpoint). If ctx is done, Train returns at the next shard the Result so
// far, with Status em.Canceled, and an error wrapping the context's.
func Train(ctx context.Context, c *Corpus, opts *Options) (*Result, error) {
	nonnil.Check("align: Train", "context", ctx, "corpus", c)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, fmt.Errorf("align: %w: no sentences to train on", ErrInvalid)
	}
	t, err := newTrainer(c, o)
	if err != nil {
		return nil, err
	}
	if o.Checkpoint != "" {
		if err := t.load(); err != nil {
			return nil, err
		}
	}
	for t.at.Stage < len(o.Stages) {
		if err := t.run(ctx); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			return t.result(em.Canceled), err
		}
	}
	return t.result(em.IterationLimit), nil
}

// trainer is a call of Train.
type trainer struct {
	opts     Options
	corpus   *Corpus
	slots    []int32 // per cell
	shards   *shards // of the stage
	model    *Model
	prior    *prior
	counts   counts
	reducer  *em.Reducer[worker, tally]
	at       progress
	identity string // of the run, where there is a checkpoint
	began    time.Time
}

// progress says how far training has come.
type progress struct {
	Stage, Done int       // the stage, and how many of its iterations are done
	Objective   []float64 // of all iterations
	Skipped     []em.Skipped
}

func (t *trainer) result(status em.Status) *Result {
	return &Result{Model: t.model, Status: status, Objective: t.at.Objective, Skipped: t.at.Skipped}
}

func newTrainer(c *Corpus, o Options) (*trainer, error) {
	l, slots := newLexicon(c)
	t := &trainer{opts: o, corpus: c, slots: slots, reducer: em.NewReducer[worker, tally](newCounter), began: time.Now()}
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
			return nil, fmt.Errorf("align: %w: start: %w", ErrInvalid, err)
		}
	}
	t.prior = newPrior(o.Prior, l, c)
	return t, nil
}

// run makes the iterations of a stage that are left.
func (t *trainer) run(ctx context.Context) error {
	s := t.opts.Stages[t.at.Stage]
	t.model.enter(s.Positions, t.corpus)
	m := t.model.machine(s.EStep)
	t.shards = newShards(t.corpus, t.slots, m.positions[ef].size()+m.positions[fe].size())
	for t.at.Done < s.Iterations {
		if err := t.iterate(ctx, s); err != nil {
			return fmt.Errorf("align: stage %d, iteration %d: %w", t.at.Stage, t.at.Done, err)
		}
		t.at.Done++
		t.at.Objective = append(t.at.Objective, t.counts.logP[ef]+t.counts.logP[fe])
		t.at.Skipped = t.counts.skipped
		if t.opts.Observer != nil {
			t.opts.Observer(t.event(s))
		}
		if t.opts.Checkpoint != "" {
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	t.at.Stage, t.at.Done = t.at.Stage+1, 0
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
	if n := len(t.counts.skipped); n == t.corpus.Len() {
		return fmt.Errorf("%w: all %d sentences, the first is %v", em.ErrUnderivable, n, t.counts.skipped[0])
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
