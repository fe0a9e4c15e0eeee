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

// Model aligns words in both directions. It is safe for concurrent use, except during training.
type Model struct {
	sides   [2]side
	lexicon *lexicon
	kind    Positions // of the last stage
	theta   []float64
	table   *table  // of theta
	held    [2]*hmm // if not nil, it replaces the equal HMM in theta
	least   float64 // of the corpus, see Corpus.Prune
	null    nullRate
	floor   float64
	decode  EStep
	deleted float64
	own     *own // the counts that PosteriorsOf deletes; nil: none

	pairs  sync.Pool
	search atomic.Pointer[search] // nil until it is needed
}

// side is a side of the text and the direction named after it, in which its words, or NULL,
// generate the words of the other side.
type side struct {
	words   *vocabulary
	seen    []int32 // the frequency of each word in the training text
	tokens  int     // the sum of these
	classes []int32 // of the words, nil: one class
	rare    int32   // the class of words that are not in the training text, see rareClass

	jumps  jumps
	shapes *shapes // nil: no corpus
}

// positions returns the law of the positions of a kind, with strength pseudo-jumps for each pair of
// classes.
func (s *side) positions(kind Positions, strength float64) positionLaw {
	switch kind {
	case Model2:
		return freeLaw{s.shapes}
	case Diagonal:
		return tensionLaw{s.shapes}
	case HMM:
		return &jumpLaw{jumps: s.jumps, strength: strength}
	}
	return equal{}
}

// searcher returns the search in m's lexicon.
func (m *Model) searcher() *search {
	s := m.search.Load()
	if s == nil { // two goroutines may compute it, with equal results
		s = newSearch(m.lexicon, len(m.sides[1].words.words))
		m.search.Store(s)
	}
	return s
}

// table describes the parameters of a Model in θ: the translations of both directions and, for each
// direction, the words given NULL, the jumps of the HMM and, if there are shapes, the positions of
// Model 2 and the tension of the diagonal.
type table struct {
	params       *em.Params
	translations *em.Group
	null         [2]*em.Group
	positions    [2][HMM + 1]*em.Group // by kind; nil: none
}

// positionGroups are the names of the groups of positions.
var positionGroups = [...]string{Model2: "positions", Diagonal: "tension", HMM: "jumps"}

// laws are the laws of a table.
type laws struct {
	translations links
	null         [2]em.Law
	// positions returns a law and its number of parameters.
	positions func(d int, kind Positions) (em.Law, int)
}

// laws returns the laws of training with a prior.
func (m *Model) laws(p *prior) *laws {
	null := givenNull{floor: m.floor}
	return &laws{
		translations: &translations{lexicon: m.lexicon, numF: len(m.sides[1].words.words), floor: m.floor, prior: p},
		null:         [2]em.Law{null, null},
		positions: func(d int, kind Positions) (em.Law, int) {
			law := m.sides[d].positions(kind, p.jumps)
			return law, law.size()
		},
	}
}

// newTable returns a table of m.
func (m *Model) newTable(of *laws) *table {
	t, l := &table{params: em.NewParams()}, m.lexicon
	t.translations = t.params.Group("translations", 2*len(l.col), &recordedLaw{links: of.translations})
	t.translations.SetNames(func(i int) string {
		slot := int32(i / 2)
		e, f := m.sides[0].words.words[l.of(slot)], m.sides[1].words.words[l.col[slot]]
		if i%2 == fe {
			e, f = f, e
		}
		return fmt.Sprintf("%q given %q", f, e)
	})
	positions := func(d int, kind Positions) {
		law, n := of.positions(d, kind)
		t.positions[d][kind] = t.params.Group(sideNames[d]+" "+positionGroups[kind], n, law)
	}
	for d := range m.sides {
		t.null[d] = t.params.Group(sideNames[1-d]+" given NULL", len(m.sides[1-d].words.words), of.null[d])
		positions(d, HMM)
	}
	for d := range m.sides {
		if m.sides[d].shapes != nil {
			positions(d, Model2)
			positions(d, Diagonal)
		}
	}
	return t
}

// positionsOf returns the parameters of positions of a kind in direction d, or nil.
func (t *table) positionsOf(d int, kind Positions, theta []float64) []float64 {
	if g := t.positions[d][kind]; g != nil {
		return g.In(theta)
	}
	return nil
}

// machine returns the model at θ, ready for inference with an E step.
func (m *Model) machine(step EStep, theta []float64) *machine {
	t := m.table
	w := &machine{lexicon: m.lexicon, translations: t.translations.In(theta), floor: m.floor, step: step}
	for d := range w.positions {
		s := &m.sides[d]
		w.null[d] = t.null[d].In(theta)
		if m.kind == HMM {
			w.classes[d], w.rare[d] = s.classes, s.rare
		}
		if m.kind == HMM && m.held[d] != nil {
			w.positions[d] = m.held[d]
			continue
		}
		w.positions[d] = s.positions(m.kind, 0).at(t.positionsOf(d, m.kind, theta), m.null)
	}
	return w
}

