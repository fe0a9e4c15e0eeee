package ngram

import (
	"math"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
)

// Smoothing is a method of assigning probabilities to unseen n-grams.
type Smoothing int

// The methods of smoothing. The package comment has their formulas.
const (
	// ModifiedKneserNey subtracts from the count of every n-gram a discount estimated from the
	// numbers of n-grams with small counts, and counts a shorter n-gram by the different symbols
	// before it. It is the usual choice.
	ModifiedKneserNey Smoothing = iota
	// WittenBell subtracts no discount and adds the number of different successors to the total of
	// a context.
	WittenBell
	// Additive adds Options.Pseudocount to the count of every symbol after a context. Only contexts
	// of n−1 symbols are used, and shorter ones at the beginning of a string.
	Additive
	// StupidBackoff is the relative frequency of a seen n-gram; for an unseen one it is
	// Options.BackoffFactor times the score without the first symbol. The scores are not
	// probabilities: after a context they do not sum to 1, and a symbol that was never seen has
	// score 0.
	StupidBackoff
)

// String returns the name of the method.
func (s Smoothing) String() string {
	return named.One(s, "Smoothing", "modified Kneser-Ney", "Witten-Bell", "additive", "stupid backoff")
}

// Options are the choices in Counter.Model and Fit. A nil *Options and the zero value of each field
// mean the default. Lists are by length, from 1; the last value applies to all greater lengths. It
// is an error to set a field that the smoothing does not use.
type Options struct {
	Smoothing Smoothing
	// Discounts are the D₁, D₂ and D₃ of ModifiedKneserNey that replace the estimates, each D_i
	// from 0 to i (default: estimates). {{.75, .75, .75}} is absolute discounting.
	Discounts [][3]float64
	// DiscountScale multiplies the discounts of ModifiedKneserNey, up to the count (default: 1).
	// {1, 1.2} does not change the discounts of single symbols. Small and noisy data often need
	// more than 1. With {0} the model consists of relative frequencies, and unseen n-grams have
	// probability 0.
	DiscountScale []float64
	// Pseudocount is the count that Additive adds (default: 1, Laplace's rule).
	Pseudocount float64
	// BackoffFactor is the factor of StupidBackoff for each symbol that is left out of a
	// context, at most 1 (default: 0.4, as in Brants et al. 2007).
	BackoffFactor float64
	// MinCount removes n-grams with a smaller count, in the sense of Discount.Counts for
	// ModifiedKneserNey (default: all are kept). {0, 0, 2} removes trigrams and longer n-grams with
	// an expected count of less than 2. Their share goes to the shorter context.
	MinCount []float64
}

func (o *Options) pseudocount() float64 {
	if o.Pseudocount == 0 {
		return 1
	}
	return o.Pseudocount
}

func (o *Options) backoffFactor() float64 {
	if o.BackoffFactor == 0 {
		return .4
	}
	return o.BackoffFactor
}

// byLength returns the value for n-grams of a length.
func byLength[T any](list []T, length int, none T) T {
	if len(list) == 0 {
		return none
	}
	return list[min(length, len(list))-1]
}

// maxPseudocount keeps sums of pseudocounts finite.
const maxPseudocount = 1e100

func (o *Options) check() error {
	if o.Smoothing < ModifiedKneserNey || o.Smoothing > StupidBackoff {
		return nested.Errorf("ngram: %w: unknown smoothing %d", ErrInvalid, o.Smoothing)
	}
	for _, field := range []struct {
		name string
		set  bool
		of   Smoothing
	}{
		{"Discounts", len(o.Discounts) > 0, ModifiedKneserNey},
		{"DiscountScale", len(o.DiscountScale) > 0, ModifiedKneserNey},
		{"Pseudocount", o.Pseudocount != 0, Additive},
		{"BackoffFactor", o.BackoffFactor != 0, StupidBackoff},
	} {
		if field.set && o.Smoothing != field.of {
			return nested.Errorf("ngram: %w: %s is set, but it applies to the smoothing %v, and the smoothing is %v",
				ErrInvalid, field.name, field.of, o.Smoothing)
		}
	}
	for _, l := range []struct {
		name string
		list []float64
	}{{"DiscountScale", o.DiscountScale}, {"MinCount", o.MinCount}} {
		for i, x := range l.list {
			if !(x >= 0) || math.IsInf(x, 1) {
				return nested.Errorf("ngram: %w: %s %g of length %d, want a finite number ≥ 0", ErrInvalid, l.name, x, i+1)
			}
		}
	}
	for m, d := range o.Discounts {
		for i, x := range d {
			if !(x >= 0 && x <= float64(i+1)) {
				return nested.Errorf("ngram: %w: discount D%d of length %d is %g, want 0 to %d", ErrInvalid, i+1, m+1, x, i+1)
			}
		}
	}
	if x := o.Pseudocount; !(x >= 0 && x <= maxPseudocount) {
		return nested.Errorf("ngram: %w: Pseudocount %g, want a number from 0 (for 1) to %g", ErrInvalid, x, maxPseudocount)
	}
	if x := o.BackoffFactor; !(x >= 0 && x <= 1) {
		return nested.Errorf("ngram: %w: BackoffFactor %g, want a number from 0 (for 0.4) to 1", ErrInvalid, x)
	}
	return nil
}
