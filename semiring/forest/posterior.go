package forest

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Posterior holds the expected number of times that a random tree, drawn in proportion to its
// weight, uses each part of a forest: probabilities if no tree uses a part twice. If there is no
// tree, all numbers are 0 and Total is Zero.
type Posterior[W any] struct {
	Total W         // the tree sum
	Edge  []float64 // uses per edge
	Node  []float64 // occurrences per node
	Root  []float64 // per root entry: the probability that the tree has this entry
}

// Posteriors returns the posterior of every edge, node and root entry of f, outside ⊗ weight ⊗
// inside of the tails / total. The ring must be a semiring.Probabilistic; in a selective ring
// posteriors are max-marginals: the weight of the best tree that uses a part relative to the best
// of all trees.
//
// The error wraps semiring.ErrCapability if the ring is not Probabilistic or is a semiring.OneSided
// algebra. It wraps semiring.ErrNotFinite if the total is infinite, not a number, or not
// invertible, or if a number of uses is not finite. In Real, posteriors are accurate even if
// intermediate weights, or the total, leave the range of float64; a total below the range is 0.
//
// It takes O(nodes + edges + tails). In a ring that adds and divides, it makes two passes in
// order of the edges: inside, and a pass that distributes the uses of a node to the tails of its
// edges, in float64. Posteriors are accurate to a few roundings per level of the forest; the
// absolute error of posteriors below 10^-300 is up to 10^-300.
func Posteriors[W any](f *Forest[W]) (*Posterior[W], error) {
	prober, err := semiring.Require[semiring.Probabilistic[W]](f.ring)
	if err != nil {
		return nil, nested.Errorf("forest: posteriors: %w", err)
	}
	if err := semiring.RequireSide(f.ring, semiring.BothSides); err != nil {
		return nil, nested.Errorf("forest: posteriors: %w", err)
	}
	var post *Posterior[W]
	p := newPass(f)
	x, err := p.inside((*pass[W]).useful)
	underflow := err == nil && weights.IsReal(f.ring) && underflows(any(f).(*Forest[float64]), any(x).([]float64))
	if err == nil && !underflow {
		post, err = p.posteriors(prober, x)
	}
	wide := widened(f, underflow || lost[W](err) || err == nil && (f.ring.IsZero(post.Total) || lost(nil, post.Total)))
	if wide == nil {
		return post, err
	}
	q, err := posteriorsScaled(wide)
	if err != nil {
		return nil, err
	}
	total, err := narrowed[W](q.Total, nil)
	if err != nil {
		return nil, err
	}
	return &Posterior[W]{total, q.Edge, q.Node, q.Root}, nil
}

// underflows reports whether products of the weights of f and inside weights x may have lost
// relevant digits. That is so if factors multiply to less than a normal number although the
// product is at least 2⁻⁶⁰ of the inside weight of its node.
//
//go:noinline
func underflows(f *Forest[float64], x []float64) bool {
	const least, counts = -1000, -60
	// With k tails, and inside weights from 2^−n to 2^n, a product that underflows is less than
	// 2^(2kn + least), and the inside weight of its node is at least 2^−n.
	if n := (counts - least) / (2*f.topology.mostTails + 1); weights.Within(n, x...) {
		return false
	}
	for v := range f.NumNodes() {
		for e := f.topology.edge[v]; e < f.topology.edge[v+1]; e++ {
			product, below := exponent(f.weight[e]), min(0, exponent(f.weight[e]))
			possible := f.weight[e] != 0
			for _, u := range f.Tails(e) {
				possible = possible && x[u] != 0
				product, below = product+exponent(x[u]), below+min(0, exponent(x[u]))
			}
			if possible && below < least && (x[v] == 0 || product-exponent(x[v]) > counts) {
				return true
			}
		}
	}
	return false
}

// exponent returns the exponent of 2 of a normal number.
func exponent(y float64) int { return int(math.Float64bits(y)>>52&0x7ff) - 1023 }

// posteriorsScaled is Posteriors in Scaled, compiled only here.
//
//go:noinline
func posteriorsScaled(f *Forest[semiring.ScaledFloat]) (*Posterior[semiring.ScaledFloat], error) {
	return Posteriors(f)
}

