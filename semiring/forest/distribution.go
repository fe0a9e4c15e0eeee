package forest

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// randomTrees returns the trees of f as derivations. A tree is drawn from the root down: first a
// root entry, then an edge for the root, then an edge for every tail. Each choice is proportional
// to the mass of the derivations by the edge and independent of earlier choices. Masses are
// stored in Scaled for every ring, so they do not underflow.
func randomTrees[W any](f *Forest[W]) *derivation.Source {
	return newRandomTrees(f.topology, rootNodes(f), func() (*Forest[semiring.ScaledFloat], error) { return masses(f) })
}

// newRandomTrees is randomTrees for the masses of a forest with topology t and the given roots.
func newRandomTrees(t *topology, roots []int32, masses func() (*Forest[semiring.ScaledFloat], error)) *derivation.Source {
	return &derivation.Source{
		Structure: t.structure(), Name: "forest", Entries: roots, Empty: ErrNoTree,
		Kinds: derivation.Kinds{{Name: "roots", N: len(roots)}, {Name: "edges", N: len(t.tail) - 1}, {}},
		Open: func() (derivation.Distribution, error) {
			m, err := masses()
			if err != nil {
				return derivation.Distribution{}, err
			}
			p := newPass(m)
			x, err := p.inside((*pass[semiring.ScaledFloat]).useful)
			if err != nil {
				return derivation.Distribution{}, err
			}
			return derivation.Distribution{
				Entry: rootMasses(m), Option: m.weight, Inside: ofNodes(m, x), Total: total(m, x),
				Posterior: func() (derivation.Uses, error) {
					post, err := p.posteriors(semiring.Scaled{}, x)
					if err != nil {
						return derivation.Uses{}, err
					}
					return derivation.Uses{Numbers: derivation.Numbers{Entry: post.Root, Option: post.Edge}, Node: post.Node}, nil
				},
				Solve: func(n int, y []semiring.ScaledFloat, down bool) error {
					s, q, err := p.solverAt(n, x)
					if err != nil {
						return err
					}
					if down {
						return q.failed(solve.ForwardInside(s, y, 0))
					}
					return q.failed(solve.BackwardInside(s, y, 0))
				},
			}, nil
		},
	}
}

// rootNodes returns the node of every root entry.
func rootNodes[W any](f *Forest[W]) []int32 {
	nodes := make([]int32, len(f.roots))
	for i, r := range f.roots {
		nodes[i] = r.Node
	}
	return nodes
}

// rootMasses returns the mass of every root entry.
func rootMasses(m *Forest[semiring.ScaledFloat]) []semiring.ScaledFloat {
	masses := make([]semiring.ScaledFloat, len(m.roots))
	for i, r := range m.roots {
		masses[i] = r.Weight
	}
	return masses
}

// masses returns f over Scaled. It checks every weight.
func masses[W any](f *Forest[W]) (*Forest[semiring.ScaledFloat], error) {
	mass := weights.MassOf(f.ring)
	if mass == nil {
		return nil, nested.Errorf("forest: random trees: %w: weights of %s are not probabilities that ⊕ adds",
			semiring.ErrCapability, typename.Of(f.ring))
	}
	m := Map(f, semiring.Scaled{}, mass.Of)
	if err := checkMasses(m); err != nil {
		return nil, err
	}
	return m, nil
}

// checkMasses returns an error for the first weight of m that is not a valid mass.
func checkMasses(m *Forest[semiring.ScaledFloat]) error {
	return cmp.Or(
		derivation.CheckMasses("forest: edge %d weighs %v", m.weight),
		derivation.CheckMasses("forest: root %d weighs %v", rootMasses(m)))
}

// Parts holds a number for every part of a forest: its root entries and edges. A nil slice stands
// for zeros.
type Parts struct {
	Root []float64 // per root entry
	Edge []float64 // per edge
}

// Values gives every part of a forest a vector of Dim numbers. The value of a tree is the sum
// over its root entry and all occurrences of edges in it.
type Values struct {
	Dim        int
	Root, Edge semiring.Rows
}

// Entropy returns −Σ p ln p, in nats, over the trees of f, drawn in proportion to their weights.
// Edges with the same tails, and root entries with the same node, count as different trees.
//
// It is the expected number of occurrences of every node times the entropy of the choice of an
// edge for it: a sum of non-negative terms without cancellation, even if choices are nearly
// certain. The ring's weights must be probabilities that ⊕ adds, and not negative. It costs
// Posteriors and one logarithm per edge. The error wraps semiring.ErrCapability,
// semiring.ErrNegative, semiring.ErrNotFinite or ErrNoTree.
func Entropy[W any](f *Forest[W]) (float64, error) { return CrossEntropy(f, f) }

// CrossEntropy returns −Σ p ln q, in nats, over trees with probability p in one forest and q in
// the other, which must have the same edges and root nodes: the expected length of a tree of p in
// a code made for q. It is +Inf if a tree with positive probability in p has probability 0 in q.
// Accuracy and cost are as for Entropy. The error wraps semiring.ErrShape if the forests differ
// in more than their weights; for either forest, errors are as for Entropy.
func CrossEntropy[W any](p, q *Forest[W]) (float64, error) { return compare(p, q, choice.CrossEntropy) }

