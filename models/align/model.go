package align

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
)

// Model aligns words in both directions. It is safe for concurrent use, but not while it is
// trained.
type Model struct {
	words   [2]*vocabulary
	lexicon *lexicon
	kind    Positions // of the last stage
	theta   []float64
	table   *table // of theta
	jumps   [2]jumps
	fixed   [2]*jumps  // not nil: the HMM's in place of those in theta, which are the same
	shapes  [2]*shapes // nil: of no corpus
	classes [2][]int32 // of the words of E, of F, nil: one class
	rare    [2]int32   // the class of words that training has not seen, see rareClass
	seen    [2][]int32 // how often each word is in the training text
	tokens  [2]int     // the sums of these
	least   float64    // of the corpus, see Corpus.Prune
	null    nullRate
	floor   float64
	decode  EStep
	deleted float64
	own     *own // what PosteriorsOf leaves out, nil: nothing

	pairs  sync.Pool
	search atomic.Pointer[search] // nil until it is needed
}

// searcher returns the search in m's lexicon.
func (m *Model) searcher() *search {
	s := m.search.Load()
	if s == nil { // two goroutines may come here, to the same
		s = newSearch(m.lexicon, len(m.words[1].words))
		m.search.Store(s)
	}
	return s
}

// table is the parameters of a Model in θ: the translations of both directions and, for
// each direction, the words given NULL, the jumps of the HMM and, where there are shapes,
// Model 2's positions and a diagonal's tension.
type table struct {
	params                     *em.Params
	translations               *em.Group
	null, jumps, free, tension [2]*em.Group
}

// newTable returns the table of m, for training with a prior.
func (m *Model) newTable(p *prior) *table {
	t := &table{params: em.NewParams()}
	l := m.lexicon
	t.translations = t.params.Group("translations", 2*len(l.col), &translations{lexicon: l, numF: len(m.words[1].words), floor: m.floor, prior: p})
	t.translations.SetNames(func(i int) string {
		slot := int32(i / 2)
		e, f := m.words[0].words[l.of(slot)], m.words[1].words[l.col[slot]]
		if i%2 == fe {
			e, f = f, e
		}
		return fmt.Sprintf("%q given %q", f, e)
	})
	for d, side := range sideNames {
		t.null[d] = t.params.Group(sideNames[1-d]+" given NULL", len(m.words[1-d].words), givenNull{floor: m.floor})
		t.jumps[d] = t.params.Group(side+" jumps", m.jumps[d].probabilities(), &jumpLaw{m.jumps[d], p.jumps})
	}
	for d, side := range sideNames {
		if s := m.shapes[d]; s != nil {
			t.free[d] = t.params.Group(side+" positions", s.cells, freeLaw{s})
			t.tension[d] = t.params.Group(side+" tension", 1+s.rows, tensionLaw{s})
		}
	}
	return t
}

// machine returns the model at θ, ready for inference with an E step.
func (m *Model) machine(step EStep, theta []float64) *machine {
	t := m.table
	w := &machine{lexicon: m.lexicon, translations: t.translations.In(theta), floor: m.floor, step: step}
	for d := range w.positions {
		w.null[d] = t.null[d].In(theta)
		switch m.kind {
		case Model1:
			w.positions[d] = &independent{null: m.null}
		case Model2:
			w.positions[d] = &independent{m.null, &free{m.shapes[d], t.free[d].In(theta)}, t.free[d].Len()}
		case Diagonal:
			w.positions[d] = &independent{m.null, &diagonal{m.shapes[d], t.tension[d].In(theta)[0]}, t.tension[d].Len()}
		case HMM:
			w.classes[d], w.rare = m.classes[d], m.rare
			jumps := m.fixed[d]
			if jumps == nil {
				jumps = m.jumps[d].at(t.jumps[d].In(theta))
			}
			w.positions[d] = &hmm{jumps: jumps, null: m.null}
		}
	}
	return w
}

// Posteriors returns the posteriors of the links of a sentence in the two directions: the
// target generated from the source, and the source from the target. Training would end with
// the same ones if the sentence were in its corpus and had no influence on it; a sentence
// that is there is no exception. Words and pairs of words that training has not seen have
// the probability Options.Floor. The error wraps ErrInvalid, or em.ErrUnderivable for a
// sentence that has probability 0 in a direction, which only a floor of 0 allows.
func (m *Model) Posteriors(s Sentence) (forward, backward *Posterior, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	return a.posteriors()
}

