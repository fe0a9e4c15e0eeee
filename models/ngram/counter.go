package ngram

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
)

// End is the end of a string in the position of a symbol; the symbols are 1 … V. As in package fst,
// 0 is not the label of a symbol.
const End = 0

// begin is the mark of the beginning of a string as the first symbol of a context.
const begin = -1

// Counter counts n-grams whose occurrences may be uncertain. For each n-gram it keeps the
// distribution of the count, which is a sum of independent events (Zhang and Chiang 2014). It takes
// 20 bytes and 8 to 16 of a hash table for each different n-gram, shorter ones included, and 56 for
// each of the longest and of those at the beginning of a string. It is not safe for concurrent use.
type Counter struct {
	order      int
	vocabulary int32
	trie       trie
	tallies    []tally

	occurrences float64 // the number so far, whatever their probabilities
}

// maxOrder leaves room for the suffixes of one n-gram below 2³¹ nodes.
const maxOrder = 1 << 20

// NewCounter returns a counter of the n-grams of up to order symbols, 1 to 2²⁰, over the
// symbols 1 … vocabulary. The error wraps ErrInvalid.
func NewCounter(order int, vocabulary int32) (*Counter, error) {
	if order < 1 || order > maxOrder {
		return nil, nested.Errorf("ngram: %w: order %d, want 1 to %d", ErrInvalid, order, maxOrder)
	}
	if vocabulary < 1 || vocabulary == math.MaxInt32 {
		return nil, nested.Errorf("ngram: %w: vocabulary of %d symbols, want 1 to %d", ErrInvalid, vocabulary, math.MaxInt32-1)
	}
	return &Counter{order: order, vocabulary: vocabulary, trie: newTrie()}, nil
}

// Start returns the context at the beginning of a string.
func (c *Counter) Start() int32 {
	if c.order == 1 {
		return 0
	}
	return c.trie.child(0, begin)
}

// Step returns the context after a symbol of 1 … V: all symbols since the beginning of the string,
// or the last n−1 symbols. Contexts are numbers returned by Start and Step; two histories have the
// same context if they end in the same n−1 symbols. Step does not count an occurrence. It panics if
// the symbol is out of range.
func (c *Counter) Step(context, symbol int32) int32 {
	if symbol < 1 || symbol > c.vocabulary {
		panic(fmt.Sprintf("ngram: symbol %d, want 1 to %d", symbol, c.vocabulary))
	}
	if c.order == 1 {
		return 0
	}
	if n := &c.trie.nodes[context]; int(n.length) == c.order-1 {
		context = n.suffix
	}
	return c.trie.child(context, symbol)
}

// rounding is the largest excess over 1 of a probability computed as a quotient of sums.
const rounding = 1e-9

// AddAt counts occurrences of a symbol of 1 … V or End after a context: ⌊times⌋ of probability p,
// and one of p times the rest. Different occurrences are independent. A p that exceeds 1 by at most
// 1e-9 (rounding) counts as 1.
//
// The error wraps ErrInvalid if p is not a probability, times is negative, infinite or NaN, the
// symbol is out of range, or there are more than 2³¹−2²⁰ n-grams or 1e300 occurrences. It takes one
// look-up in a hash table and O(log times) steps.
func (c *Counter) AddAt(context, symbol int32, p, times float64) error {
	if symbol < 0 || symbol > c.vocabulary {
		return nested.Errorf("ngram: %w: symbol %d, want 1 to %d or End", ErrInvalid, symbol, c.vocabulary)
	}
	if !(p >= 0 && p <= 1+rounding) {
		return nested.Errorf("ngram: %w: an occurrence of probability %g", ErrInvalid, p)
	}
	if err := checkTimes(times); err != nil {
		return nested.Errorf("ngram: %w: %v", ErrInvalid, err)
	}
	if p == 0 || times == 0 {
		return nil
	}
	if err := c.count(context, symbol, min(p, 1), times); err != nil {
		return nested.Errorf("ngram: %w: %v", ErrInvalid, err)
	}
	return nil
}

// Add counts one occurrence, of probability p, of a symbol or End after history, which contains all
// symbols since the beginning of the string. Errors are as for AddAt.
func (c *Counter) Add(history []int32, symbol int32, p float64) error {
	if err := c.check(history); err != nil {
		return nested.Errorf("ngram: %w: history: %v", ErrInvalid, err)
	}
	context := c.Start()
	if n := len(history) - (c.order - 1); n >= 0 {
		context, history = 0, history[n:]
	}
	for _, s := range history {
		context = c.trie.child(context, s)
	}
	return c.AddAt(context, symbol, p, 1)
}