// Posteriors returns the posteriors of the links of a sentence in the two directions: the target
// generated from the source, and the source from the target. The sentence is treated as new, even
// if it is in the training text: the model at its final parameters is applied to it. Words and
// pairs of words outside the training text have the probability Options.Floor. The error wraps
// ErrInvalid, or em.ErrUnderivable for a sentence with probability 0 in a direction, which is
// possible only if the floor is 0.
func (m *Model) Posteriors(s Sentence) (forward, backward *Posterior, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	w := a.machine(m.decode)
	return a.posteriors(w, w)
}

// PosteriorsOf is Posteriors of sentence n of the corpus that m was made for or, after training,
// trained on, with the fraction Options.Deleted of the sentence's own training counts deleted: see
// Own counts in the package comment. If there are no own counts, the results equal Posteriors to
// the last bit. This is the case before and during Fit, after an interrupted Fit, and in the cases
// excluded by Options.Deleted. It is also the case after a finished run was resumed without the
// file .own of its checkpoint. Words are not looked up; own counts take O(E·F + E² + F²) more time.
// The error wraps ErrInvalid for another corpus, for one that was extended, and for any corpus if m
// was loaded and not trained. Otherwise it comes from Posteriors.
func (m *Model) PosteriorsOf(c *Corpus, n int) (forward, backward *Posterior, err error) {
	if c.lexicon() != m.lexicon || c.words != [2]*vocabulary{m.sides[0].words, m.sides[1].words} {
		return nil, nil, invalid("posteriors of a corpus that is not the one of the model")
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.words = [2][]int32{c.text[0].sentence(n), c.text[1].sentence(n)}
	a.slots = c.slots().slots(a.slots[:0], n)
	w := a.machine(m.decode)
	if m.own == nil {
		return a.posteriors(w, w)
	}
	a.rest.read(w, m.own, n, m.deleted, a.slots, a.words)
	return a.posteriors(w, &a.rest)
}

// LogProb returns ln P(target | source) and ln P(source | target), given the length of the side
// generated, in nats: a measure of the fit of a sentence and its translation, −Inf for probability
// 0. It decreases with length; divide by the number of words to compare sentences. The error wraps
// ErrInvalid.
func (m *Model) LogProb(s Sentence) (forward, backward float64, err error) {
	if err := s.check(); err != nil {
		return 0, 0, err
	}
	a := m.aligners()
	defer m.pairs.Put(a)
	a.read(s)
	w := a.machine(Own)
	logP, err := a.infer(w, w)
	return clamp.LogProb(logP[ef], len(s.Source)+len(s.Target)), clamp.LogProb(logP[fe], len(s.Source)+len(s.Target)), err
}

// aligners returns an unused pair of aligners, to be put back.
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

// alignerPair is a Model that aligns sentences one after the other.
type alignerPair struct {
	model    *Model
	machines map[EStep]*machine
	aligners [2]*aligner
	ids      [2][]int32 // storage
	rest     remainder

	// The current sentence: its words, and the slots of their pairs.
	words [2][]int32
	slots []int32
}

// read makes s the current sentence.
func (a *alignerPair) read(s Sentence) {
	for side, words := range [2][]string{s.Source, s.Target} {
		a.ids[side] = a.ids[side][:0]
		for _, w := range words {
			a.ids[side] = append(a.ids[side], a.model.sides[side].words.find(w))
		}
	}
	a.words = a.ids
	a.slots = a.model.searcher().slots(a.slots[:0], a.words[0], a.words[1])
}

// machine returns the model's machine for an E step.
func (a *alignerPair) machine(step EStep) *machine {
	m := a.machines[step]
	if m == nil {
		m = a.model.machine(step, a.model.theta)
		a.machines[step] = m
	}
	return m
}

// infer computes the posteriors of the sentence in both directions, with the potentials p, and
// returns ln of the path sums.
func (a *alignerPair) infer(m *machine, p potentials) (logP [2]float64, err error) {
	for d, x := range a.aligners {
		total, _, err := x.visit(m, p, a.slots, a.words)
		if err != nil {
			return logP, err
		}
		logP[d] = total.Log()
	}
	return logP, nil
}

// posteriors returns the posteriors of the sentence in both directions, with the potentials p.
func (a *alignerPair) posteriors(m *machine, p potentials) (forward, backward *Posterior, err error) {
	logP, err := a.infer(m, p)
	if err != nil {
		return nil, nil, err
	}
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
