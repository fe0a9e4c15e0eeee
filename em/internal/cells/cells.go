package cells

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Kind is the set of known strings of a pair.
type Kind int

// The kinds of pairs: only the output is known, only the input, or both, as strings; only the
// output or only the input as a soft string.
const (
	Output Kind = iota
	Input
	Both
	SoftOutput
	SoftInput
	Kinds // the number of kinds
)

// Strings contains the known strings of a pair.
type Strings struct {
	In, Out []int32
	Soft    *soft.String // for the kinds SoftOutput and SoftInput
}

// Run receives counts of consecutive cells, beginning with cell first, and
// their derivatives, or nil without second derivatives. It does not keep the slices.
type Run func(first int32, counts, curvature []float64)

// Summer sums over the derivations of strings, one pair at a time, for one goroutine.
type Summer interface {
	// Sum counts weight times the expected uses of the cells on the derivations of x, and
	// their derivatives along the tangents if there are any; with best, the uses on the
	// best derivation. It returns the sum, or the weight of the best, and the number of arcs or
	// cells visited. If the sum is 0 the counts are unchanged.
	Sum(x Strings, weight float64, best bool) (total semiring.ScaledFloat, arcs int64, err error)
	// Relates reports whether x has a derivation for some values of the cells.
	Relates(x Strings) bool
	// Drain passes the counts since the last call to run.
	Drain(run Run)
}

// way is a compiled cascade for pairs of one kind.
type way interface {
	// visited returns the number of arcs of a lattice that take as much time as the sum over x.
	visited(x Strings) float64
	// begin begins an E step at a temperature, given the value of each cell there and, for
	// second derivatives, its tangent. Both slices remain unchanged until the
	// next call. It returns an error if the way does not support the E step.
	begin(values []semiring.ScaledFloat, tangents []float64, temperature float64) error
	// hire returns a summer for one goroutine.
	hire() Summer
}

// Cells is a compiled cascade.
type Cells struct {
	way    way
	merged bool        // a cell may stand for several arcs or paths of a lattice
	space  *expr.Space // a fork of the cascade's
	handle []expr.W    // per cell

	// State of an E step: values per handle and per cell, and tangents per handle and per cell;
	// counts per handle.
	values, cellValues     []semiring.ScaledFloat
	tangents, cellTangents []float64
	counts                 expr.Dual
}

// Compile returns the cells of a cascade, whose weights are in used. The result has at most
// limit states and arcs or cells. It returns an error if the cascade cannot be compiled for kind.
func Compile(kind Kind, used *expr.Subset, cascade []*fst.FST[expr.W], limit int) (*Cells, error) {
	own := used.Fork()
	over := make([]*fst.FST[expr.W], len(cascade))
	for i, m := range cascade {
		over[i] = m.WithSemiring(own)
	}
	f, merged, err := condensed(kind, over, limit)
	switch {
	case err != nil:
		return nil, err
	case f.NumStates() == 0:
		return nil, errClosed // there are no derivations at all, which lattices also report
	}
	c := &Cells{space: own}
	switch kind {
	case Both:
		c.way, c.handle, c.merged, err = newRelation(own, f)
	case SoftOutput, SoftInput:
		c.way, c.handle, c.merged, err = newSoftTape(own, f, limit)
	default:
		c.way, c.handle, c.merged, err = newTape(kind, own, f, limit)
	}
	if err != nil {
		return nil, err
	}
	c.merged = c.merged || merged
	own.Clip()
	return c, nil
}

// errClosed is returned for a cascade without derivations.
var errClosed = errors.New("no derivations")

// condensed returns the effect of a cascade on the known strings, as one machine. It has no
// arcs ε:ε unless a string is soft. merged reports whether one of its arcs may stand for several
// arcs or paths of a lattice.
func condensed(known Kind, cascade []*fst.FST[expr.W], limit int) (f *fst.FST[expr.W], merged bool, err error) {
	var m fst.Machine[expr.W] = cascade[0]
	for _, next := range cascade[1:] {
		m = machines.Exprs.Compose(m, next)
	}
	o := &fst.Options{Limit: limit}
	all, err := machines.Exprs.Expand(m, o)
	if err != nil {
		return nil, false, err
	}
	m = all
	switch known {
	case Output, SoftOutput:
		m = machines.Exprs.ProjectOut(all)
	case Input, SoftInput:
		m = machines.Exprs.ProjectIn(all)
	}
	if all, err = machines.Exprs.Connect(m, o); err != nil || known >= SoftOutput || !anyEpsilon(all) {
		return all, false, err
	}
	f, err = machines.Exprs.Expand(machines.Exprs.RemoveEpsilon(all), o)
	return f, true, err
}

