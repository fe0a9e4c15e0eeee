package em

import (
	"context"
	"fmt"

	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// cascade is the source of a Problem's data: the derivations of an example are the
// lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y.
type cascade struct {
	problem  Problem
	data     Data
	corpus   *corpus
	examples int
	weights  []float64 // per shard, of its examples
	samples  []*sample // of examples that may need no lattice; nil once that is settled
	reasons  reasons   // why examples have no derivation
}

// Likelihood returns the likelihood of data: each example is a lattice of all its
// derivations, x ∘ T₁ ∘ … ∘ Tₙ ∘ y, whose path sum is the example's probability, or what
// has the same sum (Data.Way). Nothing is built yet. The error, for a problem or data that
// make no sense, wraps ErrInvalid.
//
// Lattices are kept from one E step to the next as far as Data.CacheBytes allows, and
// built again where it does not. An E step costs time in proportion to the arcs of the
// lattices, and composition for those that are not kept; without lattices, to the cells of
// blocks. Its errors: an illegal θ; an
// example without a derivation under the policy Fail (ErrUnderivable); an example whose
// total diverges or whose lattice exceeds the limit (both named); a ctx that is done.
func (p Problem) Likelihood(data Data) (Excluder, error) {
	c, err := p.cascade(data)
	if err != nil {
		return nil, err
	}
	return c.likelihood(), nil
}

// cascade returns the source of data.
func (p Problem) cascade(data Data) (*cascade, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	data = data.complete()
	c := &cascade{problem: p, data: data, samples: p.samples(data.Way), reasons: reasons{problem: p}}
	weights, err := p.checkData(data, c.samples)
	if err != nil {
		return nil, err
	}
	c.examples, c.weights = weights.examples, weights.perShard()
	c.corpus = newCorpus(p.Params, NewCutBySize(c.examples, data.ShardSize), data.CacheBytes, c)
	return c, nil
}

func (c *cascade) likelihood() Excluder {
	return c.corpus.likelihood(func(p *pass, q Query) {
		c.compile()
		p.ways = c.corpus.ways.begin(*p)
		p.feed = &feeder{corpus: c.corpus, problem: c.problem, data: c.data, lo: q.Lo, ways: p.ways}
		if w := c.data.Within; w != nil {
			p.feed.choice, p.feed.choose = &choice{*w, *p, part.NewCeiling(c.problem.Cascade, p.values)}, q.Choose
		}
	})
}

func (c *cascade) reason(x *Example) string { return c.reasons.of(x) }

func (c *cascade) policy() Policy { return c.data.Underivable }

// write writes the machines, the data and what to do with underivable examples.
func (c *cascade) write(d digest) {
	d.ints(int(c.data.Underivable), len(c.problem.Cascade), len(c.problem.Branches), c.examples)
	d.params(c.problem.Params)
	if w := c.data.Within; w != nil {
		fmt.Fprintf(d, "%+v\n", *w)
	}
	for _, e := range c.problem.tree() {
		if len(c.problem.Edges) > 0 {
			d.ints(e.From, e.To)
		}
		d.ints(len(e.Machines))
		for _, m := range e.Machines {
			d.machine(m)
		}
	}
	var sides []Side
	for x, err := range c.data.all() {
		if err != nil {
			return // the first E step will say so
		}
		d.floats(x.Weight.Float64())
		sides = c.problem.sides(sides[:0], &x)
		for _, s := range sides {
			d.side(s)
		}
	}
}

func (c *cascade) maker() maker {
	return &composer{of: c, limit: c.data.LatticeLimit, arena: fst.NewArena(c.problem.Params.space)}
}

// composer composes the lattices of a shard's examples.
type composer struct {
	of    *cascade
	limit int // for the states and arcs of a lattice, before trimming
	arena *fst.Arena[expr.W]
	batch batch.Batch
	space *expr.Space
	chain []fst.Machine[expr.W] // scratch
	elimination

	// Where parts of lattices are chosen: the E step, and the values of the expressions of
	// space.
	choice *choice
	values part.Values
	path   []int32
	sums   batch.Scratch
}

func (b *composer) make(ctx context.Context, s *shard, i int, examples []Example, feed *feeder) error {
	b.begin()
	if feed.choice != nil {
		b.beginWithin(s, feed.choice)
	}
	s.space, s.batch, s.ways = b.space, &b.batch, feed.ways
	lo, _ := b.of.corpus.cut.Shard(i)
	for n := range examples {
		x := &examples[n]
		named := Skipped{Index: lo + n, Name: x.Name, Weight: x.Weight.Float64()}
		if named.Weight == 0 {
			continue
		}
		if b.of.corpus.ways.of(x, feed.ways) >= 0 {
			s.examples = examples
			continue
		}
		var err error
		if feed.choice != nil {
			err = b.keep(ctx, s, lo+n, x)
		} else {
			var ok bool
			if ok, err = b.add(x); err == nil {
				s.addLast(lo+n, ok)
				if !ok {
					named.Reason = b.of.reason(x)
				}
			}
		}
		if err != nil {
			return fmt.Errorf("em: lattice of %v: %w", named, err)
		}
		s.named = append(s.named, named)
	}
	b.space.Clip()
	s.streamed = s.examples != nil && b.of.data.streamed()
	return nil
}

// begin empties the batch, for expressions of a new Space.
func (b *composer) begin() {
	b.space = b.of.problem.Params.space.Fork()
	b.arena.SetSemiring(b.space)
	b.elimination.begin(b.of.problem.tree(), b.space)
	b.batch.Reset()
}

// over returns ms over space, in the storage of dst.
func over(space *expr.Space, dst, ms []*fst.FST[expr.W]) []*fst.FST[expr.W] {
	dst = dst[:0]
	for _, m := range ms {
		dst = append(dst, m.WithSemiring(space))
	}
	return dst
}

// add appends the lattice of x to the batch; false if it has no path.
func (b *composer) add(x *Example) (bool, error) {
	b.arena.Reset()
	m, err := b.derivations(x)
	if err != nil {
		return false, b.tooLarge(x, err)
	}
	f, err := b.arena.Expand(m, b.limit)
	if err != nil {
		return false, b.tooLarge(x, err)
	}
	return batch.AppendGraph(&b.batch, f.Graph())
}
