package align

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// independent is a model in which the positions that words come from do not depend on
// each other: IBM Models 1 and 2 (Brown et al. 1993). Its trellis has a layer per word
// seen, of NULL and the hidden words, and between them layers of a single node, through
// which all paths go.
type independent struct {
	null  nullRate
	where *where             // nil: all positions are equally probable
	of    [][]*trellis.Block // by the number of hidden words: to the single node, and from it
}

func (m *independent) size() int {
	if m.where == nil {
		return 0
	}
	return len(m.where.p)
}

func (m *independent) prepare(hidden, seen int) error {
	for len(m.of) <= hidden {
		m.of = append(m.of, nil)
	}
	if m.of[hidden] != nil {
		return nil
	}
	ones := make([]weight, hidden+1)
	for i := range ones {
		ones[i] = semiring.NewScaled(1)
	}
	to, err := newBlock(hidden+1, 1, ones)
	if err != nil {
		return err
	}
	from, err := newBlock(1, hidden+1, m.prior(ones, hidden))
	if err != nil {
		return err
	}
	m.of[hidden] = []*trellis.Block{to, from}
	return nil
}

// prior sets w to the probabilities of NULL and of each hidden word, which are 1 if the
// word's position has a say.
func (m *independent) prior(w []weight, hidden int) []weight {
	null := m.null.of(hidden)
	own := 1 - null
	if m.where == nil {
		own /= float64(hidden)
	}
	w[0] = semiring.NewScaled(null)
	for i := range w[1:] {
		w[i+1] = semiring.NewScaled(own)
	}
	return w
}

func (m *independent) layout(hidden, seen int) layout {
	return layout{first: 1, stride: hidden + 2, nodes: seen*(hidden+2) - 1}
}

func (m *independent) visit(v *view, s *scratch) (float64, error) {
	s.initial = m.prior(resized(s.initial, v.hidden+1), v.hidden)
	s.steps = resized(s.steps, 2*v.seen-2)
	for step := range s.steps {
		s.steps[step] = int32(step & 1)
	}
	for j, p := range v.null {
		at := j * v.stride
		v.emit[at] = p
		if j > 0 {
			v.emit[at-1] = 1
		}
	}
	if m.where != nil {
		s.row = resized(s.row, v.hidden)
		for j := range v.seen {
			m.where.row(s.row, j, v.seen)
			for i, t := range v.links(v.emit, j) {
				v.links(v.emit, j)[i] = t * s.row[i]
			}
		}
	}
	total, err := s.run(v, m.of[v.hidden], nil, nil)
	if err != nil {
		return 0, err
	}
	for j := range v.fromNull {
		v.fromNull[j] = v.node[j*v.stride]
	}
	return total.Log(), nil
}

func (m *independent) count(counts []float64, v *view, _ *scratch) { m.where.count(counts, v) }

// nullRate is the probability that a word comes from NULL, whatever the sentence; the
// zero rate means 1/(n+1) in a sentence of n hidden words.
type nullRate float64

func (r nullRate) of(n int) float64 {
	if r == 0 {
		return 1 / float64(n+1)
	}
	return float64(r)
}
