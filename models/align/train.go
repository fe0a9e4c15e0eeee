package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// New returns an untrained model of both directions of the sentences of a corpus, to which
// nothing may be added afterwards: all translations that occur are equally probable, and
// so are all jumps. The error wraps ErrInvalid for options that make no sense, or a corpus
// without sentences.
func New(c *Corpus, opts *Options) (*Model, error) {
	nonnil.Check("align: New", "corpus", c)
	o, err := opts.complete(c.Len())
	if err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, invalid("no sentences to train on")
	}
	m := &Model{lexicon: c.lexicon(), null: nullRate(o.Null), floor: o.Floor, decode: o.Decode, deleted: o.Deleted, least: c.least}
	for d := range m.sides {
		s := &m.sides[d]
		s.words, s.jumps = c.words[d], jumps{reach: o.Reach, hidden: o.Classes, seen: o.Classes}
		s.seen, s.tokens = frequencies(c.text[d].words, len(s.words.words))
		if o.Classes > 1 {
			s.classes = classify(&c.text[d], len(s.words.words), o.Classes)
			s.rare = rareClass(s.classes, s.seen, o.Classes)
		}
	}
	m.table = m.newTable(m.laws(&prior{law: em.Multinomial{}}))
	if m.table.params.Len() > math.MaxInt32 {
		return nil, invalid("%d parameters, want at most %d", m.table.params.Len(), math.MaxInt32)
	}
	m.theta = m.table.params.Start()
	return m, nil
}

// Fit trains the model on the corpus that it was made for, or one with the same sentences,
// from where it is, stage by stage: each is an em.Fit. The result is the same to the last
// bit for any number of workers, and after any number of stops and resumptions from
// a checkpoint. Nothing else may use the model meanwhile, but the observer.
//
// Of the Result, Theta and Starts are nil. Objective holds, of each iteration of each stage,
// the objective before the iteration's M step; see Stage. Status is that of the last stage
// begun. A sentence that the model gives probability 0, which Options.Floor prevents unless
// it is negative, has no part in an iteration. Skipped names them for the last one, by their
// number in the Corpus and, if they were added by Corpus.AddLine, by their line. Remarks say,
// among others, that PosteriorsOf has nothing to leave out, as a file beside the checkpoint of a
// finished run is missing.
//
// Errors: options that make no sense, or another corpus (ErrInvalid); an M step without a
// solution; no sentence of a probability greater than 0 (em.ErrUnderivable); any other of
// em.Fit, whose files are checkpoints of em and no others. If ctx is done, Fit returns at the
// next shard the Result so far and an error wrapping the context's; the model keeps what it
// has reached. After another error the model is of no more use.
func (m *Model) Fit(ctx context.Context, c *Corpus, opts *FitOptions) (*em.Result, error) {
	nonnil.Check("align: Fit", "context", ctx, "corpus", c)
	o, err := opts.complete()
	if err != nil {
		return nil, err
	}
	l := c.lexicon()
	if err := m.fits(c, l); err != nil {
		return nil, nested.Errorf("align: %w: %w", ErrInvalid, err)
	}
	p, err := newPrior(o.Prior, l, c, [2][]int32{m.sides[0].classes, m.sides[1].classes})
	if err != nil {
		return nil, err
	}
	m.prepare(c, l, p, &o)
	return m.run(ctx, c.slots(), p, &o)
}

