package cascade

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// This file has the ways of examples that need no lattice: their sums are over blocks, and they
// are chosen by the sizes of both.

// way is the cells of examples of one kind, by which they are summed over without composing a
// lattice for each.
type way struct {
	*cells.Cells
	kind cells.Kind
}

// kindOf returns what is known of an example, and whether it is of such a kind.
func kindOf(x *Example) (k cells.Kind, ok bool) {
	switch {
	case x.X.known.String && x.Y.known.String:
		return cells.Both, true
	case x.X.Absent() && x.Y.known.String:
		return cells.Output, true
	case x.X.Absent() && x.Y.known.Soft() != nil:
		return cells.SoftOutput, true
	case x.X.known.Soft() != nil:
		return cells.SoftInput, x.Y.Absent()
	}
	return cells.Input, x.X.known.String && x.Y.Absent()
}

// stringsOf returns the strings of an example.
func stringsOf(x *Example) cells.Strings {
	return cells.Strings{In: x.X.known.Labels, Out: x.Y.known.Labels, Soft: cmp.Or(x.X.known.Soft(), x.Y.known.Soft())}
}

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
		if w.Begin(p.values, p.tangents, p.temperature, p.eStep == em.Viterbi) {
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

// blocks sums over the examples of a shard that go one of the ways.
type blocks struct {
	corpus   *corpus
	first    int // the number of the shard's first example
	shard    *shard
	pass     pass
	summers  []cells.Summer // per way; nil: none yet
	summed   int            // how many examples were
	failed   bool           // the last of them
	thorough bool           // reasons are to be
}

// begin begins a shard, whose first example has the number first.
func (b *blocks) begin(s *shard, p pass, first int) {
	b.shard, b.pass, b.first, b.summed, b.thorough = s, p, first, 0, true
}

func (b *blocks) Len() int { return len(b.shard.examples) }

func (b *blocks) Weight(n int) (i int, weight float64) {
	x := &b.shard.examples[n]
	if b.corpus.ways.of(x, b.pass.ways) < 0 {
		return b.first + n, 0
	}
	return b.first + n, x.Weight.Float64()
}

func (b *blocks) Sum(n int, weight float64, a *em.Tally) (ln float64, err error) {
	x := &b.shard.examples[n]
	total, arcs, err := b.summer(x).Sum(stringsOf(x), weight, b.pass.eStep == em.Viterbi)
	b.summed++
	b.failed = err != nil
	if err != nil {
		b.summers = nil // they are in the middle of a shard
		return 0, b.corpus.source.explain(b.first+n, err, b.pass)
	}
	a.Arcs += arcs
	return total.Log(), nil
}

// Example says of an example without a derivation why that is.
func (b *blocks) Example(n int) em.Skipped {
	x := &b.shard.examples[n]
	named := em.Skipped{Index: b.first + n, Name: x.Name, Weight: x.Weight.Float64()}
	if b.failed {
		return named
	}
	if named.Structural = !b.summer(x).Relates(stringsOf(x)); named.Structural {
		named.Reason, b.thorough = b.corpus.source.reason(x, b.thorough), false
	}
	return named
}

// summer returns the summer of the way that x goes.
func (b *blocks) summer(x *Example) cells.Summer {
	way := b.corpus.ways.of(x, b.pass.ways)
	if b.summers == nil {
		b.summers = make([]cells.Summer, len(b.corpus.ways))
	}
	if b.summers[way] == nil {
		b.summers[way] = b.corpus.ways[way].Hire()
	}
	return b.summers[way]
}

func (b *blocks) Drain(a *em.Tally) error {
	a.Latticeless += b.summed
	first := len(b.pass.values)
	for n, summer := range b.summers {
		if summer != nil {
			summer.Drain(func(lo int32, counts, curvature []float64) { a.Run(int32(first)+lo, counts, curvature) })
		}
		first += b.corpus.ways[n].Len()
	}
	return nil
}

// newSamples returns empty samples of the kinds of examples that have a way, nil if there are
// none.
func newSamples(p Problem, w Way) []*cells.Sample[Example] {
	if w == ByLattice || len(p.Branches) > 0 || len(p.Edges) > 0 {
		return nil
	}
	var all []*cells.Sample[Example]
	for k := range cells.Kinds {
		all = append(all, cells.NewSample[Example](k))
	}
	return all
}

// mostShared is the most states and arcs, or cells, of what a way shares if it is chosen by
// size. They take about 100 bytes each.
const mostShared = 1 << 21

// To compose an arc of a lattice takes the time of composedArcs that are summed over; kept, it
// takes arcBytes.
const composedArcs, arcBytes = 20, 12

// compile settles which ways the corpus has, for each kind of examples that there are. It does
// nothing the second time. By size, blocks are chosen if they have at most as many cells as all
// lattices have arcs, and if at most as many arcs are summed over; or composedArcs times as many
// where lattices have no room in the default of Data.CacheBytes (CacheBytes itself is not to
// change the result). The sizes are estimated from a sample, of which lattices are composed.
func (c *cascade) compile() {
	for _, s := range c.samples {
		if len(s.Examples) == 0 {
			continue
		}
		limit, most := c.data.LatticeLimit, math.Inf(1)
		if c.data.Way == BySize {
			most = c.latticeArcs(s.Examples)
			if most == 0 {
				continue // of no derivation
			}
			all := most * float64(s.Seen) / float64(len(s.Examples))
			limit = int(min(all, mostShared))
			if arcBytes*all > defaultCache {
				most *= composedArcs
			}
		}
		of, err := cells.Compile(s.Kind, c.used, c.tree.Edges[0].Machines, limit)
		if err == nil && s.Arcs(of, stringsOf) <= most {
			c.corpus.ways = append(c.corpus.ways, way{of, s.Kind})
		}
	}
	c.samples = nil
}

// latticeArcs returns how many arcs the lattices of examples have. One that has more states and
// arcs than mostShared, or than it may have, counts as the largest that is composed each time.
func (c *cascade) latticeArcs(examples []Example) float64 {
	b := c.composer()
	limit := min(c.data.LatticeLimit, mostShared)
	arcs := 0.0
	for i := range examples {
		b.begin(c.used.Fork())
		switch _, err := b.add(&examples[i], limit); {
		case err == nil:
			arcs += float64(b.batch.NumEdges())
		case errors.Is(err, semiring.ErrLimit):
			arcs += composedArcs * float64(c.data.LatticeLimit)
		}
	}
	return arcs
}