// anyEpsilon reports whether f has an arc ε:ε.
func anyEpsilon(f *fst.FST[expr.W]) bool {
	for k, l := range f.In() {
		if l == fst.Epsilon && f.Out()[k] == fst.Epsilon {
			return true
		}
	}
	return false
}

// starts returns the initial weight of each state, and whether a state has several.
func starts(space *expr.Space, f *fst.FST[expr.W]) (weights []expr.W, double bool) {
	weights = slices.Repeat([]expr.W{expr.Zero}, f.NumStates())
	for _, s := range f.Graph().Starts() {
		double = double || weights[s.State] != expr.Zero
		weights[s.State] = space.Plus(weights[s.State], s.Weight)
	}
	return weights, double
}

// ones returns 1 for each cell with a weight, 0 for other cells.
func ones(cells []expr.W) []semiring.ScaledFloat {
	values := make([]semiring.ScaledFloat, len(cells))
	for k, h := range cells {
		if h != expr.Zero {
			values[k] = semiring.NewScaled(1)
		}
	}
	return values
}

// Len returns the number of cells.
func (c *Cells) Len() int { return len(c.handle) }

// NewWorker returns a summer for one goroutine, at the values of the last Begin.
func (c *Cells) Hire() Summer { return c.way.hire() }

// mostInaccurate bounds the relative error of a star.
const mostInaccurate = 1e-13

// Begin begins an E step, of best derivations or of all, at values of the space that Compile
// used and, for second derivatives, tangents of these values. It
// returns false if the E step requires lattices: the way does not support it, or an
// expression has no value. Lattices may not need this expression, or report the example that does.
// Begin also returns false if stars of cycles would be less accurate than the graphs of lattices.
func (c *Cells) Begin(values []semiring.ScaledFloat, tangents []float64, temperature float64, best bool) bool {
	if best && c.merged { // the best derivations of lattices may differ
		return false
	}
	inherited := c.space.Inherited()
	c.values = append(slices.Grow(c.values[:0], c.space.Len()), values[:inherited]...)
	var err error
	if c.values, err = c.space.EvaluateTempered(c.values, nil, temperature); err != nil {
		return false
	}
	if !(c.space.RelativeError(c.values) <= mostInaccurate) {
		return false
	}
	c.cellValues = slices.Grow(c.cellValues[:0], len(c.handle))
	for _, h := range c.handle {
		x := c.values[h]
		if x.IsNaN() {
			return false
		}
		c.cellValues = append(c.cellValues, x)
	}
	if tangents == nil {
		return c.way.begin(c.cellValues, nil, temperature) == nil
	}
	c.tangents = c.space.Tangents(append(c.tangents[:0], tangents[:inherited]...), c.values, nil, temperature)
	c.cellTangents = c.cellTangents[:0]
	for _, h := range c.handle {
		c.cellTangents = append(c.cellTangents, c.tangents[h])
	}
	return c.way.begin(c.cellValues, c.cellTangents, temperature) == nil
}

// Backpropagate converts counts of cells to counts of the space that Compile used, and adds them
// to handles. There are Changes if the last Begin had tangents.
func (c *Cells) Backpropagate(counts, handles expr.Dual) {
	second := counts.Change != nil
	c.counts.Value = zeros(c.counts.Value, c.space.Len())
	of := expr.Dual{Value: c.counts.Value}
	if second {
		c.counts.Change = zeros(c.counts.Change, c.space.Len())
		of.Change = c.counts.Change
	}
	for k, h := range c.handle {
		of.Value[h] += counts.Value[k]
		if second {
			of.Change[h] += counts.Change[k]
		}
	}
	if second {
		c.space.BackpropagateAlong(c.values, c.tangents, of, expr.Dual{})
	} else {
		c.space.Backpropagate(c.values, of.Value, nil)
	}
	inherited := c.space.Inherited()
	floats.Add(handles.Value[:inherited], of.Value[:inherited])
	if second {
		floats.Add(handles.Change[:inherited], of.Change[:inherited])
	}
}

// zeros returns n zeros, in the storage of x if there is room.
func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// entry is a weight at a position.
type entry[P comparable] struct {
	place  P
	weight expr.W
}

// combine sorts entries by their positions and removes entries of weight Zero. It adds up entries
// at the same position, and reports whether there were any.
func combine[P comparable](space *expr.Space, all []entry[P], order func(a, b P) int) (left []entry[P], merged bool) {
	all = slices.DeleteFunc(all, func(e entry[P]) bool { return e.weight == expr.Zero })
	slices.SortStableFunc(all, func(a, b entry[P]) int { return order(a.place, b.place) })
	left = all[:0]
	for _, e := range all {
		if n := len(left); n > 0 && left[n-1].place == e.place {
			merged = true
			left[n-1].weight = space.Plus(left[n-1].weight, e.weight)
		} else {
			left = append(left, e)
		}
	}
	return left, merged
}