// KullbackLeibler returns Σ p ln(p/q), in nats, over trees with probability p in one forest and q
// in the other, which must have the same edges and root nodes. It is never negative and 0 for
// forests with the same weights. It is +Inf if a tree with positive probability in p has
// probability 0 in q; trees that only q has merely take probability away from others.
//
// It is the expected number of occurrences of every node, in p, times the divergence of the
// choice of an edge for it, itself a sum of non-negative terms: the error of a divergence D is
// about √D roundings of probabilities, so half of its digits are correct at D = 1e-16. Cost and
// errors are as for CrossEntropy.
func KullbackLeibler[W any](p, q *Forest[W]) (float64, error) {
	return compare(p, q, choice.Divergence)
}

// compare sums a comparison of choices over a random tree of p.
func compare[W any](p, q *Forest[W], local derivation.Comparison) (float64, error) {
	a := randomTrees(p)
	b := a
	if p != q {
		b = randomTrees(q)
	}
	return derivation.Compare(a, b, local, "edges and root nodes")
}

// Mean returns the expected value of a random tree of f, drawn in proportion to its weight: v.Dim
// numbers. v holds the values of the parts, which are summed over the tree.
//
// It costs Posteriors and one operation per non-zero of v; no vectors are carried along the
// edges. The ring's weights must be probabilities that ⊕ adds and not negative. The error wraps
// semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite, ErrNoTree, or
// semiring.ErrShape if the shape of v does not match f.
func Mean[W any](f *Forest[W], v Values) ([]float64, error) {
	return randomTrees(f).Mean(v.Dim, v.Root, v.Edge, semiring.Rows{})
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a random tree of
// f, drawn in proportion to its weight. v holds the values of the parts, which are summed over
// the tree.
//
// Column j is the derivative of the mean when weights are tilted by component j: two passes over
// plain numbers (see HessianVector). That takes O(Dim · (size of the forest + non-zeros of v))
// and memory for the forest and the non-zeros. Variances are sums of squares and never negative;
// the other covariances are sums of values of one component times covariances of the other with
// the use of a part, and so lose digits if great values cancel in every tree. Conditions and
// errors are as for Mean.
func Covariance[W any](f *Forest[W], v Values) ([]float64, *mat.SymDense, error) {
	return randomTrees(f).Covariance(v.Dim, v.Root, v.Edge, semiring.Rows{})
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z, the logarithm
// of the tree sum, with respect to the logarithms of all root and edge weights. Posteriors
// returns the gradient.
//
// Let N be the number of times that a random tree uses each part, and V the sum of v over the
// tree. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V), the derivative by ε
// of each expected count when weights are multiplied by 1 + ε·v. With respect to the weights w
// themselves, the gradient is E[N]/w and the product is (H·(v/w) − E[N]·v/w)/w, part by part.
//
// It takes one pass up and one down the forest, over plain numbers, after Posteriors. The mean of
// V is subtracted during the passes, not at the end, so a V with a mean much greater than its
// deviation loses no digits. Conditions and errors are as for Mean.
func HessianVector[W any](f *Forest[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(f, v)
	return product, err
}

// PosteriorsAlong returns the results of Posteriors, in Scaled, and of HessianVector from one
// computation.
func PosteriorsAlong[W any](f *Forest[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	total, p, x, err := randomTrees(f).Along(derivation.Numbers{Entry: v.Root, Option: v.Edge})
	if err != nil {
		return nil, Parts{}, err
	}
	return &Posterior[semiring.ScaledFloat]{total, p.Option, p.Node, p.Entry}, Parts{x.Entry, x.Option}, nil
}

// Sampler draws random trees of one forest, each with probability weight / total. It is immutable
// and so safe for concurrent use if every goroutine has its own source of random numbers.
type Sampler[W any] struct {
	f          *Forest[W]
	rootWeight []W // per root entry: the sum over all entries of its node
	sampler    *derivation.Sampler
}

// NewSampler returns a sampler of f. The ring's weights must be probabilities that ⊕
// adds, and not negative; the total may have any finite mass of any magnitude. It
// takes an inside pass and 8 bytes per edge.
//
// The error wraps semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite
// or ErrNoTree.
func NewSampler[W any](f *Forest[W]) (*Sampler[W], error) {
	d, err := randomTrees(f).Distribution()
	if err != nil {
		return nil, err
	}
	s := &Sampler[W]{f, make([]W, len(f.roots)), derivation.NewSampler(d)}
	sum := make(map[int32]W)
	for _, r := range distinctRoots(f) {
		sum[r.Node] = r.Weight
	}
	for i, r := range f.roots {
		s.rootWeight[i] = sum[r.Node]
	}
	return s, nil
}

// Sample draws a tree. The same random numbers give the same tree: one is drawn for the root, and
// one per edge. It takes O(size of the tree · log(edges per node)); a choice of probability below
// 2⁻⁵³ at its node may never be taken, and a choice of probability 0 is never taken.
func (s *Sampler[W]) Sample(src rand.Source) Tree[W] {
	f, r := s.f, rand.New(src)
	root := s.sampler.Entry(r)
	t := Tree[W]{Root: f.roots[root].Node, Weight: s.rootWeight[root]}
	open := []int32{t.Root}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		e := s.sampler.Option(v, r)
		t.Edges = append(t.Edges, e)
		t.Weight = f.ring.Times(t.Weight, f.weight[e])
		for _, u := range slices.Backward(f.Tails(e)) {
			open = append(open, u)
		}
	}
	return t
}
