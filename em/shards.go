package em

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/pathsum/em/internal/shardsize"
	"example.org/pathsum/internal/nonnil"
)

// Cut divides examples into shards of equal size, except for the last, or of about
// equal cost. It depends only on the number and costs of the examples. There are enough shards to
// keep many workers busy, and shards are small enough that the data built for one
// shard fit in memory.
type Cut struct {
	examples, size int
	ends           []int // per shard, the first example after it; nil: equal sizes
}

const (
	// For shards by cost: the counts of a shard fit in a processor's cache, unless examples are
	// so expensive that it would have fewer than shardMin.
	shardCost = 1 << 15
	shardMin  = 64
)

// NewCut returns the cut of n examples of the same cost.
func NewCut(n int) Cut {
	return Cut{examples: n, size: shardsize.Of(n)}
}

// NewCutBySize returns the cut of n examples into shards of the given size. If size is 0, it
// returns NewCut(n). It panics if size is negative.
func NewCutBySize(n, size int) Cut {
	switch {
	case size < 0:
		panic(fmt.Sprintf("em: NewCutBySize: shards of %d examples", size))
	case size == 0:
		return NewCut(n)
	}
	return Cut{examples: n, size: size}
}

// NewCutByCost returns the cut of n examples whose time, and memory for counts, is
// proportional to cost(i) ≥ 0, for instance the number of their arcs. An example that
// costs more than a shard of the others gets a shard of its own.
func NewCutByCost(n int, cost func(i int) int) Cut {
	total := 0
	for i := range n {
		c := cost(i)
		if c < 0 {
			panic(fmt.Sprintf("em: NewCutByCost: cost %d of example %d, want ≥ 0", c, i))
		}
		total += c
	}
	if total == 0 {
		return NewCut(n)
	}
	c, wanted := Cut{examples: n}, max(shardsize.Wanted, min(total/shardCost, n/shardMin))
	before, lo, current := 0, 0, 0
	for i := range n {
		// An example belongs to the share of the total that contains its middle.
		share := int((float64(before) + float64(cost(i))/2) * float64(wanted) / float64(total))
		if i > lo && (share > current || i-lo == shardsize.Max) {
			c.ends = append(c.ends, i)
			lo = i
		}
		current = share
		before += cost(i)
	}
	c.ends = append(c.ends, n)
	return c
}

// NewCutAt returns the cut whose shard i ends before example ends[i]. It panics if ends descend.
func NewCutAt(ends []int) Cut {
	if !slices.IsSorted(ends) {
		panic(fmt.Sprintf("em: NewCutAt: shards that end at %d, want an ascending order", ends))
	}
	return Cut{ends: append([]int{}, ends...)}
}

// Shards returns the number of shards.
func (c Cut) Shards() int {
	if c.ends != nil {
		return len(c.ends)
	}
	return (c.examples + c.size - 1) / c.size
}

// Shard returns the first example of a shard and the first after its last.
func (c Cut) Shard(i int) (lo, hi int) {
	if c.ends == nil {
		return min(i*c.size, c.examples), min((i+1)*c.size, c.examples)
	}
	if i > 0 {
		lo = c.ends[i-1]
	}
	return lo, c.ends[i]
}

// Reducer adds up the results of workers, of type W, for the shards of an E step. It adds
// shards in order, so the sum has the same bits for any number of workers.
// It keeps workers and tallies, of type T, from one sum to the next to reuse
// their storage. Only one sum may run at a time.
type Reducer[W, T any] struct {
	hire    func() *W
	workers []*W
	tallies []*T
}

// NewReducer returns a Reducer that creates its workers by calling hire.
func NewReducer[W, T any](hire func() *W) *Reducer[W, T] { return &Reducer[W, T]{hire: hire} }

// Sum calls visit for the shards lo … hi − 1 on workers goroutines (0: GOMAXPROCS; one
// is the caller's), each with its own worker. In the order of the shards it calls add
// with the tally that visit has filled, one call at a time. A tally passed to visit still holds
// the contents of its last use. The first error, in the order of the shards, ends the sum and
// is returned; a done ctx is the error of every shard not yet begun.
func (r *Reducer[W, T]) Sum(ctx context.Context, workers, lo, hi int, visit func(w *W, shard int, a *T) error, add func(shard int, a *T)) error {
	nonnil.Check("em: Reducer.Sum", "context", ctx)
	workers = useful(workers, hi-lo)
	for len(r.workers) < workers {
		r.workers = append(r.workers, r.hire())
		r.tallies = append(r.tallies, new(T), new(T))
	}
	return reduce(ctx, workers, lo, hi,
		func(worker, shard, tally int) error { return visit(r.workers[worker], shard, r.tallies[tally]) },
		func(shard, tally int) { add(shard, r.tallies[tally]) })
}

// useful returns the number of workers that can run at the same time.
func useful(workers, shards int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, shards)
}

// reduce is Reducer.Sum for workers numbered from 0, with two numbered tallies for each.
func reduce(ctx context.Context, workers, lo, hi int, visit func(worker, shard, tally int) error, add func(shard, tally int)) error {
	if workers == 1 {
		return reduceAlone(ctx, lo, hi, visit, add)
	}
	free := make(chan int, 2*workers)
	for tally := range 2 * workers {
		free <- tally
	}
	type result struct {
		shard, tally int
		err          error
	}
	results := make(chan result)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
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

// reduceAlone is reduce with one worker.
func reduceAlone(ctx context.Context, lo, hi int, visit func(worker, shard, tally int) error, add func(shard, tally int)) error {
	for shard := lo; shard < hi; shard++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(0, shard, 0); err != nil {
			return err
		}
		add(shard, 0)
	}
	return nil
}
