package em

import (
	"errors"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

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
func (s *sample) show(x Example) {
	if !s.takes(&x) {
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
		s.examples = append(s.examples, x)
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
		if of := s.compileFor(c.problem, limit); of != nil && (c.data.Way == ByBlocks || s.cost(of) <= lattices) {
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
