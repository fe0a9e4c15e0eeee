package edit

import (
	"fmt"
	"io"

	"example.org/pathsum/em"
)

// Model is a stochastic edit transducer, the only machine of its cascade, and its
// parameters. What the machine reads are the labels of Labels. Fit, of em.Model, trains it.
type Model struct {
	em.Model
	contexts *contexts // nil: labels are symbols
}

// Labels returns what the machine reads in place of the string x: x itself, or in a
// contextual model the contexts of its symbols. It is false if x has a symbol that a
// contextual model does not know.
func (m *Model) Labels(x []int32) ([]int32, bool) {
	if m.contexts == nil {
		return x, true
	}
	return m.contexts.labels(x)
}

// Load reads a model that Save wrote. The error wraps em.ErrFormat for a text that is no
// such model.
func Load(r io.Reader) (*Model, error) {
	m, err := em.Load(r)
	if err != nil {
		return nil, err
	}
	if len(m.Cascade) != 1 {
		return nil, fmt.Errorf("edit: %w: %d machines, want one", em.ErrFormat, len(m.Cascade))
	}
	loaded := &Model{Model: *m}
	if names := m.Cascade[0].InSymbols(); names != nil {
		if loaded.contexts, err = readContexts(names); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}
