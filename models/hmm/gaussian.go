package hmm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Gaussian emits vectors from normal distributions. A component that is NaN is missing: densities
// are densities of the other components, and training counts its expectation given these. A nil
// vector is a missing observation. It is an Emission[[]float64].
type Gaussian struct {
	name   string
	groups []*em.Group // per covariance
	parts  []part      // per distribution
	of     []int       // per state: its distribution
	tied   []int       // per distribution: its covariance; nil if none is shared
	law    em.Gaussian
}

// part locates the parameters of a distribution: it is distribution k of the distributions that
// share a covariance.
type part struct {
	law   em.TiedGaussian
	group *em.Group
	k     int
}

// in returns the part of v, which has a number for each parameter of the model.
func (p part) in(v []float64) []float64 { return p.law.Part(p.group.In(v), p.k) }

// NewGaussian returns an emission of vectors by len(of) states. State i has distribution
// of[i], counted from 0. Each distribution becomes a group of p, estimated by law, whose
// name is name and the number.
//
// All distributions start at law's Center. To make them differ, use StartKMeans, StartRandom or
// em.Group.SetStart. A law with a Prior or a Floor keeps variances away from 0. The error wraps
// ErrInvalid.
func NewGaussian(p *em.Params, name string, of []int, law em.Gaussian) (*Gaussian, error) {
	nonnil.Check("hmm: NewGaussian", "parameters", p)
	return newGaussian(p, name, of, nil, law)
}

// NewTiedGaussian is NewGaussian with tied covariances: distribution d has covariance tied[d],
// counted from 0, and distributions with the same number share one. Distributions that share a
// covariance become one group of p, whose name is name and the number of the covariance, by
// em.TiedGaussian. The prior of a covariance counts once.
func NewTiedGaussian(p *em.Params, name string, of, tied []int, law em.Gaussian) (*Gaussian, error) {
	nonnil.Check("hmm: NewTiedGaussian", "parameters", p)
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if len(tied) != n {
		return nil, nested.Errorf("hmm: %w: %d covariances are given for %d distributions, want one for each", ErrInvalid, len(tied), n)
	}
	if _, err := distributions(tied); err != nil {
		return nil, nested.Errorf("%w, as the covariance of a distribution", err)
	}
	return newGaussian(p, name, of, append([]int{}, tied...), law)
}

// newGaussian returns the emission; tied, if not nil, has been checked.
func newGaussian(p *em.Params, name string, of, tied []int, law em.Gaussian) (*Gaussian, error) {
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	e := &Gaussian{name: name, of: append([]int(nil), of...), tied: tied, law: law}
	if tied == nil {
		tied = Each(n)
	}
	members := make([]int, n) // number of distributions of each covariance
	covariances := 0
	for _, c := range tied {
		members[c]++
		covariances = max(covariances, c+1)
	}
	if err := unnamed(p, name, covariances); err != nil {
		return nil, err
	}
	for c, means := range members[:covariances] {
		all, group := em.TiedGaussian{Gaussian: law, Means: means}, fmt.Sprintf("%s/%d", name, c)
		switch {
		case means == 0:
			return nil, nested.Errorf("hmm: %w: no distribution has covariance %d", ErrInvalid, c)
		case means == 1:
			e.groups = append(e.groups, p.Group(group, law.Len(), law))
		default:
			e.groups = append(e.groups, p.Group(group, all.Len(), all))
		}
	}
	for _, c := range tied {
		all := em.TiedGaussian{Gaussian: law, Means: members[c]}
		e.parts = append(e.parts, part{all, e.groups[c], e.count(e.groups[c])})
	}
	return e, nil
}

// count returns the number of distributions whose parameters are in a group.
func (e *Gaussian) count(group *em.Group) int {
	n := 0
	for _, p := range e.parts {
		if p.group == group {
			n++
		}
	}
	return n
}

// Groups returns the group of every distribution, or of every covariance if covariances are tied.
func (e *Gaussian) Groups() []*em.Group { return e.groups }

// Density returns a normal distribution at theta, the values of the model's parameters, by its
// number. State i has distribution of[i], where of is the argument of NewGaussian. So in a model
// of Durations, distributions have the numbers of states, as for Duration. For a trained model
// call Density(m.Theta, state). The error wraps em.ErrParameter.
func (e *Gaussian) Density(theta []float64, distribution int) (*em.Density, error) {
	return e.law.Density(e.parts[distribution].in(theta))
}

// SetDensity writes a normal distribution to theta, by the same number as for Density. The
// covariance changes for all distributions that share it. Errors are as for
// em.Gaussian.SetDensity and wrap em.ErrParameter.
func (e *Gaussian) SetDensity(theta []float64, distribution int, mean []float64, covariance mat.Symmetric) error {
	p := e.parts[distribution]
	return p.law.SetDensity(p.group.In(theta), p.k, mean, covariance)
}

// String returns the law and the distribution of every state.
func (e *Gaussian) String() string {
	if e.tied == nil {
		return fmt.Sprintf("%+v by distributions %v", e.law, e.of)
	}
	return fmt.Sprintf("%+v by distributions %v of covariances %v", e.law, e.of, e.tied)
}

func (e *Gaussian) saved() (savedEmission, error) {
	return savedEmission{Kind: "gaussian", Name: e.name, Of: e.of, Tied: e.tied, Law: &em.SavedLaw{Law: e.law}}, nil
}

// States returns the number of states.
func (e *Gaussian) States() int { return len(e.of) }

// Check returns an error unless o is nil or a vector of the right length that contains only
// finite numbers and NaN.
func (e *Gaussian) Check(o []float64) error {
	if o == nil {
		return nil
	}
	if len(o) != e.law.Size() {
		return fmt.Errorf("a vector of %d numbers, want %d", len(o), e.law.Size())
	}
	for i, x := range o {
		if math.IsInf(x, 0) {
			return fmt.Errorf("component %d is %g, want a finite number, or NaN for a missing one", i, x)
		}
	}
	return nil
}

// Missing reports whether o is nil or all of its components are NaN.
func (e *Gaussian) Missing(o []float64) bool {
	for _, x := range o {
		if x == x {
			return false
		}
	}
	return true
}

// At returns the normal distributions.
func (e *Gaussian) At(theta []float64, _ []semiring.ScaledFloat) (Densities[[]float64], error) {
	n := normals{e: e}
	for d := range e.parts {
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
			d := n.e.of[i]
			n.e.law.AddExpected(n.e.parts[d].in(counts), n.densities[d], o, p)
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
