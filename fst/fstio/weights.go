package fstio

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Weights is the meaning of the weights of a text.
type Weights int

const (
	// Costs are −ln p, as in all text and binary files of OpenFst, if the weights of the
	// ring are numbers that stand for probabilities: see the table in the package comment.
	// Weights of any other ring are Native.
	Costs Weights = iota
	// Native weights have the ring's own format (semiring.Textual): p for Real, and ln p for Log.
	// They are read back to the same bits, but only by this package.
	Native
)

// String returns the name of w.
func (w Weights) String() string {
	return named.One(w, "Weights", "costs", "native")
}

// costs converts between −ln p and the weights of a ring.
type costs[W any] struct {
	ring   semiring.Semiring[W]
	prober semiring.Probabilistic[W]
	ranged semiring.Ranged[W] // nil: the ring has no limits
	metric semiring.Metric[W] // not nil: weights may be more than a probability
}

func newCosts[W any](ring semiring.Semiring[W]) (costs[W], error) {
	prober, err := semiring.Require[semiring.Probabilistic[W]](ring)
	if err != nil {
		return costs[W]{}, err
	}
	c := costs[W]{ring: ring, prober: prober}
	c.ranged, _ = semiring.As[semiring.Ranged[W]](ring)
	if !isNumber(ring, prober) {
		c.metric, _ = semiring.As[semiring.Metric[W]](ring)
	}
	return c, nil
}

// isNumber reports whether a weight is a single number that stands for a probability: its text is a
// number, or the ring has no text form.
func isNumber[W any](ring semiring.Semiring[W], prober semiring.Probabilistic[W]) bool {
	texter, ok := semiring.As[semiring.Textual[W]](ring)
	if !ok {
		return true
	}
	_, err := strconv.ParseFloat(texter.Format(prober.FromLog(-1)), 64)
	return err == nil
}

// weight returns the weight of a cost. The error wraps semiring.ErrLimit if p is outside the range
// of the ring.
func (c costs[W]) weight(cost float64) (W, error) {
	w := c.prober.FromLog(0 - cost)
	switch {
	case math.IsNaN(cost):
		return w, errors.New("not a number")
	case math.IsInf(cost, -1):
		return w, errors.New("−ln p of an infinite p")
	case c.ranged != nil && !c.ranged.InRange(w, w, w), c.ring.IsZero(w) && !math.IsInf(cost, 1):
		return w, fmt.Errorf("%w: p is out of the range of %s: see semiring.Scaled", semiring.ErrLimit, typename.Of(c.ring))
	}
	return w, nil
}

// sameMass is the maximum distance between a weight and the weight of its cost.
const sameMass = 1e-9

// cost returns −ln p of a weight. It returns an error for a negative or infinite p, and for a
// weight that is more than p.
func (c costs[W]) cost(w W) (float64, error) {
	cost := 0 - c.prober.Log(w)
	switch {
	case math.IsNaN(cost), math.IsInf(cost, -1):
		return cost, fmt.Errorf("has −ln p = %g", cost)
	case c.metric != nil && !(c.metric.Dist(c.prober.FromLog(-cost), w) <= sameMass):
		return cost, fmt.Errorf("has more components than a probability: −ln p = %g", cost)
	}
	return cost, nil
}

// weightText reads and writes weights as text.
type weightText[W any] struct {
	costs  *costs[W]           // not nil: as −ln p
	texter semiring.Textual[W] // otherwise
	metric semiring.Metric[W]  // nil: the ring cannot detect NaN
	one    W
}

func newWeightText[W any](ring semiring.Semiring[W], kind Weights) (weightText[W], error) {
	t := weightText[W]{one: ring.One()}
	if kind != Costs && kind != Native {
		return t, nested.Errorf("fstio: %w: %d is not a kind of Weights, want Costs or Native", fst.ErrInvalid, kind)
	}
	if prober, ok := semiring.As[semiring.Probabilistic[W]](ring); ok && kind == Costs && isNumber(ring, prober) {
		c, err := newCosts(ring)
		t.costs = &c
		return t, err
	}
	var err error
	if t.texter, err = semiring.Require[semiring.Textual[W]](ring); err != nil {
		return t, nested.Errorf("fstio: %w", err)
	}
	t.metric, _ = semiring.As[semiring.Metric[W]](ring)
	return t, nil
}

// parse reads a weight. The error describes s.
func (t weightText[W]) parse(s string) (W, error) {
	if t.costs != nil {
		cost, err := strconv.ParseFloat(s, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return t.one, fmt.Errorf("weight %s is out of the range of numbers", text.Quote(s))
		case err != nil || math.IsNaN(cost):
			return t.one, fmt.Errorf("weight %s is not a number", text.Quote(s))
		}
		w, err := t.costs.weight(cost)
		if err != nil {
			return w, nested.Errorf("weight %s: %w", text.Quote(s), err)
		}
		return w, nil
	}
	w, err := t.texter.Parse(s)
	switch {
	case err != nil:
		return w, nested.Errorf("weight %s: %w", text.Quote(s), err)
	case t.metric != nil && math.IsNaN(t.metric.Dist(w, w)):
		return w, fmt.Errorf("weight %s is not a number", text.Quote(s))
	}
	return w, nil
}

// format returns the text of a weight.
func (t weightText[W]) format(w W) (string, error) {
	if t.costs == nil {
		s := t.texter.Format(w)
		if !isColumn(s) {
			return s, fmt.Errorf("the text %s of a weight does not fit in a column", text.Quote(s))
		}
		return s, nil
	}
	cost, err := t.costs.cost(w)
	if err != nil {
		return "", nested.Errorf("a weight %v %w, which no cost stands for: write Native weights", w, err)
	}
	return semiring.Tropical{}.Format(semiring.Cost(cost)), nil
}
