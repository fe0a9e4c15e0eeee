package align

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
)

// New returns an untrained model of both directions of the sentences of a corpus, to which
// nothing may be added afterwards: all translations that occur are equally probable, and
// so are all jumps. The error wraps ErrInvalid for options that make no sense, or a corpus
// without sentences.
func New(c *Corpus, opts *Options) (*Model, error) {
	nonnil.Check("align: New", "corpus", c)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, invalid("no sentences to train on")
	}
	l, _ := c.lexicon()
	m := &Model{words: c.words, lexicon: l.uniform(), null: nullRate(o.Null), floor: o.Floor, decode: o.Decode, untrained: true}
	for d := range m.jumps {
		m.jumps[d] = newJumps(o.Reach, o.Classes, o.Uniform)
		if o.Classes > 1 {
			m.classes[d] = classify(&c.text[d], len(c.words[d].words), o.Classes)
		}
	}
	return m, nil
}

// Fit trains the model on the corpus that it was made for, or one with the same sentences,
// from where it is, stage by stage. The result is the same to the last
// bit for any number of workers, and after any number of stops and resumptions from
// FitOptions.Checkpoint. Nothing else may use the model meanwhile, but the observer.
//
// Of the Result, Theta and Starts are nil, and the status is em.IterationLimit or
// em.Canceled. Objective holds, of each iteration of each stage, the sum of ln of the path
// sums of both directions before the iteration's M step, without the prior; see Progress.
// A sentence that the model gives probability 0, which Options.Floor prevents unless it is
// negative, has no part in an iteration. Skipped names them for the last one, by their
// number in the Corpus and, if they were added by Corpus.AddLine, by their line.
//
// Errors: options that make no sense, or another corpus (ErrInvalid); an M step without a
// solution; no sentence of a probability greater than 0 (em.ErrUnderivable); a checkpoint
// that cannot be read or written or belongs to another run (em.ErrCheckpoint). If ctx is
// done, Fit returns at the next shard the Result so far and an error wrapping the
// context's; the model keeps what it has reached.
func (m *Model) Fit(ctx context.Context, c *Corpus, opts *FitOptions) (*em.Result, error) {
	nonnil.Check("align: Fit", "context", ctx, "corpus", c)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(m, c, o)
	if err != nil {
		return nil, err
	}
	if o.Checkpoint != "" {
		if err := t.load(); err != nil {
			return nil, err
		}
	}
	m.untrained = false
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

// trainer is a call of Fit.
type trainer struct {
	opts     FitOptions
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

func (t *trainer) result(status em.Status) *em.Result {
	r := &em.Result{Status: status, Objective: t.at.Objective, Skipped: t.at.Skipped}
	if n := len(r.Objective); n > 0 {
		r.LogLikelihood = r.Objective[n-1]
	}
	return r
}

func newTrainer(m *Model, c *Corpus, o FitOptions) (*trainer, error) {
	l, slots := c.lexicon()
	if err := m.fits(c, l); err != nil {
		return nil, fmt.Errorf("align: %w: %w", ErrInvalid, err)
	}
	m.lexicon.column = l.column // a model that was loaded has none
	t := &trainer{opts: o, corpus: c, slots: slots, model: m, reducer: em.NewReducer[worker, tally](newCounter), began: time.Now()}
	t.counts.link = make([]pair, len(l.col))
	for d := range m.lexicon.null {
		t.counts.null[d] = make([]float64, len(m.lexicon.null[d]))
	}
	t.prior = newPrior(o.Prior, m.lexicon, c)
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
	m.aligners = sync.Pool{} // what they hold is of the model before
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

// Progress describes an iteration, after its M step. It is valid during the observer's call
// only.
//
// As far as an iteration of em.Fit does, the Event describes it: Iteration is the number in
// the stage, Theta is nil, and Objective, as LogLikelihood, is the sum over both directions;
// the prior is not in it. It never falls in a stage with Own and Separately or with Joint
// and Averaged; in an HMM that needs Jumps: Maximum. A floor, and there is one unless
// Options.Floor is negative, or a prior can make it fall.
type Progress struct {
	em.Event
	// Stage is the number of the stage.
	Stage int
	// Directions is the sum of ln of the path sums before the iteration's M step, of the
	// directions source→target and target→source, in nats: with EStep Own
	// ln P(target | source) and ln P(source | target). With Own and Separately neither
	// falls where Objective does not.
	Directions [2]float64
}

// event returns the Progress of the iteration just made.
func (t *trainer) event(s Stage) Progress {
	all := t.at.Objective
	p := Progress{Stage: t.at.Stage, Directions: t.counts.logP, Event: em.Event{
		Method: em.EM{}.String(), Starts: 1, Iteration: t.at.Done - 1, Iterations: s.Iterations, Step: em.MStep,
		Objective: all[len(all)-1], Gain: math.NaN(), LogLikelihood: all[len(all)-1], Temperature: 1,
		Examples: t.corpus.Len(), Skipped: len(t.at.Skipped), Elapsed: time.Since(t.began),
	}}
	if p.Iteration > 0 {
		p.Gain = p.Objective - all[len(all)-2]
	}
	if len(all) == 1 {
		p.Step = em.FirstStep
	}
	return p
}
