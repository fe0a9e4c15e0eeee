package forest

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Through returns, for every node and every edge, the total weight of the trees
// through it: ⊕ over all trees and all its occurrences in them of the tree's weight.
//
// In a commutative ring, or where no edge has more than one tail, these are products
// of inside and outside weights, O(nodes + edges + tails). Otherwise the inside
// recursion carries along, with the weight of every node, the weight of its
// derivations through each edge below it (Expectation over Sparse, in which the
// factors keep their order): O(Σ over tails of the number of edges below the tail)
// time, at worst edges × tails, and as much memory per node as there are edges below
// it. The error wraps semiring.ErrCapability for a semiring.OneSided algebra.
func Through[W any](f *Forest[W]) (nodes, edges []W, err error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, nil, fmt.Errorf("forest: through: %w", err)
	}
	p := newPass(f)
	edges = make([]W, f.NumEdges())
	if p.commutative || p.widest <= unary {
		x := p.inside()
		out := p.outside(x)
		for v := range f.NumNodes() {
			for e := f.topology.edge[v]; e < f.topology.edge[v+1]; e++ {
				below := f.ring.Times(x[p.first[e]], x[p.second[e]])
				edges[e] = f.ring.Times(f.ring.Times(out[v], f.weight[e]), below)
			}
		}
	} else {
		carry(f, edges)
	}
	// Every occurrence of a node is derived by one edge.
	nodes = make([]W, f.NumNodes())
	for v := range nodes {
		nodes[v] = f.ring.Zero()
		for _, w := range edges[f.topology.edge[v]:f.topology.edge[v+1]] {
			nodes[v] = f.ring.Plus(nodes[v], w)
		}
	}
	return nodes, edges, nil
}

// carry sets edges to the components of the tree sum that count one edge each.
func carry[W any](f *Forest[W], edges []W) {
	type vector = semiring.SparseVector[W]
	type weight = semiring.Expected[W, vector]
	counting := Map(f, semiring.Expectation(f.ring, semiring.Sparse(f.ring)), func(w W) weight { return weight{P: w} })
	for e, w := range f.weight {
		counting.weight[e].V = vector{Index: []int32{int32(e)}, Value: []W{w}}
	}
	for e := range edges {
		edges[e] = f.ring.Zero()
	}
	through := counting.total(newPass(counting).inside()).V
	for n, e := range through.Index {
		edges[e] = through.Value[n]
	}
}
