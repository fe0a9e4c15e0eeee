package em

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Trees are the examples of a Forests: data that a model derives by trees, such as
// sentences by those of a grammar.
type Trees struct {
	// Examples is the number of examples.
	Examples int
	// Forest returns the forest of all derivations of example i; its tree sum is
	// the example's probability. The weights are expressions of the Space of the
	// Params, unless there are Arguments. It is called for one example after the
	// other by NewForests and for a fingerprint, and again in each E step, then by
	// several goroutines at once, for forests that CacheBytes has no room for. It
	// must return an equal forest each time.
	Forest func(i int) (*forest.Forest[expr.W], error)
	// Arguments, if not nil, says that examples share forests: the weights are
	// expressions of a Space of the forest's own, a template, in which parameter p
	// stands for Arguments(i)[p], an expression of the Space of the Params. Forests
	// that are the same pointer are stored once, so that an example takes 4 bytes
	// per argument however large its forest is. See NewTemplate. Arguments are
	// appended to dst.
	Arguments func(i int, dst []expr.W) ([]expr.W, error)
	// Weight says how often example i was seen, a finite number ≥ 0 (nil: once). No
	// forest is asked for where it is 0.
	Weight func(i int) float64
	// Name is for errors and reports (nil: its number).
	Name func(i int) string
	// Underivable says what to do with examples of probability 0 (default Fail).
	Underivable Policy
	// CacheBytes is the memory that forests may take (default 1 GiB; negative:
	// none). Those for which there is no more room are asked for again in each E
	// step. It does not change a bit of the result.
	CacheBytes int64
}

// NewTemplate returns a Space whose parameters 0 … n−1 are the arguments of forests
// that examples share, see Trees.Arguments.
func NewTemplate(n int) *expr.Space {
	space := expr.New()
	for p := range n {
		space.Param(int32(p))
	}
	return space
}

// skipped returns example i as it is called if it is skipped.
func (t *Trees) skipped(i int) Skipped {
	s := Skipped{Index: i, Weight: t.weight(i)}
	if t.Name != nil {
		s.Name = t.Name(i)
	}
	return s
}

func (t *Trees) weight(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight(i)
}

// check returns what is wrong with t, nil for nothing.
func (t *Trees) check() error {
	switch {
	case t.Forest == nil:
		return fmt.Errorf("em: %w: no function that makes forests", ErrInvalid)
	case t.Underivable != Fail && t.Underivable != Skip:
		return fmt.Errorf("em: %w: unknown policy %d", ErrInvalid, t.Underivable)
	}
	return CheckWeights(t.Examples, t.skipped)
}

// Forests is the likelihood of examples that are forests: the ln of the tree sum of
// each. It has second derivatives and can leave out examples (Excluder).
type Forests struct {
	params  *Params
	trees   Trees
	size    int     // of a shard
	kept    []shape // those that the cache holds
	of      []int32 // per example: its shape, or one of the numbers below
	row     []int   // the arguments of example i are arguments[row[i]:row[i+1]], if it is kept
	args    []expr.W
	reducer *Reducer[forestWorker, forestTally]
}

// What an example may have in place of a shape.
const (
	rebuilt  = -1 // it is built in each E step
	treeless = -2 // it has no tree
	unseen   = -3 // its weight is 0
)

// NewForests returns the likelihood of trees as a function of the parameters p, in
// whose Space the weights, or the arguments, are expressions. It asks for the forest of
// each example in turn. The error wraps ErrInvalid for what makes no sense, or is that
// of Forest or Arguments; it names the example.
func NewForests(p *Params, trees Trees) (*Forests, error) {
	nonnil.Check("em: NewForests", "parameters", p)
	set(&trees.CacheBytes, 1<<30)
	if err := trees.check(); err != nil {
		return nil, err
	}
	t := &Forests{params: p, trees: trees, size: ShardSize(trees.Examples)}
	t.reducer = NewReducer[forestWorker, forestTally](func() *forestWorker { return &forestWorker{t: t, planter: planter{t: t}} })
	if err := t.plant(); err != nil {
		return nil, err
	}
	return t, nil
}

// Params returns the table of θ.
func (t *Forests) Params() *Params { return t.params }

// Shards returns the number of shards.
func (t *Forests) Shards() int { return (t.trees.Examples + t.size - 1) / t.size }

// shard returns the examples of a shard.
func (t *Forests) shard(i int) (lo, hi int) {
	return i * t.size, min((i+1)*t.size, t.trees.Examples)
}

// Fingerprint writes the forests, their weights, and what to do with underivable
// examples.
func (t *Forests) Fingerprint(w io.Writer) { digest{w}.forests(t) }

// Expect makes an E step; its cost is proportional to the edges of the forests, and
// that of building those that are not kept. Errors: an illegal θ or Tangent; an
// example without a tree under the policy Fail (ErrUnderivable); an example whose total
// is not finite (semiring.ErrNotFinite), or an argument without a value; a ctx that is
// done.
func (t *Forests) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return t.ExpectWithout(ctx, q, nil)
}

// ExpectWithout makes an E step without some examples; see Excluder.
func (t *Forests) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	q, err := q.Complete(t)
	if err != nil {
		return nil, err
	}
	ps, err := newPass(t.params, q, without)
	if err != nil {
		return nil, err
	}
	total, examples := new(tally), 0
	total.reset(ps, len(ps.values))
	err = t.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi,
		func(w *forestWorker, shard int, a *forestTally) error { return w.visit(shard, ps, a) },
		func(shard int, a *forestTally) {
			a.addTo(total)
			lo, hi := t.shard(shard)
			examples += hi - lo
		})
	if err != nil {
		return nil, err
	}
	return total.expectations(t.params, ps, examples, t.trees.Underivable)
}
