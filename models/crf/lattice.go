package crf

import (
	"math"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// lattice holds all labelings of a sequence.
type lattice struct {
	model   *Predictor
	layers  layers
	trellis trellis.Trellis // of the last query
	scratch trellis.Scratch
}

// lattice returns the lattice of a sequence of n positions.
func (p *Predictor) lattice(n int, f Features) (*lattice, error) {
	if n < 0 {
		return nil, nested.Errorf("crf: %w: %d positions", ErrInvalid, n)
	}
	a := Attributes{names: p.attributes, known: true, points: points{row: []int{0}}}
	if err := a.read(n, f); err != nil {
		return nil, nested.Errorf("crf: %w", err)
	}
	l := &lattice{model: p}
	l.layers.set(&p.pairs, a.points, p.weight, 1, p.labels.len())
	if p.kind == MEMM && n > 0 {
		return l, l.normalize()
	}
	return l, nil
}

// normalize makes the weights of a MEMM probabilities: it divides each node by the sum of the
// weights of its continuations, and the nodes of the first position by their sum.
func (l *lattice) normalize() error {
	y := &l.layers
	total, err := l.sum(y.at[:1])
	if err != nil {
		return err
	}
	var beta []semiring.ScaledFloat
	for t, nodes := range y.at[1:] { // of position t+1, not yet normalized
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

// reset makes l.trellis the trellis of the given layers.
func (l *lattice) reset(nodes [][]semiring.ScaledFloat) error {
	return l.resetTo(l.model.blocks, nodes)
}

func (l *lattice) resetTo(blocks []*trellis.Block, nodes [][]semiring.ScaledFloat) error {
	if err := l.trellis.Reset(l.layers.start, blocks, l.layers.steps[:len(nodes)-1], nodes, nil); err != nil {
		return nested.Errorf("crf: %w", err)
	}
	return nil
}

// sum returns the path sum of the given layers.
func (l *lattice) sum(nodes [][]semiring.ScaledFloat) (semiring.ScaledFloat, error) {
	if err := l.reset(nodes); err != nil {
		return semiring.ScaledFloat{}, err
	}
	total := l.trellis.PathSum(&l.scratch)
	return total, checkTotal(total)
}

// checkTotal returns an error if the path sum has no finite logarithm because weights are too
// large or too small.
func checkTotal(total semiring.ScaledFloat) error {
	if total.IsZero() || !total.IsFinite() {
		return nested.Errorf("crf: %w: the weight of all or the best labels is %v", semiring.ErrNotFinite, total)
	}
	return nil
}

// len returns the number of positions.
func (l *lattice) len() int { return len(l.layers.at) }

// size returns the number of positions per trellis: 1 for a Node, whose labels are independent.
func (l *lattice) size() int {
	if l.model.kind.hasTransitions() {
		return max(1, l.len())
	}
	return 1
}

func (l *lattice) best() ([]string, error) {
	size := l.size()
	labels := make([]string, 0, l.len())
	var path []int32
	for lo := 0; lo < l.len(); lo += size {
		if err := l.reset(l.layers.at[lo : lo+size]); err != nil {
			return nil, err
		}
		var weight semiring.ScaledFloat
		var err error
		if path, weight, err = l.trellis.BestPath(path[:0], &l.scratch); err != nil {
			return nil, nested.Errorf("crf: %w", err)
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

func (l *lattice) posteriors() ([][]float64, error) {
	labels, size := l.model.labels.len(), l.size()
	all := make([]float64, len(l.layers.node))
	at := make([][]float64, l.len())
	for lo := 0; lo < l.len(); lo += size {
		if err := l.reset(l.layers.at[lo : lo+size]); err != nil {
			return nil, err
		}
		total, err := l.trellis.Counts(1, trellis.Parts{Node: all[lo*labels : (lo+size)*labels]}, &l.scratch)
		if err != nil {
			return nil, nested.Errorf("crf: %w", err)
		}
		if err := checkTotal(total); err != nil {
			return nil, err
		}
	}
	if err := clamp.Probabilities(all); err != nil {
		return nil, nested.Errorf("crf: %w", err)
	}
	for t := range at {
		at[t] = all[t*labels : (t+1)*labels]
	}
	return at, nil
}

// score returns the sum of the weights of labels, one per position: the logarithm of the
// probability, up to a constant. In a MEMM the constant is 0.
func (l *lattice) score(labels []string) float64 {
	sum, before := 0.0, int32(0)
	for t, name := range labels {
		y, ok := l.model.labels.number[name]
		if !ok {
			return math.Inf(-1)
		}
		sum += l.layers.at[t][y].Log()
		if t > 0 && l.model.kind.hasTransitions() {
			sum += l.model.transitions[int(before)*l.model.labels.len()+int(y)]
		}
		before = y
	}
	return sum
}

func (l *lattice) logProb(labels []string) (float64, error) {
	score, all, size := l.score(labels), 0.0, l.size()
	log := score
	for lo := 0; lo < l.len(); lo += size {
		total, err := l.sum(l.layers.at[lo : lo+size])
		if err != nil {
			return 0, err
		}
		log -= total.Log()
		all += total.Log()
	}
	if log > 0 {
		var err error
		if log, err = clamp.LogQuotient(score, all, l.len()); err != nil {
			return 0, nested.Errorf("crf: %w", err)
		}
	}
	return log, nil
}
