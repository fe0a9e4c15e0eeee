package align

import (
	"errors"
	"fmt"
	"slices"
)

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
	if !slices.Equal(l.row, s.row) || !slices.Equal(l.col, s.col) {
		return errors.New("a model of other sentences")
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
