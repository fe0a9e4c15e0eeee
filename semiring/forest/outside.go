package forest

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// Outside returns the inside and outside weights of all nodes. The outside weight of
// a node is ⊕, over all trees and all occurrences of the node in them, of the weight
// of what is left of the tree without that node's derivation, root weight included.
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
