package em

import "fmt"

// Cut is how examples are cut into shards of as many each, but for the last, or of about
// the same cost. It depends on their number and costs alone. There are enough shards to
// keep many workers busy, and their examples are few enough that what is built for one
// shard fits anywhere.
type Cut struct {
	examples, size int
	ends           []int // per shard, the first example after it; nil: all have the size
}

const (
	shardsWanted = 64
	shardMax     = 4096
	// Of a shard that is cut by cost: what it counts fits in a processor's cache, unless
	// examples are so dear that it would have fewer than shardMin.
	shardCost = 1 << 15
	shardMin  = 64
)

// NewCut returns the cut of n examples of the same cost.
func NewCut(n int) Cut {
	return Cut{examples: n, size: min(max(1, (n+shardsWanted-1)/shardsWanted), shardMax)}
}

// NewCutBySize returns the cut of n examples into shards of the given size, that of NewCut if
// size is 0. It panics if size is negative.
func NewCutBySize(n, size int) Cut {
	switch {
	case size < 0:
		panic(fmt.Sprintf("em: NewCutBySize: shards of %d examples", size))
	case size == 0:
		return NewCut(n)
	}
	return Cut{examples: n, size: size}
}

// NewCutByCost returns the cut of n examples that cost time, and memory for what they count,
// in proportion to cost(i) ≥ 0, the number of their arcs for instance. An example that
// costs more than a shard of the others has one for itself.
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
	c, wanted := Cut{examples: n}, max(shardsWanted, min(total/shardCost, n/shardMin))
	before, lo, current := 0, 0, 0
	for i := range n {
		// An example belongs to the share of the total in which its middle is.
		share := int((float64(before) + float64(cost(i))/2) * float64(wanted) / float64(total))
		if i > lo && (share > current || i-lo == shardMax) {
			c.ends = append(c.ends, i)
			lo = i
		}
		current = share
		before += cost(i)
	}
	c.ends = append(c.ends, n)
	return c
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
