package forest

import (
	"errors"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// TreeSum returns the total weight of f, ⊕ of the weights of all trees: Zero if there is no tree.
// It takes O(nodes + edges + tails) with one kernel call per node; cycles cost more (see the
// package comment). Only cycles on trees matter; cycles without a derivation, or on which no root
// depends, are ignored.
//
// ⊗ must distribute over ⊕ from both sides, as it does in every semiring, or only from the left
// if every edge has at most one tail. The error wraps
//
//   - semiring.ErrCapability for a semiring.OneSided algebra in which it does not distribute so,
//     and for a ring that cannot sum a cycle;
//   - semiring.ErrDiverges if the sum over a cycle diverges; it names a node on the cycle;
//   - semiring.ErrInaccurate if a cycle is so close to divergence that rounding spoils the total;
//   - semiring.ErrNegative or semiring.ErrNotFinite if a number on a cycle that has edges with
//     several tails on it is negative, or not finite;
//   - semiring.ErrLimit if a cycle is too large to be solved.
//
// With negative weights on a cycle whose edges have one tail on it, the sum may be the analytic
// continuation of a divergent series, as for graph.PathSum.
//
// Infinite weights in an acyclic forest are not an error: the ring's operations apply, which give
// NaN for 0 · ∞ in Real and Scaled. If sums of finite weights of Real leave the range of float64,
// even if the total does not, they are summed again in Scaled. The error wraps
// semiring.ErrNotFinite if the total is out of range, too, or if it is NaN in a derived ring,
// such as an Expectation over Real. A total or product below the range of float64 is rounded, at
// worst to 0.
func TreeSum[W any](f *Forest[W]) (W, error) {
	var sum W
	_, x, err := passInside(f, (*pass[W]).useful)
	if err == nil {
		sum = total(f, x)
	}
	if wide := widened(f, lost(err, sum)); wide != nil {
		return narrowed[W](treeSumScaled(wide))
	}
	if err == nil {
		err = checkNumbers(f, sum)
	}
	return sum, err
}

// Inside returns, per node, ⊕ of the weights of its derivations: Zero if it has no derivation.
// Cost and errors are as for TreeSum, but all cycles matter whose nodes have derivations.
func Inside[W any](f *Forest[W]) ([]W, error) {
	_, x, err := passInside(f, (*pass[W]).derivable)
	if wide := widened(f, lost(err, x...)); wide != nil {
		return narrowedAll[W](insideScaled(wide))
	}
	if err == nil {
		err = checkNumbers(f, x...)
	}
	if err != nil {
		return nil, err
	}
	return ofNodes(f, x), nil
}

// passInside returns a pass and its inside weights, or an error if ⊗ does not distribute as
// required. use returns the nodes of cycles to be summed.
func passInside[W any](f *Forest[W], use func(*pass[W]) []bool) (*pass[W], []W, error) {
	p := newPass(f)
	side := semiring.LeftSide
	if p.widest > unary {
		side = semiring.BothSides
	}
	if err := semiring.RequireSide(f.ring, side); err != nil {
		return nil, nil, nested.Errorf("forest: %w", err)
	}
	x, err := p.inside(use)
	if err != nil {
		return nil, nil, err
	}
	return p, x, nil
}

// ofNodes returns the entries of x for nodes.
func ofNodes[W any](f *Forest[W], x []W) []W { return x[:f.NumNodes():f.NumNodes()] }

// total returns ⊕ of root weights ⊗ inside weights.
func total[W any](f *Forest[W], x []W) W {
	sum := f.ring.Zero()
	for _, r := range f.roots {
		sum = f.ring.Plus(sum, f.ring.Times(r.Weight, x[r.Node]))
	}
	return sum
}

// pass is the state of recursions over the nodes of a forest.
type pass[W any] struct {
	*Forest[W]
	*pairs
	kernel      semiring.Kernel[W]
	commutative bool

	// If there are cycles:
	use     []bool             // per node: whether it is summed
	solvers []*solve.Solver[W] // per cycle, on demand: for its derivatives at the inside weights
	best    []int32            // per node: the edge of its best derivation, in rings that select
	rising  int32              // a node of a cycle in which a tail may be better than the head, or −1
}

func newPass[W any](f *Forest[W]) *pass[W] {
	_, bulk := semiring.As[semiring.Kernel[W]](f.ring)
	return &pass[W]{
		Forest:      f,
		pairs:       f.topology.pairs(),
		kernel:      semiring.KernelOf(f.ring),
		commutative: bulk || semiring.LawsOf(f.ring).Has(semiring.Commutative),
		rising:      -1,
	}
}

// inside returns x as described at pairs, but only the first contexts of edges. use returns the
// nodes of cycles to be summed; the other nodes of cycles have the sum Zero.
func (p *pass[W]) inside(use func(*pass[W]) []bool) ([]W, error) {
	x := make([]W, p.pairs.size())
	x[p.NumNodes()] = p.ring.One()
	if len(p.topology.cycles) > 0 {
		p.use, p.solvers = use(p), make([]*solve.Solver[W], len(p.topology.cycles))
	}
	for run := range p.topology.upward() {
		if run.cycle < 0 {
			p.insideRun(x, run.lo, run.hi)
		} else if err := p.insideCycle(x, run.cycle); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// insideRun fills in x for the nodes at positions lo … hi−1, which are on no cycle.
func (p *pass[W]) insideRun(x []W, lo, hi int) {
	edge := p.topology.edge
	for at := lo; at < hi; at++ {
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
			p.firstContexts(x, v)
		}
		p.kernel.Dot2(&x[v], p.weight[lo:hi], nil, x, p.first[lo:hi], x, p.second[lo:hi])
	}
}

// firstContexts fills in the first contexts of the wide edges of node v.
func (p *pass[W]) firstContexts(x []W, v int32) {
	for n := p.wideRow[v]; n < p.wideRow[v+1]; n++ {
		x[p.context[n]] = p.productOf(x, p.Tails(p.wide[n])[1:])
	}
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

// derivable returns, per node, whether it has a derivation.
func (p *pass[W]) derivable() []bool {
	return p.topology.derivable(func(e int32) bool { return !p.ring.IsZero(p.weight[e]) })
}

// useful returns, per node, whether it occurs in a tree.
func (p *pass[W]) useful() []bool {
	derived := p.derivable()
	var tops []int32
	for _, r := range p.roots {
		if !p.ring.IsZero(r.Weight) && derived[r.Node] {
			tops = append(tops, r.Node)
		}
	}
	weighs := make([]bool, len(p.weight))
	for e, w := range p.weight {
		weighs[e] = !p.ring.IsZero(w)
	}
	s := p.topology.structure()
	return s.Below(tops, s.Complete(weighs, derived))
}

// lost reports whether sums in Real, computed with error err, have left the range of float64. On
// a cycle, overflow may look like divergence.
func lost[W any](err error, sums ...W) bool {
	return weights.Lost(err, sums...) || errors.Is(err, semiring.ErrDiverges)
}

// widened returns f in Scaled if its ring is Real and its sums were lost, else nil.
func widened[W any](f *Forest[W], lost bool) *Forest[semiring.ScaledFloat] {
	if !lost || !weights.IsReal(f.ring) {
		return nil
	}
	return inScaled(any(f).(*Forest[float64]))
}

// The functions below are instances of generic functions for forests over Scaled. They are not
// inlined, so that packages with other weight types need not compile the code they call.

// inScaled returns the image of f in Scaled.
//
//go:noinline
func inScaled(f *Forest[float64]) *Forest[semiring.ScaledFloat] {
	return Map(f, semiring.Scaled{}, semiring.NewScaled)
}

//go:noinline
func treeSumScaled(f *Forest[semiring.ScaledFloat]) (semiring.ScaledFloat, error) { return TreeSum(f) }

//go:noinline
func insideScaled(f *Forest[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) { return Inside(f) }

// narrowed converts a sum over Scaled, computed with error err, to a weight of Real.
func narrowed[W any](sum semiring.ScaledFloat, err error) (W, error) {
	x, err := narrowedAll[W]([]semiring.ScaledFloat{sum}, err)
	if err != nil {
		var none W
		return none, err
	}
	return x[0], nil
}

// narrowedAll is narrowed for several sums.
func narrowedAll[W any](sums []semiring.ScaledFloat, err error) ([]W, error) {
	if err != nil {
		return nil, err
	}
	x, err := weights.Narrowed[W](sums...)
	if err != nil {
		return nil, nested.Errorf("forest: %w", err)
	}
	return x, nil
}

// checkNumbers returns an error for sums in a derived ring that are not numbers.
func checkNumbers[W any](f *Forest[W], sums ...W) error {
	if err := weights.CheckNumbers(f.ring, sums...); err != nil {
		return nested.Errorf("forest: %w", err)
	}
	return nil
}
