package em

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"example.org/pathsum/semiring"
)

// Expectations is what an E step returns.
type Expectations struct {
	// LogLikelihood is Σ weight·ln P(example), in nats, over the examples that
	// have a derivation; with Viterbi, P is that of the best path; with a
	// temperature it is Σ pᵝ over the paths.
	LogLikelihood float64
	// Counts holds for each parameter the expected number of its uses, summed
	// over the examples times their weights: ∂ LogLikelihood / ∂ ln θ at β = 1.
	Counts []float64
	// Skipped are the examples without a derivation.
	Skipped []Skipped
	// Arcs is the number of lattice arcs visited.
	Arcs int64
}

// Expect makes one E step at theta: the log likelihood of data and its gradient
// as expected counts. Options that concern several iterations are not used.
// Examples without a derivation are an error under the policy Fail. Cost and
// errors are those of one iteration of Fit.
func Expect(ctx context.Context, problem Problem, data []Example, theta []float64, opts *Options) (*Expectations, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Start, o.CacheBytes, o.Restarts = theta, -1, 0
	t, err := newTrainer(problem, data, &o)
	if err != nil {
		return nil, err
	}
	return t.expect(ctx, theta)
}

// trainer holds what stays the same from one E step to the next.
type trainer struct {
	problem Problem
	data    []Example
	opts    Options
	shards  []shard
	cached  atomic.Int64 // bytes of lattices kept
	workers []*worker
	free    chan *tally // those not in use, kept for their storage
	began   time.Time
	run     string // fingerprint, where there is a checkpoint
}

// shard is a run of examples; lattices is nil unless cached.
type shard struct {
	lo, hi   int
	lattices *lattices
}

// Shards depend on the data alone. There are enough of them to keep many
// workers busy, and their examples are few enough that one shard's lattices fit
// anywhere.
const (
	shardsWanted = 64
	shardMax     = 4096
)

func newTrainer(problem Problem, data []Example, opts *Options) (*trainer, error) {
	if err := problem.check(); err != nil {
		return nil, err
	}
	o, err := opts.complete(problem.Params)
	if err != nil {
		return nil, err
	}
	if err := problem.checkData(data); err != nil {
		return nil, err
	}
	t := &trainer{problem: problem, data: data, opts: o, began: time.Now()}
	size := min(max(1, (len(data)+shardsWanted-1)/shardsWanted), shardMax)
	for lo := 0; lo < len(data); lo += size {
		t.shards = append(t.shards, shard{lo: lo, hi: min(lo+size, len(data))})
	}
	n := min(t.opts.Workers, len(t.shards))
	t.free = make(chan *tally, 2*n)
	for range n {
		t.workers = append(t.workers, &worker{t: t, builder: newBuilder(t)})
		t.free <- new(tally)
		t.free <- new(tally)
	}
	return t, nil
}

// expect makes an E step at theta.
func (t *trainer) expect(ctx context.Context, theta []float64) (*Expectations, error) {
	space := t.problem.Params.space
	values, err := space.EvaluateTempered(nil, leaves(theta), t.opts.Temperature)
	if err != nil {
		return nil, fmt.Errorf("em: %w", err)
	}
	total, err := t.sum(ctx, values)
	if err != nil {
		return nil, err
	}
	if n := len(total.skipped); n > 0 && t.opts.Underivable == Fail {
		return nil, fmt.Errorf("em: %w: %d of %d examples, the first is %v", ErrUnderivable, n, len(t.data), total.skipped[0])
	}
	e := &Expectations{LogLikelihood: total.logLikelihood, Counts: make([]float64, t.problem.Params.n),
		Skipped: total.skipped, Arcs: total.arcs}
	space.Backpropagate(values, total.counts, e.Counts)
	if math.IsNaN(e.LogLikelihood) || math.IsInf(e.LogLikelihood, 0) {
		return nil, fmt.Errorf("em: %w: the log likelihood is %g", ErrProblem, e.LogLikelihood)
	}
	return e, nil
}

// tally is what one shard, or all of them, contribute to an E step. Its counts
// are per handle of the space (followed, while a shard is at work, by those of
// the shard's own handles).
type tally struct {
	counts        []float64
	logLikelihood float64
	skipped       []Skipped
	arcs          int64
	err           error
}

func (a *tally) reset(handles int) {
	a.counts = grow(a.counts, handles)
	clear(a.counts)
	a.logLikelihood, a.skipped, a.arcs, a.err = 0, nil, 0, nil
}

func (a *tally) add(b *tally) {
	for i := range a.counts {
		a.counts[i] += b.counts[i]
	}
	a.logLikelihood += b.logLikelihood
	a.skipped = append(a.skipped, b.skipped...)
	a.arcs += b.arcs
}

// sum adds up the tallies of all shards in their order, whoever computes them.
func (t *trainer) sum(ctx context.Context, values []semiring.ScaledFloat) (*tally, error) {
	type result struct {
		shard int
		tally *tally
	}
	results := make(chan result)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range t.workers {
		wg.Go(func() {
			w.base = values
			for {
				// A tally is taken before a shard, so the first shard not yet
				// added always has one and the sum below cannot starve.
				a := <-t.free
				i := int(next.Add(1)) - 1
				if i >= len(t.shards) {
					t.free <- a
					return
				}
				w.visit(ctx, &t.shards[i], a)
				results <- result{i, a}
			}
		})
	}
	go func() { wg.Wait(); close(results) }()

	total := new(tally)
	total.reset(len(values))
	waiting := map[int]*tally{}
	added := 0
	for r := range results {
		waiting[r.shard] = r.tally
		for a := waiting[added]; a != nil; a = waiting[added] {
			delete(waiting, added)
			added++
			if total.err == nil && a.err == nil {
				total.add(a)
			} else if total.err == nil {
				total.err = a.err
				cancel()
			}
			t.free <- a
		}
	}
	return total, total.err
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
