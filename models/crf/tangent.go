package crf

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// tangent is what a worker needs for second derivatives: how the numbers of a sequence
// change along a direction of the weights.
type tangent struct {
	weight []float64 // of the shard's pairs: the direction
	score  []float64 // per node of the layers: change of its score
	delta  []float64 // change of worker.delta
}

// set takes the sequence x.
func (c *tangent) set(p *pairs, x points, beta float64, labels int) {
	n := (len(x.row) - 1) * labels
	c.score, c.delta = resized(c.score, n), zeros(c.delta, n)
	p.scores(c.score, x, c.weight, beta, labels)
}

// enter adds to the scores those of the transitions from the right labels.
func (c *tangent) enter(transitions []float64, gold []int32, labels int) {
	for t := 1; t < len(gold); t++ {
		from := int(gold[t-1]) * labels
		add(c.score[t*labels:(t+1)*labels], transitions[from:from+labels])
	}
}

// subtract subtracts from c.delta and curvature the changes of what the trellis t of the
// nodes lo, …, hi−1 is expected to use of them and of cells of the block, of which
// transitions are the changes.
func (c *tangent) subtract(t *graph.Trellis[semiring.ScaledFloat], lo, hi int, transitions, curvature []float64) error {
	g, err := t.Graph()
	if err != nil {
		return err
	}
	score, delta := c.score[lo:hi], c.delta[lo:hi]
	labels := (hi - lo) / t.NumLayers()
	v := graph.Parts{Start: score[:labels], Arc: make([]float64, g.NumArcs())}
	for e, to := range g.To() {
		v.Arc[e] = transitions[e%len(transitions)] + score[to]
	}
	h, err := graph.HessianVector(g, v)
	if err != nil {
		return err
	}
	for y, x := range h.Start {
		delta[y] -= x
	}
	for e, to := range g.To() {
		delta[to] -= h.Arc[e]
		curvature[e%len(transitions)] -= h.Arc[e]
	}
	return nil
}
