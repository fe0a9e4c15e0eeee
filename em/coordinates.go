package em

import (
	"math"
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
	at     []int         // per group, the first coordinate; then Dim
	face   []float64     // a θ with the zeros that stay

	scratch []float64 // counts of a group
}

// Coordinates returns the coordinates of p in which every parameter that is zero in
// theta, a legal θ, stays zero. The error, wrapping ErrCoordinates, names a group whose
// law is not Coordinated.
func (p *Params) Coordinates(theta []float64) (*Coordinates, error) {
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	c := &Coordinates{params: p, at: make([]int, 1, len(p.groups)+1), face: slices.Clone(theta)}
	for _, g := range p.groups {
		law, ok := g.law.(Coordinated)
		if !ok {
			return nil, nested.Errorf("em: %w: group %s: %T", ErrCoordinates, g.name, g.law)
		}
		c.laws = append(c.laws, law)
		c.at = append(c.at, c.Dim()+law.Dim(g.In(theta)))
	}
	return c, nil
}

// Dim returns the number of coordinates.
func (c *Coordinates) Dim() int { return c.at[len(c.at)-1] }

// Group returns the group that coordinate j belongs to and j's number among the
// group's coordinates. It panics if j is not in [0, Dim).
func (c *Coordinates) Group(j int) (*Group, int) {
	if j < 0 || j >= c.Dim() {
		panic("em: Coordinates: no such coordinate")
	}
	i, _ := slices.BinarySearch(c.at, j+1)
	return c.params.groups[i-1], j - c.at[i-1]
}

// part returns the part of the coordinates x that belongs to group i.
func (c *Coordinates) part(x []float64, i int) []float64 { return x[c.at[i]:c.at[i+1]:c.at[i+1]] }

// Of returns the coordinates of theta, which has the zeros of c.
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

// Gradient fills dx with the derivatives by the coordinates, at theta, of
// log likelihood + log prior, with the counts of an E step at theta; what
// L1 describes is left out.
func (c *Coordinates) Gradient(dx, theta, counts []float64) {
	for i, g := range c.params.groups {
		full := withPrior(&c.scratch, c.laws[i], g.In(theta), g.In(counts))
		c.laws[i].Gradient(c.part(dx, i), g.In(theta), full)
	}
}

// withPrior returns counts of a group plus what its prior amounts to: they are in scratch if it has one.
func withPrior(scratch *[]float64, law Coordinated, theta, counts []float64) []float64 {
	prior, ok := law.(Prior)
	if !ok {
		return counts
	}
	*scratch = append((*scratch)[:0], counts...)
	prior.AddPrior(*scratch, theta)
	return *scratch
}

// L1 returns the weight of each coordinate under Laplace priors, nil if there are
// none: the log prior contains −Σ weight·|x|.
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
// the objective there, both without the part of l1, which a minimizer adds.
func (c *Coordinates) falling(gradient, l1, x, theta, counts []float64, objective float64) float64 {
	c.Gradient(gradient, theta, counts)
	floats.Scale(-1, gradient)
	value := -objective
	for i, w := range l1 {
		value -= w * math.Abs(x[i])
	}
	return value
}

// Maximize replaces theta, a legal θ, by the maximizer of Σ counts·ln value + LogPrior, or of the
// Score of a Scorer + LogPrior, to which L-BFGS leads from theta: the M step of a law that has none
// in closed form. It ends when no derivative exceeds 1e-9 of the magnitude of the maximum or 1, or
// after 10⁴ steps. The error, wrapping ErrParameter, says that theta is not legal or a count is not
// finite, or comes from values or derivatives that are not finite.
func Maximize(law Coordinated, theta, counts []float64) error {
	for i, n := range counts {
		if n-n != 0 {
			return nested.Errorf("em: Maximize: %w: count %d is %g", ErrParameter, i, n)
		}
	}
	p := NewParams()
	p.Group("law", len(theta), law)
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

// HessianProduct fills ddx with the Hessian of log likelihood + log prior by the
// coordinates, at theta, times dx, with the counts and curvature of an E step at
// theta in Tangent(theta, dx). The error is as in Tangent.
func (c *Coordinates) HessianProduct(ddx, theta, counts, dx, curvature []float64) error {
	for i, g := range c.params.groups {
		law, err := c.curved(i)
		if err != nil {
			return err
		}
		v, own, along, change := g.In(theta), c.part(ddx, i), c.part(dx, i), g.In(curvature)
		if prior, ok := c.laws[i].(Prior); ok {
			change = slices.Clone(change)
			prior.AddPriorTangent(change, v, along)
		}
		law.Gradient(own, v, change)
		law.Hessian(own, v, withPrior(&c.scratch, law, v, g.In(counts)), along)
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

// free returns the coordinates of theta under the laws of the groups, group after group; a nil law
// has none.
func (p *Params) free(laws []Coordinated, theta []float64) []float64 {
	var x []float64
	for i, law := range laws {
		if law != nil {
			v, n := p.groups[i].In(theta), len(x)
			x = append(x, make([]float64, law.Dim(v))...)
			law.Coordinates(x[n:], v)
		}
	}
	return x
}

// unfree returns theta with the coordinates x in place of its own, as many.
func (p *Params) unfree(laws []Coordinated, theta, x []float64) []float64 {
	theta = slices.Clone(theta)
	for i, law := range laws {
		if law != nil {
			v := p.groups[i].In(theta)
			n := law.Dim(v)
			law.Theta(v, x[:n])
			x = x[n:]
		}
	}
	return theta
}
