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

	set(dst, src place)
	times(dst, a, b place)
	isZero(a place) bool
	text(a place) string

	// pull adds to dst what state s gets of the sums by the arcs of its row.
	pull(dst place, s int32, from *rows.Adjacency)
	// move sets dst[begin+n] to src[at[n]], and that to Zero, for all n.
	move(dst table, begin int32, src table, at []int32)
	// restore sets the sum of states[n] to src[n], for all n.
	restore(states []int32, src table)

	// addArcs adds the weights of the arcs of s to the places in row where in wants them.
	addArcs(row table, s int32, in *inside)
	// reduce makes row[r] ⊗ star[r] the factor lower[n], and row[r] Zero. Unless that was
	// Zero before it adds lower[n] ⊗ upper[begin+m] to row[at[m]], for all m, and
	// returns true.
	reduce(f *factors, row table, n, r int32, at []int32, begin int32) bool
	// addBefore adds to the sum of s ⊕ₙ f[begin+n] ⊗ sum of col[n].
	addBefore(s int32, f table, begin int32, col []int32)
	// addAfter adds to the sum of s ⊕ₙ sum of col[n] ⊗ f[k[n]].
	addAfter(s int32, f table, k, col []int32)

	// isOrdered reports whether the ring is Ordered, for calls of the next three.
	isOrdered() bool
	// precedes returns the order of states by their sums, and of equal ones by number.
	precedes() func(a, b rows.Entry[struct{}]) bool
	// improves reports whether an arc by which s spreads is better than the empty path.
	improves(s int32, d *spread) bool
	// improve replaces the sums of others by that of s, extended by an arc, where this is
	// better, and calls better for each in turn.
	improve(s int32, d *spread, better func(s, t, arc int32))

	// isMeasured reports whether the ring can tell equal weights (see DistanceOf), for
	// calls of double and send.
	isMeasured() bool
	// send adds residual[s], which becomes Zero, extended by an arc, to the sums of others
	// and to their residuals, where the sum differs by it, and calls more for each in turn.
	send(s int32, residual table, d *spread, more func(t int32))

	laws() semiring.Laws
	requireBothSides() error
	// requireClosed returns why the ring has no Star, nil for calls of star.
	requireClosed() error
	star(dst, a place) bool
	// double is star for a ring without one (see doubled).
	double(dst, a place) (last float64, ok bool)

	// number returns the mass of a weight (see problem.adds), and setNumber one that is
	// nothing but a mass (see problem.numeric).
	number(a place) semiring.ScaledFloat
	setNumber(dst place, x semiring.ScaledFloat)
	// setNumbers sets dst[begin+n] to x[n] ⊗ unit, or if at is not nil, dst[at[n]].
	setNumbers(dst table, begin int32, at []int32, x []float64, unit semiring.ScaledFloat)
	// readArcs sets dst[n] to the number of arc begin+n, or if arc is not nil, of arc[n].
	// Numbers out of the range of float64 become 0 or infinite.
	readArcs(dst []float64, begin int32, arc []int32)
	// readSums sets dst[n] to the sum of s[n], and product[n] to arc[n] ⊗ sum of from[n], as
	// numbers in units of 2^(512·exp). That is the magnitude of one of these sums.
	readSums(dst []float64, s []int32, product []float64, arc, from []int32) (exp int64)
}

// spread says how the sum of a state goes along arcs of its component: to the states at
// their other ends that are in use, unless the arc weighs Zero.
type spread struct {
	rows.Adjacency
	before    bool // an arc extends paths at their beginning
	component []int32
	use       []bool // nil: all
}

// ways are how sums go along the arcs of a graph, and against them.
type ways struct {
	g       *problem
	use     []bool
	out, in *spread // nil: not needed yet
}

func (w *ways) forward() *spread {
	if w.out == nil {
		w.out = &spread{w.g.topology.Out(), false, w.g.topology.ComponentOf(), w.use}
	}
	return w.out
}

func (w *ways) backward() *spread {
	if w.in == nil {
		w.in = &spread{w.g.topology.In(), true, w.g.topology.ComponentOf(), w.use}
	}
	return w.in
}

// leads reports whether the sum of s goes along an arc to t, if there is one.
func (d *spread) leads(s, t int32) bool {
	return d.component[t] == d.component[s] && (d.use == nil || d.use[t])
}

// inside says where the arcs inside a component lead: to the position of their state, from
// lo to hi−1. Those with an end that is not in use count as Zero.
type inside struct {
	row, to, position []int32
	lo, hi            int32
	use               []bool // nil: all
}

// absent reports whether an arc of s has an end that is not in use.
func (in *inside) absent(s, arc int32) bool {
	return in.use != nil && !(in.use[s] && in.use[in.to[arc]])
}

// table is a table of weights.
type table int32

// The tables that are always there.
const (
	sums      table = iota // x, per state: what a Solver is called with
	arcs                   // the weights of arcs
	constants              // Zero and One
)

// place is the place of a weight in a table.
type place struct {
	table table
	at    int32
}

var (
	zero = place{constants, 0}
	one  = place{constants, 1}
)

// sumOf returns the place of the sum of a state.
func sumOf(s int32) place { return place{sums, s} }

// arcAt returns the place of the weight of an arc.
func arcAt(arc int32) place { return place{arcs, arc} }
