package em

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// way is a way to sum over the derivations of examples of one kind without composing a
// lattice for each. The machines of a Problem are compiled once, for all examples and every
// θ, to cells: numbers that are expressions over the parameters, see cells. An E step takes
// their values at its θ, and summers sum over the derivations of examples by them. What they
// count are expected uses of cells. These are added up over the corpus, and go to the
// parameters once.
type way interface {
	// takes reports whether x is of the kind.
	takes(x *Example) bool
	// offers reports whether E steps of a kind have the results that lattices give.
	offers(e EStep) bool
	// cost predicts the time that an E step takes for x, in that of a lattice's arc.
	cost(x *Example) float64
	// begin begins an E step, given the value of each cell and, unless second derivatives
	// are not asked for, its tangent. Both slices remain as they are until the next.
	begin(values []semiring.ScaledFloat, tangents []float64) error
	// hire returns a summer for one goroutine.
	hire() summer
}

// summer sums over the derivations of examples, one at a time.
type summer interface {
	// sum counts weight times the expected uses of the cells on the derivations of x, and
	// their derivatives along the tangents if there are any; with Viterbi, the uses on
	// the best derivation. It returns the sum, or the weight of the best, and how many
	// arcs or cells that took. If it is 0 nothing is counted.
	sum(x *Example, weight float64, e EStep) (total semiring.ScaledFloat, arcs int64, err error)
	// relates reports whether x has a derivation, whatever the values of the cells are.
	relates(x *Example) bool
	// drain appends to t what was counted since the last call: the count of the first
	// cell is number first there.
	drain(t *Tally, first int32)
}

// cells are what a way was compiled to.
type cells struct {
	way
	kind   int         // its number
	space  *expr.Space // a fork of the Params' Space
	handle []expr.W    // per cell

	// Of an E step: values per handle and per cell, and the same of tangents; counts per
	// handle.
	values, cellValues     []semiring.ScaledFloat
	tangents, cellTangents []float64
	counts                 expr.Dual
}

// mostInaccurate is what a star may be off by, relative to its value.
const mostInaccurate = 1e-13

// begin begins an E step. It returns false if it is to be made by lattices: the way does not
// offer it, or an expression has no value. Lattices may do without it, or say which example
// does not. Nor are sums of cycles taken by stars where the graphs of lattices are summed
// more accurately.
func (c *cells) begin(p pass) bool {
	if !c.offers(p.eStep) {
		return false
	}
	inherited := c.space.Inherited()
	c.values = append(slices.Grow(c.values[:0], c.space.Len()), p.values[:inherited]...)
	var err error
	if c.values, err = c.space.EvaluateTempered(c.values, nil, p.temperature); err != nil {
		return false
	}
	if c.space.Inaccuracy(c.values) > mostInaccurate {
		return false
	}
	c.cellValues = slices.Grow(c.cellValues[:0], len(c.handle))
	for _, h := range c.handle {
		c.cellValues = append(c.cellValues, c.values[h])
	}
	if p.tangents == nil {
		return c.way.begin(c.cellValues, nil) == nil
	}
	c.tangents = c.space.Tangents(append(c.tangents[:0], p.tangents[:inherited]...), c.values, nil, p.temperature)
	c.cellTangents = c.cellTangents[:0]
	for _, h := range c.handle {
		c.cellTangents = append(c.cellTangents, c.tangents[h])
	}
	return c.way.begin(c.cellValues, c.cellTangents) == nil
}

// backpropagate adds to handles, counts of the Params' Space, what counts of cells come to.
func (c *cells) backpropagate(p pass, counts, handles expr.Dual) {
	p.values = c.values
	c.counts.Value = zeros(c.counts.Value, c.space.Len())
	of := expr.Dual{Value: c.counts.Value}
	if p.tangents != nil {
		p.tangents = c.tangents
		c.counts.Change = zeros(c.counts.Change, c.space.Len())
		of.Change = c.counts.Change
	}
	for k, h := range c.handle {
		of.Value[h] += counts.Value[k]
		if of.Change != nil {
			of.Change[h] += counts.Change[k]
		}
	}
	p.backpropagate(c.space, of, expr.Dual{})
	inherited := c.space.Inherited()
	floats.Add(handles.Value[:inherited], of.Value[:inherited])
	if of.Change != nil {
		floats.Add(handles.Change[:inherited], of.Change[:inherited])
	}
}

