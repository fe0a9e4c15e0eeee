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

// Sharded says how a model makes an E step shard by shard; its method Likelihood makes
// a Likelihood of it. What all such likelihoods have in common is done there: a query
// is completed, and refused if it asks for what is not offered; workers are hired and
// kept; shards are visited at once and added up in their order, so that the result
// has the same bits for any number of workers; examples without a derivation are an
// error or are skipped.
//
// A Pass is what an E step has in common for all shards, such as the weights at its θ.
// Several goroutines read it. A Worker is the storage of one goroutine, kept from one
// E step to the next.
type Sharded[Pass, Worker any] struct {
	// Package begins the messages of errors.
	Package string
	// Params is the table of θ.
	Params *Params
	// Shards is the number of shards; see Cut.
	Shards int
	// Fingerprint is the method of the Likelihood.
	Fingerprint func(w io.Writer)
	// Viterbi, Tempered and Curved say what is offered: E steps of the best paths,
	// temperatures other than 1, and second derivatives. A query for what is not
	// offered is an error that wraps semiring.ErrCapability.
	Viterbi, Tempered, Curved bool
	// Underivable says what to do with examples that a Tally skips.
	Underivable Policy

	// Size returns the length of the vector in which counts are added up, where they are
	// not of parameters but, say, of expressions or of cells of a table. It is called
	// after Begin. Without it counts are of parameters, and there is no other vector
	// than the one that the E step returns.
	Size func() int
	// Begin begins an E step. The query is complete, and asks for nothing but what
	// is offered. The examples in without, in ascending order of Index, are to be
	// left out; there are none unless the likelihood is an Excluder.
	Begin func(q Query, without []Skipped) (Pass, error)
	// Hire returns a new worker.
	Hire func() *Worker
	// Visit fills t, which is empty, with what a shard contributes.
	Visit func(ctx context.Context, w *Worker, p Pass, shard int, t *Tally) error
	// Backpropagate, there if and only if Size is, adds to the counts of the parameters
	// what the sums over all shards, of length Size, amount to. The sums have been
	// multiplied by the Weight of the query and may be overwritten. A Change is nil
	// unless the query has a Tangent.
	Backpropagate func(p Pass, sums, counts expr.Dual) error
	// Layout says what the sums over all shards are of, where that depends on more than the
	// number of parameters; see Divisible. It is called after Begin.
	Layout func() string
	// Finish turns the sums over all shards into what the E step returns (nil: no
	// change). It leaves Counts and Curvature alone.
	Finish func(p Pass, e *Expectations) error
	// End ends an E step that Begin has begun without an error, even if it failed
	// since (nil: nothing happens).
	End func(p Pass)
}

// Likelihood returns the likelihood of the shards, a Divisible.
func (s Sharded[Pass, Worker]) Likelihood() Likelihood { return s.sum() }

// Excluder returns the likelihood of the shards, a Divisible, where Begin heeds the examples
// to be left out.
func (s Sharded[Pass, Worker]) Excluder() Excluder {
	l := s.sum()
	l.excludes = true
	return excluder[Pass, Worker]{l}
}

func (s Sharded[Pass, Worker]) sum() *shardSum[Pass, Worker] {
	nonnil.Check("em: Sharded", "Params", s.Params, "Fingerprint", s.Fingerprint, "Begin", s.Begin, "Hire", s.Hire, "Visit", s.Visit)
	if (s.Size == nil) != (s.Backpropagate == nil) {
		panic("em: Sharded: one of Size and Backpropagate")
	}
	return &shardSum[Pass, Worker]{of: s, reducer: NewReducer[Worker, Tally](s.Hire)}
}

// shardSum is the Likelihood of a Sharded.
type shardSum[Pass, Worker any] struct {
	of       Sharded[Pass, Worker]
	excludes bool // Begin heeds the examples to be left out
	reducer  *Reducer[Worker, Tally]
	sums     expr.Dual // of length Size, kept from one E step to the next
}

