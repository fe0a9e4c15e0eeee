package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// places are the weights of one Graph, in tables. The algorithms name weights by their places
// and need not know what they are. A call makes an operation of the ring, or as many as an
// arc or a row of them takes: it adds little to what these cost, and allocates nothing.
//
// The place dst may be that of an operand.
type places interface {
	// newTable returns a new table of n weights, all the zero value of their type.
	newTable(n int) table
	// resize gives a table n weights of any value.
	resize(t table, n int)

	set(dst, src place)
	plus(dst, a, b place)
	times(dst, a, b place)
	isZero(a place) bool
	text(a place) string

	// pull adds to dst what state s gets of the sums by the arcs of its row.
	pull(dst place, s int32, from *rows.Adjacency)
	// addBefore adds to the sum of s ⊕ₙ f[begin+n] ⊗ sum of col[n].
	addBefore(s int32, f table, begin int32, col []int32)
	// addAfter adds to the sum of s ⊕ₙ sum of col[n] ⊗ f[k[n]].
	addAfter(s int32, f table, k, col []int32)
	// addRow adds a ⊗ u[begin+n] to work[col[n]], for all n.
	addRow(work table, col []int32, a place, u table, begin int32)
	// move sets dst[begin+n] to work[col[n]], and that to Zero, for all n.
	move(dst table, begin int32, work table, col []int32)

	// isOrdered reports whether the ring is Ordered, for calls of compare and improve.
	isOrdered() bool
	compare(a, b place) int
	// improve replaces the sum of t by that of s, extended by an arc, if that is better
	// and the weight of the arc not Zero, and reports whether it was.
	improve(t, s, arc int32, side side) bool

	// isMeasured reports whether the ring can tell equal weights (see DistanceOf), for
	// calls of distance and send.
	isMeasured() bool
	distance(a, b place) float64
	// send adds spares[0], extended by an arc, to the sum of t and to residual[t], if that makes a
	// difference to the sum and the weight of the arc is not Zero; it reports whether it did.
	send(residual table, t, arc int32, side side) bool

	laws() semiring.Laws
	requireBothSides() error
	// requireClosed returns why the ring has no Star, nil for calls of star.
	requireClosed() error
	star(dst, a place) bool

	// number returns the mass of a weight (see problem.adds), and setNumber one that is
	// nothing but a mass (see problem.numeric).
	number(a place) semiring.ScaledFloat
	setNumber(dst place, x semiring.ScaledFloat)
	// readArcs sets dst[n] to the number of arc begin+n, or if arc is not nil, of arc[n].
	// Numbers out of the range of float64 become 0 or infinite.
	readArcs(dst []float64, begin int32, arc []int32)
	// readSums sets dst[n] to the number of unit ⊗ sum of s[n], and product[n] to that of
	// unit ⊗ arc[n] ⊗ sum of from[n].
	readSums(unit semiring.ScaledFloat, dst []float64, s []int32, product []float64, arc, from []int32)
}

// side says where an arc extends a path.
type side bool

const (
	after  side = false // at its end: forward
	before side = true  // at its beginning: backward
)

// table is a table of weights.
type table int32

// The tables that are always there.
const (
	sums      table = iota // x, per state: what a Solver is called with
	arcs                   // the weights of arcs
	constants              // and what is under way
	firstFree
)

// place is the place of a weight in a table.
type place struct {
	table table
	at    int32
}

// Places in constants.
var (
	zero = place{constants, 0}
	one  = place{constants, 1}
	// spares are for what is under way.
	spares = [3]place{{constants, 2}, {constants, 3}, {constants, 4}}
)

// sumOf returns the place of the sum of a state.
func sumOf(s int32) place { return place{sums, s} }

// arcAt returns the place of the weight of an arc.
func arcAt(arc int32) place { return place{arcs, arc} }
