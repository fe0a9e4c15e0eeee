package forest

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// TreeSum returns ⊕ over all trees of their weights, the total weight of f: Zero if
// there is no tree. O(nodes + edges + tails), one kernel call per node.
//
// ⊗ has to distribute over ⊕ from both sides, as it does in every semiring, or from the
// left alone if no edge has more than one tail; the error wraps semiring.ErrCapability
// for a semiring.OneSided algebra in which it does not.
func TreeSum[W any](f *Forest[W]) (W, error) {
	_, x, err := passInside(f)
	if err != nil {
		var none W
		return none, err
	}
	return f.total(x), nil
}

// Inside returns, per node, ⊕ over its derivations of their weights: Zero if it has
// none. Cost and errors are as for TreeSum.
func Inside[W any](f *Forest[W]) ([]W, error) {
	_, x, err := passInside(f)
	if err != nil {
		return nil, err
	}
	return f.nodes(x), nil
}

// passInside returns a pass and its inside weights, if ⊗ distributes so that there are.
func passInside[W any](f *Forest[W]) (*pass[W], []W, error) {
	p := newPass(f)
	side := semiring.LeftSide
	if p.widest > unary {
		side = semiring.BothSides
	}
	if err := semiring.RequireSide(f.ring, side); err != nil {
		return nil, nil, fmt.Errorf("forest: %w", err)
	}
	return p, p.inside(), nil
}

// nodes returns the part of x that is about nodes.
func (f *Forest[W]) nodes(x []W) []W { return x[:f.NumNodes():f.NumNodes()] }

// total returns ⊕ of root weights ⊗ inside weights.
func (f *Forest[W]) total(x []W) W {
	sum := f.ring.Zero()
	for _, r := range f.roots {
		sum = f.ring.Plus(sum, f.ring.Times(r.Weight, x[r.Node]))
	}
	return sum
}

// pass is what the recursions over the nodes of a forest work with.
type pass[W any] struct {
	*Forest[W]
	*pairs
	kernel      semiring.Kernel[W]
	commutative bool
}

func newPass[W any](f *Forest[W]) *pass[W] {
	_, bulk := semiring.As[semiring.Kernel[W]](f.ring)
	return &pass[W]{
		Forest:      f,
		pairs:       f.topology.pairs(),
		kernel:      semiring.KernelOf(f.ring),
		commutative: bulk || semiring.LawsOf(f.ring).Has(semiring.Commutative),
	}
}

// inside returns x as described at pairs, of the contexts only the first ones.
func (p *pass[W]) inside() []W {
	x := make([]W, p.pairs.size())
	x[p.NumNodes()] = p.ring.One()
	edge := p.topology.edge
	for at := range p.NumNodes() {
		v := p.topology.node(at)
		lo, hi := edge[v], edge[v+1]
		switch p.width[v] {
		case none:
			x[v] = p.ring.Zero()
			continue
		case unary:
			p.kernel.Dot(&x[v], p.weight[lo:hi], nil, x, p.first[lo:hi])
			continue
		case wide:
			for n := p.wideRow[v]; n < p.wideRow[v+1]; n++ {
				x[p.context[n]] = p.productOf(x, p.Tails(p.wide[n])[1:])
			}
		}
		p.kernel.Dot2(&x[v], p.weight[lo:hi], nil, x, p.first[lo:hi], x, p.second[lo:hi])
	}
	return x
}

// productOf returns the product of the x of one or more nodes.
func (p *pass[W]) productOf(x []W, nodes []int32) W {
	product := x[nodes[0]]
	for _, v := range nodes[1:] {
		product = p.ring.Times(product, x[v])
	}
	return product
}

// usable reports whether edge e has a weight and a derivation of every tail; x are
// inside weights (see pairs).
func (p *pass[W]) usable(e int32, x []W) bool {
	return !p.ring.IsZero(p.weight[e]) && !p.ring.IsZero(x[p.first[e]]) && !p.ring.IsZero(x[p.second[e]])
}

// onTrees returns, for every node, whether it occurs in a tree; x are inside weights.
func (p *pass[W]) onTrees(x []W) []bool {
	occurs := make([]bool, p.NumNodes())
	for _, r := range p.roots {
		occurs[r.Node] = occurs[r.Node] || !p.ring.IsZero(r.Weight) && !p.ring.IsZero(x[r.Node])
	}
	for at := p.NumNodes() - 1; at >= 0; at-- {
		v := p.topology.node(at)
		if !occurs[v] {
			continue
		}
		for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
			if !p.usable(e, x) {
				continue
			}
			for _, u := range p.Tails(e) {
				occurs[u] = true
			}
		}
	}
	return occurs
}

