package crf

import (
	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/expr"
)

// LogPartition is Σ ln Σ_y exp s(y), over all labelings y of each sequence, as a function
// of the weights: an em.Likelihood whose counts are the expected ones, for estimates
// from statistics where labels are not known (see moments.Fit). The labels in the data
// only say which pairs of an attribute and a label have a weight. A temperature is a
// factor β of all weights, the mode Viterbi takes the best labelings. Errors of an E step
// are as for Likelihood; all shards must be asked for, or ErrInvalid is wrapped.
type LogPartition struct {
	*Likelihood
	observed []float64 // the statistics of the labels in the data
}

// LogPartition returns what l subtracts from the scores of the labels. The error wraps
// ErrInvalid for a MEMM, where that depends on the labels.
func (l *Likelihood) LogPartition() (*LogPartition, error) {
	if l.kind == MEMM {
		return nil, nested.Errorf("crf: %w: a %v has no log-partition function of its weights", ErrInvalid, l.kind)
	}
	own := *l
	p := &LogPartition{Likelihood: &own}
	s := l.sharded(p.begin)
	s.Size, s.Backpropagate, s.Finish = l.params.Len, p.subtract, p.finish
	own.Likelihood = s.Likelihood()
	labels := l.labels.len()
	indicator := make([]float64, l.data.NumPositions()*labels)
	for t, y := range l.gold {
		indicator[t*labels+int(y)] = 1
	}
	p.observed = p.Statistics(indicator)
	return p, nil
}

// Statistics returns the expected statistics of all weights if the labels of different
// positions are independent, where p holds the probabilities of all labels, in the order
// of Labels, for each position of the data. For the weight of an attribute and a label
// that is the sum of the attribute's values times the label's probability. For the weight of
// a transition it is the sum over neighbours of the product of the two probabilities. It
// panics if p has another length.
func (p *LogPartition) Statistics(probability []float64) []float64 {
	d, labels := p.data, p.labels.len()
	if len(probability) != d.NumPositions()*labels {
		panic("crf: Statistics: one probability per position and label is wanted")
	}
	statistics := make([]float64, p.params.Len())
	x := points{d.attributes.row, d.attributes.attr, d.attributes.value}
	p.pairs.addCounts(statistics, x, probability, labels)
	if !p.kind.hasTransitions() {
		return statistics
	}
	transitions := statistics[len(p.pairs.label):]
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

// Labels returns the names of the labels, in the order of their numbers. Not to be
// modified.
func (p *LogPartition) Labels() []string { return p.labels.list }

// begin begins an E step. A temperature is a factor of the weights.
func (p *LogPartition) begin(q em.Query) (*pass, error) {
	if q.Lo != 0 || q.Hi != len(p.shards) {
		return nil, nested.Errorf("crf: %w: the log-partition function of shards %d to %d, want all %d", ErrInvalid, q.Lo, q.Hi, len(p.shards))
	}
	return p.newPass(q)
}

// subtract adds to counts those of the labels in the data, minus the sums of the likelihood of
// the labels.
func (p *LogPartition) subtract(of *pass, sums, counts expr.Dual) error {
	floats.AddScaled(counts.Value, of.Weight, p.observed)
	floats.Sub(counts.Value, sums.Value)
	if counts.Change != nil {
		floats.Sub(counts.Change, sums.Change)
	}
	return nil
}

// finish subtracts the likelihood of the labels from their score.
func (p *LogPartition) finish(of *pass, e *em.Expectations) error {
	e.LogLikelihood = of.Temperature*floats.Dot(p.observed, of.Theta) - e.LogLikelihood
	return nil
}