// AddString counts the symbols of a string and its end with a weight: ⌊weight⌋ certain occurrences,
// and one with the probability of the rest. The error wraps ErrInvalid for a weight that is
// negative, infinite or NaN, a symbol out of range, and more than 2³¹−2²⁰ n-grams or 1e300
// occurrences.
func (c *Counter) AddString(symbols []int32, weight float64) error {
	if err := c.addString(symbols, weight); err != nil {
		return nested.Errorf("ngram: %w: %v", ErrInvalid, err)
	}
	return nil
}

func (c *Counter) addString(symbols []int32, weight float64) error {
	if err := checkTimes(weight); err != nil {
		return err
	}
	if err := c.check(symbols); err != nil {
		return err
	}
	if weight == 0 {
		return nil
	}
	context := c.Start()
	for _, s := range symbols {
		if err := c.count(context, s, 1, weight); err != nil {
			return err
		}
		context = c.Step(context, s)
	}
	return c.count(context, End, 1, weight)
}

func checkTimes(n float64) error {
	if !(n >= 0) || math.IsInf(n, 1) {
		return fmt.Errorf("weight %g, want a finite number ≥ 0", n)
	}
	return nil
}

func (c *Counter) check(symbols []int32) error {
	for i, s := range symbols {
		if s < 1 || s > c.vocabulary {
			return fmt.Errorf("symbol %d at position %d, want 1 to %d", s, i, c.vocabulary)
		}
	}
	return nil
}

// maxOccurrences limits the number of occurrences; smaller sums are finite.
const maxOccurrences = 1e300

// count is AddAt for checked arguments.
func (c *Counter) count(context, symbol int32, p, times float64) error {
	if len(c.trie.nodes) > math.MaxInt32-maxOrder { // all suffixes of the n-gram may be new, too
		return fmt.Errorf("more than %d different n-grams", math.MaxInt32-maxOrder)
	}
	if c.occurrences += times; c.occurrences > maxOccurrences {
		return fmt.Errorf("more than %g occurrences", maxOccurrences)
	}
	c.tally(c.trie.child(context, symbol)).addTimes(p, times)
	return nil
}

// tally returns the tally of an n-gram, which has the greatest length or begins a string.
func (c *Counter) tally(k int32) *tally {
	n := &c.trie.nodes[k]
	if n.tally == 0 {
		c.tallies = append(c.tallies, nothing)
		n.tally = int32(len(c.tallies))
	}
	return &c.tallies[n.tally-1]
}

// tally is the distribution of a count that is a sum of independent events: of[c] is
// the probability of count c, the last one of 5 and more.
type tally struct {
	of   [6]float64
	mean float64
}

// nothing is the tally of zero events.
var nothing = tally{of: [6]float64{1}}

// add counts an event of probability p. It uses only products and sums of probabilities, so that
// small ones keep their relative accuracy.
func (t *tally) add(p float64) {
	q, r := &t.of, 1-p
	q[5] += q[4] * p
	q[4] = q[4]*r + q[3]*p
	q[3] = q[3]*r + q[2]*p
	q[2] = q[2]*r + q[1]*p
	q[1] = q[1]*r + q[0]*p
	q[0] *= r
	t.mean += p
}

// addTimes counts ⌊n⌋ events of probability p, and one of p times the rest of n.
func (t *tally) addTimes(p, n float64) {
	whole := math.Floor(n)
	switch {
	case whole == 1:
		t.add(p)
	case whole > 1:
		many := repeated(p, whole)
		t.plus(&many)
	}
	if rest := n - whole; rest > 0 {
		t.add(p * rest)
	}
}

// repeated is the count of n events of probability p, n a whole number above 0. It takes O(log n)
// products; their rounding errors add up as in n products.
func repeated(p, n float64) tally {
	mean := n * p
	if p == 1 {
		certain := tally{mean: mean}
		certain.of[int(min(n, 5))] = 1
		return certain
	}
	sum, power := nothing, nothing
	for power.add(p); ; power.plus(&power) {
		half := math.Floor(n / 2)
		if half < n/2 {
			sum.plus(&power)
		}
		if n = half; n == 0 {
			sum.mean = mean
			return sum
		}
	}
}

// plus adds an independent count.
func (t *tally) plus(u *tally) {
	var sum [6]float64
	for i, p := range t.of {
		for j, q := range u.of {
			sum[min(i+j, 5)] += p * q
		}
	}
	t.of, t.mean = sum, t.mean+u.mean
}

// atLeast returns the probability that the count is c or more.
func (t *tally) atLeast(c int) float64 {
	sum := 0.0
	for _, p := range t.of[c:] {
		sum += p
	}
	return sum
}
