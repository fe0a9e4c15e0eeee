package moments

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Inverse returns unbiased estimates of the indicators of the values of y from each observation of
// c: a matrix R with a row per o and a column per y, such that Σ_o S(o | y)·R(o, y′) = 1[y = y′].
// Entries may be negative. It is Invert for a family whose statistics are the indicators, with its
// errors: the columns of S must be linearly independent.
func (c *Channel) Inverse() (*mat.Dense, error) {
	_, values := c.s.Dims()
	identity := mat.NewDense(values, values, nil)
	for y := range values {
		identity.Set(y, y, 1)
	}
	f, err := NewFamily(identity, nil)
	if err != nil {
		return nil, err
	}
	return c.Invert(f)
}

// Part is a part of the statistics of a sequence that depends on the labels of a few of
// its positions: φ(x, y) is the sum of all parts.
type Part struct {
	// At are the positions, all different.
	At []int
	// Add adds times·φ(x, labels) to dst; labels contains the labels of the positions.
	Add func(dst []float64, labels []int, times float64)
}

// Product returns the observation function of sequences whose labels were observed one by one: each
// o_t is the output of a channel with input y_t, independent of the other labels. inverse returns
// Channel.Inverse of the channel of position t of x, and parts returns the parts of φ(x, y). Since
// the observations are independent of each other given the labels,
//
//	β(x, o) = Σ over parts, Σ over labels of their positions of Π_t R_t(o_t, y_t)·φ(x, labels)
//
// has the expectation φ(x, y). For a part of k positions, both time and variance grow like the k-th
// power of the number of labels. The error of the function wraps ErrInvalid if an observation has
// no row, or a part has a duplicate position or a position without an observation.
func Product[X any](inverse func(x X, t int) mat.Matrix, parts func(x X) iter.Seq[Part]) Observation[X, []int] {
	return func(dst []float64, x X, o []int) error {
		worth := make([]mat.Matrix, len(o))
		for t, seen := range o {
			worth[t] = inverse(x, t)
			if rows, _ := worth[t].Dims(); seen < 0 || seen >= rows {
				return fmt.Errorf("%w: observation %d at position %d, want one of %d", ErrInvalid, seen, t, rows)
			}
		}
		for part := range parts(x) {
			for k, t := range part.At {
				if t < 0 || t >= len(o) || slices.Contains(part.At[:k], t) {
					return fmt.Errorf("%w: a part of positions %v, want different ones of %d", ErrInvalid, part.At, len(o))
				}
			}
			labelings(part.At, worth, o, 1, make([]int, 0, len(part.At)), func(labels []int, times float64) {
				part.Add(dst, labels, times)
			})
		}
		return nil
	}
}

// labelings calls yield for all labels of the positions, with the product of their entries in
// worth.
func labelings(at []int, worth []mat.Matrix, o []int, times float64, labels []int, yield func([]int, float64)) {
	if times == 0 {
		return
	}
	if len(labels) == len(at) {
		yield(labels, times)
		return
	}
	t := at[len(labels)]
	_, n := worth[t].Dims()
	for y := range n {
		labelings(at, worth, o, times*worth[t].At(o[t], y), append(labels, y), yield)
	}
}
