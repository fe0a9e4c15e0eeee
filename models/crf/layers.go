package crf

import "example.org/pathsum/semiring"

// layers hold the data of a sequence's trellises other than blocks: one node for each position
// and label.
type layers struct {
	node  []semiring.ScaledFloat   // the weight of each
	at    [][]semiring.ScaledFloat // node, by positions
	start []semiring.ScaledFloat   // per label: initial weights, 1
	steps []int32                  // every step takes the same block
	score []float64                // the logarithm of the weight of each node
}

// set makes the layers of x, with the scores by p and weight.
func (l *layers) set(p *pairs, x points, weight []float64, beta float64, labels int) {
	l.grow(len(x.row)-1, labels)
	p.scores(l.score, x, weight, beta, labels)
	for i, s := range l.score {
		l.node[i] = semiring.ScaledFromLog(s)
	}
}

// grow allocates layers for n positions.
func (l *layers) grow(n, labels int) {
	if len(l.start) != labels {
		*l = layers{start: make([]semiring.ScaledFloat, labels)}
		for y := range l.start {
			l.start[y] = semiring.NewScaled(1)
		}
	}
	l.node = resized(l.node, n*labels)
	l.score = resized(l.score, n*labels)
	l.steps = resized(l.steps, n)
	l.at = l.at[:0]
	for t := range n {
		l.at = append(l.at, l.node[t*labels:(t+1)*labels])
	}
}

// pairs are the pairs of attribute and label that have a weight: attribute a has the pairs
// row[a], …, row[a+1]−1, with the labels label[…].
type pairs struct{ row, label []int32 }

// scores sets score[t·labels + y], for the positions of x, to β·Σ value·weight, summed
// over the attributes of position t that have a weight with y.
func (p *pairs) scores(score []float64, x points, weight []float64, beta float64, labels int) {
	clear(score)
	for t := range len(x.row) - 1 {
		s := score[t*labels : (t+1)*labels]
		for i := x.row[t]; i < x.row[t+1]; i++ {
			lo, hi := p.row[x.attr[i]], p.row[x.attr[i]+1]
			w, v := weight[lo:hi], beta*x.value[i]
			for n, y := range p.label[lo:hi] {
				s[y] += v * w[n]
			}
		}
	}
}

// addCounts adds value·delta[t·labels + y] to the count of each pair of an attribute
// of position t and a label y, for the positions of x.
func (p *pairs) addCounts(count []float64, x points, delta []float64, labels int) {
	for t := range len(x.row) - 1 {
		d := delta[t*labels : (t+1)*labels]
		for i := x.row[t]; i < x.row[t+1]; i++ {
			lo, hi := p.row[x.attr[i]], p.row[x.attr[i]+1]
			c, v := count[lo:hi], x.value[i]
			for n, y := range p.label[lo:hi] {
				c[n] += v * d[y]
			}
		}
	}
}

// resized returns n elements with arbitrary content, in the storage of s if possible.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// zeros is resized, with zeros as content.
func zeros(s []float64, n int) []float64 {
	s = resized(s, n)
	clear(s)
	return s
}
