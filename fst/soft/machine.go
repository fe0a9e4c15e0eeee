package soft

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// Machine returns the soft string e as an acceptor, for operations that require a machine, such as
// fst.Compose(soft.Machine(ring, e), m). State t is the state after t frames. For every symbol v
// whose weight in frame t is not 0, an arc with label v+1 leads from state t to state t+1. The ring
// may be any that semiring.FromScaled supports. Weights are computed on demand; an arc is found by
// its label without making the others.
//
// Err wraps semiring.ErrCapability if the ring has no weights for numbers.
func Machine[W any](ring semiring.Semiring[W], e *frames.Emissions) fst.Machine[W] {
	nonnil.Check("soft: Machine", "ring", ring, "emissions", e)
	of, err := semiring.FromScaled(ring)
	if err != nil {
		return fst.Failed(ring, nested.Errorf("soft: Machine: %w", err))
	}
	return &soft[W]{ring, e, of}
}

// soft is a soft string as a machine.
type soft[W any] struct {
	ring semiring.Semiring[W]
	e    *frames.Emissions
	of   func(semiring.ScaledFloat) W
}

func (m *soft[W]) Semiring() semiring.Semiring[W] { return m.ring }

func (m *soft[W]) AppendStarts(dst []fst.Start[W]) []fst.Start[W] {
	return append(dst, fst.Start[W]{State: 0, Weight: m.ring.One()})
}

func (m *soft[W]) Final(s int32) W {
	if int(s) == m.e.Frames() {
		return m.ring.One()
	}
	return m.ring.Zero()
}

func (m *soft[W]) AppendArcs(dst []fst.Arc[W], s int32) []fst.Arc[W] {
	if int(s) < m.e.Frames() {
		for v := range int32(m.e.Symbols()) {
			dst = m.appendArc(dst, s, v)
		}
	}
	return dst
}

// AppendMatching appends the arc of a label, as fst.Finder describes.
func (m *soft[W]) AppendMatching(dst []fst.Arc[W], s int32, _ fst.Tape, label int32) []fst.Arc[W] {
	if int(s) < m.e.Frames() && label > 0 && int(label) <= m.e.Symbols() {
		dst = m.appendArc(dst, s, label-1)
	}
	return dst
}

// appendArc appends the arc from state s that reads symbol v, unless its weight is 0.
func (m *soft[W]) appendArc(dst []fst.Arc[W], s, v int32) []fst.Arc[W] {
	w := m.of(m.e.Weight(int(s), int(v)))
	if m.ring.IsZero(w) {
		return dst
	}
	return append(dst, fst.Arc[W]{In: v + 1, Out: v + 1, To: s + 1, Weight: w})
}
