package em

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

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
			return fmt.Errorf("%s: shard %d: %w", l.of.Package, shard, err)
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
	l.sums.Value = zeros(l.sums.Value, l.of.Size())
	if e.Curvature == nil {
		return expr.Dual{Value: l.sums.Value}
	}
	l.sums.Change = zeros(l.sums.Change, len(l.sums.Value))
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
		return fmt.Errorf("%s: %w: %d of %d examples, the first is %v", l.of.Package, ErrUnderivable, n, e.Examples, e.Skipped[0])
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

// Reducer adds up what workers, of type W, find in the shards of an E step. Shards
// are added in their order, so the sum has the same bits for any number of workers.
// It keeps workers and tallies, of type T, from one sum to the next for the sake of
// their storage. One sum at a time.
type Reducer[W, T any] struct {
	hire    func() *W
	workers []*W
	tallies []*T
}

// NewReducer returns a Reducer that makes its workers by hire.
func NewReducer[W, T any](hire func() *W) *Reducer[W, T] { return &Reducer[W, T]{hire: hire} }

// Sum calls visit for the shards lo … hi − 1 on a number of goroutines (0: GOMAXPROCS; one
// is the caller's), each with a worker of its own. In the order of the shards it calls add
// with what visit left in the tally, one call at a time. A tally holds whatever
// its last use left there. The first error, in the order of the shards, ends the sum and
// is returned; a done ctx is the error of every shard not yet begun.
func (r *Reducer[W, T]) Sum(ctx context.Context, workers, lo, hi int, visit func(w *W, shard int, a *T) error, add func(shard int, a *T)) error {
	nonnil.Check("em: Reducer.Sum", "context", ctx)
	free := r.prepare(&workers, hi-lo)
	if workers == 1 {
		return r.one(ctx, lo, hi, visit, add)
	}
	type result struct {
		shard int
		tally *T
		err   error
	}
	results := make(chan result)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range r.workers[:workers] {
		wg.Go(func() {
			for {
				// A tally is taken before a shard, so the first shard not yet
				// added always has one and the sum below cannot starve.
				a := <-free
				i := lo + int(next.Add(1)) - 1
				if i >= hi {
					free <- a
					return
				}
				err := ctx.Err()
				if err == nil {
					err = visit(w, i, a)
				}
				results <- result{i, a, err}
			}
		})
	}
	go func() { wg.Wait(); close(results) }()

	waiting := map[int]result{}
	added := lo
	var first error
	for found := range results {
		waiting[found.shard] = found
		for a, ok := waiting[added]; ok; a, ok = waiting[added] {
			delete(waiting, added)
			added++
			switch {
			case first == nil && a.err == nil:
				add(a.shard, a.tally)
			case first == nil:
				first = a.err
				cancel()
			}
			free <- a.tally
		}
	}
	return first
}

// one is Sum with one worker.
func (r *Reducer[W, T]) one(ctx context.Context, lo, hi int, visit func(w *W, shard int, a *T) error, add func(shard int, a *T)) error {
	for shard := lo; shard < hi; shard++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(r.workers[0], shard, r.tallies[0]); err != nil {
			return err
		}
		add(shard, r.tallies[0])
	}
	return nil
}

// prepare sets n to the number of workers that can be of use, sees to it that they are
// there, and returns two tallies for each.
func (r *Reducer[W, T]) prepare(n *int, shards int) chan *T {
	if *n <= 0 {
		*n = runtime.GOMAXPROCS(0)
	}
	*n = min(*n, shards)
	for len(r.workers) < *n {
		r.workers = append(r.workers, r.hire())
		r.tallies = append(r.tallies, new(T), new(T))
	}
	free := make(chan *T, 2**n)
	for _, a := range r.tallies[:2**n] {
		free <- a
	}
	return free
}
