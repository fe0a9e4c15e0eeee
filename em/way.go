package em

import (
	"errors"
	"fmt"
	"slices"

	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// way is the cells of examples of one kind, by which they are summed over without composing a
// lattice for each.
type way struct {
	*cells.Cells
	kind cells.Kind
}

// kindOf returns what is known of an example, and whether it is of such a kind.
func kindOf(x *Example) (k cells.Kind, ok bool) {
	switch {
	case x.X.string && x.Y.string:
		return cells.Both, true
	case x.X.Absent() && x.Y.string:
		return cells.Output, true
	}
	return cells.Input, x.X.string && x.Y.Absent()
}

// stringsOf returns the strings of an example.
func stringsOf(x *Example) cells.Strings { return cells.Strings{In: x.X.labels, Out: x.Y.labels} }

// ways are the ways of a corpus, nil for lattices alone.
type ways []way

// size returns the number of all cells.
func (ws ways) size() int {
	n := 0
	for _, w := range ws {
		n += w.Len()
	}
	return n
}

// layout says which cells there are: how many of each kind.
func (ws ways) layout() string {
	text := ""
	for _, w := range ws {
		text += fmt.Sprintf(", %d cells of kind %d", w.Len(), w.kind)
	}
	return text
}

// begin begins an E step and returns the ways that it takes, as bits by number.
func (ws ways) begin(p pass) (taken uint) {
	for n, w := range ws {
		if w.Begin(p.values, p.tangents, p.temperature, p.eStep == Viterbi) {
			taken |= 1 << n
		}
	}
	return taken
}

// of returns the number of the way that x goes among those taken, -1 for a lattice.
func (ws ways) of(x *Example, taken uint) int {
	if taken == 0 {
		return -1
	}
	kind, ok := kindOf(x)
	for n, w := range ws {
		if ok && taken>>n&1 == 1 && w.kind == kind {
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
		hi := lo + w.Len()
		if p.ways>>n&1 == 1 {
			counts := expr.Dual{Value: sums.Value[lo:hi]}
			if p.tangents != nil {
				counts.Change = sums.Change[lo:hi]
			}
			w.Backpropagate(counts, sums)
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
		total, arcs, err := summer.Sum(stringsOf(x), named.Weight, p.eStep == Viterbi)
		if err != nil {
			w.summers = nil // they are in the middle of a shard
			return fmt.Errorf("em: %v: %w", named, w.of.source.explain(named.Index, err, p))
		}
		if named.Structural = total.IsZero() && !summer.Relates(stringsOf(x)); named.Structural {
			named.Reason = w.of.source.reason(x)
		}
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
			summer.Drain(func(lo int32, counts, curvature []float64) { a.Run(int32(first)+lo, counts, curvature) })
		}
		first += w.of.ways[n].Len()
	}
	return nil
}

// summer returns the summer for a way.
func (w *worker) summer(way int) cells.Summer {
	if w.summers == nil {
		w.summers = make([]cells.Summer, len(w.of.ways))
	}
	if w.summers[way] == nil {
		w.summers[way] = w.of.ways[way].Hire()
	}
	return w.summers[way]
}

// sample is an evenly spread sample of the examples of a kind.
type sample struct {
	kind         cells.Kind
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
	for k := cells.Output; k <= cells.Both; k++ {
		all = append(all, &sample{kind: k, stride: 1})
	}
	return all
}

// show takes x into the sample if it is of the kind and its turn.
func (s *sample) show(x *Example) {
	if k, ok := kindOf(x); !ok || k != s.kind {
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
	for _, s := range c.samples {
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
		of, err := cells.Compile(s.kind, c.problem.Params.space, c.problem.Cascade, limit)
		if err == nil && (c.data.Way == ByBlocks || s.cost(of) <= lattices) {
			c.corpus.ways = append(c.corpus.ways, way{of, s.kind})
		}
	}
	c.samples = nil
}

// cost predicts the time of an E step over the sample, with its part of the cells' values.
func (s *sample) cost(of *cells.Cells) float64 {
	cost := cellCost * float64(of.Len()) * float64(len(s.examples)) / float64(s.seen)
	for i := range s.examples {
		cost += of.Cost(stringsOf(&s.examples[i]))
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
