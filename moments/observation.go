package moments

import (
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// Observation is an observation function β: it adds β(x, o) to dst, which has an element
// per statistic. Its expectation over o must be φ(x, y), whatever y is. The error says
// why o cannot be an observation of x.
type Observation[X, O any] func(dst []float64, x X, o O) error

// Table returns the observation function β(x, o) = row o of beta, which has a column per
// statistic. The error for an o without a row wraps ErrInvalid.
func Table[X any](beta mat.Matrix) Observation[X, int] {
	rows, _ := beta.Dims()
	return func(dst []float64, _ X, o int) error {
		if o < 0 || o >= rows {
			return invalid("observation %d, want one of %d", o, rows)
		}
		for j := range dst {
			dst[j] += beta.At(o, j)
		}
		return nil
	}
}

// Total returns the sum of β over data, an unbiased estimate of d statistics summed up
// over the examples, and the number of examples. The error is that of β with the number
// of the example, or wraps ErrInvalid if the sum is not finite.
func (beta Observation[X, O]) Total(d int, data iter.Seq2[X, O]) (total []float64, n int, err error) {
	total = make([]float64, d)
	for x, o := range data {
		if err := beta(total, x, o); err != nil {
			return nil, n, fmt.Errorf("moments: example %d: %w", n, err)
		}
		n++
	}
	for j, v := range total {
		if v-v != 0 {
			return nil, n, invalid("the sum of statistic %d is %g", j, v)
		}
	}
	return total, n, nil
}
