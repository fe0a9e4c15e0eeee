package em

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
)

// Lattices is the likelihood of a Problem's data: each example is a lattice of
// all its derivations, x ∘ T₁ ∘ … ∘ Tₙ ∘ y, whose path sum is the example's
// probability. Lattices are kept from one E step to the next as far as
// Data.CacheBytes allows, and built again where it does not.
type Lattices struct {
	problem Problem
	data    Data
	shards  []shard
	cached  atomic.Int64 // bytes of lattices kept
	workers []*worker
	reducer *Reducer[tally]
}

// examples returns the number of examples.
func (t *Lattices) examples() int { return t.shards[len(t.shards)-1].hi }

// shard is a run of examples; lattices is nil unless cached.
type shard struct {
	lo, hi   int
	weight   float64 // of the examples
	lattices *lattices
}

// Likelihood returns the likelihood of data. Nothing is built yet. The error, for
// a problem or data that make no sense, wraps ErrProblem.
func (p Problem) Likelihood(data Data) (*Lattices, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	data = data.complete()
	weights, err := p.checkData(data)
	if err != nil {
		return nil, err
	}
	n := len(weights)
	t := &Lattices{problem: p, data: data}
	size := ShardSize(n)
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		t.shards = append(t.shards, shard{lo: lo, hi: hi, weight: floats.Sum(weights[lo:hi])})
	}
	return t, nil
}

// Params returns the problem's parameters.
func (t *Lattices) Params() *Params { return t.problem.Params }

// Shards returns the number of shards.
func (t *Lattices) Shards() int { return len(t.shards) }

// Fingerprint writes the machines, the data and what to do with underivable
// examples.
func (t *Lattices) Fingerprint(w io.Writer) { digest{w}.lattices(t) }

// Expect makes an E step; its cost is proportional to the arcs of the lattices,
// and that of composition for those that are not kept. Errors: an illegal θ; an
// example without a derivation under the policy Fail (ErrUnderivable); an example
// whose total diverges or whose lattice exceeds the limit (both named); a ctx
// that is done.
func (t *Lattices) Expect(ctx context.Context, q Query) (*Expectations, error) {
	return t.expectWithout(ctx, q, nil)
}

// expectWithout leaves some examples out.
func (t *Lattices) expectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	p := t.problem.Params
	if err := p.Check(q.Theta); err != nil {
		return nil, err
	}
	set(&q.Temperature, 1)
	set(&q.Hi, len(t.shards))
	values, err := p.space.EvaluateTempered(nil, p.Values(q.Theta), q.Temperature)
	if err != nil {
		return nil, fmt.Errorf("em: %w", err)
	}
	e := &Expectations{Counts: make([]float64, p.n)}
	ps := pass{eStep: q.EStep, temperature: q.Temperature, values: values, without: without}
	if q.Direction != nil {
		if len(q.Direction) != p.n {
			return nil, fmt.Errorf("em: %w: a direction of %d numbers for %d parameters", ErrParameter, len(q.Direction), p.n)
		}
		direction := make([]float64, p.n) // of the tempered values
		floats.ScaleTo(direction, q.Temperature, q.Direction)
		ps.tangents = p.space.Tangents(nil, values, direction)
		e.Curvature = make([]float64, p.n)
	}
	t.hire(q.Workers)
	feed := &feeder{t: t, lo: q.Lo}
	defer feed.close()
	total := new(tally)
	total.reset(ps, len(values))
	err = t.reducer.Sum(ctx, q.Lo, q.Hi,
		func(_ context.Context, worker, shard int, a *tally) error {
			return t.workers[worker].visit(shard, feed, ps, a)
		},
		func(shard int, a *tally) {
			total.add(a)
			e.Examples += t.shards[shard].hi - t.shards[shard].lo
		})
	if err != nil {
		return nil, err
	}
	if n := len(total.skipped); n > 0 && t.data.Underivable == Fail {
		return nil, fmt.Errorf("em: %w: %d of %d examples, the first is %v", ErrUnderivable, n, e.Examples, total.skipped[0])
	}
	total.backpropagate(p.space, values, ps.tangents, e.Counts, e.Curvature)
	e.LogLikelihood, e.Skipped, e.Arcs = total.logLikelihood, total.skipped, total.arcs
	if math.IsNaN(e.LogLikelihood) || math.IsInf(e.LogLikelihood, 0) {
		return nil, fmt.Errorf("em: %w: the log likelihood is %g", ErrProblem, e.LogLikelihood)
	}
	return e, nil
}

// hire sees to it that there are n workers, or as many as can be of use.
func (t *Lattices) hire(n int) {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = min(n, len(t.shards))
	if t.reducer != nil && t.reducer.Workers() == n {
		return
	}
	t.reducer = NewReducer[tally](n)
	for len(t.workers) < n {
		t.workers = append(t.workers, &worker{t: t, builder: newBuilder(t)})
	}
	t.workers = t.workers[:n]
}
