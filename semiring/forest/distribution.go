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

// randomTrees returns the trees of f as derivations. A tree is drawn from the root down: it takes
// a root entry, and for that, and then for every tail, an edge, each in proportion to the mass of
// the derivations by it, whatever was taken before. Whatever the forest's ring, its masses are
// held in Scaled, where nothing underflows.
func randomTrees[W any](f *Forest[W]) *derivation.Source {
	return newRandomTrees(f.topology, rootNodes(f), func() (*Forest[semiring.ScaledFloat], error) { return masses(f) })
}

// newRandomTrees is randomTrees for the masses of a forest of that topology and roots.
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

// Parts holds a number for every part of a forest that a tree is made of. A nil slice
// stands for zeros.
type Parts struct {
	Root []float64 // per root entry
	Edge []float64 // per edge
}

// Values gives every part of a forest a vector of Dim numbers. The value of a tree is
// the sum over its parts: its root entry, and its edges as often as it uses them.
type Values struct {
	Dim        int
	Root, Edge semiring.Rows
}