func (l *shardSum[Pass, Worker]) Params() *Params { return l.of.Params }

func (l *shardSum[Pass, Worker]) Shards() int { return l.of.Shards }

func (l *shardSum[Pass, Worker]) Fingerprint(w io.Writer) { l.of.Fingerprint(w) }

func (l *shardSum[Pass, Worker]) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return l.expect(ctx, q, nil)
}

// excluder is the Likelihood of a Sharded that can leave out examples.
type excluder[Pass, Worker any] struct{ *shardSum[Pass, Worker] }

func (l excluder[Pass, Worker]) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	return l.expect(ctx, q, without)
}

func (l *shardSum[Pass, Worker]) expect(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	return l.assemble(q, without, func(q Query, p Pass, sums expr.Dual, e *Expectations) error {
		return l.reduce(ctx, q, p, func(_ int, t *Tally) { t.addTo(e, sums, q.Weight) })
	})
}

// assemble makes an E step of what add adds to the sums over the shards.
func (l *shardSum[Pass, Worker]) assemble(q Query, without []Skipped, add func(q Query, p Pass, sums expr.Dual, e *Expectations) error) (*Expectations, error) {
	q, p, err := l.start(q, without)
	if err != nil {
		return nil, err
	}
	defer l.end(p)
	e := &Expectations{Counts: q.Counts}
	if e.Counts == nil {
		e.Counts = make([]float64, l.of.Params.Len())
	}
	if q.Tangent != nil {
		if e.Curvature = q.Curvature; e.Curvature == nil {
			e.Curvature = make([]float64, l.of.Params.Len())
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

// start completes q and begins the E step, which end ends.
func (l *shardSum[Pass, Worker]) start(q Query, without []Skipped) (Query, Pass, error) {
	var none Pass
	q, err := q.Complete(l)
	if err != nil {
		return q, none, err
	}
	if err := l.refuse(q); err != nil {
		return q, none, err
	}
	if len(without) > 0 && !l.excludes {
		return q, none, errExclude(l.of.Package, without[0])
	}
	p, err := l.of.Begin(q, without)
	return q, p, err
}

func (l *shardSum[Pass, Worker]) end(p Pass) {
	if l.of.End != nil {
		l.of.End(p)
	}
}

// reduce visits the shards and calls add with their tallies, in their order.
func (l *shardSum[Pass, Worker]) reduce(ctx context.Context, q Query, p Pass, add func(shard int, t *Tally)) error {
	size := l.of.Params.Len()
	if l.of.Size != nil {
		size = l.of.Size()
	}
	return l.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi, func(w *Worker, shard int, t *Tally) error {
		t.clear()
		if err := l.of.Visit(ctx, w, p, shard, t); err != nil {
			return err
		}
		if err := t.check(size, q.Tangent != nil); err != nil {
			return nested.Errorf("%s: shard %d: %w", l.of.Package, shard, err)
		}
		return nil
	}, add)
}

// begin returns the vectors in which the counts of all shards are added up: those of e, if
// they are counts of parameters.
func (l *shardSum[Pass, Worker]) begin(e *Expectations) expr.Dual {
	if l.of.Size == nil {
		return expr.Dual{Value: e.Counts, Change: e.Curvature}
	}
	l.sums.Value = vector.Zeros(l.sums.Value, l.of.Size())
	if e.Curvature == nil {
		return expr.Dual{Value: l.sums.Value}
	}
	l.sums.Change = vector.Zeros(l.sums.Change, len(l.sums.Value))
	return l.sums
}

// refuse returns an error if q asks for what is not offered.
func (l *shardSum[Pass, Worker]) refuse(q Query) error {
	var what string
	switch {
	case q.Tangent != nil && !l.of.Curved:
		what = "second derivatives"
	case q.EStep != Marginal && !l.of.Viterbi:
		what = fmt.Sprintf("an E step other than %v", Marginal)
	case q.Temperature != 1 && !l.of.Tempered:
		what = "a temperature other than 1"
	default:
		return nil
	}
	return fmt.Errorf("%s: %w: %s", l.of.Package, semiring.ErrCapability, what)
}

// finish checks the sums over all shards and makes of them what the E step returns.
func (l *shardSum[Pass, Worker]) finish(p Pass, e *Expectations, sums expr.Dual) error {
	if n := len(e.Skipped); n > 0 && l.of.Underivable == Fail {
		return fmt.Errorf("%s: %w: %d of %d examples (numbered from 0), the first is %v", l.of.Package, ErrUnderivable, n, e.Examples, e.Skipped[0])
	}
	if l.of.Backpropagate != nil {
		if err := l.of.Backpropagate(p, sums, expr.Dual{Value: e.Counts, Change: e.Curvature}); err != nil {
			return err
		}
	}
	if l.of.Finish != nil {
		if err := l.of.Finish(p, e); err != nil {
			return err
		}
	}
	if math.IsNaN(e.LogLikelihood) || math.IsInf(e.LogLikelihood, 0) {
		return fmt.Errorf("%s: %w: the log likelihood is %g", l.of.Package, ErrInvalid, e.LogLikelihood)
	}
	return nil
}

// Divisible is a Likelihood whose E step several processes can make together: all that
// Sharded makes are. Workers visit shards (Tallies), someone adds up what they contribute,
// and one process does the rest (Assemble). Each has a Likelihood of its own, of the same
// model. That of a worker need not have any other shard than the one it visits, and that
// which assembles need not have any of the data that are added up.
//
// Where all tallies are added in the order of the shards, entry by entry and times the Weight
// of the query, the result has the bits of Expect. Package beam does so on a cluster.
type Divisible interface {
	Likelihood
	// Tallies makes an E step up to the sum over the shards. It calls visit with what each
	// shard that q asks for contributes, in their order, one call at a time. A tally is
	// valid until visit returns. Examples in without, in ascending order of Index, are left
	// out, which an Excluder can do. Vectors and Weight of q are of no account.
	Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error
	// Assemble makes an E step from that sum, which add makes. add adds to sums.Value, and
	// to sums.Change if q has a Tangent, all entries of the tallies times q.Weight. They
	// begin as they are to be added to. It adds to e what tallies have beside counts
	// (Tally.AddTotals). The shards that q asks for need not exist.
	Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error)
	// Layout says what the entries of tallies are counts of. It may be asked by visit and
	// by add; tallies can be assembled where it is the same.
	Layout() string
}

// errExclude is about a Likelihood that is no Excluder.
func errExclude(name string, x Skipped) error {
	return fmt.Errorf("%s: %w: %v, which cannot be left out", name, ErrUnderivable, x)
}

func (l *shardSum[Pass, Worker]) Tallies(ctx context.Context, q Query, without []Skipped, visit func(shard int, t *Tally) error) error {
	nonnil.Check("em: Tallies", "context", ctx, "visit", visit)
	q.Counts, q.Curvature, q.Weight = nil, nil, 0
	q, p, err := l.start(q, without)
	if err != nil {
		return err
	}
	defer l.end(p)
	var failed error
	err = l.reduce(ctx, q, p, func(shard int, t *Tally) {
		if failed == nil {
			failed = visit(shard, t)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

func (l *shardSum[Pass, Worker]) Assemble(ctx context.Context, q Query, without []Skipped, add func(sums expr.Dual, e *Expectations) error) (*Expectations, error) {
	nonnil.Check("em: Assemble", "context", ctx, "add", add)
	return l.assemble(q, without, func(_ Query, _ Pass, sums expr.Dual, e *Expectations) error { return add(sums, e) })
}

func (l *shardSum[Pass, Worker]) Layout() string {
	if l.of.Layout != nil {
		return l.of.Layout()
	}
	return fmt.Sprintf("%d parameters", l.of.Params.Len())
}
