package hmm

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Pair holds two observations at one position.
type Pair[A, B any] struct {
	First  A
	Second B
}

// Product is an emission of pairs by two emissions, which are independent given the state: its
// density is their product. Either observation may be missing. For more than two observations use
// pairs of pairs. It is an Emission[Pair[A, B]].
type Product[A, B any] struct {
	first  Emission[A]
	second Emission[B]
}

// NewProduct returns an emission of pairs by the states of two emissions over one em.Params.
// For Model.Save, the first must be created before the second. The error wraps ErrInvalid if
// their numbers of states differ.
func NewProduct[A, B any](first Emission[A], second Emission[B]) (*Product[A, B], error) {
	nonnil.Check("hmm: NewProduct", "first emission", first, "second emission", second)
	if a, b := first.States(), second.States(); a != b {
		return nil, nested.Errorf("hmm: %w: emissions of %d and %d states side by side, want as many", ErrInvalid, a, b)
	}
	return &Product[A, B]{first, second}, nil
}

// Groups returns the groups of the first emission, and then those of the second.
func (e *Product[A, B]) Groups() []*em.Group {
	return append(groupsOf(e.first), groupsOf(e.second)...)
}

// String describes both emissions.
func (e *Product[A, B]) String() string { return fmt.Sprintf("(%v) beside (%v)", e.first, e.second) }

func (e *Product[A, B]) saved() (savedEmission, error) {
	first, err := saved(e.first)
	if err != nil {
		return first, err
	}
	second, err := saved(e.second)
	return savedEmission{Kind: "side by side", Parts: []savedEmission{first, second}}, err
}

// Products is the kind of Product with emissions of the two given kinds.
func Products[A, B any, E Emission[A], F Emission[B]](first Kind[A, E], second Kind[B, F]) Kind[Pair[A, B], *Product[A, B]] {
	return Kind[Pair[A, B], *Product[A, B]]{"side by side", func(p *em.Params, s savedEmission, parameters int) (*Product[A, B], error) {
		if len(s.Parts) != 2 {
			return nil, fmt.Errorf("%d emissions side by side, want 2", len(s.Parts))
		}
		a, err := first.emission(p, s.Parts[0], parameters)
		if err != nil {
			return nil, nested.Errorf("first emission: %w", err)
		}
		b, err := second.emission(p, s.Parts[1], parameters)
		if err != nil {
			return nil, nested.Errorf("second emission: %w", err)
		}
		return NewProduct[A, B](a, b)
	}}
}

// States returns the number of states.
func (e *Product[A, B]) States() int { return e.first.States() }

// Check returns an error unless both observations are valid.
func (e *Product[A, B]) Check(o Pair[A, B]) error {
	if err := e.first.Check(o.First); err != nil {
		return nested.Errorf("first of a pair: %w", err)
	}
	if err := e.second.Check(o.Second); err != nil {
		return nested.Errorf("second of a pair: %w", err)
	}
	return nil
}

// Missing reports whether both are missing.
func (e *Product[A, B]) Missing(o Pair[A, B]) bool {
	return e.first.Missing(o.First) && e.second.Missing(o.Second)
}

// At returns the products of densities.
func (e *Product[A, B]) At(theta []float64, values []semiring.ScaledFloat) (Densities[Pair[A, B]], error) {
	first, err := e.first.At(theta, values)
	if err != nil {
		return nil, err
	}
	second, err := e.second.At(theta, values)
	if err != nil {
		return nil, err
	}
	p := &products[A, B]{e: e, first: first, second: second}
	n := e.States()
	p.scratch.New = func() any { s := make([]semiring.ScaledFloat, n); return &s }
	return p, nil
}

// products are the densities of pairs.
type products[A, B any] struct {
	e       *Product[A, B]
	first   Densities[A]
	second  Densities[B]
	scratch sync.Pool // of *[]semiring.ScaledFloat
}

func (p *products[A, B]) Of(o Pair[A, B], dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	switch {
	case p.e.first.Missing(o.First):
		return p.second.Of(o.Second, dst)
	case p.e.second.Missing(o.Second):
		return p.first.Of(o.First, dst)
	}
	s := p.scratch.Get().(*[]semiring.ScaledFloat)
	defer p.scratch.Put(s)
	second := p.second.Of(o.Second, *s)
	for i, x := range p.first.Of(o.First, dst) {
		dst[i] = x.Mul(second[i])
	}
	return dst
}

// Count counts the observations that are not missing.
func (p *products[A, B]) Count(counts []float64, o Pair[A, B], posterior []float64) {
	if !p.e.first.Missing(o.First) {
		p.first.Count(counts, o.First, posterior)
	}
	if !p.e.second.Missing(o.Second) {
		p.second.Count(counts, o.Second, posterior)
	}
}

// Sample draws both.
func (e *Product[A, B]) Sample(theta []float64, state int, src rand.Source) (o Pair[A, B], err error) {
	if o.First, err = e.first.Sample(theta, state, src); err != nil {
		return o, err
	}
	o.Second, err = e.second.Sample(theta, state, src)
	return o, err
}
