package em

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// Lattices is the likelihood of a Problem's data: each example is a lattice of
// all its derivations, x ∘ T₁ ∘ … ∘ Tₙ ∘ y, whose path sum is the example's
// probability. NewGraphs makes one of lattices that were not composed. Lattices are kept
// from one E step to the next as far as Data.CacheBytes allows, and built again where it
// does not.
type Lattices struct {
	problem Problem
	data    Data
	graphs  *Graphs // in place of a cascade and its examples
	whole   bool    // the only example is all pairs
	shards  []shard
	cached  atomic.Int64 // bytes of lattices kept
	reducer *Reducer[worker, tally]
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
// a problem or data that make no sense, wraps ErrInvalid.
func (p Problem) Likelihood(data Data) (*Lattices, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	data = data.complete()
	weights, err := p.checkData(data)
	if err != nil {
		return nil, err
	}
	return newLattices(p, data, nil, weights), nil
}

// newLattices returns the likelihood of examples of these weights.
func newLattices(p Problem, data Data, graphs *Graphs, weights []float64) *Lattices {
	n := len(weights)
	t := &Lattices{problem: p, data: data, graphs: graphs}
	t.reducer = NewReducer[worker, tally](func() *worker { return &worker{t: t, builder: newBuilder(t)} })
	size := ShardSize(n)
	for lo := 0; lo < n; lo += size {
		hi := min(lo+size, n)
		t.shards = append(t.shards, shard{lo: lo, hi: hi, weight: floats.Sum(weights[lo:hi])})
	}
	return t
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
	return t.ExpectWithout(ctx, q, nil)
}

// ExpectWithout makes an E step without some examples; see Excluder.
func (t *Lattices) ExpectWithout(ctx context.Context, q Query, without []Skipped) (*Expectations, error) {
	q, err := q.Complete(t)
	if err != nil {
		return nil, err
	}
	ps, err := newPass(t.problem.Params, q, without)
	if err != nil {
		return nil, err
	}
	feed := &feeder{t: t, lo: q.Lo}
	defer feed.close()
	total, examples := new(tally), 0
	total.reset(ps, len(ps.values))
	err = t.reducer.Sum(ctx, q.Workers, q.Lo, q.Hi,
		func(w *worker, shard int, a *tally) error { return w.visit(shard, feed, ps, a) },
		func(shard int, a *tally) {
			total.add(a)
			examples += t.shards[shard].hi - t.shards[shard].lo
		})
	if err != nil {
		return nil, err
	}
	return total.expectations(t.problem.Params, ps, examples, t.data.Underivable)
}

// explain returns err, that of example i, and asks for X if that may be the reason.
func (t *Lattices) explain(i int, err error) error {
	if t.whole || t.graphs != nil || !isAny(err, []error{semiring.ErrDiverges, semiring.ErrInaccurate}) {
		return err
	}
	for x, fault := range t.data.all() {
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
