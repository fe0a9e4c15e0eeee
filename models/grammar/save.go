package grammar

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/saved"
)

// ErrFormat is wrapped by errors about a file that is not a model.
var ErrFormat = nested.ErrFormat

// saveFormat is the format of the file, which holds a savedModel.
const saveFormat saved.Format = "pathsum grammar model 2"

type savedModel struct {
	Kind      Kind
	Smoothing Smoothing
	Tags      []string
	Open      bool
	// Of a CCM: keys, and pairs of tags, in the order of their numbers.
	Yields   []string
	Contexts [][2]int32
	Theta    []float64
}

// Save writes the model in a form from which Load restores every number exactly, so that the parses
// are the same. The error wraps em.ErrParameter for an invalid Theta, or comes from w.
func (m *Model) Save(w io.Writer) error {
	if err := m.Params.Check(m.Theta); err != nil {
		return err
	}
	s := savedModel{Kind: m.kind, Smoothing: m.smoothing, Tags: m.tags.names, Open: m.tags.open, Theta: m.Theta}
	if m.kind.hasContext() {
		s.Yields, s.Contexts = inOrder(m.ccm.table.yield), inOrder(m.ccm.table.context)
	}
	if err := saveFormat.Write(w, s); err != nil {
		return nested.Errorf("grammar: save: %w", err)
	}
	return nil
}

// inOrder returns the keys of a table in the order of their numbers, from 1.
func inOrder[K comparable](number map[K]int32) []K {
	keys := make([]K, len(number))
	for k, i := range number {
		keys[i-1] = k
	}
	return keys
}

// numbered is the inverse of inOrder. It returns false if a key is duplicated.
func numbered[K comparable](keys []K) (map[K]int32, bool) {
	number := make(map[K]int32, len(keys))
	for i, k := range keys {
		number[k] = int32(i + 1)
	}
	return number, len(number) == len(keys)
}

// Load reads a model that Save has written. The error wraps ErrFormat or comes from r.
func Load(r io.Reader) (*Model, error) {
	var s savedModel
	if err := saveFormat.Read(r, &s); err != nil {
		return nil, nested.Errorf("grammar: %w: %w", ErrFormat, err)
	}
	m, err := s.model()
	if err != nil {
		return nil, nested.Errorf("grammar: %w: %w", ErrFormat, err)
	}
	return m, nil
}

// model returns the model, or an error if s is invalid.
func (s *savedModel) model() (*Model, error) {
	switch sorted := slices.Clone(s.Tags); {
	case !s.Kind.valid():
		return nil, fmt.Errorf("unknown %v", s.Kind)
	case s.Smoothing.check() != nil:
		return nil, s.Smoothing.check()
	case len(slices.Compact(sorted)) != len(s.Tags) || !slices.IsSorted(s.Tags):
		return nil, errors.New("the tags are not in order")
	}
	var spans *table
	if s.Kind.hasContext() {
		yields, ok1 := numbered(s.Yields)
		contexts, ok2 := numbered(s.Contexts)
		if !ok1 || !ok2 {
			return nil, errors.New("a yield or a context comes twice")
		}
		spans = &table{yields, contexts}
	}
	// The number of values is checked before memory for parameters is allocated.
	if n := s.parameters(); n != len(s.Theta) {
		return nil, fmt.Errorf("%d parameters, want %d", len(s.Theta), n)
	}
	tags := newSymbols(s.Tags)
	tags.open = s.Open
	m := newModel(s.Kind, s.Smoothing, tags, spans)
	m.Theta = s.Theta
	return m, m.Params.Check(m.Theta)
}

// parameters returns the number of parameters of the model.
func (s *savedModel) parameters() int {
	n, tags := 0, len(s.Tags)
	if s.Open {
		tags++
	}
	if s.Kind.hasHeads() {
		n += tags + tags*(2*tags+8)
	}
	if s.Kind.hasContext() {
		n += 2 * (len(s.Yields) + 1 + len(s.Contexts) + 1)
	}
	return n
}
