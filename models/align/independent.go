package align

import (
	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/trellis"
)

// equal is the law of Model 1, which has no parameters: all positions are equally probable.
type equal struct{ em.Fixed }

func (equal) size() int { return 0 }

func (equal) at(_ []float64, null nullRate) positions { return &independent{null: null} }

func (equal) onto(*shapes, []float64) []float64 { return nil }

// places is the distribution, of Model 2 in one direction, over the positions that a word
// does not come from NULL, given its own position and the lengths of both sides.
type places interface {
	// row sets p to the distribution for position j of seen ones.
	row(p []float64, j, seen int)
	// count adds weight times the posteriors of a sentence to the counts.
	count(counts []float64, v *view, weight float64)
}

// independent is a model in which the positions that words come from do not depend on
// each other: IBM Models 1 and 2 (Brown et al. 1993). Its trellis has a layer per word
// seen, of NULL and the hidden words, and all paths go through a single node between two
// layers.
type independent struct {
	null   nullRate
	places places // nil: all positions are equally probable
	counts int    // of places
}

func (m *independent) size() int { return m.counts }

func (m *independent) layout(hidden, seen int) layout {
	return layout{first: 1, stride: hidden + 1, nodes: seen * (hidden + 1)}
}

func (m *independent) visit(v *view, s *scratch) (weight, int, error) {
	null := m.null.of(v.hidden)
	own := (1 - null) / float64(v.hidden)
	s.row = resized(s.row, v.hidden)
	v.node, v.emit = v.emit, v.node // weights become posteriors
	for j, p := range v.null {
		v.node[j*v.stride] = null * p
		links := v.links(v.node, j)
		if m.places == nil {
			for i := range links {
				links[i] *= own
			}
			continue
		}
		m.places.row(s.row, j, v.seen)
		for i, p := range s.row {
			links[i] *= (1 - null) * p
		}
	}
	total, err := trellis.Independent(v.node, v.stride)
	if err != nil {
		return total, 0, nested.Errorf("align: %w", err)
	}
	for j := range v.fromNull {
		v.fromNull[j] = v.node[j*v.stride]
	}
	return total, v.nodes, nil
}

func (m *independent) count(counts []float64, v *view, _ *scratch, weight float64) {
	if m.places != nil {
		m.places.count(counts, v, weight)
	}
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