// ways are the ways of a corpus, nil for lattices alone.
type ways []*cells

// size returns the number of all cells.
func (ws ways) size() int {
	n := 0
	for _, w := range ws {
		n += len(w.handle)
	}
	return n
}

// layout says which cells there are: how many of each kind.
func (ws ways) layout() string {
	text := ""
	for _, w := range ws {
		text += fmt.Sprintf(", %d cells of kind %d", len(w.handle), w.kind)
	}
	return text
}

// begin begins an E step and returns the ways that it takes, as bits by number.
func (ws ways) begin(p pass) (taken uint) {
	for n, w := range ws {
		if w.begin(p) {
			taken |= 1 << n
		}
	}
	return taken
}

// of returns the number of the way that x goes among those taken, -1 for a lattice.
func (ws ways) of(x *Example, taken uint) int {
	for n, w := range ws {
		if taken>>n&1 == 1 && w.takes(x) {
			return n
		}
	}
	return -1
}

// backpropagate adds to the counts of handles, which sums begins with, what the counts of
// cells that follow come to.
func (ws ways) backpropagate(p pass, sums expr.Dual) {
	lo := len(p.values)
	for n, w := range ws {
		hi := lo + len(w.handle)
		if p.ways>>n&1 == 1 {
			counts := expr.Dual{Value: sums.Value[lo:hi]}
			if p.tangents != nil {
				counts.Change = sums.Change[lo:hi]
			}
			w.backpropagate(p, counts, sums)
		}
		lo = hi
	}
}

// shared adds to a the examples of s, the first of which is number lo, that need no lattice.
func (w *worker) shared(s *shard, lo int, p pass, a *Tally) error {
	skipped := len(a.Skipped)
	for i := range s.examples {
		x := &s.examples[i]
		named := Skipped{Index: lo + i, Name: x.Name, Weight: x.Weight.Float64()}
		way := w.of.ways.of(x, p.ways)
		if way < 0 || named.Weight == 0 || contains(p.without, named.Index) {
			continue
		}
		summer := w.summer(way)
		total, arcs, err := summer.sum(x, named.Weight, p.eStep)
		if err != nil {
			w.summers = nil // they are in the middle of a shard
			return fmt.Errorf("em: %v: %w", named, w.of.source.explain(named.Index, err, p))
		}
		named.Structural = total.IsZero() && !summer.relates(x)
		a.Add(named, total)
		a.Arcs += arcs
		a.Latticeless++
	}
	if 0 < skipped && skipped < len(a.Skipped) {
		slices.SortFunc(a.Skipped, func(x, y Skipped) int { return x.Index - y.Index })
	}
	first := len(p.values)
	for n, summer := range w.summers {
		if summer != nil {
			summer.drain(a, int32(first))
		}
		first += len(w.of.ways[n].handle)
	}
	return nil
}

// summer returns the summer for a way.
func (w *worker) summer(way int) summer {
	if w.summers == nil {
		w.summers = make([]summer, len(w.of.ways))
	}
	if w.summers[way] == nil {
		w.summers[way] = w.of.ways[way].hire()
	}
	return w.summers[way]
}

// kind is a kind of examples for which there is a way without lattices.
type kind struct {
	takes func(x *Example) bool
	// compile returns what the way needs of a cascade over space: the way and the
	// expressions of its cells. What it makes has no more than limit states and arcs or
	// cells. An error says that the way is not open.
	compile func(space *expr.Space, cascade []*fst.FST[expr.W], limit int) (way, []expr.W, error)
}

