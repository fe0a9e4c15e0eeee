package ngram

import (
	"fmt"
	"math"
)

// Model returns the smoothed model of what was counted. The counter may be used on. The
// error wraps ErrInvalid for bad options, and ErrEmpty if nothing was counted. It takes
// time in proportion to the number of n-grams, but for sorting them, and some 60 bytes
// for each beside the model.
func (c *Counter) Model(opts *Options) (*Model, error) {
	e, err := c.estimator(opts)
	if err != nil {
		return nil, err
	}
	e.shares()
	return e.model(), nil
}

// Discounts returns the discounts that ModifiedKneserNey takes, before they are
// scaled: the i-th is for n-grams of i+1 symbols.
func (c *Counter) Discounts() ([]Discount, error) {
	e, err := c.estimator(nil)
	if err != nil {
		return nil, err
	}
	e.shares()
	return e.discounts, nil
}

// estimator turns counts into probabilities. An n-gram keeps a part of its context's
// total, and frees a part for what the shorter context predicts.
type estimator struct {
	*layout
	counter     *Counter
	opts        Options
	discounts   []Discount // of ModifiedKneserNey, by length − 1
	kept, freed []float64
	keep        []bool // whether it will be in the model
}

func (c *Counter) estimator(opts *Options) (*estimator, error) {
	e := &estimator{counter: c}
	if opts != nil {
		e.opts = *opts
	}
	if err := e.opts.check(); err != nil {
		return nil, err
	}
	if len(c.tallies) == 0 {
		return nil, fmt.Errorf("ngram: %w: nothing was counted", ErrEmpty)
	}
	e.layout = c.trie.layout()
	n := len(e.symbol)
	e.kept, e.freed, e.keep = make([]float64, n), make([]float64, n), make([]bool, n)
	e.discounts = make([]Discount, len(e.level)-2)
	return e, nil
}

// shares goes from the longest n-grams to the shortest, which get their counts from
// those that are longer.
func (e *estimator) shares() {
	var current []tally
	for m := len(e.level) - 2; m >= 1; m-- {
		if current == nil {
			current = e.raw(m)
		}
		e.share(m, current)
		shorter := e.raw(m - 1)
		if m > 1 {
			for i := range current {
				to := &shorter[e.suffix[e.level[m]+int32(i)]-e.level[m-1]]
				if e.opts.Smoothing == WittenBell {
					to.plus(&current[i])
				} else {
					to.add(current[i].atLeast(1))
				}
			}
		}
		current = shorter
	}
}

// raw returns what was counted of the n-grams of a length.
func (e *estimator) raw(m int) []tally {
	tallies := make([]tally, e.level[m+1]-e.level[m])
	for i := range tallies {
		tallies[i] = nothing
		if k := e.tally[e.level[m]+int32(i)]; k > 0 {
			tallies[i] = e.counter.tallies[k-1]
		}
	}
	return tallies
}

// share sets kept, freed and keep of the n-grams of length m, which have these counts.
func (e *estimator) share(m int, tallies []tally) {
	d := &e.discounts[m-1]
	d.count(tallies)
	d.estimate()
	scale, least := byLength(e.opts.DiscountScale, m, 1), byLength(e.opts.MinCount, m, 0)
	for i := range tallies {
		t, k := &tallies[i], e.level[m]+int32(i)
		if e.opts.Smoothing == WittenBell {
			e.kept[k], e.freed[k] = t.mean, t.atLeast(1)
		} else {
			e.freed[k] = min(t.mean, scale*d.of(t))
			e.kept[k] = t.mean - e.freed[k]
		}
		if t.mean < least {
			e.kept[k], e.freed[k] = 0, e.kept[k]+e.freed[k]
		}
		e.keep[k] = t.mean > 0 && t.mean >= least
		for j := e.first[k]; j < e.first[k+1] && !e.keep[k]; j++ {
			e.keep[k] = e.keep[j]
		}
	}
}

// model turns shares into probabilities, the shortest n-grams first.
func (e *estimator) model() *Model {
	m := e.layout.model(e.counter.order, e.counter.vocabulary)
	uniform := 1 / (float64(m.vocabulary) + 1)
	p, backoff := m.logp, m.backoff // not yet logarithms
	for k := range backoff {
		lo, hi := e.first[k], e.first[k+1]
		kept, freed := 0.0, 0.0
		for i := lo; i < hi; i++ {
			kept += e.kept[i]
			freed += e.freed[i]
		}
		total := kept + freed
		if total == 0 { // nothing was counted here
			total, freed = 1, 1
		}
		backoff[k] = freed / total
		for i := lo; i < hi; i++ {
			shorter := uniform
			if k > 0 {
				shorter = p[e.suffix[i]]
			}
			p[i] = e.kept[i]/total + backoff[k]*shorter
		}
	}
	for i := range p {
		m.logp[i] = math.Log(p[i])
	}
	for k := range backoff {
		m.backoff[k] = math.Log(backoff[k])
	}
	if len(m.symbol) > 1 && m.symbol[1] == begin {
		m.logp[1] = math.Inf(-1)
	}
	m.unseen = m.backoff[0] + math.Log(uniform)
	m.retain(e.keep)
	return m
}
