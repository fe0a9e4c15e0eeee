package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	token "example.org/pathsum/internal/text"
)

// New returns an untrained model of both directions of the sentences of a corpus, to which no
// sentence may be added afterwards. All translations that occur are equally probable, and so are
// all jumps. The error wraps ErrInvalid for invalid options or an empty corpus.
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
		s.words, s.jumps = c.words[d], jumps{reach: o.MaxJump, hidden: o.Classes, seen: o.Classes}
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

// Fit trains the model on the corpus that it was made for, or one with the same sentences, starting
// at its current parameters. Each stage is an em.Fit. The result is the same to the last bit for
// any number of workers, and after any number of stops and resumptions from a checkpoint. During
// Fit only the observer may use the model.
//
// Theta and Starts of the Result are nil. Objective contains the objective before the M step of
// each iteration of each stage; see Stage. Status is the status of the last stage begun. A sentence
// with probability 0 is skipped in an iteration; Options.Floor prevents this unless it is negative.
// Skipped lists the sentences skipped in the last iteration by index in the Corpus and, if they
// were added by Corpus.AddLine, by line. Remarks include a note if PosteriorsOf has no own counts
// to delete because a file of the checkpoint of a finished run is missing.
//
// Errors: invalid options or another corpus (ErrInvalid); an M step without a solution; probability
// 0 for all sentences (em.ErrUnderivable); any other error of em.Fit. Its files are ordinary
// checkpoints of em. If ctx is done, Fit stops at the next shard and returns the Result so far and
// an error that wraps the context's error; the model keeps the parameters reached. After another
// error the model must not be used.
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

// run is Fit of a prepared model.
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
			out.Remarks = append(out.Remarks, fmt.Sprintf("align: training had ended, and %s, the file of the sentences' own counts, is missing or of another run: PosteriorsOf cannot leave them out", kept.file))
		}
	}
	return out, nil
}

// become replaces the parameters of the model.
func (m *Model) become(theta []float64) {
	m.theta = theta
	m.pairs = sync.Pool{} // the pooled aligners use the old parameters
}

// options returns the options of em.Fit for stage n.
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

// stageCheckpoint returns the file name of the checkpoint of stage n, given that there are
// checkpoints.
func (o *FitOptions) stageCheckpoint(n int) string {
	if n == 0 {
		return o.Checkpoint
	}
	return fmt.Sprintf("%s.%d", o.Checkpoint, n)
}

// Progress describes an iteration before its M step, when the model is at Theta. It is valid only
// during the observer's call.
type Progress struct {
	em.Event
	// Stage is the index of the stage.
	Stage int
}

// prepare makes the table of m for a run of Fit, and room in θ for the parameters of the stages.
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

// enter changes the kind of positions of m.
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

// stage is the likelihood of a Stage.
type stage struct {
	em.Likelihood
	corpus    *Corpus
	heuristic bool
}

// stage returns the likelihood of a Stage that m has entered: its two directions, combined as
// submodels. kept stores the counts of sentences, unless it is nil.
func (m *Model) stage(s Stage, o *FitOptions, c *cells, p *prior, kept *own) (*stage, error) {
	var both [2]agree.Submodel
	var each [2]em.Likelihood
	var err error
	for d := range both {
		x := &direction{number: d, model: m, cells: c, prior: p, step: s.EStep, counted: s.Counting.counted(d)}
		both[d] = x
		if d == ef && kept != nil { // for Multiplied, the counts of links in both directions
			both[d] = recorded{x, kept}
		}
		if each[d], err = agree.Likelihood(em.Skip, both[d]); err != nil {
			return nil, nested.Errorf("align: %w", err)
		}
	}
	out := &stage{corpus: c.corpus, heuristic: !m.climbs(s, p)}
	switch s.Counting {
	case Separate:
		out.Likelihood, err = agree.Independent(each[:]...)
	case Averaged:
		out.Likelihood, err = agree.DomainApproximate(each[:]...)
	case Multiplied:
		out.Likelihood, err = agree.ProductOfPosteriors(em.Skip, both[:]...)
	}
	if err == nil && o.Distribute != nil {
		out.Likelihood, err = o.Distribute(s, out.Likelihood.(em.Divisible))
	}
	if err != nil {
		return nil, nested.Errorf("align: %w", err)
	}
	return out, nil
}

