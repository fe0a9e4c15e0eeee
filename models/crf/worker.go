package crf

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// pass holds the state of one E step that all shards share.
type pass struct {
	em.Query
	blocks      []*trellis.Block // of transitions, if there are any
	transitions []float64        // β times their Tangent, if there is one
	beta        float64          // factor of the result
}

// newPass returns an E step in which the weights are multiplied by the temperature, including the
// weights of competing labelings.
func (l *Likelihood) newPass(q em.Query) (p *pass, err error) {
	p = &pass{Query: q}
	if l.kind.hasTransitions() {
		p.blocks, err = newBlocks(q.Theta[len(l.pairs.label):], l.labels.len(), q.Temperature)
	}
	if q.Tangent != nil {
		for _, x := range q.Tangent[len(l.pairs.label):] {
			p.transitions = append(p.transitions, q.Temperature*x)
		}
	}
	return p, err
}

// newBlocks returns the block of exp(β·weight) of transitions.
func newBlocks(weight []float64, labels int, beta float64) ([]*trellis.Block, error) {
	cells := make([]semiring.ScaledFloat, len(weight))
	for i, w := range weight {
		cells[i] = semiring.ScaledFromLog(beta * w)
	}
	b, err := trellis.NewBlock(labels, labels, cells)
	return []*trellis.Block{b}, err
}

// worker makes E steps of shards, one at a time; it belongs to one goroutine.
type worker struct {
	l       *Likelihood
	shard   *shard
	weight  []float64 // of the shard's pairs
	delta   []float64 // per position and label: 1 for the right label, minus the expectation
	path    []int32
	layers  layers
	tangent tangent
	trellis trellis.Trellis
	scratch trellis.Scratch
}

// open copies the weights of the pairs of s, and prepares a for counts of pairs followed by
// counts of transitions.
func (w *worker) open(s *shard, p *pass, a *em.Tally) {
	w.shard, w.weight = s, s.weights(w.weight[:0], p.Theta)
	a.Runs(s.places, s.row, p.Tangent != nil)
	a.Arcs = s.arcs
	if p.Tangent != nil {
		w.tangent.weight = s.weights(w.tangent.weight[:0], p.Tangent)
	}
}

// sum adds to a the counts of sequence i: the counts of its labels minus expected counts. It
// returns ln P(labels | attributes).
func (w *worker) sum(p *pass, i int, _ float64, a *em.Tally) (float64, error) {
	x, gold := w.enter(p, i)
	logLikelihood, err := w.expect(gold, p, a, len(w.weight))
	if err == nil && math.IsInf(logLikelihood, -1) { // due to weights: there is a derivation
		err = fmt.Errorf("%w: the log likelihood is %g", em.ErrInvalid, logLikelihood)
	}
	if err != nil {
		return 0, err
	}
	w.count(p, x, a)
	return logLikelihood, nil
}

// partition adds to a the expected counts of all labelings of sequence i, and returns the
// logarithm of their sum.
func (w *worker) partition(p *pass, i int, _ float64, a *em.Tally) (float64, error) {
	x, gold := w.enter(p, i)
	log, err := w.compete(0, 1, gold, p, a, len(w.weight))
	if err == nil && log-log != 0 {
		err = nested.Errorf("%w: the log-partition function is %g", em.ErrInvalid, log)
	}
	if err != nil {
		return 0, err
	}
	w.count(p, x, a)
	return log, nil
}

// enter sets the layers, and the tangent if there is a direction, for sequence i. It returns the
// sequence's attributes and labels.
func (w *worker) enter(p *pass, i int) (points, []int32) {
	pairs, labels := &w.shard.pairs, w.l.labels.len()
	x, gold := w.l.sequence(i)
	w.layers.set(pairs, x, w.weight, p.Temperature, labels)
	w.delta = zeros(w.delta, len(gold)*labels)
	if p.Tangent != nil {
		w.tangent.set(pairs, x, p.Temperature, labels)
		if w.l.kind == MEMM {
			w.tangent.enter(p.transitions, gold, labels)
		}
	}
	return x, gold
}

// count adds to a the counts of pairs that result from w.delta and the tangent.
func (w *worker) count(p *pass, x points, a *em.Tally) {
	pairs, labels := &w.shard.pairs, w.l.labels.len()
	pairs.addCounts(a.Counts, x, w.delta, labels)
	if p.Tangent != nil {
		pairs.addCounts(a.Curvature, x, w.tangent.delta, labels)
	}
}

// sequence returns sequence i, with the attribute numbers of its shard, and its labels.
func (l *Likelihood) sequence(i int) (points, []int32) {
	d := l.data
	first, end := d.first[i], d.first[i+1]
	return points{d.attributes.row[first : end+1], l.attr, d.attributes.value}, l.gold[first:end]
}

