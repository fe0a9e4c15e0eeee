package fst

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Matching assigns a meaning to special labels of one tape; 0 means that the label is not used.
// An arc with a special label stands for an arc for each label that it matches. If its label on
// the other tape is the same, the matched label replaces it there as well. So special labels
// must not be ordinary labels of the other tape; if both tapes have names, special labels must
// have the same names on both. ε is not matched.
type Matching struct {
	Tape Tape
	// Any matches every label of the alphabet (σ in OpenFst).
	Any int32
	// Rest matches every label of the alphabet for which the state has no arc of its own (ρ).
	Rest int32
	// Other matches every label of Alphabet that is unknown to the machine: this tape has no
	// arc with the label, and no name for it if it has a symbol table. It is the
	// any-other-symbol of foma and HFST. For Rest and Failure, the arcs of Other count as the
	// state's own.
	Other int32
	// Failure is followed for every label for which the state has none of the arcs above,
	// without consuming the label (φ): the label is then looked up in the target state of the
	// failure arc. A state that is not final gets its final weight in the same way. A state has
	// at most one failure arc, failure arcs form no cycle, and their other label is ε or the
	// same label.
	Failure int32
	// Alphabet holds labels to match in addition to all labels of this tape of the machine.
	Alphabet []int32
}

// matched is the result of Match.
type matched[W any] struct {
	names
	lazy[W]
	Matching
	f        *FST[W]
	arcs     *tape[W]      // sorted by the labels to match
	alphabet []int32       // ascending
	unknown  []int32       // the labels that Other matches, ascending
	failure  []fallback[W] // per state; nil if Failure is not used

	buf []Arc[W]
}

// fallback is a failure arc, which is followed if no other arc matches.
type fallback[W any] struct {
	to     int32 // −1 if there is no failure arc
	weight W
}

// Match returns m with the special labels of a Matching interpreted, created on demand.
// Composed with a string, it uses a few arcs of a back-off model, or of a rule with an
// “otherwise”; written out, such a machine would have an arc per letter at every state. States
// keep their numbers.
//
// If m is not frozen, it is expanded first, within DefaultLimit. Err wraps ErrInvalid if
// special labels are negative or not distinct, or if one is in the alphabet. It also wraps
// ErrInvalid if the other tape has a special label next to another label or has a different
// name for it, and if failure arcs violate their conditions; then it names the state.
// O(states + arcs + alphabet).
func Match[W any](m Machine[W], by Matching) Machine[W] {
	nonnil.Check("fst: Match", "machine", m)
	return lazilyOf("Match", m, nil, m.Semiring(), func(f *FST[W]) (Machine[W], error) {
		x, err := newMatched(f, by)
		if err != nil {
			return nil, err
		}
		return x, nil
	})
}

func newMatched[W any](f *FST[W], by Matching) (*matched[W], error) {
	m := &matched[W]{names: names{"Match", f.inSymbols, f.outSymbols}, Matching: by, f: f, arcs: byLabel(f, by.Tape)}
	if err := m.setAlphabet(); err != nil {
		return nil, err
	}
	if err := m.checkOther(); err != nil {
		return nil, err
	}
	if by.Failure != 0 {
		if err := m.setFailures(); err != nil {
			return nil, err
		}
	}
	labels := f.labels
	labels.measure()
	top := int64(0)
	if n := len(m.alphabet); n > 0 {
		top = int64(m.alphabet[n-1]) + 1
	}
	m.source = m
	m.reset(max(top, labels.tapes[Input].bound), max(top, labels.tapes[Output].bound))
	return m, nil
}

// matching marks a machine that may have an arc for each label of the alphabet.
func (m *matched[W]) matching() {}

func (m *matched[W]) special(label int32) bool {
	return label != 0 && (label == m.Any || label == m.Rest || label == m.Other || label == m.Failure)
}

// key returns the label on the matched tape, other the label on the other tape.
func (m *matched[W]) key(a *Arc[W]) *int32 {
	if m.Tape == Output {
		return &a.Out
	}
	return &a.In
}

func (m *matched[W]) other(a *Arc[W]) *int32 {
	if m.Tape == Output {
		return &a.In
	}
	return &a.Out
}