// posteriors is Posteriors after the inside pass.
func (p *pass[W]) posteriors(prober semiring.Probabilistic[W], x []W) (*Posterior[W], error) {
	node := make([]float64, len(x))
	post := &Posterior[W]{
		Total: total(p.Forest, x),
		Edge:  make([]float64, p.NumEdges()),
		Node:  node[:p.NumNodes():p.NumNodes()],
		Root:  make([]float64, len(p.roots)),
	}
	if p.ring.IsZero(post.Total) {
		return post, nil
	}
	scale, err := weights.Inverse(p.ring, prober, post.Total)
	if err != nil {
		return nil, nested.Errorf("forest: %w", err)
	}
	for i, r := range p.roots {
		p.kernel.Marginals(post.Root[i:i+1], scale, []W{r.Weight}, nil, x[r.Node:r.Node+1], nil)
	}
	done, err := p.handDown(post, node, x)
	if err == nil && !done {
		if err = p.marginals(post, x, scale); err == nil {
			err = post.check()
		}
		if err == nil && weights.IsReal(p.ring) {
			err = p.checkUses(post)
		}
	}
	if err != nil {
		return nil, err
	}
	return post, nil
}

// handDown computes the posteriors of edges and nodes from the posteriors of the roots, without
// outside weights: the occurrences of a node are divided among its edges in proportion to the
// terms of its inside weight. node is post.Node, extended like x. It returns false, leaving
// garbage in post, if the ring cannot divide or does not add, a quotient overflows, or negative
// weights may have cancelled in an inside weight.
func (p *pass[W]) handDown(post *Posterior[W], node []float64, x []W) (ok bool, err error) {
	number, err := semiring.FromScaled(p.ring)
	divider, ok := semiring.As[semiring.Divider[W]](p.ring)
	if err != nil || !ok || !weights.Adds(p.ring) {
		return false, nil
	}
	perWeight := func(v int32, occurrences float64) (W, bool) {
		return divider.RDiv(number(semiring.NewScaled(occurrences)), x[v])
	}
	for i, r := range p.roots {
		node[r.Node] += post.Root[i]
	}
	for run := range p.topology.downward() {
		if run.cycle >= 0 {
			ok, err := p.handDownCycle(run.cycle, post, node, x, perWeight)
			if !ok || err != nil {
				return false, err
			}
			continue
		}
		for at := run.hi - 1; at >= run.lo; at-- {
			v := p.topology.node(at)
			occurrences := node[v]
			if p.width[v] == none {
				continue
			}
			if occurrences == 0 {
				if p.ring.IsZero(x[v]) && p.cancels(v, x) {
					return false, nil
				}
				continue
			}
			unit, ok := perWeight(v, occurrences)
			if !ok || !p.handOn(v, unit, post.Edge, node, x) {
				return false, nil
			}
		}
	}
	return true, nil
}

// handDownCycle is handDown for the nodes of cycle n, given the occurrences due to roots and to
// heads outside of the cycle. Occurrences divided by inside weights are outside weights relative
// to the total, and solve the same equations.
func (p *pass[W]) handDownCycle(n int, post *Posterior[W], node []float64, x []W, perWeight func(v int32, occurrences float64) (W, bool)) (ok bool, err error) {
	nodes := p.topology.nodesOf(p.topology.cycles[n])
	units, any := make([]W, len(nodes)), false
	for i, v := range nodes {
		units[i] = p.ring.Zero()
		if node[v] != 0 {
			if units[i], ok = perWeight(v, node[v]); !ok {
				return false, nil
			}
			any = true
		}
		if p.ring.IsZero(x[v]) && p.use[v] {
			return false, nil
		}
	}
	if !any {
		return true, nil
	}
	if err := p.along(n, units, x); err != nil {
		return false, err
	}
	for i, v := range nodes {
		if !p.ring.IsZero(units[i]) && !p.handOn(v, units[i], post.Edge, node, x) {
			return false, nil
		}
	}
	for i, v := range nodes { // units already included the contributions of heads on the cycle
		p.kernel.Marginals(node[v:v+1], units[i], x[v:v+1], nil, []W{p.ring.One()}, nil)
	}
	return true, nil
}

// handOn computes the posteriors of the edges of node v and adds them to their tails; unit is the
// occurrences of v divided by its inside weight. It returns false if a posterior is negative or
// not finite.
func (p *pass[W]) handOn(v int32, unit W, edge, node []float64, x []W) bool {
	lo, hi := p.topology.edge[v], p.topology.edge[v+1]
	edges, first, second := edge[lo:hi], p.first[lo:hi], p.second[lo:hi]
	first, second = first[:len(edges)], second[:len(edges)]
	if p.width[v] == unary {
		p.kernel.Marginals(edges, unit, p.weight[lo:hi], nil, x, first)
		for n, uses := range edges {
			if !(uses >= 0 && uses <= math.MaxFloat64) {
				return false
			}
			node[first[n]] += uses
		}
		return true
	}
	p.kernel.Marginals2(edges, unit, p.weight[lo:hi], nil, x, first, x, second)
	for n, uses := range edges {
		if !(uses >= 0 && uses <= math.MaxFloat64) {
			return false
		}
		node[first[n]] += uses
		node[second[n]] += uses
	}
	for n := p.wideRow[v]; n < p.wideRow[v+1]; n++ {
		for _, u := range p.Tails(p.wide[n])[1:] {
			node[u] += edge[p.wide[n]]
		}
	}
	return true
}

