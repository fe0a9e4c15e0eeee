package counts

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// labelings are the strings of labels of a region that have its counts, as an implicit
// graph: an automaton whose state says the position, too. An arc reads 1 + the number of
// its parameter.
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
