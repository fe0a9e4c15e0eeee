package cascade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/cells"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// cascade is the source of a Problem's data. The derivations of an example are the lattice x ∘ T₁
// ∘ … ∘ Tₙ ∘ y.
type cascade struct {
	problem  Problem
	tree     tapes.Tree
	data     Data
	used     *expr.Subset // the expressions in the machines and in the data's sets
	corpus   *corpus
	examples int
	weights  []float64                // per shard: sum over its examples
	samples  []*cells.Sample[Example] // of examples that may need no lattice; nil after compile
	reasons  *tapes.Reasons           // explains examples without derivations

	remarkOnce sync.Once
	remarked   []string // remarks on the machines
}

// newCascade returns the source of a problem's data.
func newCascade(p Problem, data Data) (*cascade, error) {
	tree, err := treeOf(p)
	if err != nil {
		return nil, err
	}
	data = data.complete()
	c := &cascade{problem: p, tree: tree, data: data, samples: newSamples(p, data.Strategy), used: usedBy(p.Params, tree)}
	c.reasons = tapes.NewReasons(c.tree)
	weights, err := checkData(p, data, c.samples, c.used, c.reasons)
	if err != nil {
		return nil, err
	}
	c.examples, c.weights = weights.examples, weights.perShard()
	c.corpus = newCorpus(p.Params, c.examples, data.ShardSize, data.CacheBytes, c.used, c)
	return c, nil
}

func (c *cascade) likelihood() em.Excluder {
	return c.corpus.likelihood(func(p *pass, q em.Query) {
		c.compile()
		p.ways = c.corpus.ways.begin(*p)
		p.feed = c.feeder(q.Lo)
		p.feed.ways = p.ways
		if w := c.data.Pruning; w != nil {
			p.feed.choice, p.feed.choose = &choice{Pruning: *w, pass: *p}, q.Choose
			if c.tree.Star && len(c.tree.Edges) == 1 {
				p.feed.choice.ceiling = part.NewCeiling(c.tree.Edges[0].Machines, p.values)
			}
		}
	})
}

// feeder returns the feeder of an E step that begins with shard lo.
func (c *cascade) feeder(lo int) *feeder {
	if c.data.Stream == nil {
		return &feeder{
			examples: func(shard int, _ *feed.Portion[Example]) ([]Example, error) {
				lo, hi := c.corpus.cut.Shard(shard)
				return c.data.Examples[lo:hi], nil
			},
			close: func() {},
		}
	}
	f := &feeder{}
	of := feed.NewFeeder(sourceOf(c.data.Stream), unread{c.corpus, lo, f})
	f.examples = func(shard int, p *feed.Portion[Example]) ([]Example, error) {
		return of.Shard(shard, p, c.problem.checkExample, func(n int) error {
			return nested.Errorf("cascade: %w: %d examples, but %d the first time", em.ErrInvalid, n, c.examples)
		})
	}
	f.close = of.Close
	return f
}

// unread selects the shards of a stream that an E step reads.
type unread struct {
	corpus *corpus
	lo     int // the first shard of the E step
	feed   *feeder
}

func (u unread) Shard(i int) (lo, hi int) { return u.corpus.cut.Shard(i) }

// Wanted returns false for a kept shard, unless its examples are streamed.
func (u unread) Wanted(i int) bool {
	kept := u.corpus.kept[i]
	return i >= u.lo && (!kept.serves(u.feed) || kept.streamed)
}

func (c *cascade) reason(x *Example, thorough bool) string {
	return c.reasons.Of(c.problem.sides(nil, x), thorough)
}

func (c *cascade) policy() em.Policy { return c.data.Underivable }

// write writes the machines, the data and the policy for underivable examples.
func (c *cascade) write(d digest.To) {
	d.Ints(int(c.data.Underivable), len(c.problem.Stages), len(c.problem.Branches), c.examples)
	n := new(handleNumbers)
	if w := c.data.Pruning; w != nil {
		fmt.Fprintf(d, "%+v\n", *w)
	}
	for _, e := range c.tree.Edges {
		if len(c.problem.Edges) > 0 {
			d.Ints(e.From, e.To)
		}
		d.Ints(len(e.Machines))
		for _, m := range e.Machines {
			writeMachine(d, n, m)
		}
	}
	var sides []tapes.Side
	for x, err := range c.data.all() {
		if err != nil {
			return // the first E step returns err
		}
		d.Floats(x.Weight.Float64())
		sides = c.problem.sides(sides[:0], &x)
		for _, s := range sides {
			writeSide(d, n, s)
		}
	}
	n.finish(d, c.problem.Params.Space())
}

func (c *cascade) maker() maker { return c.composer() }

func (c *cascade) composer() *composer {
	of := tapes.NewComposer(c.tree, c.problem.Params.Space())
	return &composer{of: c, tapes: of, chooser: chooser{tapes: of, limit: c.data.LatticeLimit}}
}

// composer composes the lattices of a shard's examples.
type composer struct {
	of      *cascade
	tapes   *tapes.Composer
	sides   []tapes.Side // scratch: sides of an example
	batch   batch.Batch
	space   *expr.Space
	chooser chooser
}

