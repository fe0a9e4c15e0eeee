package crf

import "example.org/pathsum/semiring"

// layers are what the trellises of a sequence are made of, apart from blocks: one
// node for each position and label.
type layers struct {
	node  []semiring.ScaledFloat   // the weight of each
	at    [][]semiring.ScaledFloat // node, by positions
	start []semiring.ScaledFloat   // per label: initial weights, 1
	steps []int32                  // every step takes the same block
	score []float64                // the ln of the weight of each node
}

// set makes the layers those of x, whose scores are those of p.
func (l *layers) set(p *pairs, x points, weight []float64, beta float64, labels int) {
	l.grow(len(x.row)-1, labels)
	p.scores(l.score, x, weight, beta, labels)
	for i, s := range l.score {
		l.node[i] = semiring.ScaledFromLog(s)
	}
}

// grow makes room for n positions.
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

// resized returns n elements of any content, in the storage of s if that suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// zeros is resized with zeros.
func zeros(s []float64, n int) []float64 {
	s = resized(s, n)
	clear(s)
	return s
}
