package grid

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/layers"
)

// Scratch is working storage for the methods of a Machine. Its zero value is ready for use; one
// goroutine uses it at a time, for any number of machines and strings. Once it has grown to the
// largest of them, methods do not allocate.
type Scratch struct {
	pair    pair
	plain   plain
	numbers forwardBackward[float64]
	tangent tangent
	layered layered
}

// PathSum returns the sum of the weights of all paths that read x and write y, 0 if there is no
// such path.
func (m *Machine) PathSum(x, y []int32, s *Scratch) semiring.ScaledFloat {
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}
	}
	if sum, ok := s.plain.alphas(&s.pair); ok {
		return s.pair.total(sum, 0)
	}
	s.numbers.take(&s.pair, m.numbers)
	if sum, scale, ok := s.numbers.alphas(); ok && sum >= leastSum {
		return s.pair.total(sum, scale)
	}
	s.layered.take(&s.pair, nil)
	return layers.PathSum(&s.layered, &s.layered.scratch)
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
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	if total, ok := s.plain.counts(&s.pair, weight, sum); ok {
		return s.pair.total(total, 0), nil
	}
	s.numbers.take(&s.pair, m.numbers)
	if total, ok := s.numbers.counts(weight, arcParts[float64]{sum.Initial, sum.Arc, sum.Final}); ok {
		return total, nil
	}
	s.layered.take(&s.pair, nil)
	return s.layered.counts(weight, sum)
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
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	s.tangent.take(&s.pair, v)
	s.tangent.loops = slopes{}
	if total, ok := s.tangent.derivatives(&s.pair, weight, count, change); ok {
		return total, nil
	}
	s.tangent.setValues()
	s.layered.take(&s.pair, &s.tangent)
	return s.layered.derivatives(weight, count, change)
}
