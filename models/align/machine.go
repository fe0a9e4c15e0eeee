package align

import (
	"math"
)

// machine is a model of both directions at fixed parameters, ready for inference. It is
// shared by goroutines.
type machine struct {
	lexicon      *lexicon
	translations []float64    // two per slot
	null         [2][]float64 // per word seen
	classes      [2][]int32   // of the words of E, of F; nil: one class
	floor        float64
	step         EStep
	positions    [2]positions
}

// aligner makes inference in one direction, sentence after sentence; it belongs to one
// goroutine.
type aligner struct {
	direction int
	view
	scratch *scratch
	class   []int32
}

func newAligner(direction int, counts bool) *aligner {
	return &aligner{direction: direction, scratch: newScratch(counts)}
}

// visit finds the posteriors of a sentence, given the slots of its pairs and its words, and
// returns the path sum and the number of arcs.
func (a *aligner) visit(m *machine, slots []int32, words [2][]int32) (weight, int, error) {
	hidden, seen := words[a.direction], words[1-a.direction]
	p := m.positions[a.direction]
	a.resize(p, len(hidden), len(seen))
	a.view.class = a.classes(m, hidden)
	if a.direction == ef {
		m.gatherForward(&a.view, slots)
	} else {
		m.gatherBackward(&a.view, slots)
	}
	for j, w := range seen {
		a.null[j] = m.floor
		if w >= 0 {
			a.null[j] = m.null[a.direction][w]
		}
	}
	return p.visit(&a.view, a.scratch)
}

// classes returns the classes of the hidden words of a sentence.
func (a *aligner) classes(m *machine, words []int32) []int32 {
	of := m.classes[a.direction]
	if of == nil {
		return nil
	}
	a.class = resized(a.class, len(words))
	for i, word := range words {
		a.class[i] = 0
		if word >= 0 {
			a.class[i] = of[word]
		}
	}
	return a.class
}

// gatherForward sets the emissions of links of a sentence in direction ef; pairs that are
// not in the lexicon have the emission floor.
func (m *machine) gatherForward(v *view, slots []int32) {
	for i := range v.hidden {
		at := v.first + i
		for _, slot := range slots[i*v.seen : (i+1)*v.seen] {
			v.emit[at] = m.potential(slot, ef)
			at += v.stride
		}
	}
}

// gatherBackward does it in direction fe.
func (m *machine) gatherBackward(v *view, slots []int32) {
	for i := range v.seen {
		row := v.links(v.emit, i)
		for j, slot := range slots[i*v.hidden : (i+1)*v.hidden] {
			row[j] = m.potential(slot, fe)
		}
	}
}

// potential returns what direction d is run with in place of the probability of a pair.
func (m *machine) potential(slot int32, d int) float64 {
	t, u := m.floor, m.floor
	if slot >= 0 {
		t, u = m.translations[2*int(slot)+d], m.translations[2*int(slot)+1-d]
	}
	switch m.step {
	case Own:
		return t
	case Joint:
		return t * u
	}
	return m.step.of(t, u)
}

// of returns the probability that a direction is run with, given its own one and that of
// the other direction.
func (e EStep) of(t, u float64) float64 {
	power := e.Power
	if power == 0 {
		power = 1
	}
	return math.Pow(t*math.Pow(u, e.Partner), power)
}
