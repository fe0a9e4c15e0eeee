package graph

import (
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// arithmetic is what elimination needs of numbers V: a ring's weights, or
// bounded numbers.
type arithmetic[V any] interface {
	isZero(a V) bool
	plus(a, b V) V
	times(a, b V) V
	star(a V) (V, bool)
	// addRow sets work[col[n]] to work[col[n]] ⊕ a ⊗ u[n] for all n.
	addRow(work []V, col []int32, a V, u []V)
}

// factors are the values of a plan for one weighting. With A the matrix of arc
// weights and paths "through k" those whose inner states were all eliminated
// before k,
//
//	star:  per position k, (⊕ paths from k to k through k)*
//	upper: per entry (k, j), ⊕ paths from k to j through k
//	lower: per entry (i, k), ⊕ paths from i to k through k, ⊗ star of k
type factors[V any] struct {
	lower, upper, star []V
}

// part returns the factors of positions lo … hi−1 alone.
func (f factors[V]) part(pl *plan, lo, hi int) factors[V] {
	return factors[V]{
		f.lower[pl.lower.row[lo]:pl.lower.row[hi]],
		f.upper[pl.upper.row[lo]:pl.upper.row[hi]],
		f.star[lo:hi],
	}
}

// eliminate computes the part f of the factors that belongs to the component at
// positions lo … hi−1, row by row; weight returns the weights of arcs. work has
// an entry per position, all Zero, and is left so. If a star has no value, eliminate
// returns its position and false, and work is as it was then; the error is that of pace.
func eliminate[V any](t *rows.Topology, pl *plan, lo, hi int, a arithmetic[V], zero V,
	weight func(s, arc int32) V, f factors[V], work []V, pace workload) (at int, ok bool, err error) {
	lowerBase, upperBase := pl.lower.row[lo], pl.upper.row[lo]
	for p := lo; p < hi; p++ {
		s := pl.order[p]
		for e := t.Row[s]; e < t.Row[s+1]; e++ {
			q := t.To[e]
			if r := int(pl.position[q]); lo <= r && r < hi {
				work[r] = a.plus(work[r], weight(s, e))
			}
		}
		for n := pl.lower.row[p]; n < pl.lower.row[p+1]; n++ {
			r := pl.position[pl.lower.col[n]]
			x := work[r]
			work[r] = zero
			if a.isZero(x) {
				f.lower[n-lowerBase] = zero
				continue
			}
			x = a.times(x, f.star[int(r)-lo])
			f.lower[n-lowerBase] = x
			begin, end := pl.upper.row[r], pl.upper.row[r+1]
			a.addRow(work, pl.upperAt[begin:end], x, f.upper[begin-upperBase:end-upperBase])
			if err := pace.done(int(end-begin) + 1); err != nil {
				return p, false, err
			}
		}
		star, ok := a.star(work[p])
		if !ok {
			return p, false, nil
		}
		work[p] = zero
		f.star[p-lo] = star
		for n := pl.upper.row[p]; n < pl.upper.row[p+1]; n++ {
			r := pl.upperAt[n]
			f.upper[n-upperBase] = work[r]
			work[r] = zero
		}
	}
	return 0, true, nil
}

// solveBackward replaces x, at the states of positions lo … hi−1, by the
// solution of x' = A ⊗ x' ⊕ x. sum is scratch.
func solveBackward[W any](p *weights.Products[W], pl *plan, lo, hi int, f factors[W], x []W, sum *W) {
	var empty W
	for k := lo; k < hi; k++ {
		if begin, end := pl.lower.row[k], pl.lower.row[k+1]; begin < end {
			*sum = empty // its storage is now x's
			p.Before(sum, f.lower[begin:end], nil, x, pl.lower.col[begin:end])
			s := pl.order[k]
			x[s] = p.Ring.Plus(x[s], *sum)
		}
	}
	for k := hi - 1; k >= lo; k-- {
		s := pl.order[k]
		if begin, end := pl.upper.row[k], pl.upper.row[k+1]; begin < end {
			*sum = empty
			p.Before(sum, f.upper[begin:end], nil, x, pl.upper.col[begin:end])
			x[s] = p.Ring.Plus(x[s], *sum)
		}
		x[s] = p.Ring.Times(f.star[k], x[s])
	}
}

// solveForward replaces x, at the states of positions lo … hi−1, by the solution
// of x' = x' ⊗ A ⊕ x. sum is scratch.
func solveForward[W any](p *weights.Products[W], pl *plan, lo, hi int, f factors[W], x []W, sum *W) {
	var empty W
	upper, lower := pl.upper.in, pl.lower.in
	for k := lo; k < hi; k++ {
		s := pl.order[k]
		if begin, end := upper.Row[k], upper.Row[k+1]; begin < end {
			*sum = empty
			p.After(sum, f.upper, upper.Arc[begin:end], x, upper.Other[begin:end])
			x[s] = p.Ring.Plus(x[s], *sum)
		}
		x[s] = p.Ring.Times(x[s], f.star[k])
	}
	for k := hi - 1; k >= lo; k-- {
		if begin, end := lower.Row[k], lower.Row[k+1]; begin < end {
			*sum = empty
			p.After(sum, f.lower, lower.Arc[begin:end], x, lower.Other[begin:end])
			s := pl.order[k]
			x[s] = p.Ring.Plus(x[s], *sum)
		}
	}
}
