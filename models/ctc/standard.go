package ctc

import (
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// standard is the machine of Standard. In state v the last column was v; in state symbols it was
// the blank, or no frame has been read. It is safe for concurrent use.
type standard struct{ symbols, blank int }

var _ fst.Finder[semiring.ScaledFloat] = standard{}

// Semiring returns the ring of sums of probabilities.
func (standard) Semiring() semiring.Semiring[semiring.ScaledFloat] { return semiring.Scaled{} }

// AppendStarts appends the state in which no frame has been read.
func (m standard) AppendStarts(dst []fst.Start[semiring.ScaledFloat]) []fst.Start[semiring.ScaledFloat] {
	return append(dst, fst.Start[semiring.ScaledFloat]{State: int32(m.symbols), Weight: semiring.NewScaled(1)})
}

// Final returns 1: a text may end in every state.
func (standard) Final(int32) semiring.ScaledFloat { return semiring.NewScaled(1) }

// arc returns the arc that leaves state s and reads column v.
func (m standard) arc(s int32, v int) fst.Arc[semiring.ScaledFloat] {
	a := fst.Arc[semiring.ScaledFloat]{In: int32(v + 1), Out: int32(v + 1), To: int32(v), Weight: semiring.NewScaled(1)}
	switch v {
	case m.blank:
		a.Out, a.To = fst.Epsilon, int32(m.symbols)
	case int(s):
		a.Out = fst.Epsilon
	}
	return a
}

// AppendArcs appends an arc for each column, in order.
func (m standard) AppendArcs(dst []fst.Arc[semiring.ScaledFloat], s int32) []fst.Arc[semiring.ScaledFloat] {
	for v := range m.symbols {
		dst = append(dst, m.arc(s, v))
	}
	return dst
}

// AppendMatching appends the arcs that have the label on the tape. There is at most one, except
// for ε on the output tape, which the blank and the column of s itself have.
func (m standard) AppendMatching(dst []fst.Arc[semiring.ScaledFloat], s int32, tape fst.Tape, label int32) []fst.Arc[semiring.ScaledFloat] {
	v := int(label) - 1
	switch {
	case v >= m.symbols:
	case v >= 0:
		if a := m.arc(s, v); tape == fst.Input || a.Out == label {
			dst = append(dst, a)
		}
	case tape == fst.Output:
		lo, hi := min(m.blank, int(s)), max(m.blank, int(s))
		if lo >= 0 {
			dst = append(dst, m.arc(s, lo))
		}
		if hi >= 0 && hi < m.symbols && hi != lo {
			dst = append(dst, m.arc(s, hi))
		}
	}
	return dst
}
