package forest

// derivation is a derivation of a node by an edge in which every tail has the
// derivation of a certain rank.
type derivation[W any] struct {
	edge   int32
	last   int32 // the tails before this one have rank 0
	rank   int   // where the ranks of the tails begin in ranking.ranks; 0: all are 0
	weight W
}
