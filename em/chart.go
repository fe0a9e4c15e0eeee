package em

import (
	"errors"
	"fmt"
	"slices"
)

// ErrChart is wrapped by the error for a group whose parameterization lacks what
// a method that follows a gradient needs.
var ErrChart = errors.New("parameterization has no chart")

// Charted is a Parameterization with coordinates that are free of constraints, for
// methods that follow a gradient. A zero probability has no finite coordinate: it
// stays zero, and is no coordinate.
type Charted interface {
	Parameterization
	// Dim returns the number of coordinates at theta.
	Dim(theta []float64) int
	// Coordinates fills x, of length Dim, with the coordinates of theta.
	Coordinates(x, theta []float64)
	// Theta replaces theta, of which Dim and the zeros are taken, by the point
	// with the coordinates x. Dim is the same there.
	Theta(theta, x []float64)
	// Gradient fills dx with the derivatives by the coordinates, at theta, of a
	// function plus LogPrior; counts are the function's derivatives by the ln of
	// the values (or what the law says). It is linear in counts, apart from the
	// prior.
	Gradient(dx, theta, counts []float64)
}

// Curved is a Charted law with second derivatives.
type Curved interface {
	Charted
	// Tangent fills direction with the change of the ln of the values as the
	// coordinates change by dx.
	Tangent(direction, theta, dx []float64)
	// GradientTangent fills ddx with the change of Gradient as the coordinates
	// change by dx and counts by dcounts.
	GradientTangent(ddx, theta, counts, dx, dcounts []float64)
}

// Sparse is a Charted law with a Laplace prior: its LogPrior contains
// −Σ weight·|coordinate|, which has no derivative at 0 and is no part of Gradient.
type Sparse interface {
	Charted
	// L1 fills weights, of length Dim, with the weight ≥ 0 of each coordinate.
	L1(weights, theta []float64)
}

// Chart is a system of unconstrained coordinates for all parameters of a table
// that are not zero: a vector x of length Dim, group after group. It belongs to
// one goroutine.
type Chart struct {
	params *Params
	laws   []Charted // per group
	at     []int     // per group, the first coordinate; then Dim
	face   []float64 // a θ with the zeros that stay
}

// Chart returns the coordinates of p in which every parameter that is zero in
// theta, a legal θ, stays zero. The error, wrapping ErrChart, names a group whose
// law is not Charted.
func (p *Params) Chart(theta []float64) (*Chart, error) {
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	c := &Chart{params: p, at: make([]int, 1, len(p.groups)+1), face: slices.Clone(theta)}
	for _, g := range p.groups {
		law, ok := g.law.(Charted)
		if !ok {
			return nil, fmt.Errorf("em: %w: group %s: %T", ErrChart, g.name, g.law)
		}
		c.laws = append(c.laws, law)
		c.at = append(c.at, c.Dim()+law.Dim(g.In(theta)))
	}
	return c, nil
}

// Dim returns the number of coordinates.
func (c *Chart) Dim() int { return c.at[len(c.at)-1] }

// Group returns the group that coordinate j belongs to and j's number among the
// group's coordinates. It panics if j is not in [0, Dim).
func (c *Chart) Group(j int) (*Group, int) {
	if j < 0 || j >= c.Dim() {
		panic("em: Chart: no such coordinate")
	}
	i, _ := slices.BinarySearch(c.at, j+1)
	return c.params.groups[i-1], j - c.at[i-1]
}

// of returns the part of the coordinates x that belongs to group i.
func (c *Chart) of(x []float64, i int) []float64 { return x[c.at[i]:c.at[i+1]:c.at[i+1]] }

// Coordinates returns the coordinates of theta, which has the chart's zeros.
func (c *Chart) Coordinates(theta []float64) []float64 {
	x := make([]float64, c.Dim())
	for i, g := range c.params.groups {
		c.laws[i].Coordinates(c.of(x, i), g.In(theta))
	}
	return x
}

// Theta returns the θ with the coordinates x.
func (c *Chart) Theta(x []float64) []float64 {
	theta := slices.Clone(c.face)
	for i, g := range c.params.groups {
		c.laws[i].Theta(g.In(theta), c.of(x, i))
	}
	return theta
}

// Gradient fills dx with the derivatives by the coordinates, at theta, of
// log likelihood + log prior, where counts are those of an E step at theta; what
// L1 describes is left out.
func (c *Chart) Gradient(dx, theta, counts []float64) {
	for i, g := range c.params.groups {
		c.laws[i].Gradient(c.of(dx, i), g.In(theta), g.In(counts))
	}
}

// L1 returns the weight of each coordinate under Laplace priors, nil if there are
// none: the log prior contains −Σ weight·|x|.
func (c *Chart) L1() []float64 {
	weights := make([]float64, c.Dim())
	for i, g := range c.params.groups {
		if law, ok := c.laws[i].(Sparse); ok {
			law.L1(c.of(weights, i), g.In(c.face))
		}
	}
	if sum(weights) == 0 {
		return nil
	}
	return weights
}

// Direction returns the change of the ln of the values, a Query.Direction, as the
// coordinates change by dx. The error, wrapping ErrChart, names a group whose law
// is not Curved.
func (c *Chart) Direction(theta, dx []float64) ([]float64, error) {
	direction := make([]float64, c.params.n)
	for i, g := range c.params.groups {
		law, err := c.curved(i)
		if err != nil {
			return nil, err
		}
		law.Tangent(g.In(direction), g.In(theta), c.of(dx, i))
	}
	return direction, nil
}

// HessianProduct fills ddx with the Hessian of log likelihood + log prior by the
// coordinates, at theta, times dx: counts and curvature are those of an E step at
// theta in Direction(theta, dx). The error is as in Direction.
func (c *Chart) HessianProduct(ddx, theta, counts, dx, curvature []float64) error {
	for i, g := range c.params.groups {
		law, err := c.curved(i)
		if err != nil {
			return err
		}
		law.GradientTangent(c.of(ddx, i), g.In(theta), g.In(counts), c.of(dx, i), g.In(curvature))
	}
	return nil
}

func (c *Chart) curved(group int) (Curved, error) {
	law, ok := c.laws[group].(Curved)
	if !ok {
		return nil, fmt.Errorf("em: %w with second derivatives: group %s: %T", ErrChart, c.params.groups[group].name, c.laws[group])
	}
	return law, nil
}