func (m *matched[W]) setAlphabet() error {
	seen := []int32{}
	for _, l := range []int32{m.Any, m.Rest, m.Other, m.Failure} {
		if l < 0 || slices.Contains(seen, l) {
			return fmt.Errorf("%w: special labels %d, %d, %d and %d are not positive and distinct", ErrInvalid, m.Any, m.Rest, m.Other, m.Failure)
		}
		if l != 0 {
			seen = append(seen, l)
		}
	}
	for _, l := range m.Alphabet {
		if l <= Epsilon || m.special(l) {
			return fmt.Errorf("%w: label %d in the alphabet is special or not positive", ErrInvalid, l)
		}
	}
	var own []int32
	for i := range m.arcs.arcs {
		if l := *m.key(&m.arcs.arcs[i]); l != Epsilon && !m.special(l) {
			own = append(own, l)
		}
	}
	slices.Sort(own)
	own = slices.Compact(own)
	if m.Other != 0 {
		m.setUnknown(own)
	}
	m.alphabet = slices.Concat(own, m.Alphabet)
	slices.Sort(m.alphabet)
	m.alphabet = slices.Compact(m.alphabet)
	return nil
}

// setUnknown sets unknown to the labels of Alphabet that have neither a name nor an arc. own
// holds the labels with an arc.
func (m *matched[W]) setUnknown(own []int32) {
	table := m.inSymbols
	if m.Tape == Output {
		table = m.outSymbols
	}
	for _, l := range m.Alphabet {
		named := false
		if table != nil {
			_, named = table.Name(l)
		}
		if _, has := slices.BinarySearch(own, l); !has && !named {
			m.unknown = append(m.unknown, l)
		}
	}
	slices.Sort(m.unknown)
}

// checkOther returns an error if a special label is evidently an ordinary label of the other
// tape.
func (m *matched[W]) checkOther() error {
	for s := range int32(m.f.NumStates()) {
		for _, a := range m.f.AppendArcs(m.buf[:0], s) {
			key, other := *m.key(&a), *m.other(&a)
			if !m.special(other) {
				continue
			}
			if key != other {
				return fmt.Errorf("%w: at state %d an arc has the special label %d and label %d on the other tape, which must not have an ordinary label there", ErrInvalid, s, other, key)
			}
			if m.inSymbols != nil && m.outSymbols != nil {
				in, _ := m.inSymbols.Name(other)
				if out, _ := m.outSymbols.Name(other); in != out {
					return fmt.Errorf("%w: at state %d the special label %d is %q on the input tape and %q on the output tape", ErrInvalid, s, other, in, out)
				}
			}
		}
	}
	return nil
}

func (m *matched[W]) setFailures() error {
	m.failure = make([]fallback[W], m.f.NumStates())
	for s := range m.failure {
		m.failure[s].to = -1
		arcs := arcsAt(m.arcs, int32(s), m.Failure, anyLabel)
		if len(arcs) > 1 {
			return fmt.Errorf("%w: state %d has %d arcs with the failure label %d, want at most one", ErrInvalid, s, len(arcs), m.Failure)
		}
		for _, a := range arcs {
			if other := *m.other(&a); other != Epsilon && other != m.Failure {
				return fmt.Errorf("%w: at state %d an arc has the failure label %d and label %d on the other tape, want ε", ErrInvalid, s, m.Failure, other)
			}
			m.failure[s] = fallback[W]{a.To, a.Weight}
		}
	}
	return m.checkFailures()
}

// checkFailures returns an error if failures form a cycle.
func (m *matched[W]) checkFailures() error {
	done := make([]int32, len(m.failure)) // per state, 1 + the start of the walk that visited it
	for first := range m.failure {
		walk := int32(first) + 1
		for s := int32(first); s >= 0 && done[s] == 0; s = m.failure[s].to {
			done[s] = walk
			if to := m.failure[s].to; to >= 0 && done[to] == walk {
				return fmt.Errorf("%w: failures form a cycle through state %d", ErrInvalid, to)
			}
		}
	}
	return nil
}

// Semiring returns the ring of the weights.
func (m *matched[W]) Semiring() semiring.Semiring[W] { return m.f.ring }

// AppendStarts appends the initial states to dst.
func (m *matched[W]) AppendStarts(dst []Start[W]) []Start[W] { return m.f.AppendStarts(dst) }

