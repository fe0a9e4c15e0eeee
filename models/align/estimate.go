package align

import (
	"fmt"

	"example.org/pathsum/em"
)

// estimate is the M step of the lexicon. Probabilities less than floor become floor.
func (l *lexicon) estimate(c *counts, p *prior, floor float64) error {
	p.add(l, c.link)
	m := mstep{law: p.law, floor: floor, l: l, links: c.link}
	for e := range int32(len(l.row) - 1) {
		m.slots = m.slots[:0]
		for slot := l.row[e]; slot < l.row[e+1]; slot++ {
			m.slots = append(m.slots, slot)
		}
		if err := m.row(ef, m.slots); err != nil {
			return fmt.Errorf("align: translations of source word %d: %w", e, err)
		}
	}
	for f := range int32(len(l.null[ef])) {
		if err := m.row(fe, l.column.of(f)); err != nil {
			return fmt.Errorf("align: translations of target word %d: %w", f, err)
		}
	}
	for d, p := range l.null {
		ratio(p, c.null[d])
		for w := range p {
			p[w] = max(p[w], floor)
		}
	}
	return nil
}

// mstep is the M step of one word after the other.
type mstep struct {
	law           em.Law
	floor         float64
	l             *lexicon
	links         []pair
	slots         []int32
	theta, counts []float64
	values        []weight
}

// row estimates the translations of a word in direction d, those in the given slots.
func (m *mstep) row(d int, slots []int32) error {
	m.theta, m.counts = resized(m.theta, len(slots)), resized(m.counts, len(slots))
	for n, slot := range slots {
		m.theta[n], m.counts[n] = m.l.t[slot][d], m.links[slot][d]
	}
	if err := m.law.Maximize(m.theta, m.counts); err != nil {
		return err
	}
	v, ok := m.law.(em.Valuer)
	if !ok {
		for n, slot := range slots {
			m.l.t[slot][d] = max(m.theta[n], m.floor)
		}
		return nil
	}
	m.values = resized(m.values, len(slots))
	v.Values(m.values, m.theta)
	for n, slot := range slots {
		m.l.t[slot][d] = max(m.values[n].Float64(), m.floor)
	}
	return nil
}