// PosteriorsOf is Posteriors of sentence n of the corpus that m was made for or, if it has
// been trained, trained on, but without the share Options.Deleted of what the sentence itself
// counted in training: see Own counts in the package comment. Where there are no such counts it
// has the bits of Posteriors: before Fit, while it is at work and when it was stopped, and where
// Options.Deleted says so. So it has after a finished run was resumed without the file .own
// beside its checkpoint. No words have to be looked up; own counts take O(E·F + E² + F²) more.
// The error wraps ErrInvalid for any other corpus, or one that has been added to, and so for any
// corpus if m was loaded and not trained; or it is that of Posteriors.
func (m *Model) PosteriorsOf(c *Corpus, n int) (forward, backward *Posterior, err error) {
	if c.lexicon() != m.lexicon || c.words != m.words {
		return nil, nil, invalid("posteriors of a corpus that is not the one of the model")
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.words = [2][]int32{c.text[0].sentence(n), c.text[1].sentence(n)}
	a.slots = c.slots().slots(a.slots[:0], n)
	if m.own == nil {
		return a.posteriors()
	}
	logP, err := a.without(m.own, n)
	if err != nil {
		return nil, nil, err
	}
	return a.posteriorsOf(logP)
}

// LogProb returns ln P(target | source) and ln P(source | target), given the length of the
// side generated, in
// nats: a measure of how well a sentence and its translation fit, −Inf for probability 0.
// Long ones have low scores; divide by the number of words to compare them. The error
// wraps ErrInvalid.
func (m *Model) LogProb(s Sentence) (forward, backward float64, err error) {
	if err := s.check(); err != nil {
		return 0, 0, err
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	logP, err := a.infer(Own)
	return clamp.LogProb(logP[ef], len(s.Source)+len(s.Target)), clamp.LogProb(logP[fe], len(s.Source)+len(s.Target)), err
}

// aligners returns a pair of aligners that nobody uses, to be put back.
func (m *Model) aligners() *alignerPair {
	a, _ := m.pairs.Get().(*alignerPair)
	if a == nil {
		a = &alignerPair{model: m, machines: map[EStep]*machine{}}
		for d := range a.aligners {
			a.aligners[d] = newAligner(d, false)
		}
	}
	return a
}

// alignerPair is a Model at work on one sentence after the other.
type alignerPair struct {
	model    *Model
	machines map[EStep]*machine
	aligners [2]*aligner
	ids      [2][]int32 // storage
	rest     remainder

	// The sentence: its words, and the slots of their pairs.
	words [2][]int32
	slots []int32
}

// read makes s the sentence.
func (a *alignerPair) read(s Sentence) {
	for side, words := range [2][]string{s.Source, s.Target} {
		a.ids[side] = a.ids[side][:0]
		for _, w := range words {
			a.ids[side] = append(a.ids[side], a.model.words[side].find(w))
		}
	}
	a.words = a.ids
	a.slots = a.model.searcher().slots(a.slots[:0], a.words[0], a.words[1])
}

// machine returns the model's machine of an E step.
func (a *alignerPair) machine(step EStep) *machine {
	m := a.machines[step]
	if m == nil {
		m = a.model.machine(step, a.model.theta)
		a.machines[step] = m
	}
	return m
}

// infer finds the posteriors of the sentence in both directions and returns ln of the path
// sums.
func (a *alignerPair) infer(step EStep) (logP [2]float64, err error) {
	m := a.machine(step)
	for d, x := range a.aligners {
		total, _, err := x.visit(m, a.slots, a.words)
		if err != nil {
			return logP, err
		}
		logP[d] = total.Log()
	}
	return logP, nil
}

// without is infer where the sentence is number n of the text learnt from, without the share
// of what it counted itself that the model leaves out.
func (a *alignerPair) without(x *own, n int) (logP [2]float64, err error) {
	m := a.machine(a.model.decode)
	a.rest.count(x, n, a.words)
	for d, y := range a.aligners {
		y.potentials = resized(y.potentials, len(a.slots))
		a.rest.gather(y.potentials, m, a.slots, a.words, x.total, a.model.deleted, d)
		total, _, err := y.run(m, a.words)
		if err != nil {
			return logP, err
		}
		logP[d] = total.Log()
	}
	return logP, nil
}

// posteriors returns those of the sentence.
func (a *alignerPair) posteriors() (forward, backward *Posterior, err error) {
	logP, err := a.infer(a.model.decode)
	if err != nil {
		return nil, nil, err
	}
	return a.posteriorsOf(logP)
}

// posteriorsOf returns what the aligners have found, and logP with it.
func (a *alignerPair) posteriorsOf(logP [2]float64) (forward, backward *Posterior, err error) {
	var of [2]*Posterior
	for d, x := range a.aligners {
		if math.IsInf(logP[d], -1) {
			return nil, nil, nested.Errorf("align: %w: the %s has probability 0 given the %s", em.ErrUnderivable, sideNames[1-d], sideNames[d])
		}
		of[d] = NewPosterior(len(a.words[0]), len(a.words[1]))
		x.posteriors(of[d].P, d)
		if err := clamp.Probabilities(of[d].P); err != nil {
			return nil, nil, nested.Errorf("align: %w", err)
		}
	}
	return of[ef], of[fe], nil
}
