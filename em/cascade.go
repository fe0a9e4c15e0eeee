package em

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
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
	whole    bool      // the only example is all pairs
	samples  []*sample // of examples that may need no lattice; nil once that is settled
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
	c := &cascade{problem: p, data: data, samples: p.samples(data.Way)}
	weights, err := p.checkData(data, c.samples)
	if err != nil {
		return nil, err
	}
	c.examples, c.weights = weights.examples, weights.perShard()
	c.corpus = newCorpus(p.Params, c.examples, data.CacheBytes, c)
	return c, nil
}

func (c *cascade) likelihood() Excluder {
	return c.corpus.likelihood(func(p *pass, lo int) {
		c.compile()
		p.ways = c.corpus.ways.begin(*p)
		p.feed = &feeder{corpus: c.corpus, problem: c.problem, data: c.data, lo: lo, ways: p.ways}
	})
}

func (c *cascade) policy() Policy { return c.data.Underivable }

// write writes the machines, the data and what to do with underivable examples.
func (c *cascade) write(d digest) {
	d.ints(int(c.data.Underivable), len(c.problem.Cascade), len(c.problem.Branches), c.examples)
	d.params(c.problem.Params)
	for _, ms := range append([][]*fst.FST[expr.W]{c.problem.Cascade}, c.problem.Branches...) {
		d.ints(len(ms))
		for _, m := range ms {
			d.machine(m)
		}
	}
	for x, err := range c.data.all() {
		if err != nil {
			return // the first E step will say so
		}
		d.floats(x.Weight.Float64())
		for _, s := range append([]Side{x.X, x.Y}, x.Branches...) {
			d.side(s)
		}
	}
}

// explain asks for X if that may be the reason for err.
func (c *cascade) explain(i int, err error) error {
	if c.whole || !isAny(err, []error{semiring.ErrDiverges, semiring.ErrInaccurate}) {
		return err
	}
	for x, fault := range c.data.all() {
		if fault != nil || i == 0 && !x.X.Absent() {
			break
		}
		if i == 0 {
			return fmt.Errorf("%w; X of the example is not known: is it missing? The sum over all X of what is conditional on X has no bound", err)
		}
		i--
	}
	return err
}

func (c *cascade) maker() maker {
	return &composer{of: c, limit: c.data.LatticeLimit, arena: fst.NewArena[expr.W](c.problem.Params.space),
		branches: make([][]*fst.FST[expr.W], len(c.problem.Branches))}
}

// composer composes the lattices of a shard's examples.
type composer struct {
	of    *cascade
	limit int // for the states and arcs of a lattice, before trimming
	arena *fst.Arena[expr.W]
	batch batch.Batch
	space *expr.Space
	tails []*fst.FST[expr.W] // the cascade over space

	branches [][]*fst.FST[expr.W] // likewise
}

func (b *composer) make(s *shard, i int, feed *feeder) error {
	examples, err := feed.shard(i)
	if err != nil {
		return err
	}
	b.begin()
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
		ok, err := b.add(x)
		if err != nil {
			return fmt.Errorf("em: lattice of %v: %w", named, err)
		}
		s.named = append(s.named, named)
		s.addLast(lo+n, ok)
	}
	b.space.Clip()
	if b.of.data.Stream != nil {
		for i := range s.examples {
			s.held += s.examples[i].bytes()
		}
	}
	return nil
}

// begin empties the batch, for expressions of a new Space.
func (b *composer) begin() {
	b.space = b.of.problem.Params.space.Fork()
	b.arena.SetSemiring(b.space)
	b.tails = over(b.space, b.tails, b.of.problem.Cascade)
	for i, branch := range b.of.problem.Branches {
		b.branches[i] = over(b.space, b.branches[i], branch)
	}
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
	m, err := b.restrict(x)
	if err != nil {
		return false, b.tooLarge(x, err)
	}
	f, err := b.arena.Expand(m, b.limit)
	if err != nil {
		return false, b.tooLarge(x, err)
	}
	return batch.AppendGraph(&b.batch, f.Graph())
}

