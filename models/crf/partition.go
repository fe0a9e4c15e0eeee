package crf

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// LogPartition is Σ ln Σ_y exp s(y), over all labelings y of each sequence, as a function of the
// weights: an em.Likelihood whose counts are expected counts. Use it to estimate weights from
// statistics if labels are not known (see moments.Fit). The labels in the data only determine
// which pairs of an attribute and a label have a weight. A temperature is a factor β of all
// weights; with the Viterbi E step, the best labeling replaces the sum. Errors of an E step are
// as for Likelihood.
//
// It is a sum over its shards, so methods that use one shard at a time, such as em.SGD, can train
// it. It is an em.Excluder.
type LogPartition struct {
	em.Excluder
	of *Likelihood
}

// LogPartition returns the term that l subtracts from the scores of the labels. The error wraps
// ErrInvalid for a MEMM, whose term depends on the labels.
func (l *Likelihood) LogPartition() (*LogPartition, error) {
	if l.kind == MEMM {
		return nil, nested.Errorf("crf: %w: a %v has no log-partition function of its weights", ErrInvalid, l.kind)
	}
	s := l.sharded(l.newPass)
	s.Sum = (*worker).partition
	return &LogPartition{s.Excluder(), l}, nil
}

// Statistics returns the expected statistics of all weights if the labels of different positions
// are independent, where p holds the probabilities of all labels, in the order of Labels, for
// each position of the data. For a pair of an attribute and a label, the statistic is the sum of
// the attribute's values times the label's probability. For a transition it is the sum over
// neighbours of the product of the two probabilities. It panics if p has another length.
func (p *LogPartition) Statistics(probability []float64) []float64 {
	d, labels := p.of.data, p.of.labels.len()
	if len(probability) != d.NumPositions()*labels {
		panic("crf: Statistics: one probability per position and label is wanted")
	}
	statistics := make([]float64, p.of.params.Len())
	x := points{d.attributes.row, d.attributes.attr, d.attributes.value}
	p.of.pairs.addCounts(statistics, x, probability, labels)
	if !p.of.kind.hasTransitions() {
		return statistics
	}
	transitions := statistics[len(p.of.pairs.label):]
	for i, first := range d.first[:d.NumSequences()] {
		for t := first + 1; t < d.first[i+1]; t++ {
			next := probability[t*labels:][:labels]
			for y, share := range probability[(t-1)*labels:][:labels] {
				if share != 0 {
					floats.AddScaled(transitions[y*labels:][:labels], share, next)
				}
			}
		}
	}
	return statistics
}

// Labels returns the names of the labels, in the order of their numbers. The caller must not
// modify the slice.
func (p *LogPartition) Labels() []string { return p.of.labels.list }