// counted returns the directions whose translations direction d counts.
func (c Counting) counted(d int) []int {
	switch {
	case c == Separate:
		return []int{d}
	case c == Multiplied && d == fe: // direction ef counts both, by the same product
		return nil
	}
	return []int{ef, fe}
}

// climbs reports whether the counts of a Stage are derivatives of its objective and all M steps
// raise it. M steps of jumps do not.
func (m *Model) climbs(s Stage, p *prior) bool {
	derivatives := s.EStep == Own && s.Counting == Separate || s.EStep == Joint && s.Counting == Averaged
	return derivatives && m.floor == 0 && p.climbs() && s.Positions != HMM
}

// Heuristic reports whether M steps may lower the objective.
func (s *stage) Heuristic() bool { return s.heuristic }

// Expect performs an E step and sets the names of the skipped sentences. It returns an error if all
// are skipped.
func (s *stage) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	e, err := s.Likelihood.Expect(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, x := range e.Skipped {
		e.Skipped[i] = s.corpus.example(x.Index)
	}
	if e.Examples > 0 && len(e.Skipped) == e.Examples {
		return nil, nested.Errorf("align: %w: all %d sentences, the first is %v", em.ErrUnderivable, e.Examples, e.Skipped[0])
	}
	return e, nil
}

// Shard returns the likelihood of a stage of Fit for one shard of the model's corpus, as an
// em.Divisible of one shard. Use it in a process without the other sentences. m is the model saved
// in FitOptions.Distribute and loaded with Load. Links have the slots of its lexicon, so Shard
// takes one search per cell.
//
// The error wraps ErrInvalid for a stage with other positions than the model's, an empty list of
// sentences, or a sentence that was not in the corpus.
func (m *Model) Shard(sentences []Sentence, s Stage) (em.Divisible, error) {
	if fault := s.fault(); fault != "" {
		return nil, invalid("%s", fault)
	}
	if s.Positions != m.kind {
		return nil, invalid("a stage of other positions than the model's")
	}
	c := NewCorpus()
	c.words, c.whole, c.least = [2]*vocabulary{m.sides[0].words, m.sides[1].words}, true, m.least
	for n, x := range sentences {
		if err := m.knows(x); err != nil {
			return nil, nested.Errorf("align: sentence %d of the shard: %w", n, err)
		}
		if err := c.Add(x); err != nil {
			return nil, nested.Errorf("align: sentence %d of the shard: %w", n, err)
		}
	}
	if c.Len() == 0 {
		return nil, invalid("no sentences in a shard")
	}
	cells, err := searchCells(c, m.searcher())
	if err != nil {
		return nil, err
	}
	l, err := m.stage(s, new(FitOptions), cells, &prior{law: em.Multinomial{}}, nil)
	if err != nil {
		return nil, err
	}
	return l.Likelihood.(em.Divisible), nil
}

// knows returns an error if a sentence has a word that is unknown to the model.
func (m *Model) knows(x Sentence) error {
	for side, words := range [2][]string{x.Source, x.Target} {
		for _, w := range words {
			if m.sides[side].words.find(w) == unknown {
				return invalid("the word %s of the %s was not in the corpus of the model", token.Quote(w), sideNames[side])
			}
		}
	}
	return nil
}

// searchCells is newCells for a c that has few of the pairs of the lexicon.
func searchCells(c *Corpus, s *search) (*cells, error) {
	x := emptyCells(c, s.lexicon)
	var slots []int32
	for n := range c.Len() {
		e, f := c.text[0].sentence(n), c.text[1].sentence(n)
		slots = s.slots(slots[:0], e, f)
		for k, slot := range slots {
			if slot == unknown && c.least == 0 {
				return nil, invalid("sentence %d of the shard: the pair %s and %s was in no sentence of the corpus of the model",
					n, token.Quote(c.words[0].words[e[k/len(f)]]), token.Quote(c.words[1].words[f[k%len(f)]]))
			}
			rank := int32(unknown)
			if slot != unknown {
				rank = slot - s.lexicon.row[e[k/len(f)]]
			}
			x.set(x.first[n]+k, rank)
		}
	}
	return x, nil
}
