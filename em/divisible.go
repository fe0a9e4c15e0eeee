package em

import (
	"context"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Divisible is a Likelihood whose E step can be divided among several processes. Every
// Likelihood of a Sharded is Divisible. Workers visit shards (Tallies), a reducer adds up their
// contributions, and one process does the rest (Assemble). Each has its own Likelihood of the same
// model. The Likelihood of a worker needs only the shard that it visits, and the assembling
// Likelihood needs only the sums.
//
// If all tallies are added in the order of the shards, entry by entry and times the Weight
// of the query, the result has the bits of Expect. Package beam does so on a cluster.
type Divisible interface {
	Likelihood
	// Tallies makes an E step up to the sum over the shards. It calls visit with the
	// contribution of each shard of q, in their order, one call at a time. A tally is
	// valid until visit returns. Examples in without, in ascending order of Index, are left
	// out; only an Excluder supports this. The vectors and Weight of q are ignored.
	Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error
	// Assemble makes an E step from the sum over the shards, which add computes. add adds all
	// entries of the tallies times q.Weight to sums.Value, and to sums.Change if q has a Tangent.
	// It must not clear these vectors first. It also adds everything except counts to e
	// (Tally.AddTotals). The shards of q need not exist.
	Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error)
	// Layout describes the quantities that the entries of tallies count. visit and add may
	// call it. Tallies can be assembled only by a Likelihood with the same layout.
	Layout() string
}

// sharding is a Sharded without its types: a pass is a *Pass, a worker a *Worker.
type sharding struct {
	name                      string
	params                    *Params
	shards                    int
	fingerprint               func(w io.Writer)
	viterbi, tempered, curved bool
	underivable               Policy

	begin func(q Query) (pass any, err error)
	hire  func() (worker any)

	// Either sum or visit, see Sharded; weight, example, open and drain may be nil.
	cut     Cut
	sum     func(worker, pass any, i int, weight float64, t *Tally) (ln float64, err error)
	weight  func(i int) float64
	example func(i int) string
	open    func(ctx context.Context, worker, pass any, shard int, t *Tally) error
	drain   func(worker, pass any, shard int, t *Tally) error
	visit   func(ctx context.Context, worker, pass any, shard int, t *Tally) ([]Summer, error)

	size          func() int                                   // nil: counts are of parameters
	backpropagate func(pass any, sums, counts expr.Dual) error // set if and only if size is
	layout        func() string                                // or nil
	finish        func(pass any, e *Expectations) error        // or nil
	end           func(pass any)                               // or nil
}

// newLikelihood returns the Likelihood of a Sharded. It is not inlined, as this would compile
// the Reducer in every package that calls it.
//
//go:noinline
func newLikelihood(s *sharding) Likelihood {
	if s.sum != nil {
		return newExcluder(s)
	}
	return newShardSum(s)
}

// newExcluder returns the Excluder of a Sharded.
//
//go:noinline
func newExcluder(s *sharding) Excluder {
	l := newShardSum(s)
	l.excludes = true
	return excluder{l}
}

func newShardSum(s *sharding) *shardSum {
	if (s.size == nil) != (s.backpropagate == nil) {
		panic("em: Sharded: one of Size and Backpropagate")
	}
	if (s.sum == nil) == (s.visit == nil) {
		panic("em: Sharded: want one of Sum and Visit")
	}
	if s.sum != nil {
		if s.cut.size == 0 && s.cut.ends == nil {
			panic("em: Sharded: Sum without a Cut")
		}
		s.shards = s.cut.Shards()
	}
	return &shardSum{of: s, reducer: NewReducer[summing, Tally](func() *summing { return &summing{of: s, worker: s.hire()} })}
}

// shardSum is the Likelihood of a Sharded.
type shardSum struct {
	of       *sharding
	excludes bool // examples can be left out
	reducer  *Reducer[summing, Tally]
	sums     expr.Dual // of length size(), kept from one E step to the next
}

func (l *shardSum) Params() *Params { return l.of.params }

func (l *shardSum) Shards() int { return l.of.shards }

func (l *shardSum) Fingerprint(w io.Writer) { l.of.fingerprint(w) }

func (l *shardSum) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return l.expect(ctx, q, nil)
}

// excluder is the Likelihood of a Sharded that can leave out examples.
type excluder struct{ *shardSum }

func (l excluder) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	return l.expect(ctx, q, without)
}

func (l *shardSum) expect(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	return l.assemble(q, without, func(q Query, p any, sums expr.Dual, e *Expectations) error {
		return l.reduce(ctx, q, p, without, func(_ int, t *Tally) { t.addTo(e, sums, q.Weight) })
	})
}

