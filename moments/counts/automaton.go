package counts

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// automaton accepts, with weight One, the strings of labels that have the counts of an
// annotation, by states that say how many of each label are yet to come; of those that
// were not counted, how many altogether. It makes states as they are asked for and
// belongs to one goroutine. Label b of the data is label 1+b here.
type automaton[W any] struct {
	ring   semiring.Semiring[W]
	labels [][]int32 // those that are counted together
	left   []int32   // per state and element of labels: how many are to come
	number map[string]int32
	key    []byte
}

func newAutomaton[W any](ring semiring.Semiring[W], labels int, a *Annotation) *automaton[W] {
	m := &automaton[W]{ring: ring, number: map[string]int32{}}
	others := int32(a.Hi - a.Lo)
	for k, b := range a.Labels {
		if n := int32(a.Counts[k]); n > 0 {
			m.labels, m.left = append(m.labels, []int32{int32(1 + b)}), append(m.left, n)
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
		m.labels, m.left = append(m.labels, free), append(m.left, others)
	}
	m.state()
	return m
}

// state returns the number of the state whose counts are the last of left: a new one, or
// that of an earlier state, from which it then takes them away.
func (m *automaton[W]) state() int32 {
	lo := len(m.left) - len(m.labels)
	m.key = m.key[:0]
	for _, n := range m.left[lo:] {
		m.key = append(m.key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	s, ok := m.number[string(m.key)]
	if ok {
		m.left = m.left[:lo]
		return s
	}
	s = int32(len(m.number))
	m.number[string(m.key)] = s
	return s
}

func (m *automaton[W]) Semiring() semiring.Semiring[W] { return m.ring }

func (m *automaton[W]) AppendStarts(dst []fst.Start[W]) []fst.Start[W] {
	return append(dst, fst.Start[W]{State: 0, Weight: m.ring.One()})
}

func (m *automaton[W]) Final(s int32) W {
	if m.remaining(s) > 0 {
		return m.ring.Zero()
	}
	return m.ring.One()
}

// remaining returns how many labels are to come after state s.
func (m *automaton[W]) remaining(s int32) int {
	n, sum := len(m.labels), int32(0)
	for _, x := range m.left[int(s)*n:][:n] {
		sum += x
	}
	return int(sum)
}

func (m *automaton[W]) AppendArcs(dst []fst.Arc[W], s int32) []fst.Arc[W] {
	n, one := len(m.labels), m.ring.One()
	lo := int(s) * n
	for k, labels := range m.labels {
		if m.left[lo+k] == 0 {
			continue
		}
		m.left = append(m.left, m.left[lo:lo+n]...)
		m.left[len(m.left)-n+k]--
		to := m.state()
		for _, b := range labels {
			dst = append(dst, fst.Arc[W]{In: b, Out: b, To: to, Weight: one})
		}
	}
	return dst
}
