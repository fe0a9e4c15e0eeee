package grid

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/layers"
)

// Scratch is working storage for the methods of a Machine. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of machines and strings. Once it has grown to the
// largest of them, methods do not allocate.
type Scratch struct {
	// own is a *scratch after the first use. A field of that type would be compiled in each package
	// that mentions a Scratch.
	own any
}

// scratch is the content of a Scratch.
type scratch struct {
	pair    pair
	plain   plain
	numbers forwardBackward[float64]
	tangent tangent
	layered layered
}

// contentOf returns the content of s, which is new before the first use.
func contentOf(s *Scratch) *scratch {
	own, ok := s.own.(*scratch)
	if !ok {
		own = new(scratch)
		s.own = own
	}
	return own
}

// PathSum returns the sum of the weights of all paths that read x and write y, 0 if there is no
// such path.
func (m *Machine) PathSum(x, y []int32, s *Scratch) semiring.ScaledFloat {
	own := contentOf(s)
	if !own.pair.take(m, x, y) {
		return semiring.ScaledFloat{}
	}
	if sum, ok := own.plain.alphas(&own.pair); ok {
		return own.pair.total(sum, 0)
	}
	own.numbers.take(&own.pair, m.numbers)
	if sum, scale, ok := own.numbers.alphas(); ok && sum >= leastSum {
		return own.pair.total(sum, scale)
	}
	own.layered.take(&own.pair, nil)
	return layers.PathSum(&own.layered, &own.layered.scratch)
}

// Counts adds to sum weight times the expected number of uses of every part on a random path that
// reads x and writes y, drawn in proportion to its weight, and returns the path sum. If the path
// sum is 0, it leaves sum unchanged. The error wraps semiring.ErrNotFinite if the path sum is
// infinite, not a number, or without an inverse; sum is unchanged then, too.
//
// Posteriors less than 1e-150 may count as 0, otherwise they are as accurate as α and β. It
// visits every arc of the grid twice or three times, or five times if the grid has more than 2²⁰
// nodes.
// The result does not depend on what s was used for before.
func (m *Machine) Counts(x, y []int32, weight float64, sum Parts, s *Scratch) (semiring.ScaledFloat, error) {
	own := contentOf(s)
	if !own.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	if total, ok := own.plain.counts(&own.pair, weight, sum); ok {
		return own.pair.total(total, 0), nil
	}
	own.numbers.take(&own.pair, m.numbers)
	if total, ok := own.numbers.counts(weight, arcParts[float64]{sum.Initial, sum.Arc, sum.Final}); ok {
		return total, nil
	}
	own.layered.take(&own.pair, nil)
	return own.layered.counts(weight, sum)
}

// HessianVector is Counts, and adds to change weight·Cov(N, V): N is the number of uses of every
// part on a random path, and V the sum of v over the parts that the path uses. This is the
// derivative by ε of weight·E[N], which Counts adds, if every part's weight is multiplied by
// e^(ε·v). So it is the product of v and the matrix of second derivatives of weight·ln total with
// respect to the logarithms of the parts' weights. An entry of v for a part of weight 0 must be
// finite and is otherwise ignored.
//
// It returns the path sum; if the sum is 0, count and change are unchanged. The error wraps
// semiring.ErrNotFinite if the path sum is infinite or not a number; count and change are
// unchanged then, too. Weights must not be negative.
//
// Derivatives are accurate to about 1e-12, relative to the deviation of V. The mean of V is
// subtracted row by row, so a V with a mean much greater than its deviation loses few digits.
// Posteriors less than 1e-120 may count as 0.
func (m *Machine) HessianVector(x, y []int32, v Parts, weight float64, count, change Parts, s *Scratch) (semiring.ScaledFloat, error) {
	own := contentOf(s)
	if !own.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	own.tangent.take(&own.pair, v)
	own.tangent.loops = slopes{}
	if total, ok := own.tangent.derivatives(&own.pair, weight, count, change); ok {
		return total, nil
	}
	own.tangent.setValues()
	own.layered.take(&own.pair, &own.tangent)
	return own.layered.derivatives(weight, count, change)
}
