package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// factorLeaky computes part by elimination without subtraction. It returns false where
// that does not do: in rings whose weights are more than numbers, and for weights that
// are negative or out of range. The error wraps semiring.ErrDiverges.
//
// The vectors v tried are 1 for the rows of A, where no state passes on more than it
// has; 1 for its columns, where none gets more than the others have; and then better
// and better approximations of the eigenvector, until hardly anything cancels.
func (e *elimination[W]) factorLeaky(part factors[W], lo, hi int) (known bool, err error) {
	const rounds = 4 // after two, v is as close as rounding lets it come
	l := &e.leaky
	l.bound = 0
	if e.mass == nil || e.mass.Weight == nil || !e.readArcs(lo, hi) {
		return false, nil
	}
	if l.faceRows(e.plan); l.leak(nil) {
		return e.settle(l.run(!l.exact), part, e.takeRows)
	}
	if l.faceColumns(e.plan); l.leak(nil) {
		return e.settle(l.run(!l.exact), part, e.takeColumns)
	}
	l.faceRows(e.plan)
	l.leak(nil)
	v, result := make([]float64, l.n), uncertain
	for range rounds {
		result = l.run(true)
		if result == outOfRange || result == interrupted || result == certain && l.bound <= negligible {
			break
		}
		if !l.balance(v) {
			return false, nil
		}
		l.leak(v)
	}
	return e.settle(result, part, e.takeRows)
}

// settle ends factorLeaky with an outcome.
func (e *elimination[W]) settle(result outcome, part factors[W], take func(part factors[W])) (known bool, err error) {
	l := &e.leaky
	switch result {
	case certain:
		take(part)
		return true, nil
	case uncertain:
		return false, diverges(e.plan.order[l.lo+l.at], l.lo, l.lo+l.n, fmt.Sprintf("those found so far have a mass of %v", l.mass))
	case interrupted:
		return false, e.g.interrupted()
	default:
		return false, nil
	}
}

// readArcs sets the arcs of e.leaky to those inside the component at positions
// lo … hi−1. It returns false if one is negative or out of range.
func (e *elimination[W]) readArcs(lo, hi int) bool {
	l, t, pl := &e.leaky, e.g.topology, e.plan
	l.lo, l.n = lo, hi-lo
	l.grow(e.g.NumStates())
	l.rows.clear()
	farthest := 0
	for p := lo; p < hi; p++ {
		s := pl.order[p]
		begin, end := t.Row[s], t.Row[s+1]
		w := e.g.weight[begin:end]
		e.read = rows.Resized(e.read, len(w))
		e.numbers.Read(e.read, w, nil)
		for n, y := range e.read {
			q := int(pl.position[t.To[begin+int32(n)]]) - lo
			if q < 0 || q >= l.n || e.absent(s, begin+int32(n)) || e.g.ring.IsZero(w[n]) {
				continue
			}
			if !(weights.MantLow <= y && y < weights.MantHigh) {
				return false
			}
			farthest = max(farthest, magnitude(semiring.ScaledFloat{Mant: y}))
			l.rows.col, l.rows.a = append(l.rows.col, int32(q)), append(l.rows.a, y)
		}
		l.rows.closeRow()
	}
	l.pace = workload{interrupted: e.g.interrupted}
	l.exact, l.doubts = e.mass.Exact, 1
	if !l.exact {
		l.doubts += float64(farthest) // of logarithms
	}
	return true
}

// takeRows stores the factors of rows in part.
func (e *elimination[W]) takeRows(part factors[W]) {
	l := &e.leaky
	for _, f := range []struct {
		dst []W
		src []float64
	}{{part.lower, l.lower}, {part.upper, l.upper}, {part.star, l.star}} {
		for n, x := range f.src {
			f.dst[n] = e.mass.Weight(semiring.NewScaled(x))
		}
	}
}

// takeColumns stores the factors of columns in part: those of the transpose of A are
// the other way round, and the stars are on the other side.
func (e *elimination[W]) takeColumns(part factors[W]) {
	l, lo, hi := &e.leaky, e.leaky.lo, e.leaky.lo+e.leaky.n
	up, low := e.plan.upper.in, e.plan.lower.in
	upperBase, lowerBase := e.plan.upper.row[lo], e.plan.lower.row[lo]
	for n, x := range l.lower {
		m := up.Row[lo] + int32(n)
		k := int(e.plan.position[up.Other[m]]) - lo
		part.upper[up.Arc[m]-upperBase] = e.mass.Weight(semiring.NewScaled(x / l.star[k]))
	}
	for p := lo; p < hi; p++ {
		for m := low.Row[p]; m < low.Row[p+1]; m++ {
			part.lower[low.Arc[m]-lowerBase] = e.mass.Weight(semiring.NewScaled(l.upper[m-low.Row[lo]] * l.star[p-lo]))
		}
	}
	for n, x := range l.star {
		part.star[n] = e.mass.Weight(semiring.NewScaled(x))
	}
}
