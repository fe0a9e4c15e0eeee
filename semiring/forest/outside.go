package forest

import (
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
)

// Outside returns the inside and outside weights of all nodes. A tree without the node's
// derivation is a context of the node; its weight includes the root weight. The outside weight is
// ⊕ of the weights of contexts over all trees and all occurrences of the node. So inside ⊗
// outside is the total weight of the trees through the node, each counted once per occurrence of
// the node.
//
// The ring must be commutative; otherwise the error wraps semiring.ErrCapability, because a
// context then has a part before and a part after the node, and a sum of such pairs is not a
// weight. If every edge has at most one tail, the part after the node is empty. Then any ring is
// allowed, except a semiring.OneSided algebra, and the trees through a node weigh outside ⊗
// inside.
//
// It takes O(nodes + edges + tails), including wide edges (whose contexts are products of a
// prefix and a suffix), with two kernel calls per node. Cycles are as for Inside. A node of a
// cycle without a derivation has the outside weight Zero. Real weights that leave the range of
// float64 are summed again in Scaled, as TreeSum does.
func Outside[W any](f *Forest[W]) (inside, outside []W, err error) {
	inside, outside, err = bothSides(f)
	if wide := widened(f, lost(err, inside...) || lost(err, outside...)); wide != nil {
		in, out, err := outsideScaled(wide)
		if err != nil {
			return nil, nil, err
		}
		if inside, err = narrowedAll[W](in, nil); err != nil {
			return nil, nil, err
		}
		outside, err = narrowedAll[W](out, nil)
		return inside, outside, err
	}
	return inside, outside, err
}

// outsideScaled is Outside in Scaled, compiled only here.
//
//go:noinline
func outsideScaled(f *Forest[semiring.ScaledFloat]) (inside, outside []semiring.ScaledFloat, err error) {
	return Outside(f)
}

// bothSides is Outside in the ring of f.
func bothSides[W any](f *Forest[W]) (inside, outside []W, err error) {
	p := newPass(f)
	if !p.commutative && p.widest > unary {
		return nil, nil, nested.Errorf("forest: outside: %w: edges have more than one tail and %s is not commutative",
			semiring.ErrCapability, typename.Of(f.ring))
	}
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, nil, nested.Errorf("forest: outside: %w", err)
	}
	x, err := p.inside((*pass[W]).derivable)
	if err != nil {
		return nil, nil, err
	}
	if outside, err = p.outside(x); err != nil {
		return nil, nil, err
	}
	return ofNodes(f, x), outside, nil
}

