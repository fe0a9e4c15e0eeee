package fstio

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// weightedLines are lines that have weights.
type weightedLines[W any] struct {
	*lines
	texter semiring.Texter[W]
	metric semiring.Metric[W] // nil: the ring does not know what is not a number
	one    W
}

func newWeightedLines[W any](l *lines, ring semiring.Semiring[W]) (*weightedLines[W], error) {
	texter, err := semiring.Require[semiring.Texter[W]](ring)
	if err != nil {
		return nil, fmt.Errorf("fstio: %w", err)
	}
	metric, _ := semiring.As[semiring.Metric[W]](ring)
	return &weightedLines[W]{l, texter, metric, ring.One()}, nil
}

// weight returns the weight in a column, One if there is none.
func (l *weightedLines[W]) weight(column int) W {
	if column >= len(l.columns) {
		return l.one
	}
	w, err := l.texter.Parse(l.columns[column])
	switch {
	case err != nil:
		l.fail("weight %q: %v", l.columns[column], err)
	case l.metric != nil && math.IsNaN(l.metric.Dist(w, w)):
		l.fail("weight %q is not a number", l.columns[column])
	}
	return w
}
