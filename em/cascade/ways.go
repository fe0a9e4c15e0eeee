package cascade

import (
	"errors"
	"math"

	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/semiring"
)

// newSamples returns empty samples of the kinds of examples that have a way, nil if there are
// none.
func newSamples(p Problem, w Way) []*cells.Sample[Example] {
	if w == ByLattice || len(p.Branches) > 0 || len(p.Edges) > 0 {
		return nil
	}
	var all []*cells.Sample[Example]
	for k := cells.Output; k <= cells.Both; k++ {
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