// outside returns the outside weights, and completes the contexts of x. If the ring can scatter,
// heads add to the sums of their tails; otherwise the sum of a node is computed at once from its
// uses.
func (p *pass[W]) outside(x []W) ([]W, error) {
	p.completeContexts(x)
	if s, ok := semiring.As[semiring.Scatterer[W]](p.ring); ok {
		out, err := p.handOutside(s, x)
		if err != nil {
			return nil, err
		}
		return ofNodes(p.Forest, out), nil
	}
	out := make([]W, p.NumNodes())
	for v := range out {
		out[v] = p.ring.Zero()
	}
	roots := newRootIndex(p.Forest)
	for run := range p.topology.downward() {
		for at := run.hi - 1; at >= run.lo; at-- {
			p.pullOutside(p.topology.node(at), run.cycle, out, x)
			v := p.topology.node(at)
			for i := roots.first[v]; i != 0; i = roots.next[i-1] {
				out[v] = p.ring.Plus(out[v], p.roots[i-1].Weight)
			}
		}
		if run.cycle >= 0 {
			if err := p.outsideCycle(run.cycle, out, x); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// pullOutside sets the outside weight of node v, without root weights, to the contributions of
// its uses outside of its cycle. cycle is the number of the cycle, −1 if v is on no cycle.
func (p *pass[W]) pullOutside(v int32, cycle int, out, x []W) {
	uses := p.topology.uses()
	lo, hi := uses.row[v], uses.row[v+1]
	edges, heads, beside := uses.edge[lo:hi], uses.head[lo:hi], uses.beside[lo:hi]
	if cycle >= 0 {
		c := p.topology.cycles[cycle]
		edges, heads, beside = nil, nil, nil
		for n := lo; n < hi; n++ {
			if _, inside := p.topology.place(c, uses.head[n]); !inside {
				edges, heads, beside = append(edges, uses.edge[n]), append(heads, uses.head[n]), append(beside, uses.beside[n])
			}
		}
	}
	p.outsideOf(&out[v], out, x, edges, heads, beside)
}

// handOutside returns the outside weights in a slice as long as x; entries beyond the nodes are
// garbage.
func (p *pass[W]) handOutside(s semiring.Scatterer[W], x []W) ([]W, error) {
	out := make([]W, len(x))
	for i := range out {
		out[i] = p.ring.Zero()
	}
	for _, r := range p.roots {
		out[r.Node] = p.ring.Plus(out[r.Node], r.Weight)
	}
	var known []W // outside weights of a cycle
	for run := range p.topology.downward() {
		if run.cycle < 0 {
			for at := run.hi - 1; at >= run.lo; at-- {
				v := p.topology.node(at)
				p.handOutsideOf(s, v, out[v], out, x)
			}
			continue
		}
		if err := p.outsideCycle(run.cycle, out, x); err != nil {
			return nil, err
		}
		// Heads already contain the contributions within the cycle; do not add them twice.
		nodes := p.topology.nodesOf(p.topology.cycles[run.cycle])
		known = known[:0]
		for _, v := range nodes {
			known = append(known, out[v])
		}
		for i, v := range nodes {
			p.handOutsideOf(s, v, known[i], out, x)
		}
		for i, v := range nodes {
			out[v] = known[i]
		}
	}
	return out, nil
}

// handOutsideOf hands outside, the outside weight of node v, to the tails of its edges.
func (p *pass[W]) handOutsideOf(s semiring.Scatterer[W], v int32, outside W, out, x []W) {
	if p.width[v] == none || p.ring.IsZero(outside) {
		return
	}
	lo, hi := p.topology.edge[v], p.topology.edge[v+1]
	s.Scatter2(out, outside, p.weight[lo:hi], x, p.first[lo:hi], p.second[lo:hi])
	for n := p.wideRow[v]; n < p.wideRow[v+1]; n++ {
		w := p.ring.Times(outside, p.weight[p.wide[n]])
		for i, u := range p.Tails(p.wide[n])[1:] {
			out[u] = p.ring.Plus(out[u], p.ring.Times(w, x[p.context[n]+int32(i)+1]))
		}
	}
}

// outsideOf sets *dst to ⊕ of outside weights of heads ⊗ edge weights ⊗ x[beside], the products
// of the other tails.
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

// completeContexts computes all contexts of x except the first context of every edge.
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

// rootIndex lists the root entries of every node: first[v], next[first[v]−1], … are the numbers
// of the entries plus one, terminated by 0.
type rootIndex struct{ first, next []int32 }

func newRootIndex[W any](f *Forest[W]) rootIndex {
	x := rootIndex{make([]int32, f.NumNodes()), make([]int32, len(f.roots))}
	for i := len(f.roots) - 1; i >= 0; i-- {
		v := f.roots[i].Node
		x.next[i], x.first[v] = x.first[v], int32(i+1)
	}
	return x
}

// Through returns, for every node and every edge, the total weight of the trees through it: ⊕ of
// the tree's weight over all trees and all occurrences in the tree.
//
// In a commutative ring, or if every edge has at most one tail, these are products of inside and
// outside weights and take O(nodes + edges + tails). Otherwise the inside recursion also
// computes, for every node, the weight of its derivations through each edge below it (Expectation
// over Sparse, in which the factors keep their order). It takes O(Σ over tails of the number of
// edges below the tail) time, at worst edges × tails, and memory per node proportional to the
// number of edges below it. The error wraps semiring.ErrCapability for a semiring.OneSided
// algebra. Real weights that leave the range of float64 are summed again in Scaled, as TreeSum
// does.
func Through[W any](f *Forest[W]) (nodes, edges []W, err error) {
	nodes, edges, err = through(f)
	if wide := widened(f, lost(err, nodes...) || lost(err, edges...)); wide != nil {
		n, e, err := throughScaled(wide)
		if err != nil {
			return nil, nil, err
		}
		if nodes, err = narrowedAll[W](n, nil); err != nil {
			return nil, nil, err
		}
		edges, err = narrowedAll[W](e, nil)
		return nodes, edges, err
	}
	return nodes, edges, err
}

// throughScaled is Through in Scaled, compiled only here, and without the code for rings that are
// not commutative.
func throughScaled(f *Forest[semiring.ScaledFloat]) (nodes, edges []semiring.ScaledFloat, err error) {
	edges, err = throughProducts(newPass(f))
	if err != nil {
		return nil, nil, err
	}
	return throughNodes(f, edges), edges, nil
}

// through is Through in the ring of f.
func through[W any](f *Forest[W]) (nodes, edges []W, err error) {
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, nil, nested.Errorf("forest: through: %w", err)
	}
	if p := newPass(f); p.commutative || p.widest <= unary {
		edges, err = throughProducts(p)
	} else {
		edges, err = carry(f)
	}
	if err != nil {
		return nil, nil, err
	}
	return throughNodes(f, edges), edges, nil
}

// throughProducts returns the edges of Through if they are products.
func throughProducts[W any](p *pass[W]) ([]W, error) {
	x, err := p.inside((*pass[W]).useful)
	if err != nil {
		return nil, err
	}
	out, err := p.outside(x)
	if err != nil {
		return nil, err
	}
	edges := make([]W, p.NumEdges())
	for v := range p.NumNodes() {
		for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
			below := p.ring.Times(x[p.first[e]], x[p.second[e]])
			edges[e] = p.ring.Times(p.ring.Times(out[v], p.weight[e]), below)
		}
	}
	return edges, nil
}

// throughNodes returns the nodes of Through: every occurrence of a node is derived by one edge.
func throughNodes[W any](f *Forest[W], edges []W) []W {
	nodes := make([]W, f.NumNodes())
	for v := range nodes {
		nodes[v] = f.ring.Zero()
		for _, w := range edges[f.topology.edge[v]:f.topology.edge[v+1]] {
			nodes[v] = f.ring.Plus(nodes[v], w)
		}
	}
	return nodes
}

// carry returns the components of the tree sum that count one edge each.
func carry[W any](f *Forest[W]) ([]W, error) {
	type vector = semiring.SparseVector[W]
	type weight = semiring.Expected[W, vector]
	ring := erased.Of(semiring.Expectation(f.ring, semiring.Sparse(f.ring)))
	counting := Map(f, ring, func(w W) any { return weight{P: w} })
	for e, w := range f.weight {
		counting.weight[e] = weight{P: w, V: vector{Index: []int32{int32(e)}, Value: []W{w}}}
	}
	total, err := TreeSum(counting)
	if err != nil {
		return nil, err
	}
	edges := make([]W, f.NumEdges())
	for e := range edges {
		edges[e] = f.ring.Zero()
	}
	sum, _ := total.(weight)
	for n, e := range sum.V.Index {
		edges[e] = sum.V.Value[n]
	}
	return edges, nil
}