// exampleKinds are all of them.
var exampleKinds = []kind{
	{outputOnly, compileOutput},
	{inputOnly, compileInput},
	{bothSides, compileRelation},
}

// sample is an evenly spread sample of the examples of a kind.
type sample struct {
	kind
	seen, stride int
	examples     []Example
}

// mostSampled is how many examples a sample has at most.
const mostSampled = 8

// samples returns empty samples of the kinds that have a way, nil if there are none.
func (p Problem) samples(w Way) []*sample {
	if w == ByLattice || len(p.Branches) > 0 || len(p.Edges) > 0 {
		return nil
	}
	var all []*sample
	for _, k := range exampleKinds {
		all = append(all, &sample{kind: k, stride: 1})
	}
	return all
}

// show takes x into the sample if it is of the kind and its turn.
func (s *sample) show(x *Example) {
	if !s.takes(x) {
		return
	}
	if s.seen%s.stride == 0 && len(s.examples) == mostSampled {
		for i := range mostSampled / 2 {
			s.examples[i] = s.examples[2*i]
		}
		clear(s.examples[mostSampled/2:])
		s.examples = s.examples[:mostSampled/2]
		s.stride *= 2
	}
	if s.seen%s.stride == 0 {
		s.examples = append(s.examples, *x)
	}
	s.seen++
}

const (
	// mostShared is the most states and arcs, or cells, of what a way shares if it is
	// chosen by cost. They take about 100 bytes each.
	mostShared = 1 << 21
	// cellCost is what the value of a cell costs in an E step, in that of a lattice's arc.
	cellCost = 8
)

// compile settles which ways the corpus has: for each kind of examples that there are, by
// the time that an E step is predicted to take. It does nothing the second time.
//
// Both predictions are of a sample, in the time of a lattice's arc. Lattices are composed
// to count their arcs. A machine that has more arcs than they have is not composed.
func (c *cascade) compile() {
	for kind, s := range c.samples {
		if len(s.examples) == 0 {
			continue
		}
		limit, lattices := c.data.LatticeLimit, 0.0
		if c.data.Way == ByCost {
			if lattices = c.lattices(s.examples); lattices == 0 {
				continue // of no derivation
			}
			limit = int(min(float64(s.seen)/float64(len(s.examples))*lattices, mostShared))
		}
		if of := s.compileFor(c.problem, limit); of != nil && (c.data.Way == ByBlocks || s.cost(of) <= lattices) {
			of.kind = kind
			c.corpus.ways = append(c.corpus.ways, of)
		}
	}
	c.samples = nil
}

// compileFor returns the cells of the kind, nil if the way is not open.
func (k kind) compileFor(p Problem, limit int) *cells {
	space := p.Params.space.Fork()
	w, handle, err := k.compile(space, over(space, nil, p.Cascade), limit)
	if err != nil {
		return nil
	}
	space.Clip()
	return &cells{way: w, space: space, handle: handle}
}

// cost predicts the time of an E step over the sample, with its part of the cells' values.
func (s *sample) cost(of *cells) float64 {
	cost := cellCost * float64(len(of.handle)) * float64(len(s.examples)) / float64(s.seen)
	for i := range s.examples {
		cost += of.cost(&s.examples[i])
	}
	return cost
}

// lattices returns what the lattices of examples cost: their arcs. One that has more states
// and arcs than mostShared may have as many as is allowed, and has to be composed in each E
// step anew.
func (c *cascade) lattices(examples []Example) float64 {
	const anew = 10 // times as long as to sum over it
	b := c.maker().(*composer)
	b.limit = min(b.limit, mostShared)
	cost := 0.0
	for i := range examples {
		b.begin()
		switch _, err := b.add(&examples[i]); {
		case err == nil:
			cost += float64(b.batch.NumEdges())
		case errors.Is(err, semiring.ErrLimit):
			cost += anew * float64(c.data.LatticeLimit)
		default:
			cost += float64(b.limit)
		}
	}
	return cost
}