// tooLarge returns err and, if the lattice of x has too many states or arcs, how many
// there are in those that it is the product of.
func (b *composer) tooLarge(x *Example, err error) error {
	if !errors.Is(err, semiring.ErrLimit) || x.Y.Absent() && len(b.branches) == 0 {
		return err
	}
	b.arena.Reset()
	var sizes []string
	size := func(name string, m fst.Machine[expr.W], fault error) {
		if fault == nil {
			var f *fst.FST[expr.W]
			if f, fault = b.arena.Expand(m, b.limit); fault == nil {
				sizes = append(sizes, fmt.Sprintf("%s with %d states and %d arcs", name, f.NumStates(), f.NumArcs()))
				return
			}
		}
		sizes = append(sizes, name+" with more") // or with another error, of which there is one already
	}
	ms, head := b.machines(x)
	m, fault := b.left(ms[:head])
	size("X and the first machine", m, fault)
	if len(ms) > head {
		m, fault = b.right(x, ms[head:])
		size("the other machines and what they write", m, fault)
	} else if !x.Y.Absent() {
		size("Y", b.side(x.Y), nil)
	}
	for i, branch := range b.branches {
		m, fault := b.branch(branch, x.Branches[i])
		size(fmt.Sprintf("branch %d", i), m, fault)
	}
	return fmt.Errorf("%w: the lattice is the product of %s", err, strings.Join(sizes, ", "))
}

// restrict returns x.X ∘ T₁ ∘ … ∘ Tₙ ∘ R, where R is what is known of the string that
// Tₙ writes: x.Y and what the branches say of it. All machines but the first are
// first composed with R, from the right; these products are small, as R restricts
// them. What begins with X is composed lazily with that, so that only what both
// sides allow is visited.
func (b *composer) restrict(x *Example) (fst.Machine[expr.W], error) {
	ms, head := b.machines(x)
	right, err := b.right(x, ms[head:])
	if err != nil {
		return nil, err
	}
	if right == nil {
		return b.left(ms)
	}
	left, err := b.left(ms[:head])
	if err != nil {
		return nil, err
	}
	return b.arena.Compose(left, right)
}

// machines returns X, if it is known, and the cascade, and how many of them X and the
// first machine are.
func (b *composer) machines(x *Example) (ms []fst.Machine[expr.W], head int) {
	ms, head = make([]fst.Machine[expr.W], 0, 8), 1
	if !x.X.Absent() {
		ms, head = append(ms, b.side(x.X)), 2
	}
	for _, m := range b.tails {
		ms = append(ms, m)
	}
	return ms, head
}

// right returns the composition of machines with what is known of the string that the last
// of them writes, nil if that is nothing.
func (b *composer) right(x *Example, ms []fst.Machine[expr.W]) (fst.Machine[expr.W], error) {
	right, err := b.known(x)
	if err != nil || right == nil {
		return nil, err
	}
	for _, m := range slices.Backward(ms) {
		if right, err = b.compose(m, right); err != nil {
			return nil, err
		}
	}
	return right, nil
}

// known returns the acceptor of what x.Y and the branches say of the string that the
// cascade writes, nil if they say nothing: the intersection of Y and, for each
// branch, the strings from which it leads to the observation.
func (b *composer) known(x *Example) (fst.Machine[expr.W], error) {
	var all fst.Machine[expr.W]
	if !x.Y.Absent() {
		all = b.side(x.Y)
	}
	for i, branch := range b.branches {
		one, err := b.branch(branch, x.Branches[i])
		if err != nil {
			return nil, fmt.Errorf("branch %d: %w", i, err)
		}
		if all == nil {
			all = one
		} else if all, err = b.compose(all, one); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// branch returns the acceptor of the strings from which the machines lead to one of
// y, each with the weight of all ways to get there.
func (b *composer) branch(ms []*fst.FST[expr.W], y Side) (*fst.FST[expr.W], error) {
	last := ms[len(ms)-1]
	var err error
	if !y.Absent() {
		if last, err = b.compose(last, b.side(y)); err != nil {
			return nil, err
		}
	}
	for _, m := range slices.Backward(ms[:len(ms)-1]) {
		if last, err = b.compose(m, last); err != nil {
			return nil, err
		}
	}
	return fst.Expand(fst.ProjectIn(last), 0)
}

// compose returns l ∘ r, expanded.
func (b *composer) compose(l, r fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	c, err := b.arena.Compose(l, r)
	if err != nil {
		return nil, err
	}
	return b.arena.Expand(c, b.limit)
}

// left composes ms lazily from the left.
func (b *composer) left(ms []fst.Machine[expr.W]) (fst.Machine[expr.W], error) {
	m := ms[0]
	for _, next := range ms[1:] {
		var err error
		if m, err = b.arena.Compose(m, next); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (b *composer) side(s Side) fst.Machine[expr.W] {
	if s.set != nil {
		return s.set.WithSemiring(semiring.Semiring[expr.W](b.space))
	}
	return b.arena.String(s.labels)
}