// run is Fit of a model that is ready for it.
func (m *Model) run(ctx context.Context, cells *cells, p *prior, o *FitOptions) (*em.Result, error) {
	out := &em.Result{Status: em.IterationLimit}
	m.own = nil
	for n, s := range o.Stages {
		m.enter(s.Positions)
		if s.Iterations == 0 {
			continue
		}
		kept := m.keep(n, o, cells, p)
		likelihood, err := m.stage(s, o, cells, p, kept)
		if err != nil {
			return nil, err
		}
		law := m.table.translations.Law().(*recordedLaw)
		law.own = kept
		r, err := em.Fit(ctx, likelihood, m.options(n, o))
		law.own = nil
		if r != nil {
			m.become(r.Theta)
			out.Status, out.LogLikelihood, out.Skipped = r.Status, r.LogLikelihood, r.Skipped
			out.Objective = append(out.Objective, r.Objective...)
			out.Remarks = append(out.Remarks, r.Remarks...)
		}
		if err != nil {
			err = nested.Errorf("align: stage %d: %w", n, err)
			if r == nil {
				return nil, err
			}
			return out, err
		}
		if kept.recall(m.table.translations.In(m.theta)) {
			m.own = kept
		} else if kept != nil {
			out.Remarks = append(out.Remarks, fmt.Sprintf("align: training had ended, and %s, with what sentences counted, is missing or of another run: PosteriorsOf leaves out nothing", kept.file))
		}
	}
	return out, nil
}

// become gives the model other parameters.
func (m *Model) become(theta []float64) {
	m.theta = theta
	m.pairs = sync.Pool{} // what they hold is of the parameters before
}

// options returns those of em.Fit for stage n.
func (m *Model) options(n int, o *FitOptions) *em.Options {
	opts := o.Options
	opts.Start, opts.InPlace, opts.Iterations = m.theta, true, o.Stages[n].Iterations
	if opts.Checkpoint != "" {
		opts.Checkpoint = o.stageCheckpoint(n)
	}
	opts.Observer = func(e em.Event) {
		m.become(e.Theta)
		if o.Observer != nil {
			o.Observer(Progress{e, n})
		}
	}
	return &opts
}

// stageCheckpoint returns the name of the checkpoint of stage n, where there is one.
func (o *FitOptions) stageCheckpoint(n int) string {
	if n == 0 {
		return o.Checkpoint
	}
	return fmt.Sprintf("%s.%d", o.Checkpoint, n)
}

// Progress describes an iteration: before its M step, when the model is at Theta. It is
// valid during the observer's call only.
type Progress struct {
	em.Event
	// Stage is the number of the stage.
	Stage int
}

// prepare makes the table of m for a run of Fit, and room in θ for what stages need.
func (m *Model) prepare(c *Corpus, l *lexicon, p *prior, o *FitOptions) {
	for d := range m.sides {
		m.sides[d].words = c.words[d]
	}
	m.lexicon, m.held = l, [2]*hmm{}
	m.search.Store(nil)
	kept := len(m.theta)
	if slices.ContainsFunc(o.Stages, func(s Stage) bool { return s.Positions == Model2 || s.Positions == Diagonal }) {
		last := m.table.positions[fe][HMM]
		for d := range m.sides {
			s := &m.sides[d]
			if shapes := shapesOf(c, d); s.shapes == nil || !slices.Equal(s.shapes.list, shapes.list) {
				kept, s.shapes = last.First()+last.Len(), shapes
			}
		}
	}
	m.table = m.newTable(m.laws(p))
	if kept < m.table.params.Len() {
		theta := m.table.params.Start()
		copy(theta, m.theta[:kept])
		m.become(theta)
	}
}

// enter makes m a model of some kind.
func (m *Model) enter(kind Positions) {
	if kind == m.kind {
		return
	}
	m.kind = kind
	for d := range m.sides {
		if g := m.table.positions[d][kind]; kind != HMM && g != nil {
			g.Law().Start(g.In(m.theta))
		}
	}
	m.become(m.theta)
}

// fits returns an error if m is not a model of the words of c and of the pairs of l.
func (m *Model) fits(c *Corpus, l *lexicon) error {
	for side := range m.sides {
		if m.sides[side].words != c.words[side] && !slices.Equal(m.sides[side].words.words, c.words[side].words) {
			return fmt.Errorf("a model of other words of the %s", sideNames[side])
		}
	}
	if m.lexicon != l && (!slices.Equal(m.lexicon.row, l.row) || !slices.Equal(m.lexicon.col, l.col)) {
		return errors.New("a model of other sentences")
	}
	return nil
}
