package crf

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Model labels sequences. It is frozen and safe for concurrent use, and takes 12 bytes
// for each weight that is not 0, apart from names.
type Model struct {
	kind        Kind
	labels      *names
	attributes  *names
	pairs       pairs
	weight      []float64 // of pairs
	transitions []float64 // by rows; none for a Node

	sum, best []*graph.Block[semiring.ScaledFloat] // of transitions, in Scaled and in Viterbi
}

// Fit trains a model of the given kind on data by em.Fit, by L-BFGS unless opts says
// otherwise, and returns it with the result. The priors say how far weights go: a
// Laplace prior leaves many at 0. Errors are those of NewLikelihood and of em.Fit; a
// canceled run returns what it has reached as well.
func Fit(ctx context.Context, kind Kind, data *Data, priors em.LogLinearOptions, opts *em.Options) (*Model, *em.Result, error) {
	nonnil.Check("crf: Fit", "context", ctx, "data", data)
	l, err := NewLikelihood(kind, data, priors)
	if err != nil {
		return nil, nil, err
	}
	var o em.Options
	if opts != nil {
		o = *opts
	}
	if o.Method == nil {
		o.Method = em.LBFGS{}
	}
	r, fault := em.Fit(ctx, l, &o)
	if r == nil {
		return nil, nil, fault
	}
	m, err := l.Model(r.Theta)
	if err != nil {
		return nil, r, err
	}
	return m, r, fault
}

// Model returns the model with the weights theta, one per parameter, without pairs of
// weight 0 and attributes that have no other pairs. The error wraps em.ErrParameter if
// theta is not legal.
func (l *Likelihood) Model(theta []float64) (*Model, error) {
	if err := l.params.Check(theta); err != nil {
		return nil, err
	}
	m := &Model{
		kind: l.kind, labels: newNames(l.data.labels.list), attributes: newNames(nil),
		pairs: pairs{row: []int32{0}}, transitions: slices.Clone(theta[len(l.pairs.label):]),
	}
	for a := range l.pairs.row[1:] {
		for i := l.pairs.row[a]; i < l.pairs.row[a+1]; i++ {
			if theta[i] != 0 {
				m.weight = append(m.weight, theta[i])
				m.pairs.label = append(m.pairs.label, l.pairs.label[i])
			}
		}
		if n := int32(len(m.weight)); n > m.pairs.row[m.attributes.len()] {
			m.attributes.add(l.data.attributes.names.list[a])
			m.pairs.row = append(m.pairs.row, n)
		}
	}
	return m, m.complete()
}

// complete makes the blocks.
func (m *Model) complete() (err error) {
	if !m.kind.hasTransitions() {
		return nil
	}
	if m.sum, err = newBlocks(semiring.Scaled{}, m.transitions, m.labels.len(), 1); err != nil {
		return err
	}
	m.best, err = newBlocks(semiring.Viterbi{}, m.transitions, m.labels.len(), 1)
	return err
}

// Kind returns the kind of the model.
func (m *Model) Kind() Kind { return m.kind }

// Labels returns the names of the labels. Not to be modified.
func (m *Model) Labels() []string { return m.labels.list }

// NumAttributes returns the number of attributes that have a weight.
func (m *Model) NumAttributes() int { return m.attributes.len() }

// NumWeights returns the number of weights kept, those of transitions included.
func (m *Model) NumWeights() int { return len(m.weight) + len(m.transitions) }

// Weight returns the weight of an attribute for a label, 0 if there is none.
func (m *Model) Weight(attribute, label string) float64 {
	a, known := m.attributes.number[attribute]
	y, ok := m.labels.number[label]
	if !known || !ok {
		return 0
	}
	lo, hi := m.pairs.row[a], m.pairs.row[a+1]
	if i := slices.Index(m.pairs.label[lo:hi], y); i >= 0 {
		return m.weight[int(lo)+i]
	}
	return 0
}

// Transition returns the weight of a label after another, 0 if there is none.
func (m *Model) Transition(from, to string) float64 {
	i, known := m.labels.number[from]
	j, ok := m.labels.number[to]
	if !known || !ok || !m.kind.hasTransitions() {
		return 0
	}
	return m.transitions[int(i)*m.labels.len()+int(j)]
}
