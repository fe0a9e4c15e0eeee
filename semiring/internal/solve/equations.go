package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// equations are x = A·x + b for the states in use of a component, scaled to the range of float64:
// x[i] stands for x[i] × unit[i].
type equations struct {
	system
	states []int32
	b      []float64
	unit   units
	loose  float64 // the greatest relative error of a pivot
}

// units are the units of the values of states: one for all, and optionally an additional factor
// for each state.
type units struct {
	common semiring.ScaledFloat
	each   []semiring.ScaledFloat // nil: all are 1
}

func (u units) of(i int) semiring.ScaledFloat {
	if u.each == nil {
		return u.common
	}
	return u.each[i]
}

// tiny is the least number, and 1/tiny the greatest, that equations and their solutions may
// contain: a product of two does not underflow.
const tiny = 0x1p-500

var (
	// errOpen is wrapped by the error if iteration has no result.
	errOpen = errors.New("iteration is inconclusive")
	// errRange is the same if the range of float64 may be the reason.
	errRange = fmt.Errorf("%w: numbers out of range", errOpen)
)

// block is a component with its states in use, and the way to read its numbers.
type block struct {
	*problem
	numbers  numbers
	lo, hi   int // positions of the component
	from     rows.Adjacency
	states   []int32 // in the order of sweeps
	local    []int32 // per state of the graph: 1 + its index in states, or 0
	signed   bool    // a weight is negative, as far as equations have been read
	unsigned bool    // numbers are read as absolute values

	a []float64 // scratch for reading
}

// newBlock returns the component at positions lo … hi−1. local must contain only zeros, and does
// so again after close. Values move along arcs, and so do sweeps: the order of components comes
// from a depth-first search.
func newBlock(p *problem, m numbers, lo, hi int, from rows.Adjacency, local []int32) *block {
	c, use := p.components, p.use.known()
	states := make([]int32, 0, hi-lo)
	for at := lo; at < hi; at++ {
		if s := c.State(at); use == nil || use[s] {
			states = append(states, s)
		}
	}
	if from.IsOut() {
		slices.Reverse(states)
	}
	k := &block{problem: p, numbers: m, lo: lo, hi: hi, from: from, local: local}
	k.take(states)
	return k
}

// number returns x, the number of an arc or a sum, or its absolute value if k is unsigned.
func (k *block) number(x semiring.ScaledFloat) semiring.ScaledFloat {
	if k.unsigned {
		return absolute(x)
	}
	return x
}

// take restricts k to the given states, a subset of its states.
func (k *block) take(states []int32) {
	k.close()
	for i, s := range states {
		k.local[s] = int32(i) + 1
	}
	k.states = states
}

// close resets local.
func (k *block) close() {
	for _, s := range k.states {
		k.local[s] = 0
	}
}

// equations returns the equations for the sums that come from outside, in the given units of
// states, which must not be 0. Without units it uses the greatest value of a sum. The error wraps
// semiring.ErrDiverges, semiring.ErrNotFinite or errRange.
func (k *block) equations(each []semiring.ScaledFloat) (*equations, error) {
	n := len(k.states)
	q := &equations{system: system{interrupted: k.interrupted}, states: k.states, b: make([]float64, n), unit: units{each: each}}
	q.row, q.pivot, q.slack = make([]int32, 1, n+1), make([]float64, n), make([]float64, n)
	read := k.reader(q)
	var err error
	for i := range k.states {
		// After an error only signs are read.
		if e := k.addRow(q, i, read); e != nil && err == nil {
			err = e
		}
	}
	if err == nil {
		err = k.setOutside(q)
	}
	q.signed = k.signed
	return q, err
}

// addRow reads row i by the function read and appends it.
func (k *block) addRow(q *equations, i int, read func(q *equations, i int) (rowRead, error)) error {
	s, first := k.states[i], len(q.a)
	r, err := read(q, i)
	if errors.Is(err, semiring.ErrDiverges) {
		return err
	}
	q.row = append(q.row, int32(len(q.a)))
	q.pivot[i] = 1
	loopError := 0.0
	if r.loops > 0 {
		one := semiring.Scaled{}.One()
		q.pivot[i] = one.Sub(r.loop).Float64()
		loopError = 4 * rounding * (1 + math.Abs(r.loop.Float64())*float64(r.loops+r.farthest))
		if !(q.pivot[i] > loopError && q.pivot[i] < 1/tiny) {
			return diverges(s, k.lo, k.hi, fmt.Sprintf("self-loops have a mass of %v", r.loop))
		}
		if r.loops > 1 || !k.exact {
			q.loose = max(q.loose, loopError/q.pivot[i]/4)
		}
		for n := first; n < len(q.a); n++ {
			q.a[n] /= q.pivot[i]
		}
	}
	q.slack[i] = 4*rounding*float64(len(q.a)-first+r.farthest+8) + loopError/q.pivot[i]
	return err
}

