package align

import (
	"fmt"
	"math"
	"sync"

	"example.org/pathsum/em"
)

// Model aligns words in both directions. It is safe for concurrent use, but not while it is
// trained.
type Model struct {
	words   [2]*vocabulary
	lexicon *lexicon
	kind    Positions // of the last stage
	jumps   [2]*jumps
	where   [2]*where
	classes [2][]int32 // of the words of E, of F, nil: one class
	null    nullRate
	floor   float64
	decode  EStep

	untrained bool // as New made it

	aligners sync.Pool
}

// machine returns the model ready for inference with an E step.
func (m *Model) machine(step EStep) *machine {
	w := &machine{lexicon: m.lexicon, floor: m.floor, step: step, classes: m.classes}
	for d := range w.positions {
		switch m.kind {
		case Model1:
			w.positions[d] = &independent{null: m.null}
		case Model2, Diagonal:
			w.positions[d] = &independent{null: m.null, where: m.where[d]}
		case HMM:
			w.positions[d] = newHMM(m.jumps[d], m.null)
		}
	}
	return w
}

// Posteriors returns the posteriors of the links of a sentence in the two directions: the
// target generated from the source, and the source from the target. Training would end with
// the same ones if the sentence were in its corpus and had no influence on it; a sentence
// that is there is no exception. Words and pairs of words that training has not seen have
// the probability Options.Floor. The error wraps ErrInvalid, or em.ErrUnderivable for a
// sentence that has probability 0 in a direction, which only a floor of 0, or a great
// EStep.Power, allows.
func (m *Model) Posteriors(s Sentence) (forward, backward *Posterior, err error) {
	p, q := NewPosterior(len(s.Source), len(s.Target)), NewPosterior(len(s.Source), len(s.Target))
	logP, err := m.infer(s, m.decode, p.P, q.P)
	for d, x := range logP {
		if err == nil && math.IsInf(x, -1) {
			err = fmt.Errorf("align: %w: the %s has probability 0 given the %s", em.ErrUnderivable, sideNames[1-d], sideNames[d])
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return p, q, nil
}

// LogProb returns ln P(target | source) and ln P(source | target), given the length of the
// side generated, in
// nats: a measure of how well a sentence and its translation fit, −Inf for probability 0.
// Long ones have low scores; divide by the number of words to compare them. The error
// wraps ErrInvalid.
func (m *Model) LogProb(s Sentence) (forward, backward float64, err error) {
	n := len(s.Source) * len(s.Target)
	logP, err := m.infer(s, Own, make([]float64, n), make([]float64, n))
	return logP[ef], logP[fe], err
}

// infer sets forward and backward to posteriors.
func (m *Model) infer(s Sentence, step EStep, forward, backward []float64) ([2]float64, error) {
	if err := s.check(); err != nil {
		return [2]float64{}, err
	}
	a, _ := m.aligners.Get().(*aligner)
	if a == nil {
		a = newAligner(m)
	}
	defer m.aligners.Put(a)
	return a.infer(s, step, forward, backward)
}

// aligner is a Model at work on one sentence after the other.
type aligner struct {
	model    *Model
	machines map[EStep]*machine
	worker   *worker
	slots    []int32
	ids      [2][]int32
	links    []pair
}

func newAligner(m *Model) *aligner {
	return &aligner{model: m, machines: map[EStep]*machine{}, worker: newWorker()}
}

func (a *aligner) infer(s Sentence, step EStep, forward, backward []float64) ([2]float64, error) {
	m := a.machines[step]
	if m == nil {
		m = a.model.machine(step)
		a.machines[step] = m
	}
	for side, words := range [2][]string{s.Source, s.Target} {
		a.ids[side] = a.ids[side][:0]
		for _, w := range words {
			a.ids[side] = append(a.ids[side], a.model.words[side].find(w))
		}
	}
	if err := m.prepare(len(s.Source), len(s.Target)); err != nil {
		return [2]float64{}, err
	}
	a.slots = a.model.lexicon.slots(a.slots[:0], a.ids[0], a.ids[1])
	logP, err := a.worker.visit(m, a.slots, a.ids[0], a.ids[1])
	if err != nil {
		return logP, err
	}
	a.links = resized(a.links, len(a.slots))
	a.worker.links(a.links)
	for n, p := range a.links {
		forward[n], backward[n] = p[ef], p[fe]
	}
	return logP, nil
}
