package graph

import (
	"cmp"
	"errors"
	"fmt"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/solve"
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
	derivation.Distribution // its Inside is β
	g                       *Graph[semiring.ScaledFloat]
	solver                  *solver[semiring.ScaledFloat]
	total                   semiring.ScaledFloat // positive and finite
	x                       []semiring.ScaledFloat
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
	d := &distribution{g: m, solver: s, total: sum}
	d.Distribution = derivation.Distribution{
		Structure: structure(m.topology), Entries: startStates(m), Entry: startMasses(m),
		Option: m.weight, End: m.final, Inside: beta, Solve: d.solve,
	}
	return d, nil
}

// structure returns a topology as that of derivations, which end where paths begin.
func structure(t *topology) derivation.Structure {
	s := derivation.Structure{Row: t.Row, Tails: t.To, Order: t.ReverseOrder()}
	c := t.Components()
	for i := c.Len() - 1; i >= 0 && c.Cyclic(); i-- {
		if lo, hi := c.Bounds(i); c.Loop[i] {
			s.Cycles = append(s.Cycles, derivation.Span{Lo: c.N - hi, Hi: c.N - lo})
		}
	}
	return s
}

// startStates returns the state of every start entry.
func startStates[W any](g *Graph[W]) []int32 {
	states := make([]int32, len(g.starts))
	for i, start := range g.starts {
		states[i] = start.State
	}
	return states
}

// startMasses returns the mass of every start entry.
func startMasses(m *Graph[semiring.ScaledFloat]) []semiring.ScaledFloat {
	masses := make([]semiring.ScaledFloat, len(m.starts))
	for i, start := range m.starts {
		masses[i] = start.Weight
	}
	return masses
}

// solve is derivation.Distribution.Solve: the paths of a cyclic component, forward or backward.
func (d *distribution) solve(n int, y []semiring.ScaledFloat, down bool) error {
	if d.x == nil {
		d.x = make([]semiring.ScaledFloat, d.g.NumStates())
	}
	states := d.Order[d.Cycles[n].Lo:d.Cycles[n].Hi]
	c := int(d.g.topology.ComponentOf()[states[0]])
	for i, s := range states {
		d.x[s] = y[i]
	}
	var err error
	if down {
		err = solve.ForwardInside(d.solver.cyclic, d.x, c)
	} else {
		err = solve.BackwardInside(d.solver.cyclic, d.x, c)
	}
	for i, s := range states {
		y[i], d.x[s] = d.x[s], semiring.ScaledFloat{}
	}
	return err
}

// posterior returns the expected numbers of uses of all parts. It is not inlined, so that it
// is compiled here alone.
//
//go:noinline
func (d *distribution) posterior() (*Posterior[semiring.ScaledFloat], error) {
	return posteriors(d.solver, semiring.Scaled{}, d.Inside)
}

// uses returns p as numbers of uses in derivations.
func uses(p *Posterior[semiring.ScaledFloat]) derivation.Uses {
	return derivation.Uses{Numbers: derivation.Numbers{Entry: p.Start, Option: p.Arc, End: p.Final}, Node: p.State}
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
	return cmp.Or(
		derivation.CheckMasses("graph: arc %d weighs %v", m.weight),
		derivation.CheckMasses("graph: start %d weighs %v", startMasses(m)),
		derivation.CheckMasses("graph: state %d has final weight %v", m.final))
}

// Parts holds a number for every part of a graph that a path is made of. A nil
// slice stands for zeros.
type Parts struct {
	Start []float64 // per start entry
	Arc   []float64 // per arc
	Final []float64 // per state: for ending there
}

// kinds returns how many parts of each kind a graph has.
func kinds[W any](g *Graph[W]) derivation.Kinds {
	return derivation.Kinds{{Name: "starts", N: len(g.starts)}, {Name: "arcs", N: g.NumArcs()}, {Name: "final weights", N: g.NumStates()}}
}

// Values gives every part of a graph a vector of Dim numbers. The value of a path
// is the sum over its parts: its start entry, its arcs, and the state where it ends.
type Values struct {
	Dim               int
	Start, Arc, Final semiring.Rows
}
