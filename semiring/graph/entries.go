package graph

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// rowRead is what besides its entries has been read of a row.
type rowRead struct {
	loop     semiring.ScaledFloat // mass of the self-loops
	loops    int                  // their number
	farthest int                  // the greatest magnitude of a weight
}

// readRow appends the entries of row i. The error wraps semiring.ErrDiverges if a
// weight is not finite, or else errRange if an entry is out of the range of float64.
func (k *block[W]) readRow(q *equations, i int) (r rowRead, err error) {
	s, local, number, weight := k.states[i], k.local, k.number, k.g.weight
	begin := k.from.Row[s]
	for n, t := range k.from.Other[begin:k.from.Row[s+1]] {
		j := int(local[t]) - 1
		if j < 0 {
			continue
		}
		arc := k.from.ArcAt(begin + int32(n))
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

// reader returns what reads a row: in float64 many weights at a time where that will
// do, which it will not for units of states or for signs to be removed.
func (k *block[W]) reader(q *equations) func(q *equations, i int) (rowRead, error) {
	if q.unit.own != nil || k.numbers == nil || len(k.states) == 0 {
		return k.readRow
	}
	begin := k.rowLimits()
	room := begin[len(k.states)]
	q.col, q.a = make([]int32, 0, room), make([]float64, 0, room)
	if k.from.IsOut() {
		return k.readPlain
	}
	if in := k.transposed(begin); in != nil {
		return in.read
	}
	return k.readRow
}

// rowLimits returns where the entries of each row may begin, and then their number, if
// all arcs have one.
func (k *block[W]) rowLimits() []int32 {
	begin, row := make([]int32, len(k.states)+1), k.from.Row
	for i, s := range k.states {
		begin[i+1] = begin[i] + row[s+1] - row[s]
	}
	return begin
}

// isPlain reports whether w, read from the weights at arc, is of moderate magnitude,
// or their Zero.
func (k *block[W]) isPlain(w float64, arc int32) bool {
	size := math.Abs(w)
	return size >= weights.MantLow && size < weights.MantHigh || k.g.ring.IsZero(k.g.weight[arc])
}

// readPlain is readRow where the weights of a row lie together.
func (k *block[W]) readPlain(q *equations, i int) (rowRead, error) {
	s, local := k.states[i], k.local
	lo, hi := k.from.Row[s], k.from.Row[s+1]
	k.col, k.a = rows.Resized(k.col, int(hi-lo)), rows.Resized(k.a, int(hi-lo))
	col, a := k.col, k.a
	k.numbers.Read(a, k.g.weight[lo:hi], nil)
	kept := 0
	for n, to := range k.from.Other[lo:hi] {
		j, w := local[to]-1, a[n]
		if !k.isPlain(w, lo+int32(n)) {
			return k.readRow(q, i)
		}
		if j >= 0 {
			col[kept], a[kept] = j, w
			kept++
			k.signed = k.signed || w < 0
		}
	}
	return q.appendRow(i, col[:kept], a[:kept]), nil
}

// entries are those of the rows of a block: of row i those from begin[i] to end[i].
type entries struct {
	begin, end, col []int32
	a               []float64
}

func (e *entries) read(q *equations, i int) (rowRead, error) {
	lo, hi := e.begin[i], e.end[i]
	return q.appendRow(i, e.col[lo:hi], e.a[lo:hi]), nil
}

// transposed returns the entries of rows by target, or nil if float64 does not do. The
// weights lie by source, and are read in that order: writing anywhere costs less than
// reading from anywhere. Row i has room from begin[i] on.
func (k *block[W]) transposed(begin []int32) *entries {
	room := begin[len(k.states)]
	e := &entries{begin: begin, end: slices.Clone(begin), col: make([]int32, room), a: make([]float64, room)}
	t, states := k.g.topology, k.ascending()
	for len(states) > 0 {
		// As many rows as lie together.
		run := 1
		lo, hi := t.Row[states[0]], t.Row[states[0]+1]
		for run < len(states) && t.Row[states[run]] == hi && t.Row[states[run]+1]-lo <= chunk {
			hi = t.Row[states[run]+1]
			run++
		}
		k.a = rows.Resized(k.a, int(hi-lo))
		k.numbers.Read(k.a, k.g.weight[lo:hi], nil)
		for n, w := range k.a {
			if !k.isPlain(w, lo+int32(n)) {
				return nil
			}
		}
		for _, s := range states[:run] {
			j, weights := k.local[s]-1, k.a[t.Row[s]-lo:]
			for n, to := range t.To[t.Row[s]:t.Row[s+1]] {
				if i := k.local[to] - 1; i >= 0 {
					at := e.end[i]
					e.end[i] = at + 1
					e.col[at], e.a[at] = j, weights[n]
					k.signed = k.signed || weights[n] < 0
				}
			}
		}
		states = states[run:]
	}
	return e
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

// appendRow appends the entries of row i but zeros and self-loops.
func (q *equations) appendRow(i int, col []int32, a []float64) rowRead {
	loop, loops := 0.0, 0
	// The bits of positive numbers are ordered like the numbers.
	least, greatest := math.Float64bits(1), math.Float64bits(1)
	a = a[:len(col)]
	for n, j := range col {
		w := a[n]
		if w == 0 {
			continue
		}
		size := math.Float64bits(math.Abs(w))
		least, greatest = min(least, size), max(greatest, size)
		if int(j) == i {
			loop, loops = loop+w, loops+1
			continue
		}
		q.col, q.a = append(q.col, j), append(q.a, w)
	}
	// Numbers between the least and the greatest, and 1, are of no greater magnitude.
	farthest := max(
		magnitude(semiring.ScaledFloat{Mant: math.Float64frombits(least)}),
		magnitude(semiring.ScaledFloat{Mant: math.Float64frombits(greatest)}))
	return rowRead{semiring.NewScaled(loop), loops, farthest}
}

// magnitude returns about |log₂ |w||.
func magnitude(w semiring.ScaledFloat) int {
	const bias = 1023
	n := int(math.Float64bits(w.Mant)>>52&0x7ff) - bias + 512*int(w.Exp)
	return max(n, -n)
}
