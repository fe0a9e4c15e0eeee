package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// equations are those of the states in use of a component, x = A·x + b, brought
// into the range of float64: x[i] stands for x[i] × unit[i].
type equations struct {
	system
	states []int32
	b      []float64
	unit   units
	loose  float64 // the greatest relative error of a pivot
}

// units are the units in which the values of states are measured: one for all, or
// besides that one of its own for every state.
type units struct {
	common semiring.ScaledFloat
	own    []semiring.ScaledFloat // nil: 1 each
}

func (u units) of(i int) semiring.ScaledFloat {
	if u.own == nil {
		return u.common
	}
	return u.own[i]
}

// tiny is the least number, and 1/tiny the greatest, that equations and their
// solutions may have: a product of two does not underflow.
const tiny = 0x1p-500

var (
	// errOpen is wrapped by the error where iteration comes to no result.
	errOpen = errors.New("iteration is inconclusive")
	// errRange is so where the range of float64 may be to blame.
	errRange = fmt.Errorf("%w: numbers out of range", errOpen)
)

// block is a component, its states in use, and how to read it.
type block[W any] struct {
	g      *Graph[W]
	number func(W) semiring.ScaledFloat
	// numbers reads the same where float64 suffices; nil: number is another.
	numbers *weights.Numbers[W]
	lo, hi  int // positions of the component
	from    rows.Adjacency
	states  []int32 // in the order of sweeps
	local   []int32 // per state of the graph: 1 + its index in states, or 0
	signed  bool    // known of equations made: a weight is negative
	exact   bool    // number rounds nothing

	// Scratch of reading.
	col []int32
	a   []float64
}

// newBlock returns the component at positions lo … hi−1. local must be 0 everywhere,
// and is so again after close. Values go along arcs, and so do sweeps: the order of
// components is that of a depth-first search.
func newBlock[W any](g *Graph[W], number func(W) semiring.ScaledFloat, numbers *weights.Numbers[W], use []bool, lo, hi int, from rows.Adjacency, local []int32) *block[W] {
	c := g.topology.Components()
	states := make([]int32, 0, hi-lo)
	for p := lo; p < hi; p++ {
		if s := c.State(p); use == nil || use[s] {
			states = append(states, s)
		}
	}
	if from.IsOut() {
		slices.Reverse(states)
	}
	k := &block[W]{g: g, number: number, numbers: numbers, lo: lo, hi: hi, from: from, local: local}
	k.take(states)
	return k
}

// take makes states, some of those taken, the states of k.
func (k *block[W]) take(states []int32) {
	k.close()
	for i, s := range states {
		k.local[s] = int32(i) + 1
	}
	k.states = states
}

// close gives local back.
func (k *block[W]) close() {
	for _, s := range k.states {
		k.local[s] = 0
	}
}

// equations returns the equations for x, what comes from outside, in the given
// units of states, which are not 0, or if there are none, in their greatest value.
// The error wraps semiring.ErrDiverges, semiring.ErrNotFinite or errRange.
func (k *block[W]) equations(x []W, own []semiring.ScaledFloat) (*equations, error) {
	n := len(k.states)
	q := &equations{system: system{interrupted: k.g.interrupted}, states: k.states, b: make([]float64, n), unit: units{own: own}}
	q.row, q.pivot, q.slack = make([]int32, 1, n+1), make([]float64, n), make([]float64, n)
	read := k.reader(q)
	var err error
	for i := range k.states {
		// After an error look on for signs only.
		if e := k.addRow(q, i, read); e != nil && err == nil {
			err = e
		}
	}
	if err == nil {
		err = k.setOutside(q, x)
	}
	q.signed = k.signed
	return q, err
}

// addRow appends row i as it is read.
func (k *block[W]) addRow(q *equations, i int, read func(q *equations, i int) (rowRead, error)) error {
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
func (k *block[W]) setOutside(q *equations, x []W) error {
	values := make([]semiring.ScaledFloat, len(k.states))
	for i, s := range k.states {
		y := k.number(x[s])
		if !y.IsFinite() {
			return fmt.Errorf("graph: %w: the sum over paths into the component of state %d is %v there", semiring.ErrNotFinite, s, y.Mant)
		}
		values[i] = y
		if abs := absolute(y); q.unit.own == nil && abs.Cmp(q.unit.common) > 0 {
			q.unit.common = abs
		}
	}
	for i, y := range values {
		if y.IsZero() {
			continue
		}
		y = y.Div(q.unit.of(i))
		q.b[i] = y.Float64() / q.pivot[i]
		if q.unit.own == nil && y.Exp < 0 {
			return errRange
		}
	}
	return nil
}

func absolute(x semiring.ScaledFloat) semiring.ScaledFloat {
	x.Mant = math.Abs(x.Mant)
	return x
}