// setOutside sets b.
func (k *block) setOutside(q *equations) error {
	values := make([]semiring.ScaledFloat, len(k.states))
	for i, s := range k.states {
		y := k.number(k.numbers.sum(s))
		if !y.IsFinite() {
			return nested.Errorf("graph: %w: the sum over paths into the component of state %d is %v there", semiring.ErrNotFinite, s, y.Mant)
		}
		values[i] = y
		if abs := absolute(y); q.unit.each == nil && abs.Cmp(q.unit.common) > 0 {
			q.unit.common = abs
		}
	}
	for i, y := range values {
		if y.IsZero() {
			continue
		}
		y = y.Div(q.unit.of(i))
		q.b[i] = y.Float64() / q.pivot[i]
		if q.unit.each == nil && y.Exp < 0 {
			return errRange
		}
	}
	return nil
}

func absolute(x semiring.ScaledFloat) semiring.ScaledFloat {
	x.Mant = math.Abs(x.Mant)
	return x
}

// rowRead holds the data read from a row in addition to its entries.
type rowRead struct {
	loop     semiring.ScaledFloat // mass of the self-loops
	loops    int                  // their number
	farthest int                  // the greatest magnitude of a weight
}

// readRow appends the entries of row i. The error wraps semiring.ErrDiverges if a weight is not
// finite, or errRange if an entry is out of the range of float64.
func (k *block) readRow(q *equations, i int) (r rowRead, err error) {
	s, local := k.states[i], k.local
	begin := k.from.Row[s]
	for n, t := range k.from.Other[begin:k.from.Row[s+1]] {
		j := int(local[t]) - 1
		if j < 0 {
			continue
		}
		arc := k.from.ArcAt(begin + int32(n))
		w := k.number(k.numbers.arc(arc))
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
		case q.unit.each != nil:
			w.Mant = w.Mul(q.unit.each[j]).Div(q.unit.each[i]).Float64()
		case w.Exp != 0:
			err = errRange
		}
		q.col, q.a = append(q.col, int32(j)), append(q.a, w.Mant)
	}
	return r, err
}

// reader returns the function that reads a row. It reads many weights at a time in float64,
// unless the states have units, signs are to be removed, or a weight is out of range.
func (k *block) reader(q *equations) func(q *equations, i int) (rowRead, error) {
	if q.unit.each != nil || k.unsigned || len(k.states) == 0 {
		return k.readRow
	}
	if e := k.entries(); e != nil {
		q.col, q.a = make([]int32, 0, len(e.col)), make([]float64, 0, len(e.a))
		return e.read
	}
	return k.readRow
}

// entries are the entries of a block by rows. Row i has the entries from begin[i] to end[i].
type entries struct {
	begin, end, col []int32
	a               []float64
}

func (e *entries) read(q *equations, i int) (rowRead, error) {
	lo, hi := e.begin[i], e.end[i]
	return q.appendRow(i, e.col[lo:hi], e.a[lo:hi]), nil
}

// entries returns the entries of k, or nil if a weight is neither Zero nor of moderate magnitude.
// The weights are stored by source, and are read in that order, even if sources are columns:
// random writes cost less than random reads.
func (k *block) entries() *entries {
	begin := make([]int32, len(k.states)+1) // upper bounds: as if all arcs of a row stayed inside
	for i, s := range k.states {
		begin[i+1] = begin[i] + k.from.Row[s+1] - k.from.Row[s]
	}
	room, bySource := begin[len(k.states)], k.from.IsOut()
	e := &entries{begin: begin, end: slices.Clone(begin), col: make([]int32, room), a: make([]float64, room)}
	t, states := k.topology, k.ascending()
	for len(states) > 0 {
		// Read consecutive rows in one call.
		run := 1
		lo, hi := t.Row[states[0]], t.Row[states[0]+1]
		for run < len(states) && t.Row[states[run]] == hi && t.Row[states[run]+1]-lo <= chunk {
			hi = t.Row[states[run]+1]
			run++
		}
		k.a = rows.Resized(k.a, int(hi-lo))
		k.numbers.readArcs(k.a, lo, nil)
		for n, w := range k.a {
			size := math.Abs(w)
			if !(size >= weights.MantLow && size < weights.MantHigh) && !k.numbers.isZeroArc(lo+int32(n)) {
				return nil
			}
		}
		for _, s := range states[:run] {
			j, weights := k.local[s]-1, k.a[t.Row[s]-lo:]
			for n, to := range t.To[t.Row[s]:t.Row[s+1]] {
				if i := k.local[to] - 1; i >= 0 {
					row, col := i, j
					if bySource {
						row, col = j, i
					}
					at := e.end[row]
					e.end[row] = at + 1
					e.col[at], e.a[at] = col, weights[n]
					k.signed = k.signed || weights[n] < 0
				}
			}
		}
		states = states[run:]
	}
	return e
}

// chunk is the maximum number of weights read in one call for several rows.
const chunk = 1024

// ascending returns the states in ascending order.
func (k *block) ascending() []int32 {
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

// appendRow appends the entries of row i except zeros and self-loops.
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
	// All numbers lie between the least and the greatest, so their magnitudes are no greater.
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