func (b *composer) make(ctx context.Context, s *shard, i int, examples []Example, feed *feeder) error {
	if choice := feed.choice; choice == nil {
		b.begin(b.of.used.Fork())
	} else {
		b.begin(s.spaceBefore(b.of.used))
		b.chooser.begin(choice, s, b.space)
	}
	s.space, s.batch, s.ways = b.space, &b.batch, feed.ways
	lo, _ := b.of.corpus.cut.Shard(i)
	thorough := true // only the first reason: an E step may need many
	for n := range examples {
		x := &examples[n]
		named := em.Skipped{Index: lo + n, Name: x.Name, Weight: x.Weight.Float64()}
		if named.Weight == 0 {
			continue
		}
		if b.of.corpus.ways.of(x, feed.ways) >= 0 {
			s.examples = examples
			continue
		}
		var err error
		if feed.choice != nil {
			err = b.chooser.keep(ctx, s, lo+n, b.known(x))
		} else {
			var ok bool
			if ok, err = b.add(x, b.of.data.LatticeLimit); err == nil {
				s.addLast(lo+n, ok)
				if !ok {
					named.Reason, thorough = b.of.reason(x, thorough), false
				}
			}
		}
		if err != nil {
			return nested.Errorf("cascade: lattice of %v: %w", named, err)
		}
		s.named = append(s.named, named)
	}
	b.space.Clip()
	s.streamed = s.examples != nil && b.of.data.Stream != nil
	return nil
}

// begin empties the batch for expressions of a space.
func (b *composer) begin(space *expr.Space) {
	b.space = space
	b.tapes.Begin(space)
	b.batch.Reset()
}

// known returns the side of x for each tape. The result is valid until the next call.
func (b *composer) known(x *Example) []tapes.Side {
	b.sides = b.of.problem.sides(b.sides[:0], x)
	return b.sides
}

// add appends the lattice of x, within a limit, to the batch. It returns false if the lattice has
// no path.
func (b *composer) add(x *Example, limit int) (bool, error) {
	f, err := b.tapes.Lattice(b.known(x), limit)
	if err != nil {
		return false, b.tapes.Explain(err)
	}
	return batch.AppendGraph(&b.batch, f.Graph())
}

// marginal returns the acceptor of the string on a tape from the part of x that contains the
// tape, and the acceptors of the other parts. Their weights are numbers, evaluated at the values
// of p.
func (b *composer) marginal(x *Example, tape int, p pass) (own *fst.FST[semiring.ScaledFloat], others []*fst.FST[semiring.ScaledFloat], err error) {
	b.begin(b.of.used.Fork())
	sides := b.known(x)
	if b.of.tree.Cut > 0 {
		sides = append(sides, tapes.Side{}) // the hidden string between two machines
	}
	all, err := b.tapes.Given(sides, tape, b.of.data.LatticeLimit)
	if err != nil {
		return nil, nil, b.tapes.Explain(err)
	}
	values := slices.Clone(p.inherited(b.space).values)
	if values, err = b.space.EvaluateTempered(values, nil, p.temperature); err != nil {
		return nil, nil, err
	}
	ring := semiring.Scaled{}
	p.values = values
	var fault error
	number := func(w expr.W) semiring.ScaledFloat {
		if values[w].IsNaN() && fault == nil {
			fault = p.fault(b.space, w)
		}
		return values[w]
	}
	for _, m := range all {
		f, err := machines.Scaled.Connect(machines.Evaluated(m, ring, number), nil)
		if err = cmp.Or(fault, err); err != nil {
			return nil, nil, err
		}
		others = append(others, f)
	}
	return others[0], others[1:], nil
}

// hasNoValue reports whether err is the error of a path sum without a value.
func hasNoValue(err error) bool {
	return errors.Is(err, semiring.ErrDiverges) || errors.Is(err, semiring.ErrInaccurate)
}

// explain adds to err the names of unbounded tapes if they are the reason.
func (c *cascade) explain(i int, err error, p pass) error {
	if !hasNoValue(err) {
		return err
	}
	err = c.withRemarks(err)
	for x, fault := range c.data.all() {
		if fault != nil {
			return err
		}
		if i == 0 {
			return c.blame(&x, err, p)
		}
		i--
	}
	return err
}

// blame returns err, which ended the sum of x, with the names of the tapes that by themselves
// explain it.
func (c *cascade) blame(x *Example, err error, p pass) error {
	var names []string
	for t, s := range c.problem.sides(nil, x) {
		if !s.String && s.Soft() == nil && c.unbounded(x, t, p) {
			names = append(names, c.tree.Tape(t))
		}
	}
	if len(names) == 0 {
		return err
	}
	return nested.Errorf("%w; the sum over all strings of %s is not bounded: give %[2]s in the data, or compose a machine whose weights have a finite sum, such as a language model of %[3]s",
		err, strings.Join(names, " or "), names[0])
}

// unbounded reports whether the sum over the strings of a tape of x diverges, although it
// converges over any finite set of them.
func (c *cascade) unbounded(x *Example, tape int, p pass) bool {
	b := c.composer()
	f, _, err := b.marginal(x, tape, p)
	if err != nil {
		return false
	}
	if _, err := graphs.PathSum(f.Graph()); !hasNoValue(err) {
		return false
	}
	// Strings of a finite set take no cycle that reads a label.
	g := f.Graph()
	weights := slices.Clone(g.Weights())
	component, _ := g.Components()
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			if f.In()[e] != fst.Epsilon && component[s] == component[g.To()[e]] {
				weights[e] = semiring.ScaledFloat{}
			}
		}
	}
	f, err = f.WithWeights(weights, g.Starts(), g.Finals())
	if err != nil {
		return false
	}
	_, err = graphs.PathSum(f.Graph())
	return !hasNoValue(err)
}
