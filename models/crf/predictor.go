package crf

import (
	"slices"

	"example.org/pathsum/semiring/trellis"
)

// Predictor is a Model at fixed weights: it labels sequences. It is safe for concurrent
// use, and takes 12 bytes for each weight that is not 0, apart from names.
//
// A sequence is its number of positions, which may be 0, or its labels, and its Features.
// Attributes that the model does not know are left out. Errors wrap ErrInvalid for a
// value that is not finite, and semiring.ErrNotFinite for weights beyond all logarithms.
type Predictor struct {
	kind        Kind
	labels      *names
	attributes  *names
	pairs       pairs
	weight      []float64 // of pairs
	transitions []float64 // by rows; none for a Node

	blocks []*trellis.Block // that of transitions, if there are any
}

// Best returns the most probable labels of the n positions (Viterbi 1967). Of equally good
// ones it takes those that were seen first.
func (p *Predictor) Best(n int, f Features) ([]string, error) {
	l, err := p.lattice(n, f)
	if err != nil {
		return nil, err
	}
	return l.best()
}

// Posteriors returns, for each of the n positions, the probability of each label, in the
// order of Labels.
func (p *Predictor) Posteriors(n int, f Features) ([][]float64, error) {
	l, err := p.lattice(n, f)
	if err != nil {
		return nil, err
	}
	return l.posteriors()
}

// LogProb returns ln P(labels | attributes), in nats. It is −Inf if a label is not one of
// the model's.
func (p *Predictor) LogProb(labels []string, f Features) (float64, error) {
	l, err := p.lattice(len(labels), f)
	if err != nil {
		return 0, err
	}
	return l.logProb(labels)
}

// complete makes the block.
func (p *Predictor) complete() (err error) {
	if !p.kind.hasTransitions() {
		return nil
	}
	p.blocks, err = newBlocks(p.transitions, p.labels.len(), 1)
	return err
}

// Kind returns the kind of the model.
func (p *Predictor) Kind() Kind { return p.kind }

// Labels returns the names of the labels. Not to be modified.
func (p *Predictor) Labels() []string { return p.labels.list }

// NumAttributes returns the number of attributes that have a weight.
func (p *Predictor) NumAttributes() int { return p.attributes.len() }

// NumWeights returns the number of weights kept, those of transitions included.
func (p *Predictor) NumWeights() int { return len(p.weight) + len(p.transitions) }

// Weight returns the weight of an attribute for a label, 0 if there is none.
func (p *Predictor) Weight(attribute, label string) float64 {
	a, known := p.attributes.number[attribute]
	y, ok := p.labels.number[label]
	if !known || !ok {
		return 0
	}
	lo, hi := p.pairs.row[a], p.pairs.row[a+1]
	if i := slices.Index(p.pairs.label[lo:hi], y); i >= 0 {
		return p.weight[int(lo)+i]
	}
	return 0
}

// Transition returns the weight of a label after another, 0 if there is none.
func (p *Predictor) Transition(from, to string) float64 {
	i, known := p.labels.number[from]
	j, ok := p.labels.number[to]
	if !known || !ok || !p.kind.hasTransitions() {
		return 0
	}
	return p.transitions[int(i)*p.labels.len()+int(j)]
}
