package hmm

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Gaussian emits vectors from normal distributions; a nil vector says that nothing was
// observed. It is an Emission[[]float64].
type Gaussian struct {
	name   string
	groups []*em.Group // per distribution
	of     []int       // per state: its distribution
	law    em.Gaussian
}

// NewGaussian returns an emission of vectors by len(of) states. State i has distribution
// of[i], counted from 0. Each distribution becomes a group of p, estimated by law, whose
// name is name and the number.
//
// All begin alike, at law's Center: StartKMeans and StartRandom tell them apart, and so do
// starts that are set (em.Group.SetStart). A law with a Prior keeps variances away from 0.
// The error wraps ErrInvalid.
func NewGaussian(p *em.Params, name string, of []int, law em.Gaussian) (*Gaussian, error) {
	nonnil.Check("hmm: NewGaussian", "parameters", p)
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if err := unnamed(p, name, n); err != nil {
		return nil, err
	}
	e := &Gaussian{name: name, of: append([]int(nil), of...), law: law}
	for d := range n {
		e.groups = append(e.groups, p.Group(fmt.Sprintf("%s/%d", name, d), law.Len(), law))
	}
	return e, nil
}

// Groups returns the group of every distribution.
func (e *Gaussian) Groups() []*em.Group { return e.groups }

// Density returns a normal distribution at theta, the values of the model's parameters, by its
// number: that of state i is of[i], as NewGaussian was told. So a state of a model of Durations has
// the density of its own number, like its Duration. Of a trained model it is
// Density(m.Theta, state). The error wraps em.ErrParameter.
func (e *Gaussian) Density(theta []float64, distribution int) (*em.Density, error) {
	return e.law.Density(e.groups[distribution].In(theta))
}

// SetDensity writes a normal distribution to theta, by the number that Density has for it. The
// error is that of em.Gaussian.SetDensity, and wraps em.ErrParameter.
func (e *Gaussian) SetDensity(theta []float64, distribution int, mean []float64, covariance mat.Symmetric) error {
	return e.law.SetDensity(e.groups[distribution].In(theta), mean, covariance)
}

// String returns the law and the distribution of every state.
func (e *Gaussian) String() string { return fmt.Sprintf("%+v by distributions %v", e.law, e.of) }

func (e *Gaussian) saved() savedEmission {
	return savedEmission{Kind: "gaussian", Name: e.name, Of: e.of, Law: em.SavedLaw{Law: e.law}}
}

// States returns the number of states.
func (e *Gaussian) States() int { return len(e.of) }

// Check asks for a vector of the right length, of finite numbers, or nil.
func (e *Gaussian) Check(o []float64) error {
	if o == nil {
		return nil
	}
	if len(o) != e.law.Size() {
		return fmt.Errorf("a vector of %d numbers, want %d", len(o), e.law.Size())
	}
	for i, x := range o {
		if x-x != 0 {
			return fmt.Errorf("component %d is %g, want a finite number", i, x)
		}
	}
	return nil
}

// Missing reports whether o is nil.
func (e *Gaussian) Missing(o []float64) bool { return o == nil }

// At returns the normal distributions.
func (e *Gaussian) At(theta []float64, _ []semiring.ScaledFloat) (Densities[[]float64], error) {
	n := normals{e: e}
	for d := range e.groups {
		density, err := e.Density(theta, d)
		if err != nil {
			return nil, err
		}
		n.densities = append(n.densities, density)
	}
	return n, nil
}

type normals struct {
	e         *Gaussian
	densities []*em.Density
}

func (n normals) Of(o []float64, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	for i, d := range n.e.of {
		dst[i] = semiring.ScaledFromLog(n.densities[d].Log(o))
	}
	return dst
}

// Count adds the statistics of o to the counts of every state's distribution.
func (n normals) Count(counts []float64, o []float64, posterior []float64) {
	for i, p := range posterior {
		if p != 0 {
			n.e.law.AddCounts(n.e.groups[n.e.of[i]].In(counts), o, p)
		}
	}
}

// Sample draws a vector.
func (e *Gaussian) Sample(theta []float64, state int, src rand.Source) ([]float64, error) {
	d, err := e.Density(theta, e.of[state])
	if err != nil {
		return nil, err
	}
	return d.Sample(rand.New(src)), nil
}
