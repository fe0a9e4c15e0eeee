package ngram

import (
	"fmt"
	"math"
)

// Smoothing is the way in which what was not seen comes to its probability.
type Smoothing int

// The ways of smoothing. The package's description has their formulas.
const (
	// ModifiedKneserNey takes from the count of every n-gram a discount that is
	// estimated from the numbers of n-grams with small counts, and counts a shorter
	// n-gram by the different symbols before it: the usual choice.
	ModifiedKneserNey Smoothing = iota
	// WittenBell takes nothing and adds the number of different successors to the
	// total of a context.
	WittenBell
)

// Options are the choices in Counter.Model and Fit. A nil *Options and the zero
// value of each field mean the default. Lists are by length, from 1; the last value
// goes for all that are longer.
type Options struct {
	Smoothing Smoothing
	// DiscountScale multiplies the discounts of ModifiedKneserNey, which are never
	// more than the count (default: 1). {1, 1.2} leaves those of single symbols as
	// they are. Small and noisy data want more than 1. With {0} the model has the
	// relative frequencies, and probabilities of 0.
	DiscountScale []float64
	// MinCount leaves out n-grams with a lesser count, in the sense of
	// Discount.Counts for ModifiedKneserNey (default: none is left out). {0, 0, 2}
	// leaves out the trigrams and longer ones that are expected less than twice. What
	// they would have kept goes to all that is predicted without them.
	MinCount []float64
}

// byLength returns the value that goes for n-grams of a length.
func byLength(list []float64, length int, none float64) float64 {
	if len(list) == 0 {
		return none
	}
	return list[min(length, len(list))-1]
}

func (o *Options) check() error {
	if o.Smoothing != ModifiedKneserNey && o.Smoothing != WittenBell {
		return fmt.Errorf("ngram: %w: unknown smoothing %d", ErrInvalid, o.Smoothing)
	}
	for _, l := range []struct {
		name string
		list []float64
	}{{"DiscountScale", o.DiscountScale}, {"MinCount", o.MinCount}} {
		for i, x := range l.list {
			if !(x >= 0) || math.IsInf(x, 1) {
				return fmt.Errorf("ngram: %w: %s %g of length %d, want a finite number ≥ 0", ErrInvalid, l.name, x, i+1)
			}
		}
	}
	return nil
}