// Final returns the final weight of state s. If s has none, it is found by following failure
// arcs.
func (m *matched[W]) Final(s int32) W {
	ring := m.f.ring
	w := m.f.final[s]
	if m.failure == nil || !ring.IsZero(w) {
		return w
	}
	before := ring.One()
	for ring.IsZero(m.f.final[s]) && m.failure[s].to >= 0 {
		before = ring.Times(before, m.failure[s].weight)
		s = m.failure[s].to
	}
	return ring.Times(before, m.f.final[s])
}

// AppendArcs appends the arcs that leave state s to dst: the ε-arcs, and then for every label
// of the alphabet the arcs that match it.
func (m *matched[W]) AppendArcs(dst []Arc[W], s int32) []Arc[W] {
	xs := m.all(s)
	if m.full {
		panic("fst: a machine with special labels outgrew 2³¹−1 arcs")
	}
	return append(dst, xs...)
}

// estimate returns the size of the alphabet if s has a special label, otherwise the number of
// its arcs.
func (m *matched[W]) estimate(s int32) int {
	for _, l := range []int32{m.Any, m.Rest, m.Other, m.Failure} {
		if l != 0 && len(arcsAt(m.arcs, s, l, anyLabel)) > 0 {
			return len(m.alphabet)
		}
	}
	row := m.f.labels.row
	return int(row[s+1] - row[s])
}

func (m *matched[W]) traits() traits {
	t := traits{unit: m.f.unit, states: int64(len(m.f.final)), tapes: m.f.labels.tapes}
	for i := range t.tapes {
		t.tapes[i].bound = m.answers[i].bound
	}
	return t
}

func (m *matched[W]) generate(dst []Arc[W], s int32, on Tape, label int32) []Arc[W] {
	if on == m.Tape && label != anyLabel {
		if _, member := slices.BinarySearch(m.alphabet, label); !member && label != Epsilon {
			return dst
		}
		return m.match(dst, s, label, anyLabel)
	}
	dst = m.match(dst, s, Epsilon, label) // label of the other tape, or anyLabel
	for _, key := range m.alphabet {
		dst = m.match(dst, s, key, label)
	}
	return dst
}

// match appends the arcs of state s for a label of the alphabet, or for ε.
func (m *matched[W]) match(dst []Arc[W], s, label, other int32) []Arc[W] {
	ring := m.f.ring
	m.buf = m.buf[:0]
	for before := ring.One(); ; {
		m.find(s, label)
		if len(m.buf) > 0 || label == Epsilon || m.failure == nil || m.failure[s].to < 0 {
			return m.appendFound(dst, before, other)
		}
		before = ring.Times(before, m.failure[s].weight)
		s = m.failure[s].to
	}
}

// find sets buf to the arcs of state s itself that match label, with label in place of special
// labels.
func (m *matched[W]) find(s, label int32) {
	m.buf = append(m.buf, arcsAt(m.arcs, s, label, anyLabel)...)
	if label == Epsilon {
		return
	}
	by := [3]int32{m.Any, m.Rest, m.Other}
	if _, other := slices.BinarySearch(m.unknown, label); !other {
		by[2] = 0
	}
	if len(m.buf) > 0 || by[2] != 0 && len(arcsAt(m.arcs, s, m.Other, anyLabel)) > 0 {
		by[1] = 0
	}
	for _, special := range by {
		if special == 0 {
			continue
		}
		for _, a := range arcsAt(m.arcs, s, special, anyLabel) {
			*m.key(&a) = label
			if other := m.other(&a); *other == special {
				*other = label
			}
			m.buf = append(m.buf, a)
		}
	}
}

// appendFound appends the arcs in buf whose other label is other, or all arcs if other is
// anyLabel.
func (m *matched[W]) appendFound(dst []Arc[W], before W, other int32) []Arc[W] {
	if !m.fits(dst, len(m.buf)) {
		return dst
	}
	for i := range m.buf {
		a := &m.buf[i]
		if other != anyLabel && *m.other(a) != other {
			continue
		}
		a.Weight = m.f.ring.Times(before, a.Weight)
		dst = append(dst, *a)
	}
	return dst
}
