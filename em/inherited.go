package em

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// A law of another package may embed one of this package and put an M step of its own in place of
// the embedded one. It inherits the coordinates then, whether or not they keep to its constraint,
// and a method that follows a gradient would leave the law. stray finds that out by trial: where
// the two M steps differ, the new one has to lead to where its own objective has no slope.

// stray returns an error that wraps ErrMethod if the law of g, which is Coordinated, has an M step
// of its own and the coordinates of a law that it embeds. theta are legal values of g. Laws that
// embed no other pass. O(n) M steps' time at the most, n up to 16.
func (g *Group) stray(theta []float64) error {
	law, ok := g.law.(Coordinated)
	if !ok || g.n == 0 {
		return nil
	}
	inner := embedded(reflect.ValueOf(g.law))
	if inner == nil {
		return nil
	}
	counts := make([]float64, g.n)
	for _, weight := range []float64{3, 1e6} {
		for k := range min(g.n, mostProbes) {
			for i := range counts {
				counts[i] = 1
			}
			counts[k*g.n/min(g.n, mostProbes)] = weight * float64(g.n)
			if slope := strays(law, inner, theta, counts); slope > slack {
				return fmt.Errorf("%w to the law %T of group %s: it embeds %T and has another M step, which the coordinates that it inherits do not lead to; give it Coordinates, Theta and Gradient of its own, or train it by EM",
					ErrMethod, g.law, g.name, inner)
			}
		}
	}
	return nil
}

const (
	mostProbes = 8    // parameters that are tried as the one with the most counts
	slack      = 1e-6 // slope, by count, of an optimum
)

// strays returns the slope, by count, in coordinates that law has from inner, at the θ to which its
// M step leads: 0 if that is inner's, too, or nothing can be said.
func strays(law, inner Coordinated, theta, counts []float64) float64 {
	own, other := slices.Clone(theta), slices.Clone(theta)
	if law.Maximize(own, counts) != nil || inner.Maximize(other, counts) != nil || slices.Equal(own, other) {
		return 0
	}
	n := law.Dim(own)
	gradient, inherited := make([]float64, n), make([]float64, n)
	if inner.Dim(own) != n {
		return 0
	}
	law.Gradient(gradient, own, counts)
	inner.Gradient(inherited, own, counts)
	if !slices.Equal(gradient, inherited) {
		return 0 // it has its own
	}
	law.Gradient(gradient, own, withPrior(new([]float64), law, own, counts))
	free := make([]float64, n) // slopes that a Laplace prior holds
	if s, ok := law.(Sparse); ok {
		s.L1(free, own)
	}
	slope, total := 0.0, 0.0
	for j, x := range gradient {
		slope = max(slope, math.Abs(x)-free[j])
	}
	for _, c := range counts {
		total += c
	}
	return slope / total
}

// embedded returns the first law with coordinates that the struct v, or what it points to, embeds;
// nil if there is none.
func embedded(v reflect.Value) Coordinated {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).Anonymous {
			continue
		}
		f := v.Field(i)
		if f.CanInterface() {
			if law, ok := f.Interface().(Coordinated); ok && !(f.Kind() == reflect.Pointer && f.IsNil()) {
				return law
			}
		}
		if law := embedded(f); law != nil {
			return law
		}
	}
	return nil
}

// stray returns the error of the first group whose law is astray. It is the same at any θ.
func (p *Params) stray() error {
	theta := p.Start()
	for _, g := range p.groups {
		if err := g.stray(g.In(theta)); err != nil {
			return err
		}
	}
	return nil
}

// climbed returns the laws that have coordinates of their own, nil for those of other groups.
func (p *Params) climbed() []Coordinated {
	theta, laws := p.Start(), make([]Coordinated, len(p.groups))
	for i, g := range p.groups {
		if law, ok := g.law.(Coordinated); ok && g.stray(g.In(theta)) == nil {
			laws[i] = law
		}
	}
	return laws
}
