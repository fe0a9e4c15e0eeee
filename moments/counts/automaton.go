package counts

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Automaton returns the automaton that accepts, with weight One, the strings of length labels in
// which the region [a.Lo, a.Hi) has the counts of a. Label b of the data is label 1+b of the
// machine; positions outside the region may have any label. Every string has one path. For a region
// without surroundings, set a.Lo to 0 and length to a.Hi.
//
// States are made on demand, by one goroutine. There are at most ∏ (count + 1) states in the
// region, over the counted labels and all others together, and one state for each position outside.
// The error wraps moments.ErrInvalid for an annotation that is invalid for New; a.Sequence is
// ignored. Automaton panics if the ring is nil.
func Automaton[W any](ring semiring.Semiring[W], labels, length int, a Annotation) (fst.Machine[W], error) {
	nonnil.Check("counts: Automaton", "ring", ring)
	if labels <= 0 || a.Lo < 0 || a.Lo >= a.Hi || a.Hi > length {
		return nil, nested.Errorf("counts: %w: %d labels, and a region [%d, %d) of a sequence of length %d", moments.ErrInvalid, labels, a.Lo, a.Hi, length)
	}
	if err := a.check(labels); err != nil {
		return nil, nested.Errorf("counts: %w: %v", moments.ErrInvalid, err)
	}
	m := &surrounded[W]{size: labels, before: int32(a.Lo), after: int32(length - a.Hi)}
	m.ring = ring
	m.reset(labels, &a)
	return m, nil
}

// surrounded is an automaton with positions of any labels before and after the region. Its states
// are, in this order: the positions before the region, the positions after it, and the states of
// the automaton.
type surrounded[W any] struct {
	automaton[W]
	size          int   // the number of labels
	before, after int32 // the number of positions
}

// inside returns the first state of the region.
func (m *surrounded[W]) inside() int32 { return m.before + m.after }

func (m *surrounded[W]) AppendStarts(dst []fst.Start[W]) []fst.Start[W] {
	s := fst.Start[W]{State: 0, Weight: m.ring.One()}
	if m.before == 0 {
		s.State = m.inside()
	}
	return append(dst, s)
}

func (m *surrounded[W]) Final(s int32) W {
	switch end := m.inside(); {
	case m.after == 0 && s >= end:
		return m.automaton.Final(s - end)
	case m.after > 0 && s == end-1:
		return m.ring.One()
	}
	return m.ring.Zero()
}

func (m *surrounded[W]) AppendArcs(dst []fst.Arc[W], s int32) []fst.Arc[W] {
	end := m.inside()
	switch {
	case s >= end && m.states.sum(s-end) > 0:
		first := len(dst)
		dst = m.automaton.AppendArcs(dst, s-end)
		for i := range dst[first:] {
			dst[first+i].To += end
		}
		return dst
	case s >= end && m.after > 0:
		return m.any(dst, m.before)
	case s < m.before-1, s >= m.before && s < end-1:
		return m.any(dst, s+1)
	case s == m.before-1:
		return m.any(dst, end)
	}
	return dst
}

// any appends, for each label, an arc to state to.
func (m *surrounded[W]) any(dst []fst.Arc[W], to int32) []fst.Arc[W] {
	for b := range int32(m.size) {
		dst = append(dst, fst.Arc[W]{In: 1 + b, Out: 1 + b, To: to, Weight: m.ring.One()})
	}
	return dst
}

// automaton accepts, with weight One, the strings of labels that have the counts of an annotation.
// A state contains the remaining number of each counted label, and of all other labels together.
// States are made on demand; an automaton must not be used concurrently. Label b of the data is
// label 1+b here.
type automaton[W any] struct {
	ring   semiring.Semiring[W]
	labels [][]int32 // sets of labels with a common count
	states vectors   // per element of labels: the remaining count
}

func newAutomaton[W any](ring semiring.Semiring[W], labels int, a *Annotation) *automaton[W] {
	m := &automaton[W]{ring: ring}
	m.reset(labels, a)
	return m
}

// reset makes m the automaton of a.
func (m *automaton[W]) reset(labels int, a *Annotation) {
	var count []int32
	m.labels = m.labels[:0]
	others := int32(a.Hi - a.Lo)
	for k, b := range a.Labels {
		if n := int32(a.Counts[k]); n > 0 {
			m.labels, count = append(m.labels, []int32{int32(1 + b)}), append(count, n)
			others -= n
		}
	}
	if others > 0 {
		var free []int32
		for b := range labels {
			if !slices.Contains(a.Labels, b) {
				free = append(free, int32(1+b))
			}
		}
		m.labels, count = append(m.labels, free), append(count, others)
	}
	m.states.reset(count)
}

func (m *automaton[W]) Semiring() semiring.Semiring[W] { return m.ring }

func (m *automaton[W]) AppendStarts(dst []fst.Start[W]) []fst.Start[W] {
	return append(dst, fst.Start[W]{State: 0, Weight: m.ring.One()})
}

func (m *automaton[W]) Final(s int32) W {
	if m.states.sum(s) > 0 {
		return m.ring.Zero()
	}
	return m.ring.One()
}

func (m *automaton[W]) AppendArcs(dst []fst.Arc[W], s int32) []fst.Arc[W] {
	one, left := m.ring.One(), m.states.sum(s)
	for k, labels := range m.labels {
		if m.states.at(s)[k] == 0 {
			continue
		}
		to := m.states.less(s, left, k)
		for _, b := range labels {
			dst = append(dst, fst.Arc[W]{In: b, Out: b, To: to, Weight: one})
		}
	}
	return dst
}

// labelings are the strings of labels of a region that have its counts, as an implicit graph: an
// automaton whose state also determines the position. An arc reads 1 + the index of its parameter.
type labelings struct {
	automaton[semiring.ScaledFloat]
	symbols []int
	size    int                    // the number of labels
	weight  []semiring.ScaledFloat // per parameter
}

// set makes m the labelings of the region of a.
func (m *labelings) set(ring semiring.Semiring[semiring.ScaledFloat], d *Data, a *Annotation, weight []semiring.ScaledFloat) {
	m.ring, m.symbols, m.size, m.weight = ring, d.region(a), d.labels, weight
	m.reset(d.labels, a)
}

func (m *labelings) AppendArcs(dst []graph.Arc[semiring.ScaledFloat], s int32) []graph.Arc[semiring.ScaledFloat] {
	first := len(dst)
	dst = m.automaton.AppendArcs(dst, s)
	if len(dst) == first {
		return dst
	}
	symbol := m.symbols[len(m.symbols)-m.states.sum(s)]
	for i := range dst[first:] {
		arc := &dst[first+i]
		arc.In = int32(symbol*m.size) + arc.Out
		arc.Weight = m.weight[arc.In-1]
	}
	return dst
}
