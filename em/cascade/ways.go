package cascade

import (
	"errors"

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
// cost. They take about 100 bytes each.
const mostShared = 1 << 21

// expectedSteps is how many E steps are expected, by cost: what the first one has to do before
// it sums counts as a part of each.
const expectedSteps = 10

// compile settles which ways the corpus has: for each kind of examples that there are, by
// the time that an E step is predicted to take. It does nothing the second time.
//
// Both predictions are of a sample, in the time of a lattice's arc. Lattices are composed
// to count their arcs. A machine that has more arcs than they cost is not composed.
func (c *cascade) compile() {
	for _, s := range c.samples {
		if len(s.Examples) == 0 {
			continue
		}
		limit, lattices := c.data.LatticeLimit, 0.0
		if c.data.Way == ByCost {
			scale := float64(s.Seen) / float64(len(s.Examples))
			if lattices = c.lattices(s.Examples, scale); lattices == 0 {
				continue // of no derivation
			}
			limit = int(min(scale*lattices, mostShared))
		}
		of, err := cells.Compile(s.Kind, c.used, c.tree.Edges[0].Machines, limit)
		if err == nil && (c.data.Way == ByBlocks || s.Cost(of, stringsOf, c.corpus.cut.Shards(), expectedSteps) <= lattices) {
			c.corpus.ways = append(c.corpus.ways, way{of, s.Kind})
		}
	}
	c.samples = nil
}

// lattices returns what the lattices of examples cost, each of which stands for scale
// examples: to sum over them, and to compose them, once if the default of Data.CacheBytes has
// room for all and else in part in each E step. CacheBytes itself is not to change the result.
// One that has more states and arcs than mostShared may have as many as is allowed, and has to
// be composed in each E step.
func (c *cascade) lattices(examples []Example, scale float64) float64 {
	// Of a node, and of an arc whose weight is one of many, more than a processor keeps at
	// hand; to compose an arc, with those that lead nowhere.
	const nodeCost, farCost, composeCost, many = 2, 3, 20, 1 << 16
	arcCost := 1.0
	if c.problem.Params.Space().Len() >= many {
		arcCost = farCost
	}
	b := c.composer()
	limit := min(c.data.LatticeLimit, mostShared)
	cost, composed, bytes := 0.0, 0.0, 0.0
	for i := range examples {
		b.begin(c.used.Fork())
		switch _, err := b.add(&examples[i], limit); {
		case err == nil:
			arcs, nodes := float64(b.batch.NumEdges()), float64(b.batch.NumNodes())
			cost += arcCost*arcs + nodeCost*nodes
			composed += composeCost * arcs
			bytes += scale * (8*arcs + 4*nodes)
		case errors.Is(err, semiring.ErrLimit):
			cost += composeCost * float64(c.data.LatticeLimit)
		default:
			cost += float64(limit)
		}
	}
	again := 1.0
	if bytes > 0 {
		again -= min(1, defaultCache/bytes)
	}
	return cost + composed*(again+(1-again)/expectedSteps)
}
