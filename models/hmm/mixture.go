package hmm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Mixture is an emission by mixtures: each state emits by one of several components, drawn in
// proportion to weights. The components are the states of another emission of the same
// observations, such as a Gaussian. It is an Emission[O].
type Mixture[O any] struct {
	name       string
	base       Emission[O]
	groups     []*em.Group // per mixture: its weights
	of         []int       // per state: its mixture
	components [][]int     // per mixture: its components
}

// NewMixture returns an emission by len(of) states. State i has mixture of[i], counted from 0:
// states with the same number share one. components lists the components of each mixture, which
// are states of base; mixtures may share components, each with its own weights. Nil divides the
// states of base equally: the first states are components of mixture 0, the next states of
// mixture 1, and so on. The weights of each mixture become a group of p, estimated by law, whose
// name is name and the number.
//
// Components that are equal at the start remain equal, and Fit returns an error for them. To make
// them differ, use StartRandom or StartKMeans. At a temperature, as in annealing, states are
// tempered and components are not. The error wraps ErrInvalid.
//
// Source: Juang 1985.
func NewMixture[O any](p *em.Params, name string, of []int, components [][]int, law em.Law, base Emission[O]) (*Mixture[O], error) {
	nonnil.Check("hmm: NewMixture", "parameters", p, "law", law, "emission of the components", base)
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if err := checkGroups(p, base); err != nil {
		return nil, err
	}
	if components == nil {
		if n == 0 || base.States()%n != 0 {
			return nil, nested.Errorf("hmm: %w: %d components for %d mixtures, want equally many for each or lists of them", ErrInvalid, base.States(), n)
		}
		components = slices.Collect(slices.Chunk(Each(base.States()), base.States()/n))
	}
	if len(components) != n {
		return nil, nested.Errorf("hmm: %w: lists of components for %d mixtures, want one for each of %d", ErrInvalid, len(components), n)
	}
	e := &Mixture[O]{name: name, base: base, of: slices.Clone(of)}
	for d, list := range components {
		if err := (Topology{States: base.States()}).distinct(list); err != nil || len(list) == 0 {
			return nil, nested.Errorf("hmm: %w: mixture %d has the components %v, want one or more different numbers in [0, %d)", ErrInvalid, d, list, base.States())
		}
		e.components = append(e.components, slices.Clone(list))
	}
	if err := unnamed(p, name, n); err != nil {
		return nil, err
	}
	for d, list := range e.components {
		e.groups = append(e.groups, p.Distribution(fmt.Sprintf("%s/%d", name, d), len(list), law))
	}
	return e, nil
}

// Groups returns the groups of the components, and then the weights of each mixture.
func (e *Mixture[O]) Groups() []*em.Group { return append(groupsOf(e.base), e.groups...) }

// Weights returns the weights of a mixture at theta, in the order of its components. State i has
// mixture of[i], where of is the argument of NewMixture. The result shares storage with theta.
func (e *Mixture[O]) Weights(theta []float64, mixture int) []float64 {
	return e.groups[mixture].In(theta)
}

// String describes the components and lists them for each state.
func (e *Mixture[O]) String() string {
	return fmt.Sprintf("mixtures %v with the components %v of %v", e.of, e.components, e.base)
}

func (e *Mixture[O]) saved() (savedEmission, error) {
	base, err := saved(e.base)
	return savedEmission{Kind: "mixture", Name: e.name, Of: e.of, Components: e.components,
		Law: &em.SavedLaw{Law: e.groups[0].Law()}, Parts: []savedEmission{base}}, err
}

// Mixtures is the kind of Mixture with components of the given kind.
func Mixtures[O any, E Emission[O]](components Kind[O, E]) Kind[O, *Mixture[O]] {
	return Kind[O, *Mixture[O]]{"mixture", func(p *em.Params, s savedEmission, parameters int) (*Mixture[O], error) {
		law, err := s.law()
		if err != nil {
			return nil, err
		}
		if len(s.Parts) != 1 {
			return nil, fmt.Errorf("a mixture of %d emissions, want 1", len(s.Parts))
		}
		base, err := components.emission(p, s.Parts[0], parameters)
		if err != nil {
			return nil, nested.Errorf("in the components: %w", err)
		}
		return NewMixture(p, s.Name, s.Of, s.Components, law, base)
	}}
}

// States returns the number of states.
func (e *Mixture[O]) States() int { return len(e.of) }

// Check returns an error unless o is a valid observation of the components.
func (e *Mixture[O]) Check(o O) error { return e.base.Check(o) }

// Missing reports whether o is a missing observation of the components.
func (e *Mixture[O]) Missing(o O) bool { return e.base.Missing(o) }

// At returns the densities of the mixtures.
func (e *Mixture[O]) At(theta []float64, values []semiring.ScaledFloat) (Densities[O], error) {
	base, err := e.base.At(theta, values)
	if err != nil {
		return nil, err
	}
	m := &mixed[O]{e: e, base: base}
	for _, g := range e.groups {
		m.weights = append(m.weights, slices.Clone(values[g.First():g.First()+g.Len()]))
	}
	n := e.base.States()
	m.scratch.New = func() any { return &scratch{make([]semiring.ScaledFloat, n), make([]float64, n)} }
	return m, nil
}

// mixed holds the densities of mixtures.
type mixed[O any] struct {
	e       *Mixture[O]
	base    Densities[O]
	weights [][]semiring.ScaledFloat // per mixture
	scratch sync.Pool                // of *scratch
}

// scratch has a number for each component.
type scratch struct {
	densities []semiring.ScaledFloat
	posterior []float64
}

func (m *mixed[O]) Of(o O, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	densities := m.base.Of(o, s.densities)
	for i, d := range m.e.of {
		dst[i] = m.sum(d, densities)
	}
	return dst
}

// sum returns the density of mixture d, given the densities of the components.
func (m *mixed[O]) sum(d int, densities []semiring.ScaledFloat) semiring.ScaledFloat {
	var sum semiring.ScaledFloat
	for k, c := range m.e.components[d] {
		sum = sum.Add(m.weights[d][k].Mul(densities[c]))
	}
	return sum
}

// Count divides the posterior of each state among its components, in proportion to their
// contributions to the density.
func (m *mixed[O]) Count(counts []float64, o O, posterior []float64) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	densities := m.base.Of(o, s.densities)
	clear(s.posterior)
	for i, p := range posterior {
		d := m.e.of[i]
		sum := m.sum(d, densities)
		if p == 0 || sum.IsZero() {
			continue
		}
		weights := m.e.groups[d].In(counts)
		for k, c := range m.e.components[d] {
			share := p * m.weights[d][k].Mul(densities[c]).Div(sum).Float64()
			weights[k] += share
			s.posterior[c] += share
		}
	}
	m.base.Count(counts, o, s.posterior)
}

// Sample draws a component, and then an observation from it.
func (e *Mixture[O]) Sample(theta []float64, state int, src rand.Source) (O, error) {
	d := e.of[state]
	k := draw(e.groups[d].In(theta), rand.New(src))
	return e.base.Sample(theta, e.components[d][k], src)
}
