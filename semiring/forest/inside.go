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
// none. Cost and errors are those of TreeSum.
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