// cancels reports whether the inside weight of node v, which is Zero, has terms that are not
// Zero.
func (p *pass[W]) cancels(v int32, x []W) bool {
	for e := p.topology.edge[v]; e < p.topology.edge[v+1]; e++ {
		if p.usable(e, x) {
			return true
		}
	}
	return false
}

// marginals computes the posteriors of edges and nodes from outside weights; scale is the inverse
// of the total.
func (p *pass[W]) marginals(post *Posterior[W], x []W, scale W) error {
	out, err := p.outside(x)
	if err != nil {
		return err
	}
	p.kernel.Marginals(post.Node, scale, out, nil, x, nil)
	for v := range p.NumNodes() {
		lo, hi := p.topology.edge[v], p.topology.edge[v+1]
		p.kernel.Marginals2(post.Edge[lo:hi], p.ring.Times(scale, out[v]), p.weight[lo:hi], nil,
			x, p.first[lo:hi], x, p.second[lo:hi])
	}
	return nil
}

// checkUses returns an error if the occurrences of a node differ from its uses by roots and
// edges, which happens if intermediate weights left the range of float64.
func (p *pass[W]) checkUses(post *Posterior[W]) error {
	const tolerance = 1e-6
	uses := make([]float64, p.NumNodes())
	for i, r := range p.roots {
		uses[r.Node] += post.Root[i]
	}
	for e, x := range post.Edge {
		for _, u := range p.Tails(int32(e)) {
			uses[u] += x
		}
	}
	for v, x := range post.Node {
		if math.Abs(x-uses[v]) > tolerance*(1+math.Abs(x)) {
			return nested.Errorf("forest: %w: node %d is used %v times, and its posterior is %v", semiring.ErrNotFinite, v, uses[v], x)
		}
	}
	return nil
}

// check returns an error for the first posterior that is not a finite number.
func (p *Posterior[W]) check() error {
	for _, part := range []struct {
		name  string
		value []float64
	}{{"root", p.Root}, {"node", p.Node}, {"edge", p.Edge}} {
		for i, x := range part.value {
			if x-x != 0 {
				return nested.Errorf("forest: %w: the posterior of %s %d is %v", semiring.ErrNotFinite, part.name, i, x)
			}
		}
	}
	return nil
}

// Pruned is a part of a forest in which every node and edge is part of a tree. Weights are the
// same as in the whole forest; nodes, edges and roots keep their order.
type Pruned[W any] struct {
	Forest           *Forest[W]
	Node, Edge, Root []int32 // per node, edge and root entry: its number in the whole forest
}

// PrunePosterior removes the edges and roots that a random tree uses less than min times on average
// (see Posteriors), and all nodes and edges that then are on no tree. The ring must be a
// semiring.Probabilistic; in a selective ring the posteriors are max-marginals, so all trees within
// a factor of min of the best survive.
//
// If there are many trees, all posteriors may be low, even those of all edges of a node. The
// result may then be a forest without nodes; this is not an error. A min of 0 keeps all trees. It
// costs Posteriors and O(nodes + edges + tails); errors are as for Posteriors.
func PrunePosterior[W any](f *Forest[W], min float64) (*Pruned[W], error) {
	p, err := Posteriors(f)
	if err != nil {
		return nil, err
	}
	keep := derivation.Kept{
		Entries: rootNodes(f), Entry: make([]bool, len(f.roots)), Option: make([]bool, f.NumEdges()),
	}
	for i, r := range f.roots {
		keep.Entry[i] = p.Root[i] >= min && !f.ring.IsZero(r.Weight)
	}
	for e, w := range f.weight {
		keep.Option[e] = p.Edge[e] >= min && !f.ring.IsZero(w)
	}
	part := f.topology.part(keep)
	roots := make([]Root[W], len(part.Entry))
	for n, i := range part.Entry {
		roots[n] = Root[W]{part.Number[f.roots[i].Node], f.roots[i].Weight}
	}
	left, err := New(f.ring, part.Row, part.Tail, part.Tails, rows.Picked(f.weight, part.Option), roots)
	if err != nil {
		return nil, nested.Errorf("forest: pruning: %w", err)
	}
	return &Pruned[W]{left, part.Node, part.Option, part.Entry}, nil
}

// part returns the part of t that occurs in trees of kept parts.
func (t *topology) part(keep derivation.Kept) *derivation.Part {
	s := t.structure()
	return s.Part(keep, t.derivable(func(e int32) bool { return keep.Option[e] }))
}
