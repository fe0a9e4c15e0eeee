package graph

import (
	"errors"
	"fmt"

	"example.org/pathsum/internal/choice"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/columns"
	"example.org/pathsum/semiring/internal/weights"
)

var (
	// ErrNoPath is wrapped by the error for a question about a random path of a
	// graph that has none.
	ErrNoPath = errors.New("graph has no path")
)

// distribution is the probability distribution over the paths of a graph that
// draws each in proportion to its weight. Whatever the graph's ring, its masses
// are held in Scaled, where nothing underflows and derivatives may be negative.
type distribution struct {
	g      *Graph[semiring.ScaledFloat]
	solver *solver[semiring.ScaledFloat]
	beta   []semiring.ScaledFloat
	total  semiring.ScaledFloat // positive and finite
}

// newDistribution takes a backward pass. The error wraps semiring.ErrCapability if
// the ring's weights are not masses that ⊕ adds, semiring.ErrNegative or
// semiring.ErrNotFinite if a weight is no mass, ErrNoPath, or is as for PathSum.
func newDistribution[W any](g *Graph[W]) (*distribution, error) {
	m, err := masses(g)
	if err != nil {
		return nil, err
	}
	return distributionOf(m)
}

// distributionOf is newDistribution for a graph of masses.
func distributionOf(m *Graph[semiring.ScaledFloat]) (*distribution, error) {
	s, beta, err := usefulBackward(m)
	if err != nil {
		return nil, err
	}
	sum := total(m, beta)
	if sum.IsZero() {
		return nil, fmt.Errorf("graph: %w", ErrNoPath)
	}
	if !sum.IsFinite() {
		return nil, fmt.Errorf("graph: %w: the total is %v", semiring.ErrNotFinite, sum)
	}
	return &distribution{m, s, beta, sum}, nil
}

// posterior returns the expected numbers of uses of all parts. It is not inlined, so that it
// is compiled here alone.
//
//go:noinline
func (d *distribution) posterior() (*Posterior[semiring.ScaledFloat], error) {
	return posteriors(d.solver, semiring.Scaled{}, d.beta)
}

// masses returns g over Scaled after looking at every weight.
func masses[W any](g *Graph[W]) (*Graph[semiring.ScaledFloat], error) {
	mass := weights.MassOf(g.ring)
	if mass == nil {
		return nil, fmt.Errorf("graph: random paths: %w: weights of %s are not probabilities that ⊕ adds",
			semiring.ErrCapability, typename.Of(g.ring))
	}
	m, ok := any(g).(*Graph[semiring.ScaledFloat])
	if _, same := any(g.ring).(semiring.Scaled); !ok || !same {
		m = Map(g, semiring.Scaled{}, mass.Of)
	}
	if err := checkMasses(m); err != nil {
		return nil, err
	}
	return m, nil
}

// checkMasses returns an error for the first weight of m that is no mass.
func checkMasses(m *Graph[semiring.ScaledFloat]) error {
	for e, w := range m.weight {
		if err := weights.CheckMass(w); err != nil {
			return nested.Errorf("graph: arc %d weighs %v: %w", e, w, err)
		}
	}
	for i, start := range m.starts {
		if err := weights.CheckMass(start.Weight); err != nil {
			return nested.Errorf("graph: start %d weighs %v: %w", i, start.Weight, err)
		}
	}
	for s, w := range m.final {
		if err := weights.CheckMass(w); err != nil {
			return nested.Errorf("graph: state %d has final weight %v: %w", s, w, err)
		}
	}
	return nil
}

// A random path is a Markov chain: it takes a start, and then from every state an
// arc, or ends there, each in proportion to the mass of the paths that do so.

// Start makes c the choice between the start entries.
func (d *distribution) Start(c *choice.Choice) {
	c.Clear()
	for _, start := range d.g.starts {
		c.Add(start.Weight.Mul(d.beta[start.State]))
	}
	c.Divide()
}

// Place makes c the choice between the arcs from state s and, as the last option,
// ending there.
func (d *distribution) Place(c *choice.Choice, s int32) {
	g := d.g
	lo, hi := g.topology.Row[s], g.topology.Row[s+1]
	to := g.topology.To[lo:hi]
	c.Clear()
	for e, w := range g.weight[lo:hi] {
		c.Add(w.Mul(d.beta[to[e]]))
	}
	c.Add(g.final[s])
	c.Divide()
}

// Possible returns the states on some path.
func (d *distribution) Possible() []bool {
	possible := d.g.Accessible()
	for s, beta := range d.beta {
		possible[s] = possible[s] && !beta.IsZero()
	}
	return possible
}

// Parts holds a number for every part of a graph that a path is made of. A nil
// slice stands for zeros.
type Parts struct {
	Start []float64 // per start entry
	Arc   []float64 // per arc
	Final []float64 // per state: for ending there
}

// kinds returns how many parts of each kind a graph has.
func kinds[W any](g *Graph[W]) columns.Kinds {
	return columns.Kinds{{Name: "starts", N: len(g.starts)}, {Name: "arcs", N: g.NumArcs()}, {Name: "final weights", N: g.NumStates()}}
}

// newParts returns zeros for the parts of a graph, and the same as one slice:
// starts, arcs, final weights.
func newParts[W any](g *Graph[W]) (Parts, []float64) {
	each, all := kinds(g).Zeros()
	return Parts{each[0], each[1], each[2]}, all
}

// fillParts returns v with zeros for its nil slices. The error wraps
// semiring.ErrShape if a slice does not fit g.
func fillParts[W any](g *Graph[W], v Parts) (Parts, error) {
	if err := kinds(g).Fill(&v.Start, &v.Arc, &v.Final); err != nil {
		return v, nested.Errorf("graph: %w", err)
	}
	return v, nil
}

// Values gives every part of a graph a vector of Dim numbers. The value of a path
// is the sum over its parts: its start entry, its arcs, and the state where it ends.
type Values struct {
	Dim               int
	Start, Arc, Final semiring.Rows
}

// table returns the vectors of all starts, arcs and final weights, in the order of
// newParts, after checking them.
func table[W any](g *Graph[W], v Values) ([]semiring.Rows, error) {
	rows, err := kinds(g).Check(v.Dim, v.Start, v.Arc, v.Final)
	if err != nil {
		return nil, nested.Errorf("graph: %w", err)
	}
	return rows, nil
}
