// Package shardsize defines the number of examples of a shard. There are enough shards to keep many
// workers busy, and shards are small enough that the data built for one shard fit in
// memory.
package shardsize

const (
	// Wanted is the number of shards for up to Many examples, if there are enough examples.
	Wanted = 64
	// Max is the maximum size of a shard, and the size of all shards of more than Many examples.
	Max = 4096
	// Many is the largest number of examples that are cut into no more than Wanted shards.
	Many = Wanted * Max
)

// Of returns the size of the shards of n examples of equal cost, except for the last shard.
func Of(n int) int { return min(max(1, (n+Wanted-1)/Wanted), Max) }
