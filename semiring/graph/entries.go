package graph

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// rowRead is what besides its entries has been read of a row.
type rowRead struct {
	loop     semiring.ScaledFloat // mass of the self-loops
	loops    int                  // their number
	farthest int                  // the greatest magnitude of a weight
}

// readRow appends the entries of row i. The error wraps ErrDiverges if a weight is
// not finite, or else errRange if an entry is out of the range of float64.
func (k *block[W]) readRow(q *equations, i int) (r rowRead, err error) {
	s, local, number, weight := k.states[i], k.local, k.number, k.g.weight
	begin := k.from.row[s]
	for n, t := range k.from.other[begin:k.from.row[s+1]] {
		j := int(local[t]) - 1
		if j < 0 {
			continue
		}
		arc := k.from.arcAt(begin + int32(n))
		w := number(weight[arc])
		switch {
		case w.Mant == 0:
			continue
		case !w.IsFinite():
			return r, diverges(s, k.lo, k.hi, fmt.Sprintf("arc %d weighs %v", arc, w.Mant))
		case w.Mant < 0:
			k.signed = true
		}
		r.farthest = max(r.farthest, magnitude(w))
		if j == i {
			r.loop, r.loops = r.loop.Add(w), r.loops+1
			continue
		}
		switch {
		case q.unit.own != nil:
			w.Mant = w.Mul(q.unit.own[j]).Div(q.unit.own[i]).Float64()
		case w.Exp != 0:
			err = errRange
		}
		q.col, q.a = append(q.col, int32(j)), append(q.a, w.Mant)
	}
	return r, err
}

// readPlain reads all entries in float64 and returns what appends the rows. It returns
// nil if that takes more: for units of states, for weights with an exponent, and for
// signs to be removed.
//
// Weights lie by source, and are read in that order, also where the rows are by target:
// writing anywhere costs less than reading from anywhere.
func (k *block[W]) readPlain(q *equations) func(q *equations, i int) (rowRead, error) {
	if q.unit.own != nil || k.numbers == nil || len(k.states) == 0 {
		return nil
	}
	// begin[i+1] is the next free entry of row i while they are filled, and then its end.
	begin := k.countEntries()
	col, a := make([]int32, begin[len(begin)-1]), make([]float64, begin[len(begin)-1])
	next, buffer := begin[1:], make([]float64, 0, chunk)
	t, backward := k.g.topology, k.from.backward()
	states := k.ascending()
	for len(states) > 0 {
		// As many rows as lie together.
		run := 1
		lo, hi := t.row[states[0]], t.row[states[0]+1]
		for run < len(states) && t.row[states[run]] == hi && t.row[states[run]+1]-lo <= chunk {
			hi = t.row[states[run]+1]
			run++
		}
		buffer = resized(buffer, int(hi-lo))
		k.numbers.read(buffer, k.g.weight[lo:hi], nil)
		for n, w := range buffer {
			if size := math.Abs(w); !(size >= mantLow && size < mantHigh) {
				if !k.g.ring.IsZero(k.g.weight[int(lo)+n]) {
					return nil
				}
			}
		}
		for _, s := range states[:run] {
			i, weights := k.local[s]-1, buffer[t.row[s]-lo:]
			for n, to := range t.to[t.row[s]:t.row[s+1]] {
				j := k.local[to] - 1
				if j < 0 {
					continue
				}
				row, column := i, j
				if !backward {
					row, column = j, i
				}
				at := next[row]
				next[row] = at + 1
				col[at], a[at] = column, weights[n]
				k.signed = k.signed || weights[n] < 0
			}
		}
		states = states[run:]
	}
	q.col, q.a = col[:0], a[:0] // rows get no longer
	return func(q *equations, i int) (rowRead, error) {
		return q.appendRow(i, col[begin[i]:begin[i+1]], a[begin[i]:begin[i+1]]), nil
	}
}

// chunk is the number of weights read in one call, if there are so many together.
const chunk = 1024

// ascending returns the states in ascending order.
func (k *block[W]) ascending() []int32 {
	first, last := slices.Min(k.states), slices.Max(k.states)
	if int(last-first) > 4*len(k.states) {
		return slices.Sorted(slices.Values(k.states))
	}
	states := make([]int32, 0, len(k.states))
	for s := first; s <= last; s++ {
		if k.local[s] > 0 {
			states = append(states, s)
		}
	}
	return states
}

// countEntries returns, from index 1 on, where the entries of each row begin, and then
// their number.
func (k *block[W]) countEntries() []int32 {
	t, backward := k.g.topology, k.from.backward()
	begin := make([]int32, len(k.states)+2)
	for i, s := range k.states {
		for _, to := range t.to[t.row[s]:t.row[s+1]] {
			switch j := int(k.local[to]) - 1; {
			case j < 0:
			case backward:
				begin[i+2]++
			default:
				begin[j+2]++
			}
		}
	}
	for i := 2; i < len(begin); i++ {
		begin[i] += begin[i-1]
	}
	return begin
}

// appendRow appends the entries of row i but zeros and self-loops.
func (q *equations) appendRow(i int, col []int32, a []float64) rowRead {
	loop, loops, least, greatest := 0.0, 0, 1.0, 1.0
	for n, w := range a {
		if w == 0 {
			continue
		}
		least, greatest = min(least, math.Abs(w)), max(greatest, math.Abs(w))
		if int(col[n]) == i {
			loop, loops = loop+w, loops+1
			continue
		}
		q.col, q.a = append(q.col, col[n]), append(q.a, w)
	}
	// Numbers between the least and the greatest, and 1, are of no greater magnitude.
	farthest := max(magnitude(semiring.ScaledFloat{Mant: least}), magnitude(semiring.ScaledFloat{Mant: greatest}))
	return rowRead{semiring.NewScaled(loop), loops, farthest}
}

// magnitude returns about |log₂ |w||.
func magnitude(w semiring.ScaledFloat) int {
	const bias = 1023
	n := int(math.Float64bits(w.Mant)>>52&0x7ff) - bias + 512*int(w.Exp)
	return max(n, -n)
}
