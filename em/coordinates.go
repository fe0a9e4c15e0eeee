package em

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nested"
)

// Coordinates is a system of unconstrained coordinates for all parameters of a table
// that are not zero: a vector x of length Dim, group after group. It belongs to
// one goroutine.
type Coordinates struct {
	params *Params
	laws   []Coordinated // per group
	priors []Prior       // per group, or nil
	at     []int         // per group, the first coordinate; then Dim
	face   []float64     // a θ with the fixed zeros

	counts, change []float64 // scratch: of a group, including the prior's
}

// Coordinates returns the coordinates of p in which every parameter that is zero in
// theta, a valid θ, stays zero. The error, wrapping ErrCoordinates, names a group whose
// law is not Coordinated.
func (p *Params) Coordinates(theta []float64) (*Coordinates, error) {
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	laws := make([]Coordinated, len(p.groups))
	for i, g := range p.groups {
		var ok bool
		if laws[i], ok = g.law.(Coordinated); !ok {
			return nil, nested.Errorf("em: %w: group %s: %T", ErrCoordinates, g.name, g.law)
		}
	}
	return p.coordinates(laws, slices.Clone(theta)), nil
}

// coordinates returns the coordinates of p under these laws of the groups. It keeps theta.
func (p *Params) coordinates(laws []Coordinated, theta []float64) *Coordinates {
	c := &Coordinates{params: p, laws: laws, at: make([]int, 1, len(p.groups)+1), face: theta}
	c.priors = make([]Prior, len(laws))
	for i, g := range p.groups {
		c.priors[i], _ = laws[i].(Prior)
		c.at = append(c.at, c.Dim()+laws[i].Dim(g.In(theta)))
	}
	return c
}

// Dim returns the number of coordinates.
func (c *Coordinates) Dim() int { return c.at[len(c.at)-1] }

// Group returns the group of coordinate j and j's index among the
// group's coordinates. It panics if j is not in [0, Dim).
func (c *Coordinates) Group(j int) (*Group, int) {
	if j < 0 || j >= c.Dim() {
		panic("em: Coordinates: no such coordinate")
	}
	i, _ := slices.BinarySearch(c.at, j+1)
	return c.params.groups[i-1], j - c.at[i-1]
}

// part returns the coordinates of group i in x.
func (c *Coordinates) part(x []float64, i int) []float64 { return x[c.at[i]:c.at[i+1]:c.at[i+1]] }

// Of returns the coordinates of theta, which must have the same zeros as c.
func (c *Coordinates) Of(theta []float64) []float64 {
	x := make([]float64, c.Dim())
	for i, g := range c.params.groups {
		c.laws[i].Coordinates(c.part(x, i), g.In(theta))
	}
	return x
}

// Theta returns the θ with the coordinates x.
func (c *Coordinates) Theta(x []float64) []float64 {
	theta := slices.Clone(c.face)
	for i, g := range c.params.groups {
		c.laws[i].Theta(g.In(theta), c.part(x, i))
	}
	return theta
}

// Gradient fills dx with the derivatives of log likelihood + log prior with respect to the
// coordinates, at theta. counts are the counts of an E step at theta. The Laplace priors
// described by L1 are not included.
func (c *Coordinates) Gradient(dx, theta, counts []float64) {
	for i, g := range c.params.groups {
		full := withPrior(&c.counts, c.priors[i], g.In(theta), g.In(counts))
		c.laws[i].Gradient(c.part(dx, i), g.In(theta), full)
	}
}

// withPrior returns the counts of a group plus the counts of its prior. It returns counts if prior
// is nil, and otherwise a vector in scratch.
func withPrior(scratch *[]float64, prior Prior, theta, counts []float64) []float64 {
	if prior == nil {
		return counts
	}
	*scratch = append((*scratch)[:0], counts...)
	prior.AddPrior(*scratch, theta)
	return *scratch
}

// L1 returns the weight of each coordinate under Laplace priors, or nil without
// such priors: the log prior contains −Σ weight·|x|.
func (c *Coordinates) L1() []float64 {
	weights := make([]float64, c.Dim())
	for i, g := range c.params.groups {
		if law, ok := c.laws[i].(Sparse); ok {
			law.L1(c.part(weights, i), g.In(c.face))
		}
	}
	if vector.Sum(weights) == 0 {
		return nil
	}
	return weights
}

// falling sets gradient to minus Gradient at theta, which has the coordinates x, and returns minus
// the objective there. Both exclude the l1 terms, which a minimizer adds.
func (c *Coordinates) falling(gradient, l1, x, theta, counts []float64, objective float64) float64 {
	c.Gradient(gradient, theta, counts)
	floats.Scale(-1, gradient)
	value := -objective
	for i, w := range l1 {
		value -= w * math.Abs(x[i])
	}
	return value
}

