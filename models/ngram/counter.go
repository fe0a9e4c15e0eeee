package ngram

import (
	"fmt"
	"math"
)

// End is the end of a string where a symbol is asked for; the symbols are
// 1 … V. As in package fst, 0 labels no symbol.
const End = 0

// begin is the mark of the beginning of a string as the first symbol of a context.
const begin = -1

// Counter counts n-grams whose occurrences may be uncertain: of each it keeps the
// distribution of its count, which is a sum of independent events (Zhang and Chiang
// 2014). It takes 20 bytes and 8 to 16 of a hash table for each different n-gram,
// shorter ones included, and 56 for each of the longest and of those at the beginning
// of a string. It belongs to one goroutine.
type Counter struct {
	order      int
	vocabulary int32
	trie       trie
	tallies    []tally

	occurrences float64 // so far, whatever their probabilities
}

// maxOrder leaves room for the suffixes of one n-gram among 2³¹ numbers.
const maxOrder = 1 << 20

// NewCounter returns a counter of the n-grams of up to order symbols, 1 to 2²⁰, over the
// symbols 1 … vocabulary. The error wraps ErrInvalid.
func NewCounter(order int, vocabulary int32) (*Counter, error) {
	if order < 1 || order > maxOrder {
		return nil, fmt.Errorf("ngram: %w: order %d, want 1 to %d", ErrInvalid, order, maxOrder)
	}
	if vocabulary < 1 || vocabulary == math.MaxInt32 {
		return nil, fmt.Errorf("ngram: %w: vocabulary of %d symbols, want 1 to %d", ErrInvalid, vocabulary, math.MaxInt32-1)
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

// Step returns the context after a symbol of 1 … V: what was read since the beginning
// of the string, or the last n−1 symbols. Contexts are numbers that Start and Step
// gave; two histories have the same one if they end in the same n−1 symbols. It counts
// nothing. It panics if the symbol is out of range.
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

// rounding is how far above 1 a probability may be that is a quotient of sums.
const rounding = 1e-9

// AddAt counts so many occurrences, each of probability p, of a symbol of 1 … V or End
// after a context: as many as times has wholes, and one of p times the rest. A p of 0 says
// that there is none; one that exceeds 1 by rounding, at most 1e-9, is taken for 1.
// Different occurrences are taken as independent. The error wraps ErrInvalid if p is no
// probability, times is negative, infinite or not a number, the symbol is out of range, or
// there are more than 2³¹−2²⁰ n-grams or 1e300 occurrences. It takes one look-up in a
// hash table, and O(log times).
func (c *Counter) AddAt(context, symbol int32, p, times float64) error {
	if symbol < 0 || symbol > c.vocabulary {
		return fmt.Errorf("ngram: %w: symbol %d, want 1 to %d or End", ErrInvalid, symbol, c.vocabulary)
	}
	if !(p >= 0 && p <= 1+rounding) {
		return fmt.Errorf("ngram: %w: an occurrence of probability %g", ErrInvalid, p)
	}
	if err := checkTimes(times); err != nil {
		return fmt.Errorf("ngram: %w: %v", ErrInvalid, err)
	}
	if p == 0 || times == 0 {
		return nil
	}
	if err := c.count(context, symbol, min(p, 1), times); err != nil {
		return fmt.Errorf("ngram: %w: %v", ErrInvalid, err)
	}
	return nil
}

// Add counts one occurrence, of probability p, of a symbol or End after all that was
// read since the beginning of the string. It is AddAt after as many Steps as the order
// asks for, with its errors.
func (c *Counter) Add(history []int32, symbol int32, p float64) error {
	if err := c.check(history); err != nil {
		return fmt.Errorf("ngram: %w: history: %v", ErrInvalid, err)
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

// AddString counts the symbols of a string and its end, weight times: as many certain
// occurrences as the weight has wholes, and one with the probability of the rest. The
// error wraps ErrInvalid for a weight that is negative, infinite or not a number, a
// symbol out of range, and more than 2³¹−2²⁰ n-grams or 1e300 occurrences.
func (c *Counter) AddString(symbols []int32, weight float64) error {
	if err := c.addString(symbols, weight); err != nil {
		return fmt.Errorf("ngram: %w: %v", ErrInvalid, err)
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

// maxOccurrences is the most occurrences that are counted; sums of fewer are finite.
const maxOccurrences = 1e300

// count is AddAt for what has been checked.
func (c *Counter) count(context, symbol int32, p, times float64) error {
	if len(c.trie.nodes) > math.MaxInt32-maxOrder { // one more may come with all its suffixes
		return fmt.Errorf("more than %d different n-grams", math.MaxInt32-maxOrder)
	}
	if c.occurrences += times; c.occurrences > maxOccurrences {
		return fmt.Errorf("more than %g occurrences", maxOccurrences)
	}
	c.tally(c.trie.child(context, symbol)).addTimes(p, times)
	return nil
}

// tally returns the tally of an n-gram, which is of the longest or begins a string.
func (c *Counter) tally(k int32) *tally {
	n := &c.trie.nodes[k]
	if n.tally == 0 {
		c.tallies = append(c.tallies, nothing)
		n.tally = int32(len(c.tallies))
	}
	return &c.tallies[n.tally-1]
}
