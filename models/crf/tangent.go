package crf

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
