package align

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// independent is a model in which the positions that words come from do not depend on
// each other: IBM Models 1 and 2 (Brown et al. 1993). The trellis of a word then has a
// single layer, of NULL and the hidden words.
type independent struct {
	null  nullRate
	where *where // nil: all positions are equally probable
}

func (m *independent) size() int {
	if m.where == nil {
		return 0
	}
	return len(m.where.p)
}

func (m *independent) prepare(hidden, seen int) error { return nil }

func (m *independent) visit(c *cells, out *links, s *scratch, counts []float64) error {
	n := c.hidden
	width := n + 1
	s.initial, s.store, s.node = resized(s.initial, width), resized(s.store, width), resized(s.node, width)
	s.row = resized(s.row, n)
	s.nodes = append(s.nodes[:0], s.store)
	null := m.null.of(n)
	s.initial[0] = semiring.NewScaled(null)
	p := semiring.NewScaled(1)
	for j := range c.seen {
		if m.where != nil || j == 0 {
			m.where.row(s.row, j, c.seen)
			for i, x := range s.row {
				s.initial[i+1] = semiring.NewScaled((1 - null) * x)
			}
		}
		s.store[0] = semiring.NewScaled(c.null[j])
		for i, x := range c.emit[j*n : (j+1)*n] {
			s.store[i+1] = semiring.NewScaled(x)
		}
		if err := s.trellis.Reset(s.initial, nil, nil, s.nodes, nil); err != nil {
			return fmt.Errorf("align: %w", err)
		}
		clear(s.node)
		total, err := s.trellis.Counts(1, s.node, nil, &s.graph)
		if err != nil {
			return fmt.Errorf("align: %w", err)
		}
		p = p.Mul(total)
		out.null[j] = s.node[0]
		copy(out.emit[j*n:(j+1)*n], s.node[1:])
	}
	out.logP = p.Log()
	if p.IsZero() { // nothing can be said of the other words either
		clear(out.emit)
		clear(out.null)
	}
	if counts != nil {
		m.where.count(counts, out.emit, n, c.seen)
	}
	return nil
}

// nullRate is the probability that a word comes from NULL, whatever the sentence; the
// zero rate means 1/(n+1) in a sentence of n hidden words.
type nullRate float64

func (r nullRate) of(n int) float64 {
	if r == 0 {
		return 1 / float64(n+1)
	}
	return float64(r)
}
