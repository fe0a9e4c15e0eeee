package ngram

import (
	"fmt"
	"iter"

	"example.org/pathsum/internal/nonnil"
)

// Fit returns the model of the given order (n, at least 1) over the symbols
// 1 … vocabulary, trained on strings with weights: how often each was seen. A
// weight of 0 says that it was not. The errors are those of NewCounter,
// Counter.AddString, which name the string by its position in data, from 0, and
// Counter.Model. O(n × symbols) time, and the memory of a Counter.
func Fit(order int, vocabulary int32, data iter.Seq2[[]int32, float64], opts *Options) (*Model, error) {
	nonnil.Check("ngram: Fit", "data", data)
	c, err := NewCounter(order, vocabulary)
	if err != nil {
		return nil, err
	}
	i := 0
	for symbols, weight := range data {
		if err := c.addString(symbols, weight); err != nil {
			return nil, fmt.Errorf("ngram: %w: string %d: %v", ErrInvalid, i, err)
		}
		i++
	}
	return c.Model(opts)
}