// assemble makes an E step from the sums over the shards, which add computes.
func (l *shardSum) assemble(q Query, without []Skipped, add func(q Query, p any, sums expr.Dual, e *Expectations) error) (*Expectations, error) {
	q, p, err := l.start(q, without)
	if err != nil {
		return nil, err
	}
	defer l.end(p)
	e := &Expectations{Counts: q.Counts}
	if e.Counts == nil {
		e.Counts = make([]float64, l.of.params.Len())
	}
	if q.Tangent != nil {
		if e.Curvature = q.Curvature; e.Curvature == nil {
			e.Curvature = make([]float64, l.of.params.Len())
		}
	}
	sums := l.begin(e)
	if err := add(q, p, sums, e); err != nil {
		return nil, err
	}
	if err := l.finish(p, e, sums); err != nil {
		return nil, err
	}
	return e, nil
}

// start completes q and begins the E step. Call end afterwards.
func (l *shardSum) start(q Query, without []Skipped) (Query, any, error) {
	q, err := q.Complete(l)
	if err != nil {
		return q, nil, err
	}
	if err := l.refuse(q); err != nil {
		return q, nil, err
	}
	if len(without) > 0 && !l.excludes {
		return q, nil, errExclude(l.of.name, without[0])
	}
	p, err := l.of.begin(q)
	return q, p, err
}

func (l *shardSum) end(p any) {
	if l.of.end != nil {
		l.of.end(p)
	}
}

// reduce visits the shards, leaving out some examples, and calls add with their tallies, in
// order.
func (l *shardSum) reduce(ctx context.Context, q Query, p any, without []Skipped, add func(shard int, t *Tally)) error {
	size, second := l.of.params.Len(), q.Tangent != nil
	if l.of.size != nil {
		size = l.of.size()
	}
	return l.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi, func(w *summing, shard int, t *Tally) error {
		t.clear()
		w.pass, w.without, w.size, w.second = p, without, size, second
		err := w.visit(ctx, shard, t)
		w.pass, w.without = nil, nil // the worker outlives them
		if err != nil {
			return err
		}
		if err := t.check(size, second); err != nil {
			return nested.Errorf(l.of.name+": shard %d: %w", shard, err)
		}
		return nil
	}, add)
}

// begin returns the vectors in which the counts of all shards are added up: the vectors of e, if
// counts are per parameter.
func (l *shardSum) begin(e *Expectations) expr.Dual {
	if l.of.size == nil {
		return expr.Dual{Value: e.Counts, Change: e.Curvature}
	}
	l.sums.Value = vector.Zeros(l.sums.Value, l.of.size())
	if e.Curvature == nil {
		return expr.Dual{Value: l.sums.Value}
	}
	l.sums.Change = vector.Zeros(l.sums.Change, len(l.sums.Value))
	return l.sums
}

// refuse returns an error if q requests an unsupported feature.
func (l *shardSum) refuse(q Query) error {
	var what string
	switch {
	case q.Tangent != nil && !l.of.curved:
		what = "second derivatives"
	case q.EStep != Marginal && !l.of.viterbi:
		what = fmt.Sprintf("an E step other than %v", Marginal)
	case q.Temperature != 1 && !l.of.tempered:
		what = "a temperature other than 1"
	default:
		return nil
	}
	return nested.Errorf(l.of.name+": %w: %s", semiring.ErrCapability, what)
}

// finish checks the sums over all shards and converts them to the result of the E step.
func (l *shardSum) finish(p any, e *Expectations, sums expr.Dual) error {
	if n := len(e.Skipped); n > 0 && l.of.underivable == Fail {
		return nested.Errorf(l.of.name+": %w: %d of %d examples (numbered from 0), the first is %v", ErrUnderivable, n, e.Examples, e.Skipped[0])
	}
	if l.of.backpropagate != nil {
		if err := l.of.backpropagate(p, sums, expr.Dual{Value: e.Counts, Change: e.Curvature}); err != nil {
			return err
		}
	}
	if l.of.finish != nil {
		if err := l.of.finish(p, e); err != nil {
			return err
		}
	}
	if math.IsNaN(e.LogLikelihood) || math.IsInf(e.LogLikelihood, 0) {
		return nested.Errorf(l.of.name+": %w: the log likelihood is %g", ErrInvalid, e.LogLikelihood)
	}
	return nil
}

func (l *shardSum) Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error {
	nonnil.Check("em: Tallies", "context", ctx, "visit", visit)
	q.Counts, q.Curvature, q.Weight = nil, nil, 0
	q, p, err := l.start(q, without)
	if err != nil {
		return err
	}
	defer l.end(p)
	var failed error
	err = l.reduce(ctx, q, p, without, func(shard int, t *Tally) {
		if failed == nil {
			failed = visit(shard, t)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

func (l *shardSum) Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error) {
	nonnil.Check("em: Assemble", "context", ctx, "add", add)
	return l.assemble(q, without, func(_ Query, _ any, sums expr.Dual, e *Expectations) error { return add(sums, e) })
}

func (l *shardSum) Layout() string {
	if l.of.layout != nil {
		return l.of.layout()
	}
	return fmt.Sprintf("%d parameters", l.of.params.Len())
}

// errExclude returns the error of a Likelihood that is not an Excluder.
func errExclude(name string, x Skipped) error {
	return fmt.Errorf("%s: %w: %v, which cannot be left out", name, ErrUnderivable, x)
}