// Maximize replaces theta, a valid θ, by the maximizer of Σ counts·ln value + LogPrior, or of the
// Score of a Scorer + LogPrior. It uses L-BFGS from theta, and serves as the M step of a law
// without a closed form. It ends when no derivative exceeds 1e-9 of the magnitude of the maximum or
// 1, or after 10⁴ steps. The error wraps ErrParameter if theta is invalid or a
// count is not finite, and ErrMethod if the law has a floor. It returns an error if values or
// derivatives are not finite.
func Maximize(law Coordinated, theta, counts []float64) error {
	for i, n := range counts {
		if n-n != 0 {
			return nested.Errorf("em: Maximize: %w: count %d is %g", ErrParameter, i, n)
		}
	}
	p := NewParams()
	if err := p.Group("law", len(theta), law).floored(); err != nil {
		return nested.Errorf("em: Maximize: %w", err)
	}
	c, err := p.Coordinates(theta)
	if err != nil {
		return err
	}
	l1 := c.L1()
	end, err := lbfgs.Minimize(c.Of(theta), l1, lbfgs.Stop{Gradient: 1e-9, Steps: 10000}, func(gradient, x []float64) (float64, error) {
		v := c.Theta(x)
		return c.falling(gradient, l1, x, v, counts, p.score(v, counts)+p.LogPrior(v)), nil
	})
	if err != nil {
		return nested.Errorf("em: Maximize: %w", err)
	}
	copy(theta, c.Theta(end.At))
	return nil
}

// Tangent returns the change of the ln of the values, a Query.Tangent, as the
// coordinates change by dx. The error, wrapping ErrCoordinates, names a group whose law
// is not Curved.
func (c *Coordinates) Tangent(theta, dx []float64) ([]float64, error) {
	direction := make([]float64, c.params.n)
	for i, g := range c.params.groups {
		law, err := c.curved(i)
		if err != nil {
			return nil, err
		}
		law.Tangent(g.In(direction), g.In(theta), c.part(dx, i))
	}
	return direction, nil
}

// HessianProduct fills ddx with the product of dx and the Hessian of log likelihood + log prior in
// the coordinates, at theta. counts and curvature are the results of an E step at
// theta with Tangent(theta, dx). The error is as in Tangent.
func (c *Coordinates) HessianProduct(ddx, theta, counts, dx, curvature []float64) error {
	for i, g := range c.params.groups {
		law, err := c.curved(i)
		if err != nil {
			return err
		}
		v, along, change := g.In(theta), c.part(dx, i), g.In(curvature)
		if prior := c.priors[i]; prior != nil {
			c.change = append(c.change[:0], change...)
			prior.AddPriorTangent(c.change, v, along)
			change = c.change
		}
		full := withPrior(&c.counts, c.priors[i], v, g.In(counts))
		law.GradientTangent(c.part(ddx, i), v, full, along, change)
	}
	return nil
}

func (c *Coordinates) curved(group int) (Curved, error) {
	law, ok := c.laws[group].(Curved)
	if !ok {
		return nil, nested.Errorf("em: %w with second derivatives: group %s: %T", ErrCoordinates, c.params.groups[group].name, c.laws[group])
	}
	return law, nil
}

// A law of another package may embed one of this package and override its M step.
// It then inherits the coordinates, whether or not they satisfy its constraint,
// and a method that follows a gradient would violate it. stray detects this by trial: if
// the two M steps differ, the objective of the law must have zero slope at the result of its own.

// constrained is a Coordinated law of the package that may have a floor, which its M step satisfies
// and its coordinates do not.
type constrained interface{ floored() bool }

func (g *Group) floored() error {
	if law, ok := g.law.(constrained); ok && law.floored() {
		return fmt.Errorf("%w to the law %T of group %s: it has a Floor, below which coordinates lead; take EM or SQUAREM, or a Prior instead", ErrMethod, g.law, g.name)
	}
	return nil
}

// stray returns an error that wraps ErrMethod if the law of g, which is Coordinated, has a floor,
// or its own M step and the coordinates of a law that it embeds. theta are valid values of
// g. It accepts laws that embed no other. It takes the time of O(n) M steps, n up to 16.
func (g *Group) stray(theta []float64) error {
	if err := g.floored(); err != nil {
		return err
	}
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
				return fmt.Errorf("%w to the law %T of group %s: it embeds %T and has another M step, which the coordinates that it inherits do not lead to; give it Coordinates, Theta and Gradient of its own, or AddPrior for a prior, or train it by EM",
					ErrMethod, g.law, g.name, inner)
			}
		}
	}
	return nil
}

const (
	mostProbes = 8    // number of parameters that are tried as the one with the largest count
	slack      = 1e-6 // largest slope, relative to the counts, of an optimum
)

// strays returns the slope, relative to the counts, in coordinates that law inherits from inner, at
// the result of its M step. It returns 0 if both M steps agree, or if the test is inconclusive.
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
		return 0 // law has its own Gradient
	}
	prior, _ := law.(Prior)
	law.Gradient(gradient, own, withPrior(new([]float64), prior, own, counts))
	free := make([]float64, n) // slopes that a Laplace prior balances
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

// embedded returns the first law with coordinates that the struct v, or the struct v points to,
// embeds, or nil.
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

// stray returns the error of the first group for which Group.stray fails. It is the same at any θ.
func (p *Params) stray() error {
	theta := p.Start()
	for _, g := range p.groups {
		if err := g.stray(g.In(theta)); err != nil {
			return err
		}
	}
	return nil
}

// climbed returns the laws whose coordinates are their own, and Fixed for other groups.
func (p *Params) climbed() []Coordinated {
	theta, laws := p.Start(), make([]Coordinated, len(p.groups))
	for i, g := range p.groups {
		laws[i] = Fixed{}
		if law, ok := g.law.(Coordinated); ok && g.stray(g.In(theta)) == nil {
			laws[i] = law
		}
	}
	return laws
}
