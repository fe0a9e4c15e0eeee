package graph

import "slices"

// startWeights returns, per state, the sum of its start weights.
func (g *Graph[W]) startWeights() []W {
	lambda := slices.Repeat([]W{g.ring.Zero()}, g.NumStates())
	for _, start := range g.starts {
		lambda[start.State] = g.ring.Plus(lambda[start.State], start.Weight)
	}
	return lambda
}

// startIndex lists the start entries of every state: first[s], next[first[s]−1],
// … until 0 are their numbers plus one.
type startIndex struct{ first, next []int32 }

func newStartIndex[W any](g *Graph[W]) startIndex {
	x := startIndex{make([]int32, g.NumStates()), make([]int32, len(g.starts))}
	for i := len(g.starts) - 1; i >= 0; i-- {
		s := g.starts[i].State
		x.next[i], x.first[s] = x.first[s], int32(i+1)
	}
	return x
}
