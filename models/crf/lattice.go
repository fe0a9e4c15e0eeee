package crf

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Lattice holds all labelings of a sequence. It is for one goroutine at a time.
type Lattice struct {
	model   *Model
	layers  layers
	trellis *graph.Trellis[semiring.ScaledFloat] // in Scaled; of whatever was asked for last
	scratch graph.TrellisScratch[semiring.ScaledFloat]
}

// Lattice returns the lattice of a sequence of n positions, which may be 0. Attributes
// that the model does not know are left out. The error wraps ErrInvalid if a value is
// not finite.
func (m *Model) Lattice(n int, f Features) (*Lattice, error) {
	a := Attributes{names: m.attributes, known: true, points: points{row: []int{0}}}
	if err := a.read(n, f); err != nil {
		return nil, fmt.Errorf("crf: %w", err)
	}
	l := &Lattice{model: m}
	l.layers.set(&m.pairs, a.points, m.weight, 1, m.labels.len())
	var err error
	if l.trellis, err = graph.NewTrellis(semiring.Semiring[semiring.ScaledFloat](semiring.Scaled{}), l.layers.start, nil, nil, nil, nil); err != nil {
		return nil, fmt.Errorf("crf: %w", err)
	}
	if m.kind == MEMM && n > 0 {
		return l, l.normalize()
	}
	return l, nil
}

// normalize makes the weights of a MEMM probabilities: it divides each node by the
// sum of the ways to go on from it, and those of the first position by the sum of all
// ways to begin.
func (l *Lattice) normalize() error {
	y := &l.layers
	total, err := l.sum(y.at[:1])
	if err != nil {
		return err
	}
	var beta []semiring.ScaledFloat
	for t, nodes := range y.at[1:] { // nodes are those of position t+1, not yet divided
		if err := l.reset([][]semiring.ScaledFloat{nil, nodes}); err != nil {
			return err
		}
		beta = l.trellis.Backward(beta, &l.scratch)
		for i := range y.at[t] {
			y.at[t][i] = y.at[t][i].Div(beta[i])
		}
	}
	for i := range y.at[0] {
		y.at[0][i] = y.at[0][i].Div(total)
	}
	return nil
}

// reset makes l.trellis that of some layers.
func (l *Lattice) reset(nodes [][]semiring.ScaledFloat) error {
	if err := l.trellis.Reset(l.layers.start, l.model.sum, l.layers.steps[:len(nodes)-1], nodes, nil); err != nil {
		return fmt.Errorf("crf: %w", err)
	}
	return nil
}

// sum returns the path sum of some layers.
func (l *Lattice) sum(nodes [][]semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	if err := l.reset(nodes); err != nil {
		return semiring.ScaledFloat{}, err
	}
	total := l.trellis.PathSum(&l.scratch)
	return total, checkTotal(total)
}

// checkTotal refuses the path sums of weights that are so large, or so small, that the
// logarithm is none.
func checkTotal(total semiring.ScaledFloat) error {
	if total.IsZero() || !total.IsFinite() {
		return fmt.Errorf("crf: %w: the weight of all or the best labels is %v", semiring.ErrNotFinite, total)
	}
	return nil
}

// Len returns the number of positions.
func (l *Lattice) Len() int { return len(l.layers.at) }

// size returns how many positions make a trellis of their own: a Node's labels do not
// depend on each other.
func (l *Lattice) size() int {
	if l.model.kind.hasTransitions() {
		return max(1, l.Len())
	}
	return 1
}

// Best returns the most probable labeling, the label of every position (Viterbi 1967).
// Of equally good ones it takes those that were seen first.
func (l *Lattice) Best() ([]string, error) {
	y, size := &l.layers, l.size()
	t, err := graph.NewTrellis(semiring.Semiring[semiring.ScaledFloat](semiring.Viterbi{}), y.start, nil, nil, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("crf: %w", err)
	}
	labels := make([]string, 0, l.Len())
	var path []int32
	for lo := 0; lo < l.Len(); lo += size {
		if err := t.Reset(y.start, l.model.best, y.steps[:size-1], y.at[lo:lo+size], nil); err != nil {
			return nil, fmt.Errorf("crf: %w", err)
		}
		var weight semiring.ScaledFloat
		if path, weight, err = t.BestPath(path[:0], &l.scratch); err != nil {
			return nil, fmt.Errorf("crf: %w", err)
		}
		if err := checkTotal(weight); err != nil {
			return nil, err
		}
		for _, i := range path {
			labels = append(labels, l.model.labels.list[i])
		}
	}
	return labels, nil
}

// Marginals returns, for every position, the probability of each label, in the order
// of Model.Labels.
func (l *Lattice) Marginals() ([][]float64, error) {
	labels, size := l.model.labels.len(), l.size()
	all := make([]float64, len(l.layers.node))
	at := make([][]float64, l.Len())
	for lo := 0; lo < l.Len(); lo += size {
		if err := l.reset(l.layers.at[lo : lo+size]); err != nil {
			return nil, err
		}
		total, err := l.trellis.Counts(1, all[lo*labels:(lo+size)*labels], nil, &l.scratch)
		if err != nil {
			return nil, fmt.Errorf("crf: %w", err)
		}
		if err := checkTotal(total); err != nil {
			return nil, err
		}
	}
	for t := range at {
		at[t] = all[t*labels : (t+1)*labels]
	}
	return at, nil
}

// Score returns the sum of the weights of a labeling, the logarithm of what
// probabilities are proportional to; in a MEMM it is that of the probability itself.
// It is −Inf if a label is not one of the model's. The error wraps ErrInvalid for a
// wrong number of labels.
func (l *Lattice) Score(labels []string) (float64, error) {
	if len(labels) != l.Len() {
		return 0, fmt.Errorf("crf: %w: %d labels for %d positions", ErrInvalid, len(labels), l.Len())
	}
	sum, before := 0.0, int32(0)
	for t, name := range labels {
		y, ok := l.model.labels.number[name]
		if !ok {
			return math.Inf(-1), nil
		}
		sum += l.layers.at[t][y].Log()
		if t > 0 && l.model.kind.hasTransitions() {
			sum += l.model.transitions[int(before)*l.model.labels.len()+int(y)]
		}
		before = y
	}
	return sum, nil
}

// LogProb returns ln P(labels | attributes), in nats. −Inf and errors are those of
// Score; the error wraps semiring.ErrNotFinite for weights beyond all logarithms, as do
// those of Best, Marginals and Model.Lattice.
func (l *Lattice) LogProb(labels []string) (float64, error) {
	log, err := l.Score(labels)
	size := l.size()
	for lo := 0; lo < l.Len() && err == nil; lo += size {
		var total semiring.ScaledFloat
		total, err = l.sum(l.layers.at[lo : lo+size])
		log -= total.Log()
	}
	return log, err
}
