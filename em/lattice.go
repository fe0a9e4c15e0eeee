package em

import (
	"fmt"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// lattices are the graphs of one shard's examples. Their arcs refer to handles
// of space, a fork of the problem's.
type lattices struct {
	space   *expr.Space
	batch   *graph.Batch
	example []int32   // the example that each graph of batch belongs to
	skipped []Skipped // examples without a graph
}

func (l *lattices) bytes() int64 {
	return int64(l.batch.Bytes()) + 4*int64(cap(l.example)) + int64(l.space.Bytes())
}

// builder builds lattices; it belongs to one goroutine and reuses its memory.
type builder struct {
	t     *trainer
	arena *fst.Arena[expr.W]
	batch graph.Batch
	space *expr.Space
	tails []*fst.FST[expr.W] // the cascade over space
}

func newBuilder(t *trainer) *builder {
	return &builder{t: t, arena: fst.NewArena[expr.W](t.problem.Params.space), tails: make([]*fst.FST[expr.W], len(t.problem.Cascade))}
}

// build returns the lattices of s, and keeps them there if the cache has room;
// otherwise they are valid until the next call.
func (b *builder) build(s *shard) (*lattices, error) {
	b.space = b.t.problem.Params.space.Fork()
	b.arena.SetSemiring(b.space)
	for i, m := range b.t.problem.Cascade {
		b.tails[i] = m.WithSemiring(b.space)
	}
	b.batch.Reset()
	l := &lattices{space: b.space, batch: &b.batch}
	for i := s.lo; i < s.hi; i++ {
		x := &b.t.data[i]
		ok, err := b.add(x)
		if err != nil {
			return nil, fmt.Errorf("em: lattice of %v: %w", Skipped{Index: i, Name: x.Name}, err)
		}
		if ok {
			l.example = append(l.example, int32(i))
		} else {
			l.skipped = append(l.skipped, Skipped{Index: i, Name: x.Name, Structural: true})
		}
	}
	b.space.Clip()
	if size := l.bytes(); b.t.cached.Add(size) <= b.t.opts.CacheBytes {
		l.batch = b.batch.Clone()
		s.lattices = l
	} else {
		b.t.cached.Add(-size)
	}
	return l, nil
}

// add appends x's lattice to the batch; false if it has no path.
func (b *builder) add(x *Example) (bool, error) {
	b.arena.Reset()
	m, err := b.restrict(x)
	if err != nil {
		return false, err
	}
	f, err := b.arena.Expand(m, b.t.opts.LatticeLimit)
	if err != nil {
		return false, err
	}
	return graph.Append(&b.batch, f.Graph())
}

// restrict returns x.X ∘ T₁ ∘ … ∘ Tₙ ∘ x.Y. All machines but the first are first
// composed with Y, from the right; these products are small, as Y restricts
// them. What begins with X is composed lazily with that, so that only what both
// sides allow is visited.
func (b *builder) restrict(x *Example) (fst.Machine[expr.W], error) {
	ms := make([]fst.Machine[expr.W], 0, 8)
	for _, m := range b.tails {
		ms = append(ms, m)
	}
	if !x.X.Absent() {
		ms = append([]fst.Machine[expr.W]{b.side(x.X)}, ms...)
	}
	if x.Y.Absent() {
		return b.left(ms)
	}
	ms = append(ms, b.side(x.Y))
	head := 1
	if !x.X.Absent() {
		head = 2
	}
	right := ms[len(ms)-1]
	for _, m := range slices.Backward(ms[head : len(ms)-1]) {
		c, err := b.arena.Compose(m, right)
		if err != nil {
			return nil, err
		}
		if right, err = b.arena.Expand(c, b.t.opts.LatticeLimit); err != nil {
			return nil, err
		}
	}
	left, err := b.left(ms[:head])
	if err != nil {
		return nil, err
	}
	return b.arena.Compose(left, right)
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
