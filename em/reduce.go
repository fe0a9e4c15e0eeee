package em

import (
	"context"
	"sync"
	"sync/atomic"
)

// Reducer adds up what goroutines find in the shards of an E step. Shards are
// added in their order, so the sum has the same bits for any number of
// goroutines. It keeps the tallies, of type T, from one sum to the next for the
// sake of their storage.
type Reducer[T any] struct {
	workers int
	free    chan *T // those not in use
}

// NewReducer returns a Reducer with the given number of goroutines. It panics if
// there are none.
func NewReducer[T any](workers int) *Reducer[T] {
	if workers < 1 {
		panic("em: NewReducer: no workers")
	}
	r := &Reducer[T]{workers: workers, free: make(chan *T, 2*workers)}
	for range cap(r.free) {
		r.free <- new(T)
	}
	return r
}

// Workers returns the number of goroutines.
func (r *Reducer[T]) Workers() int { return r.workers }

// Sum calls visit for the shards lo … hi − 1, each on one of the goroutines,
// whose number in [0, Workers) it is told, and then add, in the order of the
// shards, with what visit left in the tally; one call of add at a time. A tally
// holds whatever its last use left there. The first error, in the order of the
// shards, ends the sum and is returned; a done ctx is the error of every shard
// not yet begun.
func (r *Reducer[T]) Sum(ctx context.Context, lo, hi int, visit func(ctx context.Context, worker, shard int, a *T) error, add func(shard int, a *T)) error {
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
	for worker := range min(r.workers, hi-lo) {
		wg.Go(func() {
			for {
				// A tally is taken before a shard, so the first shard not yet
				// added always has one and the sum below cannot starve.
				a := <-r.free
				i := lo + int(next.Add(1)) - 1
				if i >= hi {
					r.free <- a
					return
				}
				err := ctx.Err()
				if err == nil {
					err = visit(ctx, worker, i, a)
				}
				results <- result{i, a, err}
			}
		})
	}
	go func() { wg.Wait(); close(results) }()

	waiting := map[int]result{}
	added := lo
	var first error
	for r0 := range results {
		waiting[r0.shard] = r0
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
			r.free <- a.tally
		}
	}
	return first
}

// Shards depend on the data alone. There are enough of them to keep many workers
// busy, and their examples are few enough that what is built for one shard fits
// anywhere.
const (
	shardsWanted = 64
	shardMax     = 4096
)

// ShardSize returns how many examples make a shard, where there are n: all shards
// but the last have as many.
func ShardSize(n int) int {
	return min(max(1, (n+shardsWanted-1)/shardsWanted), shardMax)
}
