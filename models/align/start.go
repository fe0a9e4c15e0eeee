package align

import (
	"errors"
	"fmt"
	"slices"
)

// fits returns an error if m is not a model of the words of c and their pairs, which are
// those of l.
func (m *Model) fits(c *Corpus, l *lexicon) error {
	for side := range m.words {
		if m.words[side] != c.words[side] && !slices.Equal(m.words[side].words, c.words[side].words) {
			return fmt.Errorf("a model of other words of the %s", sideNames[side])
		}
	}
	return m.lexicon.fits(l)
}

func (l *lexicon) fits(m *lexicon) error {
	if !slices.Equal(l.row, m.row) || !slices.Equal(l.col, m.col) {
		return errors.New("a model of other sentences")
	}
	return nil
}

// goOnFrom makes the parameters of m those of start, which must be of the same kind in
// everything but the stage.
func (m *Model) goOnFrom(start *Model) error {
	for d := range m.words {
		if !slices.Equal(m.words[d].words, start.words[d].words) {
			return fmt.Errorf("a model of other words of the %s", sideNames[d])
		}
		if j, s := m.jumps[d], start.jumps[d]; j.reach != s.reach || j.classes != s.classes {
			return fmt.Errorf("a model with reach %d and %d classes, want %d and %d", s.reach, s.classes, j.reach, j.classes)
		}
	}
	l, s := m.lexicon, start.lexicon
	if err := l.fits(s); err != nil {
		return err
	}
	copy(l.t, s.t)
	m.kind, m.classes = start.kind, start.classes
	for d := range m.words {
		copy(l.null[d], s.null[d])
		copy(m.jumps[d].p, start.jumps[d].p)
		if start.where[d] != nil {
			w := *start.where[d]
			w.p = slices.Clone(w.p)
			m.where[d] = &w
		}
	}
	return nil
}
