package em

import (
	"fmt"
	"slices"
	"unsafe"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// lattices are the graphs of one shard's examples. Their arcs refer to handles
// of space, a fork of the problem's.
type lattices struct {
	space   *expr.Space
	batch   *batch.Batch
	of      []Skipped // the example of each graph of batch, as it is called if it is skipped
	skipped []Skipped // examples without a graph
}

func (l *lattices) bytes() int64 {
	return int64(l.batch.Bytes()) + int64(cap(l.of))*int64(unsafe.Sizeof(Skipped{})) + int64(l.space.Bytes())
}

// builder builds lattices; it belongs to one goroutine and reuses its memory.
type builder struct {
	t     *Lattices
	arena *fst.Arena[expr.W]
	batch batch.Batch
	space *expr.Space
	tails []*fst.FST[expr.W] // the cascade over space

	branches [][]*fst.FST[expr.W] // likewise
}

func newBuilder(t *Lattices) *builder {
	return &builder{t: t, arena: fst.NewArena[expr.W](t.problem.Params.space),
		branches: make([][]*fst.FST[expr.W], len(t.problem.Branches))}
}

// build returns the lattices of s, whose examples are given, and keeps them there if
// the cache has room; otherwise they are valid until the next call.
func (b *builder) build(s *shard, examples []Example) (*lattices, error) {
	b.space = b.t.problem.Params.space.Fork()
	b.arena.SetSemiring(b.space)
	b.tails = over(b.space, b.tails, b.t.problem.Cascade)
	for i, branch := range b.t.problem.Branches {
		b.branches[i] = over(b.space, b.branches[i], branch)
	}
	return b.fill(s, func(i int) (Skipped, func() (bool, error)) {
		x := &examples[i-s.lo]
		return Skipped{Index: i, Name: x.Name, Weight: x.Weight.Float64()}, func() (bool, error) { return b.add(x) }
	})
}

// fill returns the lattices of s and keeps them as build does. For each example, of says
// what it is called and how its lattice is appended to the batch; one of weight 0 has none.
func (b *builder) fill(s *shard, of func(i int) (Skipped, func() (bool, error))) (*lattices, error) {
	b.batch.Reset()
	l := &lattices{space: b.space, batch: &b.batch}
	for i := s.lo; i < s.hi; i++ {
		from, add := of(i)
		if from.Weight == 0 {
			continue
		}
		ok, err := add()
		if err != nil {
			return nil, fmt.Errorf("em: lattice of %v: %w", from, err)
		}
		if ok {
			l.of = append(l.of, from)
		} else {
			from.Structural = true
			l.skipped = append(l.skipped, from)
		}
	}
	b.space.Clip()
	if size := l.bytes(); b.t.cached.Add(size) <= b.t.data.CacheBytes {
		l.batch = b.batch.Clone()
		s.lattices = l
	} else {
		b.t.cached.Add(-size)
	}
	return l, nil
}

// over returns ms over space, in the storage of dst.
func over(space *expr.Space, dst, ms []*fst.FST[expr.W]) []*fst.FST[expr.W] {
	dst = dst[:0]
	for _, m := range ms {
		dst = append(dst, m.WithSemiring(space))
	}
	return dst
}

// add appends x's lattice to the batch; false if it has no path.
func (b *builder) add(x *Example) (bool, error) {
	b.arena.Reset()
	m, err := b.restrict(x)
	if err != nil {
		return false, err
	}
	f, err := b.arena.Expand(m, b.t.data.LatticeLimit)
	if err != nil {
		return false, err
	}
	return batch.AppendGraph(&b.batch, f.Graph())
}

// restrict returns x.X ∘ T₁ ∘ … ∘ Tₙ ∘ R, where R is what is known of the string that
// Tₙ writes: x.Y and what the branches say of it. All machines but the first are
// first composed with R, from the right; these products are small, as R restricts
// them. What begins with X is composed lazily with that, so that only what both
// sides allow is visited.
func (b *builder) restrict(x *Example) (fst.Machine[expr.W], error) {
	ms := make([]fst.Machine[expr.W], 0, 8)
	if !x.X.Absent() {
		ms = append(ms, b.side(x.X))
	}
	for _, m := range b.tails {
		ms = append(ms, m)
	}
	right, err := b.known(x)
	if err != nil {
		return nil, err
	}
	if right == nil {
		return b.left(ms)
	}
	head := 1
	if !x.X.Absent() {
		head = 2
	}
	for _, m := range slices.Backward(ms[head:]) {
		if right, err = b.compose(m, right); err != nil {
			return nil, err
		}
	}
	left, err := b.left(ms[:head])
	if err != nil {
		return nil, err
	}
	return b.arena.Compose(left, right)
}

// known returns the acceptor of what x.Y and the branches say of the string that the
// cascade writes, nil if they say nothing: the intersection of Y and, for each
// branch, the strings from which it leads to the observation.
func (b *builder) known(x *Example) (fst.Machine[expr.W], error) {
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
func (b *builder) branch(ms []*fst.FST[expr.W], y Side) (*fst.FST[expr.W], error) {
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
func (b *builder) compose(l, r fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	c, err := b.arena.Compose(l, r)
	if err != nil {
		return nil, err
	}
	return b.arena.Expand(c, b.t.data.LatticeLimit)
}

// left composes ms lazily from the left.
func (b *builder) left(ms []fst.Machine[expr.W]) (fst.Machine[expr.W], error) {
	m := ms[0]
	for _, next := range ms[1:] {
		var err error
		if m, err = b.arena.Compose(m, next); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (b *builder) side(s Side) fst.Machine[expr.W] {
	if s.set != nil {
		return s.set.WithSemiring(semiring.Semiring[expr.W](b.space))
	}
	return b.arena.String(s.labels)
}
