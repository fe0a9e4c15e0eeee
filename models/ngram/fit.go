package ngram

import (
	"iter"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// ErrInvalid is wrapped by errors about invalid arguments and data.
var ErrInvalid = nested.ErrInvalid

// Fit returns the model of the given order (n, at least 1) over the symbols 1 … vocabulary, trained
// on strings. The weight of a string is its number of occurrences; strings of weight 0 are ignored.
// Errors are as for NewCounter, Counter.AddString and Counter.Model, and name the string by its
// position in data, from 0. It takes O(n × symbols) time and the memory of a Counter.
func Fit(order int, vocabulary int32, data iter.Seq2[[]int32, float64], opts *Options) (*Model, error) {
	nonnil.Check("ngram: Fit", "data", data)
	c, err := NewCounter(order, vocabulary)
	if err != nil {
		return nil, err
	}
	i := 0
	for symbols, weight := range data {
		if err := c.addString(symbols, weight); err != nil {
			return nil, nested.Errorf("ngram: %w: string %d: %v", ErrInvalid, i, err)
		}
		i++
	}
	return c.Model(opts)
}

// Discount is the discount of modified Kneser-Ney smoothing for the n-grams of one length.
type Discount struct {
	// Counts are the expected numbers of n-grams with count 1, 2, 3 and 4. If an n-gram is shorter
	// than the order and does not begin a string, its count is the number of different symbols
	// before it.
	Counts [4]float64
	// D is subtracted from the counts 1, 2, and 3 and more.
	D [3]float64
	// Estimated reports for each element of D whether it is the estimate. Otherwise the estimate is
	// not between 0 and i (for the last: up to 3), and D is i/2.
	Estimated [3]bool
}

// count adds the numbers of n-grams with these counts.
func (d *Discount) count(tallies []tally) {
	for i := range tallies {
		for c := range d.Counts {
			d.Counts[c] += tallies[i].of[c+1]
		}
	}
}

// negligible is the part of a discount that may be a rounding error.
const negligible = 1e-12

// estimate sets D to the values of Chen and Goodman 1998, §3. A value that is not between 0 and i,
// even allowing for rounding, becomes i/2. The last may be 3, its value if the number of n-grams
// with count 4 is 0, as in KenLM.
func (d *Discount) estimate() {
	n := &d.Counts
	y := n[0] / (n[0] + 2*n[1])
	for i := range d.D {
		d.D[i] = float64(i+1) - float64(i+2)*y*n[i+1]/n[i]
		margin := negligible * float64(i+1)
		most := float64(i+1) - margin
		if last := len(d.D) - 1; i == last {
			d.D[i], most = min(d.D[i], float64(i+1)), float64(i+2)
		}
		d.Estimated[i] = margin < d.D[i] && d.D[i] < most
		if !d.Estimated[i] {
			d.D[i] = float64(i+1) / 2
		}
	}
}

// of returns the expected discount of an n-gram.
func (d *Discount) of(t *tally) float64 {
	return d.D[0]*t.of[1] + d.D[1]*t.of[2] + d.D[2]*t.atLeast(3)
}

// Model returns the smoothed model of the counts. The counter remains usable. The error wraps
// ErrInvalid for invalid options, and for an empty counter. Besides sorting, it takes time
// proportional to the number of n-grams, and about 60 bytes for each in addition to the model.
func (c *Counter) Model(opts *Options) (*Model, error) {
	e, err := c.estimator(opts)
	if err != nil {
		return nil, err
	}
	e.shares()
	return e.model(), nil
}

// Discounts returns the estimated discounts of ModifiedKneserNey, before scaling: element i is for
// n-grams of i+1 symbols.
func (c *Counter) Discounts() ([]Discount, error) {
	e, err := c.estimator(nil)
	if err != nil {
		return nil, err
	}
	e.shares()
	return e.discounts, nil
}

// estimator turns counts into probabilities. An n-gram keeps a part of its context's total, and
// frees a part for the prediction of the shorter context.
type estimator struct {
	*layout
	counter     *Counter
	opts        Options
	discounts   []Discount // of ModifiedKneserNey, by length − 1
	kept, freed []float64
	keep        []bool // whether the model contains it
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
		return nil, nested.Errorf("ngram: %w: the counts are empty", ErrInvalid)
	}
	e.layout = c.trie.layout()
	n := len(e.symbol)
	e.kept, e.freed, e.keep = make([]float64, n), make([]float64, n), make([]bool, n)
	e.discounts = make([]Discount, len(e.level)-2)
	return e, nil
}

// shares goes from the longest n-grams to the shortest, whose counts come from the longer ones.
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
				switch e.opts.Smoothing {
				case ModifiedKneserNey:
					to.add(current[i].atLeast(1))
				case WittenBell, StupidBackoff:
					to.plus(&current[i])
				}
			}
		}
		current = shorter
	}
}

// raw returns the counts of the n-grams of a length.
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

// share sets kept, freed and keep of the n-grams of length m with these counts.
func (e *estimator) share(m int, tallies []tally) {
	d := &e.discounts[m-1]
	d.count(tallies)
	d.estimate()
	if len(e.opts.Discounts) > 0 {
		d.D, d.Estimated = byLength(e.opts.Discounts, m, d.D), [3]bool{}
	}
	scale, least := byLength(e.opts.DiscountScale, m, 1), byLength(e.opts.MinCount, m, 0)
	for i := range tallies {
		t, k := &tallies[i], e.level[m]+int32(i)
		switch e.opts.Smoothing {
		case ModifiedKneserNey:
			e.freed[k] = min(t.mean, scale*d.of(t))
			e.kept[k] = t.mean - e.freed[k]
		case WittenBell:
			e.kept[k], e.freed[k] = t.mean, t.atLeast(1)
		case Additive, StupidBackoff:
			e.kept[k] = t.mean
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
	words := float64(m.vocabulary) + 1
	uniform := 1 / words
	if e.opts.Smoothing == StupidBackoff {
		uniform = 0 // backing off stops at single symbols
	}
	p, backoff := m.logp, m.backoff // not yet logarithms
	for k := range backoff {
		lo, hi := e.first[k], e.first[k+1]
		kept, freed := 0.0, 0.0
		for i := lo; i < hi; i++ {
			kept += e.kept[i]
			freed += e.freed[i]
		}
		stupid := e.opts.Smoothing == StupidBackoff
		switch counted := kept + freed; {
		case counted == 0:
			kept, freed = 0, 1
			stupid = false
		case e.opts.Smoothing == Additive:
			freed += e.opts.pseudocount() * words
		}
		total := kept + freed
		backoff[k] = freed / total
		if stupid {
			backoff[k] = e.opts.backoffFactor()
		}
		for i := lo; i < hi; i++ {
			shorter := uniform
			if k > 0 {
				shorter = p[e.suffix[i]]
			}
			p[i] = e.kept[i] / total
			if !stupid || p[i] == 0 {
				p[i] += backoff[k] * shorter
			}
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
