// Package foresttest makes random forests for tests, reproducible by seed.
package foresttest

import (
	"math/rand/v2"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Shape bounds a random forest.
type Shape struct {
	Nodes int     // at most; may be 0
	Edges int     // at most
	Tails int     // of an edge, at most
	Roots int     // root entries at most
	Trees int     // maximum number of trees of a node; beyond it, the node gets no more edges
	Zero  float64 // probability that a weight is Zero
}

// New returns a random forest. It may have parallel edges, edges that use a node twice, several
// entries of one root, nodes without a derivation and nodes that no root reaches; nodes are in
// no particular order. Weights that are not Zero come from weight.
func New[W any](r *rand.Rand, ring semiring.Semiring[W], shape Shape, weight func(r *rand.Rand) W) *forest.Forest[W] {
	draw := func() W {
		if r.Float64() < shape.Zero {
			return ring.Zero()
		}
		return weight(r)
	}
	n := r.IntN(shape.Nodes + 1)
	node := r.Perm(n) // by rank: tails have a lower one than their head
	derived := make([][][]int32, n)
	trees := make([]int, n)
	edges := 0
	if n > 0 {
		edges = r.IntN(shape.Edges + 1)
	}
	perNode := make([]int, n)
	for range edges {
		perNode[r.IntN(n)]++
	}
	for rank, count := range perNode {
		head := node[rank]
		for range count {
			tails, ways := []int32{}, 1
			for range r.IntN(shape.Tails + 1) {
				if rank == 0 {
					break
				}
				// Prefer recent nodes as tails, which makes the forest deep.
				u := node[max(r.IntN(rank), r.IntN(rank))]
				tails, ways = append(tails, int32(u)), ways*trees[u]
			}
			if trees[head]+ways <= shape.Trees {
				trees[head] += ways
				derived[head] = append(derived[head], tails)
			}
		}
	}
	edge, tail, tails, weights := []int32{0}, []int32{0}, []int32{}, []W{}
	for _, edges := range derived {
		for _, t := range edges {
			tails = append(tails, t...)
			tail, weights = append(tail, int32(len(tails))), append(weights, draw())
		}
		edge = append(edge, int32(len(weights)))
	}
	var roots []forest.Root[W]
	if n > 0 {
		for range r.IntN(shape.Roots + 1) {
			// High ranks have more trees.
			v := node[max(r.IntN(n), r.IntN(n))]
			roots = append(roots, forest.Root[W]{Node: int32(v), Weight: draw()})
		}
	}
	f, err := forest.New(ring, edge, tail, tails, weights, roots)
	if err != nil {
		panic(err)
	}
	return f
}

// Unary returns an acyclic graph as a forest whose edges have at most one tail. Node s is
// derived by state s's arcs, in order, and if it is final by an edge without tails, the last
// one. arc has the arc of every edge, −1 for the end in a state.
func Unary[W any](g *graph.Graph[W]) (f *forest.Forest[W], arc []int32) {
	edge, tail, tails, weight := []int32{0}, []int32{0}, []int32{}, []W{}
	add := func(a int32, w W) {
		arc, weight, tail = append(arc, a), append(weight, w), append(tail, int32(len(tails)))
	}
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			tails = append(tails, g.To()[e])
			add(e, g.Weights()[e])
		}
		if w := g.Finals()[s]; !g.Ring().IsZero(w) {
			add(-1, w)
		}
		edge = append(edge, int32(len(weight)))
	}
	var roots []forest.Root[W]
	for _, start := range g.Starts() {
		roots = append(roots, forest.Root[W]{Node: start.State, Weight: start.Weight})
	}
	f, err := forest.New(g.Ring(), edge, tail, tails, weight, roots)
	if err != nil {
		panic(err)
	}
	return f, arc
}

// Cyclic returns a random forest in which any node may be a tail, so that most nodes are
// derived from themselves. It has up to shape.Nodes nodes, each with up to shape.Edges edges of
// up to shape.Tails tails. Edges weigh a random number below 1, times damp for each tail. Most
// nodes have an edge without tails.
func Cyclic(r *rand.Rand, shape Shape, damp float64) *forest.Forest[float64] {
	n := 1 + r.IntN(shape.Nodes)
	edge, tail, tails, weights := []int32{0}, []int32{0}, []int32{}, []float64{}
	for range n {
		for k := range 1 + r.IntN(shape.Edges) {
			w, arity := r.Float64(), r.IntN(shape.Tails+1)
			if k == 0 && r.IntN(4) > 0 {
				arity = 0
			}
			for range arity {
				tails, w = append(tails, int32(r.IntN(n))), w*damp
			}
			if r.Float64() < shape.Zero {
				w = 0
			}
			tail, weights = append(tail, int32(len(tails))), append(weights, w)
		}
		edge = append(edge, int32(len(weights)))
	}
	var roots []forest.Root[float64]
	for range 1 + r.IntN(shape.Roots) {
		roots = append(roots, forest.Root[float64]{Node: int32(r.IntN(n)), Weight: r.Float64()})
	}
	f, err := forest.New(semiring.Real{}, edge, tail, tails, weights, roots)
	if err != nil {
		panic(err)
	}
	return f
}
