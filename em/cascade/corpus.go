package cascade

import (
	"context"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// corpus holds the compiled derivations of the examples, which E steps visit. They are composed
// from a Problem's machines, or given as Derivations. A source makes the shards. They are kept
// from one E step to the next while there is room; the others are made again.
type corpus struct {
	params *em.Params
	used   *expr.Subset // of the Params' Space; nil: known only after graphs are made
	cut    em.Cut
	// examples is the number of examples, and size the number of examples per shard, except the
	// last.
	examples, size int
	source         source
	kept           []*shard // per shard; nil if not kept
	bytes          atomic.Int64
	room           int64       // bytes available for kept shards
	digest         spaceDigest // of the expressions of the Params
	ways           ways        // of examples that are not compiled; set by the first E step
	sampling       *Sampling   // nil: E steps are exact
}

// source makes the shards of a corpus.
type source interface {
	explainer
	// maker returns a maker of shards for one goroutine.
	maker() maker
	// write writes all data that determine the examples.
	write(d digest.To)
	// policy returns the policy for examples of probability 0.
	policy() em.Policy
}

// maker makes shards one at a time, reusing its memory.
type maker interface {
	// make fills s, the shard with index i. Data that it appends to a batch are valid until the
	// next call. examples are the shard's examples from the feeder, if any.
	make(ctx context.Context, s *shard, i int, examples []Example, feed *feeder) error
}

// shard holds the compiled derivations of a run of examples.
type shard struct {
	// space is a fork of the Params' Space that contains the weights. If it is nil, examples have
	// arguments.
	space *expr.Space
	batch *batch.Batch
	items []item
	args  []expr.W
	// named holds the names of the examples of the items; if it is nil, given has them.
	named []em.Skipped
	given listed
	// examples holds all examples of a cascade's shard if some of them use one of the ways; ways
	// is the bit set of ways for which the shard was made.
	examples []Example
	ways     uint
	// touched are the handles of the Params' Space that may have counts. It is nil if there are
	// many, or before looked is set.
	touched []int32
	looked  bool

	// If parts of lattices are chosen: before is the shard with the previous choice, while this
	// one is made, and chosen is the id of the pass that made it.
	before *shard
	chosen *byte

	streamed bool  // examples come from a stream and are not kept
	bytes    int64 // size once kept
}

// listed provides the names and weights of examples.
type listed interface {
	weight(i int) float64
	skipped(i int) em.Skipped
}

// A shard that touches less than one in manyTouched of at least manyHandles is counted
// sparsely.
const (
	manyTouched = 4
	manyHandles = 1 << 10
)

// item is an example of weight > 0.
type item struct {
	shape   *shape // nil: the example has no derivation
	example int32
	end     int32 // its arguments are args of the shard from the previous item's end to this end

	// Of a part of a lattice: whole reports that it is the whole lattice; large, that the whole
	// is too large; hidden, that no derivation was kept although there may be some. upper bounds
	// ln of the whole sum, at the θ at which the part was chosen.
	whole, large, hidden bool
	upper                float64
}

// shape is a graph or forest in a batch. If the shard has no space, its weights are expressions
// of a template, and each example with this shape supplies the arguments.
type shape struct {
	batch *batch.Batch
	g     int
	// template is nil if the weights are only arguments, under the handles 2, 3, ….
	template  *expr.Space
	arguments int
}

// add adds example i. Its arguments, if any, have been appended to s.args.
func (s *shard) add(i int, of *shape) {
	s.items = append(s.items, item{shape: of, example: int32(i), end: int32(len(s.args))})
}

// addLast adds example i with the last item of the batch, or without a shape if it has no
// derivation.
func (s *shard) addLast(i int, derivable bool) {
	if !derivable {
		s.add(i, nil)
		return
	}
	s.add(i, &shape{batch: s.batch, g: s.batch.Len() - 1})
}

// arguments returns the arguments of item n.
func (s *shard) arguments(n int) []expr.W {
	lo := int32(0)
	if n > 0 {
		lo = s.items[n-1].end
	}
	return s.args[lo:s.items[n].end]
}

// weight returns the weight of the example of item n.
func (s *shard) weight(n int) float64 {
	if s.given != nil {
		return s.given.weight(int(s.items[n].example))
	}
	return s.named[n].Weight
}

// skipped returns the report entry of the example of item n if it is skipped.
func (s *shard) skipped(n int) em.Skipped {
	x := em.Skipped{}
	if s.given != nil {
		x = s.given.skipped(int(s.items[n].example))
	} else {
		x = s.named[n]
	}
	x.Structural = s.items[n].shape == nil && !s.items[n].hidden
	return x
}

// size returns the memory that s takes, in bytes.
func (s *shard) size() int64 {
	size := s.batch.Bytes() + len(s.items)*int(unsafe.Sizeof(item{})) + 4*len(s.args)
	if s.named != nil {
		size += len(s.named) * int(unsafe.Sizeof(em.Skipped{})+unsafe.Sizeof(shape{}))
	}
	if s.space != nil {
		size += s.space.Bytes()
		if n := s.space.Inherited(); n >= manyHandles {
			size += 4 * min(n/manyTouched, s.batch.NumEdges()) // upper bound of touched
		}
	}
	return int64(size)
}

// newCorpus returns a corpus of n examples, not yet compiled, in shards of a size as in
// em.NewCutBySize. room is the memory for kept shards, in bytes.
func newCorpus(p *em.Params, n, size int, room int64, used *expr.Subset, of source) *corpus {
	cut := em.NewCutBySize(n, size)
	_, size = cut.Shard(0)
	return &corpus{params: p, used: used, cut: cut, examples: n, size: size, source: of, kept: make([]*shard, cut.Shards()), room: room}
}

// shard returns shard i. If it is not kept, m makes it, with p as storage for its examples. It is
// valid until m makes another.
func (c *corpus) shard(ctx context.Context, i int, m maker, p *feed.Portion[Example], feed *feeder) (*shard, error) {
	old := c.kept[i]
	serves := old.serves(feed)
	if serves && !old.streamed {
		return old, nil
	}
	var examples []Example
	if feed != nil {
		var err error
		if examples, err = feed.examples(i, p); err != nil {
			return nil, err
		}
	}
	if serves {
		s := *old
		s.examples = examples
		return &s, nil
	}
	if old != nil {
		c.bytes.Add(-old.bytes)
		old.bytes = 0
	}
	s := &shard{before: old}
	if err := m.make(ctx, s, i, examples, feed); err != nil {
		return nil, err
	}
	s.before = nil
	if !c.keep(s, i) && old != nil {
		c.kept[i] = nil // only now: the feeder inspects it until the examples are read
	}
	return s, nil
}

// serves reports whether an E step can use s, which may be nil.
func (s *shard) serves(feed *feeder) bool {
	return s != nil && (feed == nil || s.ways == feed.ways && !feed.choose)
}

// keep stores s as shard i if there is room, and reports whether it did.
func (c *corpus) keep(s *shard, i int) bool {
	s.bytes = s.size()
	if c.bytes.Add(s.bytes) > c.room {
		c.bytes.Add(-s.bytes)
		return false
	}
	own := s.batch
	s.batch, s.items, s.args, s.named = own.Clone(), slices.Clone(s.items), slices.Clone(s.args), slices.Clone(s.named)
	for _, x := range s.items {
		if x.shape != nil && x.shape.batch == own {
			x.shape.batch = s.batch
		}
	}
	if s.streamed {
		rest := *s
		rest.examples = nil
		s = &rest
	}
	c.kept[i] = s
	return true
}