// Outside returns the inside and outside weights of all nodes. Take the
// node's derivation out of a tree; what is left has a weight, root weight included. The
// outside weight is ⊕ of these weights over all trees and all occurrences of the node.
// So inside ⊗ outside is the total weight of the trees through the node, each counted
// as often as the node occurs in it.
//
// The ring must be commutative, for otherwise what is left has a part before the node
// and one after it, and their sum is no weight; the error wraps
// semiring.ErrCapability. Where no edge has more than one tail nothing comes after,
// any ring will do (but for a semiring.OneSided algebra, which is none), and the trees
// through a node weigh outside ⊗ inside.
//
// O(nodes + edges + tails), wide edges included (their contexts are products of a
// prefix and a suffix), with two kernel calls per node.
func Outside[W any](f *Forest[W]) (inside, outside []W, err error) {
	p := newPass(f)
	if !p.commutative && p.widest > unary {
		return nil, nil, fmt.Errorf("forest: outside: %w: edges have more than one tail and %T is not commutative",
			semiring.ErrCapability, f.ring)
	}
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, nil, fmt.Errorf("forest: outside: %w", err)
	}
	x := p.inside()
	return f.nodes(x), p.outside(x), nil
}

// outside returns the outside weights, and completes the contexts of x. Where sums can
// be added to in any order, heads hand on to their tails; elsewhere the sum of a node is
// made at once, for which its uses have to be known.
func (p *pass[W]) outside(x []W) []W {
	p.completeContexts(x)
	if s, ok := semiring.As[semiring.Scatterer[W]](p.ring); ok {
		return p.nodes(p.handOutside(s, x))
	}
	out := make([]W, p.NumNodes())
	uses, roots := p.topology.uses(), newRootIndex(p.Forest)
	for at := p.NumNodes() - 1; at >= 0; at-- {
		v := p.topology.node(at)
		lo, hi := uses.row[v], uses.row[v+1]
		p.outsideOf(&out[v], out, x, uses.edge[lo:hi], uses.head[lo:hi], uses.beside[lo:hi])
		for i := roots.first[v]; i != 0; i = roots.next[i-1] {
			out[v] = p.ring.Plus(out[v], p.roots[i-1].Weight)
		}
	}
	return out
}

// handOutside returns the outside weights, extended as x is: the rest means nothing.
func (p *pass[W]) handOutside(s semiring.Scatterer[W], x []W) []W {
	out := make([]W, len(x))
	for i := range out {
		out[i] = p.ring.Zero()
	}
	for _, r := range p.roots {
		out[r.Node] = p.ring.Plus(out[r.Node], r.Weight)
	}
	for at := p.NumNodes() - 1; at >= 0; at-- {
		v := p.topology.node(at)
		if p.width[v] == none || p.ring.IsZero(out[v]) {
			continue
		}
		lo, hi := p.topology.edge[v], p.topology.edge[v+1]
		s.Scatter2(out, out[v], p.weight[lo:hi], x, p.first[lo:hi], p.second[lo:hi])
		for n := p.wideRow[v]; n < p.wideRow[v+1]; n++ {
			w := p.ring.Times(out[v], p.weight[p.wide[n]])
			for i, u := range p.Tails(p.wide[n])[1:] {
				out[u] = p.ring.Plus(out[u], p.ring.Times(w, x[p.context[n]+int32(i)+1]))
			}
		}
	}
	return out
}

// outsideOf sets *dst to ⊕ of outside weights of heads ⊗ edge weights ⊗ x of what is
// beside.
func (p *pass[W]) outsideOf(dst *W, out, x []W, edges, heads, beside []int32) {
	switch {
	case !p.commutative:
		sum := p.ring.Zero()
		for n, e := range edges {
			sum = p.ring.Plus(sum, p.ring.Times(out[heads[n]], p.weight[e]))
		}
		*dst = sum
	case p.widest <= unary:
		p.kernel.Dot(dst, p.weight, edges, out, heads)
	default:
		p.kernel.Dot2(dst, p.weight, edges, out, heads, x, beside)
	}
}

// completeContexts computes the contexts of x other than the first of every edge.
func (p *pass[W]) completeContexts(x []W) {
	for n, e := range p.wide {
		tails, context := p.Tails(e), x[p.context[n]:p.context[n+1]]
		last := len(tails) - 1
		// From the right, suffixes; then from the left, each multiplied by a prefix.
		for i := last - 1; i > 0; i-- {
			context[i] = x[tails[i+1]]
			if i < last-1 {
				context[i] = p.ring.Times(context[i], context[i+1])
			}
		}
		prefix := x[tails[0]]
		for i := 1; i < last; i++ {
			context[i] = p.ring.Times(prefix, context[i])
			prefix = p.ring.Times(prefix, x[tails[i]])
		}
		context[last] = prefix
	}
}

// rootIndex lists the root entries of every node: first[v], next[first[v]−1], …
// until 0 are their numbers plus one.
type rootIndex struct{ first, next []int32 }

func newRootIndex[W any](f *Forest[W]) rootIndex {
	x := rootIndex{make([]int32, f.NumNodes()), make([]int32, len(f.roots))}
	for i := len(f.roots) - 1; i >= 0; i-- {
		v := f.roots[i].Node
		x.next[i], x.first[v] = x.first[v], int32(i+1)
	}
	return x
}

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
