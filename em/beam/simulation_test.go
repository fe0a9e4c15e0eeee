package beam_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
)

// cluster is a set of workers that take one shard after the other, as an engine assigns them.
type cluster struct {
	workers int
	// slow is the share of attempts at a shard that take slowness times as long. lost is
	// the share that are lost, and repeated by another worker.
	slow, slowness, lost float64
}

// times is a heap of the times at which workers become free.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() (x any)      { x, *t = (*t)[len(*t)-1], (*t)[:len(*t)-1]; return x }

// run returns the time until all shards with the given costs are done, relative to the time of
// workers that are never idle, slow or lost.
func (c cluster) run(costs []float64, rng *rand.Rand) float64 {
	free := make(times, c.workers)
	end, total := 0.0, 0.0
	for _, cost := range costs {
		total += cost
		for again := true; again; {
			took := cost
			if rng.Float64() < c.slow {
				took *= c.slowness
			}
			if again = rng.Float64() < c.lost; again {
				took *= rng.Float64()
			}
			done := free[0] + took
			free[0] = done
			heap.Fix(&free, 0)
			end = max(end, done)
		}
	}
	return end / (total / float64(c.workers))
}

// costs returns the costs of the shards of c.
func costs(c em.Cut, cost func(i int) int) []float64 {
	all := make([]float64, c.Shards())
	for i := range all {
		lo, hi := c.Shard(i)
		for k := lo; k < hi; k++ {
			all[i] += float64(cost(k))
		}
	}
	return all
}

// sentences returns the costs of sentences, the numbers of their pairs of words: a text of several
// sources, one after the other, with different sentence lengths.
func sentences(n int, rng *rand.Rand) func(i int) int {
	all, mean := make([]int, n), 0.0
	for i := range all {
		if i%2000 == 0 {
			mean = math.Log(12) + .5*rng.NormFloat64()
		}
		length := min(120, 1+math.Exp(mean+.6*rng.NormFloat64()))
		all[i] = int(length * length)
	}
	return func(i int) int { return all[i] }
}

// TestCutByCost simulates E steps with stragglers and retries: shards of equal cost finish sooner
// than the same number of shards with equal numbers of examples. With -v it prints the table
// of PERFORMANCE.md.
func TestCutByCost(t *testing.T) {
	const n, trials = 100_000, 20
	cost := sentences(n, rand.New(rand.NewPCG(1, 1)))
	byCost := em.NewCutByCost(n, cost)
	shards := byCost.Shards()
	bySize := em.NewCutBySize(n, (n+shards-1)/shards)
	t.Logf("%d shards by cost, %d by number; time over that of busy workers, mean of %d trials", shards, bySize.Shards(), trials)
	t.Logf("%8s %22s %14s %14s", "workers", "attempts slow, lost", "by number", "by cost")
	for _, workers := range []int{16, 64, 256} {
		for _, c := range []cluster{{}, {slow: .02, slowness: 4}, {slow: .02, slowness: 4, lost: .02}} {
			c.workers = workers
			mean := func(cut em.Cut) float64 {
				list, sum := costs(cut, cost), 0.0
				for trial := range uint64(trials) {
					sum += c.run(list, rand.New(rand.NewPCG(trial, uint64(workers))))
				}
				return sum / trials
			}
			number, even := mean(bySize), mean(byCost)
			t.Logf("%8d %22s %14.2f %14.2f", workers, fmt.Sprintf("%g%% ×%g, %g%%", 100*c.slow, max(1, c.slowness), 100*c.lost), number, even)
			if even > number*1.01 {
				t.Errorf("%+v: %.3f by cost, %.3f by number", c, even, number)
			}
			if even < 1 {
				t.Errorf("%+v: %.3f of the time that all workers need", c, even)
			}
		}
	}
}