// expect returns ln P(gold | attributes). It adds the derivatives by the scores of labels at
// positions to w.delta. It adds the derivatives by the weights of transitions to a.Counts after
// the pairs. If there is a direction, it adds the changes along it to w.tangent.delta and
// a.Curvature.
func (w *worker) expect(gold []int32, p *pass, a *em.Tally, pairs int) (float64, error) {
	labels, transitions := w.l.labels.len(), a.Counts[pairs:]
	log, err := w.compete(w.score(gold, p), -1, gold, p, a, pairs)
	if err != nil {
		return 0, err
	}
	for i, y := range gold {
		w.delta[i*labels+int(y)]++
	}
	switch w.l.kind {
	case Chain:
		for i := 1; i < len(gold); i++ {
			transitions[int(gold[i-1])*labels+int(gold[i])]++
		}
	case MEMM:
		enter(transitions, w.delta, gold, labels)
		if p.Tangent != nil {
			enter(a.Curvature[pairs:], w.tangent.delta, gold, labels)
		}
	}
	return log, nil
}

// compete adds times the expected uses, over all labelings of a sequence, to w.delta and to
// a.Counts. It returns log plus times the logarithm of their sum. A MEMM normalizes each position
// given the preceding label in gold; other kinds use only the length of gold.
func (w *worker) compete(log, times float64, gold []int32, p *pass, a *em.Tally, pairs int) (float64, error) {
	l, labels, transitions := &w.layers, w.l.labels.len(), a.Counts[pairs:]
	step := 1 // number of positions that are normalized together
	if w.l.kind == Chain {
		step = max(1, len(gold))
	}
	for lo := 0; lo < len(gold); lo += step {
		hi, start := lo+step, l.start
		if w.l.kind == MEMM && lo > 0 {
			y := int(gold[lo-1])
			start = p.blocks[0].Weights()[y*labels : (y+1)*labels]
		}
		if err := w.trellis.Reset(start, p.blocks, l.steps[:step-1], l.at[lo:hi], nil); err != nil {
			return 0, err
		}
		total, err := w.expected(p.EStep, times, w.delta[lo*labels:hi*labels], transitions)
		if err == nil && p.Tangent != nil && p.EStep == em.Marginal {
			err = w.curve(lo*labels, hi*labels, times, p.transitions, a.Curvature[pairs:])
		}
		if err != nil {
			return 0, err
		}
		log += times * total.Log()
	}
	return log, nil
}

// score returns the score of the right labels.
func (w *worker) score(gold []int32, p *pass) float64 {
	labels, sum := w.l.labels.len(), 0.0
	for t, y := range gold {
		sum += w.layers.score[t*labels+int(y)]
		if t > 0 && w.l.kind.hasTransitions() {
			sum += p.Temperature * p.Theta[len(w.l.pairs.label)+int(gold[t-1])*labels+int(y)]
		}
	}
	return sum
}

// expected adds to delta and transitions times the expected uses of nodes and of cells of the
// block, and returns the path sum.
func (w *worker) expected(of em.EStep, times float64, delta, transitions []float64) (semiring.ScaledFloat, error) {
	if of == em.Marginal {
		return w.trellis.Counts(times, trellis.Parts{Node: delta, Block: [][]float64{transitions}}, &w.scratch)
	}
	path, total, err := w.trellis.BestPath(w.path[:0], &w.scratch)
	w.path = path
	labels := w.l.labels.len()
	for i, y := range path {
		delta[i*labels+int(y)] += times
		if i > 0 {
			transitions[int(path[i-1])*labels+int(y)] += times
		}
	}
	return total, err
}

// curve adds to w.tangent.delta and curvature times the changes of the expected uses of nodes
// and of cells along the direction. The trellis has the nodes lo, …, hi−1, and change
// is the direction of the weights of transitions.
func (w *worker) curve(lo, hi int, times float64, change, curvature []float64) error {
	t := &w.tangent
	v := trellis.Parts{Node: t.score[lo:hi], Block: [][]float64{change}}
	_, err := w.trellis.HessianVector(v, times, trellis.Parts{Node: t.delta[lo:hi], Block: [][]float64{curvature}}, &w.scratch)
	return err
}

// enter adds the counts of nodes to the counts of the transitions into them, which come from the
// right label.
func enter(transitions, delta []float64, gold []int32, labels int) {
	for t := 1; t < len(gold); t++ {
		from := int(gold[t-1]) * labels
		add(transitions[from:from+labels], delta[t*labels:(t+1)*labels])
	}
}

// tangent is the state of a worker for second derivatives: the changes of a sequence's numbers
// along a direction of the weights.
type tangent struct {
	weight []float64 // of the shard's pairs: the direction
	score  []float64 // per node of the layers: change of its score
	delta  []float64 // change of worker.delta
}

// set sets the changes for the sequence x.
func (c *tangent) set(p *pairs, x points, beta float64, labels int) {
	n := (len(x.row) - 1) * labels
	c.score, c.delta = resized(c.score, n), zeros(c.delta, n)
	p.scores(c.score, x, c.weight, beta, labels)
}

// enter adds to the scores the scores of the transitions from the right labels.
func (c *tangent) enter(transitions []float64, gold []int32, labels int) {
	for t := 1; t < len(gold); t++ {
		from := int(gold[t-1]) * labels
		add(c.score[t*labels:(t+1)*labels], transitions[from:from+labels])
	}
}
