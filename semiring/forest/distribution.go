package forest

import (
	"cmp"
	"fmt"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// distribution is the probability distribution over the trees of a forest that draws
// each in proportion to its weight. Whatever the forest's ring, its masses are held
// in Scaled, where nothing underflows.
type distribution struct {
	derivation.Distribution
	pass *pass[semiring.ScaledFloat]
	x    []semiring.ScaledFloat // see pairs
}

// newDistribution takes an inside pass. The error wraps semiring.ErrCapability if the
// ring's weights are not masses that ⊕ adds, semiring.ErrNegative or
// semiring.ErrNotFinite if a weight is no mass or the total is not finite, and
// ErrNoTree.
func newDistribution[W any](f *Forest[W]) (*distribution, error) {
	m, err := masses(f)
	if err != nil {
		return nil, err
	}
	return distributionOf(m)
}

// distributionOf is newDistribution for a forest of masses.
func distributionOf(m *Forest[semiring.ScaledFloat]) (*distribution, error) {
	p := newPass(m)
	x, err := p.inside((*pass[semiring.ScaledFloat]).useful)
	if err != nil {
		return nil, err
	}
	switch total := total(m, x); {
	case total.IsZero():
		return nil, fmt.Errorf("forest: %w", ErrNoTree)
	case !total.IsFinite():
		return nil, fmt.Errorf("forest: %w: the total is %v", semiring.ErrNotFinite, total)
	}
	d := &distribution{pass: p, x: x}
	d.Distribution = derivation.Distribution{
		Structure: p.topology.structure(), Entries: rootNodes(m), Entry: rootMasses(m),
		Option: m.weight, Inside: ofNodes(m, x), Solve: d.solve,
	}
	return d, nil
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

// solve is derivation.Distribution.Solve: sums along the derivatives of cycle n.
func (d *distribution) solve(n int, y []semiring.ScaledFloat, down bool) error {
	s, q, err := d.pass.solverAt(n, d.x)
	if err != nil {
		return err
	}
	if down {
		return q.failed(solve.ForwardInside(s, y, 0))
	}
	return q.failed(solve.BackwardInside(s, y, 0))
}

// masses returns f over Scaled after looking at every weight.
func masses[W any](f *Forest[W]) (*Forest[semiring.ScaledFloat], error) {
	mass := weights.MassOf(f.ring)
	if mass == nil {
		return nil, fmt.Errorf("forest: random trees: %w: weights of %s are not probabilities that ⊕ adds",
			semiring.ErrCapability, typename.Of(f.ring))
	}
	m := Map(f, semiring.Scaled{}, mass.Of)
	if err := checkMasses(m); err != nil {
		return nil, err
	}
	return m, nil
}

// checkMasses returns an error for the first weight of m that is no mass.
func checkMasses(m *Forest[semiring.ScaledFloat]) error {
	return cmp.Or(
		derivation.CheckMasses("forest: edge %d weighs %v", m.weight),
		derivation.CheckMasses("forest: root %d weighs %v", rootMasses(m)))
}

// posterior returns the expected numbers of uses of all parts. It is not inlined, so that it
// is compiled here alone.
//
//go:noinline
func (d *distribution) posterior() (*Posterior[semiring.ScaledFloat], error) {
	return d.pass.posteriors(semiring.Scaled{}, d.x)
}

// usesOf returns p as numbers of uses in derivations.
func usesOf(p *Posterior[semiring.ScaledFloat]) derivation.Uses {
	return derivation.Uses{Numbers: derivation.Numbers{Entry: p.Root, Option: p.Edge}, Node: p.Node}
}

// Parts holds a number for every part of a forest that a tree is made of. A nil slice
// stands for zeros.
type Parts struct {
	Root []float64 // per root entry
	Edge []float64 // per edge
}

// kinds returns how many parts of each kind a forest has.
func kinds[W any](f *Forest[W]) derivation.Kinds {
	return derivation.Kinds{{Name: "roots", N: len(f.roots)}, {Name: "edges", N: f.NumEdges()}, {}}
}

// Values gives every part of a forest a vector of Dim numbers. The value of a tree is
// the sum over its parts: its root entry, and its edges as often as it uses them.
type Values struct {
	Dim        int
	Root, Edge semiring.Rows
}
