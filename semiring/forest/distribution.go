package forest

import (
	"fmt"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/columns"
	"example.org/pathsum/semiring/internal/weights"
)

// distribution is the probability distribution over the trees of a forest that draws
// each in proportion to its weight. Whatever the forest's ring, its masses are held
// in Scaled, where nothing underflows.
type distribution struct {
	*pass[semiring.ScaledFloat]
	x []semiring.ScaledFloat // see pairs
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
	return &distribution{p, x}, nil
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
	for e, w := range m.weight {
		if err := weights.CheckMass(w); err != nil {
			return nested.Errorf("forest: edge %d weighs %v: %w", e, w, err)
		}
	}
	for i, r := range m.roots {
		if err := weights.CheckMass(r.Weight); err != nil {
			return nested.Errorf("forest: root %d weighs %v: %w", i, r.Weight, err)
		}
	}
	return nil
}

// A random tree is drawn from the root down: it takes a root entry, and for that, and
// then for every tail, an edge, each in proportion to the mass of the derivations by
// it, whatever was taken before.

// Start makes c the choice between the root entries.
func (d *distribution) Start(c *choice.Choice) {
	c.Clear()
	for _, r := range d.roots {
		c.Add(r.Weight.Mul(d.x[r.Node]))
	}
	c.Divide()
}

// Place makes c the choice between the edges of node v.
func (d *distribution) Place(c *choice.Choice, v int32) {
	c.Clear()
	for e := d.topology.edge[v]; e < d.topology.edge[v+1]; e++ {
		c.Add(d.weight[e].Mul(d.x[d.first[e]]).Mul(d.x[d.second[e]]))
	}
	c.Divide()
}

// Possible returns the nodes of some tree.
func (d *distribution) Possible() []bool { return d.onTrees(d.x) }

// posterior returns the expected numbers of uses of all parts. It is not inlined, so that it
// is compiled here alone.
//
//go:noinline
func (d *distribution) posterior() (*Posterior[semiring.ScaledFloat], error) {
	return d.posteriors(semiring.Scaled{}, d.x)
}

// Parts holds a number for every part of a forest that a tree is made of. A nil slice
// stands for zeros.
type Parts struct {
	Root []float64 // per root entry
	Edge []float64 // per edge
}

// kinds returns how many parts of each kind a forest has.
func kinds[W any](f *Forest[W]) columns.Kinds {
	return columns.Kinds{{Name: "roots", N: len(f.roots)}, {Name: "edges", N: f.NumEdges()}}
}

// newParts returns zeros for the parts of a forest, and the same as one slice: roots,
// edges.
func newParts[W any](f *Forest[W]) (Parts, []float64) {
	each, all := kinds(f).Zeros()
	return Parts{each[0], each[1]}, all
}

// fillParts returns v with zeros for its nil slices. The error wraps
// semiring.ErrShape if a slice does not fit f.
func fillParts[W any](f *Forest[W], v Parts) (Parts, error) {
	if err := kinds(f).Fill(&v.Root, &v.Edge); err != nil {
		return v, nested.Errorf("forest: %w", err)
	}
	return v, nil
}

// Values gives every part of a forest a vector of Dim numbers. The value of a tree is
// the sum over its parts: its root entry, and its edges as often as it uses them.
type Values struct {
	Dim        int
	Root, Edge semiring.Rows
}

// table returns the vectors of roots and edges after checking them.
func table[W any](f *Forest[W], v Values) ([]semiring.Rows, error) {
	rows, err := kinds(f).Check(v.Dim, v.Root, v.Edge)
	if err != nil {
		return nil, nested.Errorf("forest: %w", err)
	}
	return rows, nil
}
