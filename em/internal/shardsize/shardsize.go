// Package shardsize says how many examples a shard has. There are enough shards to keep many
// workers busy, and their examples are few enough that what is built for one shard fits
// anywhere.
package shardsize

const (
	// Wanted is the number of shards of a few examples, if there are as many examples.
	Wanted = 64
	// Max is the most examples of a shard, and the number of each of more than Many examples.
	Max = 4096
	// Many is the most examples that are cut into no more shards than are wanted.
	Many = Wanted * Max
)

// Of returns the size of the shards of n examples of the same cost, but for the last one.
func Of(n int) int { return min(max(1, (n+Wanted-1)/Wanted), Max) }
