package solve

import (
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// factors are the values of a plan for one weighting. With A the matrix of arc
// weights and paths "through k" those whose inner states were all eliminated
// before k,
//
//	star:  per position k, (⊕ paths from k to k through k)*
//	upper: per entry (k, j), ⊕ paths from k to j through k
//	lower: per entry (i, k), ⊕ paths from i to k through k, ⊗ star of k
type factors[T any] struct {
	lower, upper, star []T
	// Factors of a single component start at these entries of the plan.
	lowerBase, upperBase, starBase int32
}

func newFactors[T any](pl *plan, states int) factors[T] {
	return factors[T]{lower: make([]T, len(pl.lower.col)), upper: make([]T, len(pl.upper.col)), star: make([]T, states)}
}

// cover allocates factors for only the component at positions lo … hi−1.
func (f *factors[T]) cover(pl *plan, lo, hi int) {
	lower, upper := pl.lower.row, pl.upper.row
	f.lowerBase, f.upperBase, f.starBase = lower[lo], upper[lo], int32(lo)
	f.lower = rows.Resized(f.lower, int(lower[hi]-lower[lo]))
	f.upper = rows.Resized(f.upper, int(upper[hi]-upper[lo]))
	f.star = rows.Resized(f.star, hi-lo)
}

// arithmetic is the interface of elimination to the elements of a matrix.
type arithmetic[T any] interface {
	// addArcs adds the weights of the arcs of s inside the component to the row, by positions.
	addArcs(row []T, s int32)
	zero() T
	isZero(x T) bool
	times(x, y T) T
	// addRow adds x ⊗ upper[m] to row[at[m]], for all m.
	addRow(row []T, at []int32, x T, upper []T)
	star(x T) (T, bool)
}

// eliminate computes the factors of the component at positions lo … hi−1, row by row. The current
// row is Zero before and after. If a star has no value, eliminate returns its position and false,
// and leaves the row unfinished. The error comes from pace.
func eliminate[T any](pl *plan, lo, hi int, a arithmetic[T], f *factors[T], row []T, pace workload) (at int, ok bool, err error) {
	zero := a.zero()
	for p := lo; p < hi; p++ {
		a.addArcs(row, pl.order[p])
		for n := pl.lower.row[p]; n < pl.lower.row[p+1]; n++ {
			r := pl.position[pl.lower.col[n]]
			x, lower := row[r], &f.lower[n-f.lowerBase]
			row[r], *lower = zero, zero
			if a.isZero(x) {
				continue
			}
			*lower = a.times(x, f.star[r-f.starBase])
			begin, end := pl.upper.row[r], pl.upper.row[r+1]
			a.addRow(row, pl.upperAt[begin:end], *lower, f.upper[begin-f.upperBase:])
			if err := pace.done(int(end-begin) + 1); err != nil {
				return p, false, err
			}
		}
		star, ok := a.star(row[p])
		if !ok {
			return p, false, nil
		}
		f.star[int32(p)-f.starBase], row[p] = star, zero
		begin, end := pl.upper.row[p], pl.upper.row[p+1]
		upper := f.upper[begin-f.upperBase:]
		for n, r := range pl.upperAt[begin:end] {
			upper[n], row[r] = row[r], zero
		}
	}
	return 0, true, nil
}

// inside maps the arcs inside a component to the positions of their targets, from lo to hi−1.
// Arcs with an end that is not in use count as Zero.
type inside struct {
	row, to, position []int32
	lo, hi            int32
	use               []bool // nil: all
}

// absent reports whether an arc of s has an end that is not in use.
func (in *inside) absent(s, arc int32) bool {
	return in.use != nil && !(in.use[s] && in.use[in.to[arc]])
}

// insideOf returns the arcs inside the component at positions lo … hi−1. The states in use must
// be known.
func insideOf(p *problem, pl *plan, lo, hi int) inside {
	return inside{p.topology.Row, p.topology.To, pl.position, int32(lo), int32(hi), p.use.use}
}

// solveBackward replaces the sums x, at the states of positions lo … hi−1, by the
// solution of x' = A ⊗ x' ⊕ x. sum is scratch.
func solveBackward[W any](pl *plan, f *factors[W], by *weights.Products[W], x []W, sum *W, lo, hi int) {
	add := func(s int32, f []W, col []int32) {
		if len(col) > 0 {
			*sum = *new(W) // its storage belongs to a sum now
			weights.Before(by, sum, f[:len(col)], nil, x, col)
			x[s] = by.Ring.Plus(x[s], *sum)
		}
	}
	for k := lo; k < hi; k++ {
		begin, end := pl.lower.row[k], pl.lower.row[k+1]
		add(pl.order[k], f.lower[begin:], pl.lower.col[begin:end])
	}
	for k := hi - 1; k >= lo; k-- {
		s := pl.order[k]
		begin, end := pl.upper.row[k], pl.upper.row[k+1]
		add(s, f.upper[begin:], pl.upper.col[begin:end])
		x[s] = by.Ring.Times(f.star[k], x[s])
	}
}

// solveForward replaces the sums x, at the states of positions lo … hi−1, by the solution
// of x' = x' ⊗ A ⊕ x. sum is scratch.
func solveForward[W any](pl *plan, f *factors[W], by *weights.Products[W], x []W, sum *W, lo, hi int) {
	add := func(s int32, f []W, in *rows.Adjacency, k int) {
		if begin, end := in.Row[k], in.Row[k+1]; begin < end {
			*sum = *new(W)
			weights.After(by, sum, f, in.Arc[begin:end], x, in.Other[begin:end])
			x[s] = by.Ring.Plus(x[s], *sum)
		}
	}
	for k := lo; k < hi; k++ {
		s := pl.order[k]
		add(s, f.upper, &pl.upper.in, k)
		x[s] = by.Ring.Times(x[s], f.star[k])
	}
	for k := hi - 1; k >= lo; k-- {
		add(pl.order[k], f.lower, &pl.lower.in, k)
	}
}
