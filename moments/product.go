package moments

import (
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Inverse returns what each observation of c is worth as an estimate of the indicator of
// each value of y: a matrix with a row per o and a column per y, such that Σ_o
// S(o | y)·R(o, y′) = 1[y = y′]. Numbers may be negative. It is Invert for a family whose
// statistics are the indicators, with its errors: the columns of S must be linearly
// independent.
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
	// Add adds times·φ(x, labels) to dst, where the labels are those of the positions.
	Add func(dst []float64, labels []int, times float64)
}

// Product returns the observation function of sequences whose labels were observed one by
// one: each o_t comes out of a channel that sees y_t, whatever the other labels are.
// inverse returns Channel.Inverse of the channel of position t of x, and parts what φ(x, y)
// is made of. Since the observations are independent of each other given the labels,
//
//	β(x, o) = Σ over parts, Σ over labels of their positions of Π_t R_t(o_t, y_t)·φ(x, labels)
//
// has the expectation φ(x, y). A part of k positions takes time proportional to the k-th
// power of the number of labels, and has a variance that grows as much. The error of the
// function wraps ErrInvalid if an observation has no row, or a part has a position twice or
// one without an observation.
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

// labelings calls yield for all labels of positions, with the product of their worths.
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
