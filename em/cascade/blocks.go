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

// This file defines the ways of summing over examples without lattices: the sums are over blocks.
// The choice between blocks and lattices depends on the sizes of both.

// way holds the cells of examples of one kind, with which they are summed over without a lattice
// for each.
type way struct {
	*cells.Cells
	kind cells.Kind
}

// kindOf returns the kind of an example, and whether examples of this kind may be summed over
// without lattices.
func kindOf(x *Example) (k cells.Kind, ok bool) {
	switch {
	case x.X.known.String && x.Y.known.String:
		return cells.Both, true
	case x.X.Unknown() && x.Y.known.String:
		return cells.Output, true
	case x.X.Unknown() && x.Y.known.Soft() != nil:
		return cells.SoftOutput, true
	case x.X.known.Soft() != nil:
		return cells.SoftInput, x.Y.Unknown()
	}
	return cells.Input, x.X.known.String && x.Y.Unknown()
}

func stringsOf(x *Example) cells.Strings {
	return cells.Strings{In: x.X.known.Labels, Out: x.Y.known.Labels, Soft: cmp.Or(x.X.known.Soft(), x.Y.known.Soft())}
}

// ways are the ways of a corpus, nil if it uses lattices only.
type ways []way

// size returns the total number of cells.
func (ws ways) size() int {
	n := 0
	for _, w := range ws {
		n += w.Len()
	}
	return n
}

// layout returns a description of the cells: their number of each kind.
func (ws ways) layout() string {
	text := ""
	for _, w := range ws {
		text += fmt.Sprintf(", %d cells of kind %d", w.Len(), w.kind)
	}
	return text
}

// begin begins an E step and returns the ways that it uses, as a bit set.
func (ws ways) begin(p pass) (taken uint) {
	for n, w := range ws {
		if w.Begin(p.values, p.tangents, p.temperature, p.eStep == em.Viterbi) {
			taken |= 1 << n
		}
	}
	return taken
}

// of returns the index of the way of x among the ways in use, -1 for a lattice.
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

// backpropagate adds the counts of cells to the counts of the handles that they depend on. In
// sums, the handles come first and the cells follow.
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

// blocks sums over the examples of a shard that use one of the ways.
type blocks struct {
	corpus   *corpus
	first    int // index of the shard's first example
	shard    *shard
	pass     pass
	summers  []cells.Summer // per way; nil before its first use
	summed   int            // number of examples summed over
	failed   bool           // whether the last one failed
	thorough bool           // whether reasons should be
}

// begin begins a shard; first is the index of its first example.
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
		b.summers = nil // they hold the counts of a partial shard
		return 0, b.corpus.source.explain(b.first+n, err, b.pass)
	}
	a.Arcs += arcs
	return total.Log(), nil
}

// Example returns the name and weight of an example and, if it has no derivation, the reason.
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

// summer returns the summer of the way of x.
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
	a.WithoutLattice += b.summed
	first := len(b.pass.values)
	for n, summer := range b.summers {
		if summer != nil {
			summer.Drain(func(lo int32, counts, curvature []float64) { a.Run(int32(first)+lo, counts, curvature) })
		}
		first += b.corpus.ways[n].Len()
	}
	return nil
}

// newSamples returns empty samples of the kinds of examples that have a way, nil if p or w
// requires lattices.
func newSamples(p Problem, w Strategy) []*cells.Sample[Example] {
	if w == ByLattice || len(p.Branches) > 0 || len(p.Edges) > 0 {
		return nil
	}
	var all []*cells.Sample[Example]
	for k := range cells.Kinds {
		all = append(all, cells.NewSample[Example](k))
	}
	return all
}

// mostShared is the maximum number of states and arcs, or cells, of the shared machine of a way
// chosen by size. Each takes about 100 bytes.
const mostShared = 1 << 21

// Composing an arc of a lattice takes as long as summing over composedArcs arcs, and summing over
// an arc of a lattice with cycles as long as cyclicArcs or more. A kept arc takes arcBytes, and
// cyclicBytes more in a lattice with cycles.
const composedArcs, cyclicArcs, arcBytes, cyclicBytes = 20, 3, 12, 8

// compile chooses the ways of the corpus, for each kind of examples present. The second call has
// no effect. By size, blocks are chosen if they have at most as many cells as all lattices have
// arcs, and if they sum over at most as many arcs. An arc of a lattice with cycles counts
// cyclicArcs times. If lattices do not fit in the default of Data.CacheBytes, the composition of
// each arc is counted, too. (CacheBytes itself must not change the result.) The sizes are
// estimated from a sample, whose lattices are composed.
func (c *cascade) compile() {
	for _, s := range c.samples {
		if len(s.Examples) == 0 {
			continue
		}
		limit, most := c.data.LatticeLimit, math.Inf(1)
		if c.data.Strategy == BySize {
			of := c.extentOf(s.Examples)
			if of.arcs == 0 {
				continue // without derivations
			}
			each := float64(s.Seen) / float64(len(s.Examples))
			limit = int(min(each*of.arcs, mostShared))
			if most = of.summed; each*of.bytes > defaultCache {
				most += (composedArcs - 1) * of.arcs
			}
		}
		of, err := cells.Compile(s.Kind, c.used, c.tree.Edges[0].Machines, limit)
		if err == nil && s.Arcs(of, stringsOf) <= most {
			c.corpus.ways = append(c.corpus.ways, way{of, s.Kind})
		}
	}
	c.samples = nil
}

// extent is the size of lattices.
type extent struct {
	arcs   float64
	summed float64 // number of acyclic arcs that take as much time
	bytes  float64 // memory if kept
}

// extentOf returns the size of the lattices of examples. A lattice larger than mostShared or the
// limit is assumed to be as large as the limit and to be recomposed in every E step.
func (c *cascade) extentOf(examples []Example) (of extent) {
	b := c.composer()
	limit := min(c.data.LatticeLimit, mostShared)
	for i := range examples {
		b.begin(c.used.Fork())
		some, err := b.add(&examples[i], limit)
		n, summed, bytes := float64(b.batch.NumEdges()), 1., float64(arcBytes)
		switch {
		case errors.Is(err, semiring.ErrLimit):
			n = composedArcs * float64(c.data.LatticeLimit)
		case err != nil || !some:
			continue
		case b.batch.Cyclic(0):
			summed, bytes = cyclicArcs, bytes+cyclicBytes
		}
		of.arcs += n
		of.summed += summed * n
		of.bytes += bytes * n
	}
	return of
}
