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

// randomPaths returns the paths of g as derivations. A path is a Markov chain: it takes a start, and
// then from every state an arc, or ends there, each in proportion to the mass of the paths that
// do so. Whatever the graph's ring, its masses are held in Scaled, where nothing underflows and
// derivatives may be negative.
func randomPaths[W any](g *Graph[W]) *derivation.Source {
	return newRandomPaths(g.topology, startStates(g), func() (*Graph[semiring.ScaledFloat], error) { return masses(g) })
}

// newRandomPaths is randomPaths for the masses of a graph of that topology and start states.
func newRandomPaths(t *topology, starts []int32, masses func() (*Graph[semiring.ScaledFloat], error)) *derivation.Source {
	paths := structure(t)
	return &derivation.Source{
		Structure: paths, Name: "graph", Entries: starts, Empty: ErrNoPath,
		Kinds: derivation.Kinds{{Name: "starts", N: len(starts)}, {Name: "arcs", N: len(t.To)}, {Name: "final weights", N: t.NumStates()}},
		Open: func() (derivation.Distribution, error) {
			m, err := masses()
			if err != nil {
				return derivation.Distribution{}, err
			}
			s, beta, err := usefulBackward(m)
			if err != nil {
				return derivation.Distribution{}, err
			}
			var x []semiring.ScaledFloat
			return derivation.Distribution{
				Entry: startMasses(m), Option: m.weight, End: m.final, Inside: beta, Total: total(m, beta),
				Posterior: func() (derivation.Uses, error) {
					p, err := posteriors(s, semiring.Scaled{}, beta)
					if err != nil {
						return derivation.Uses{}, err
					}
					return derivation.Uses{Numbers: derivation.Numbers{Entry: p.Start, Option: p.Arc, End: p.Final}, Node: p.State}, nil
				},
				Solve: func(n int, y []semiring.ScaledFloat, down bool) error {
					if x == nil {
						x = make([]semiring.ScaledFloat, t.NumStates())
					}
					return sumInside(s, paths.Cycles[n], x, y, down)
				},
			}, nil
		},
	}
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

// sumInside is derivation.Distribution.Solve for the component at the positions span of the
// reverse order. x holds a zero per state.
func sumInside(s *solver[semiring.ScaledFloat], span derivation.Span, x, y []semiring.ScaledFloat, down bool) error {
	states := s.g.topology.ReverseOrder()[span.Lo:span.Hi]
	for i, state := range states {
		x[state] = y[i]
	}
	by := solve.BackwardInside[semiring.ScaledFloat]
	if down {
		by = solve.ForwardInside[semiring.ScaledFloat]
	}
	err := by(s.cyclic, x, int(s.g.topology.ComponentOf()[states[0]]))
	for i, state := range states {
		y[i], x[state] = x[state], semiring.ScaledFloat{}
	}
	return err
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

// Values gives every part of a graph a vector of Dim numbers. The value of a path
// is the sum over its parts: its start entry, its arcs, and the state where it ends.
type Values struct {
	Dim               int
	Start, Arc, Final semiring.Rows
}
