package hmm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Poisson emits numbers 0, 1, 2, … from Poisson distributions, or Missing. It is an
// Emission[int32].
type Poisson struct {
	name   string
	groups []*em.Group // per distribution
	of     []int       // per state: its distribution
	law    em.Poisson
}

// NewPoisson returns an emission of numbers by len(of) states. State i has distribution of[i],
// counted from 0: states with the same number share one. Each distribution becomes a group of p,
// estimated by law, whose name is name and the number.
//
// All distributions start with law's Mean. To make them differ, use StartRandom or SetMean. The
// error wraps ErrInvalid.
func NewPoisson(p *em.Params, name string, of []int, law em.Poisson) (*Poisson, error) {
	nonnil.Check("hmm: NewPoisson", "parameters", p)
	n, err := distributions(of)
	if err != nil {
		return nil, err
	}
	if err := unnamed(p, name, n); err != nil {
		return nil, err
	}
	e := &Poisson{name: name, of: append([]int(nil), of...), law: law}
	for d := range n {
		e.groups = append(e.groups, p.Group(fmt.Sprintf("%s/%d", name, d), em.PoissonLen, law))
	}
	return e, nil
}

// Groups returns the group of every distribution.
func (e *Poisson) Groups() []*em.Group { return e.groups }

// Mean returns the mean of a distribution at theta, the values of the model's parameters. As for
// Gaussian.Density, state i has distribution of[i], where of is the argument of NewPoisson.
func (e *Poisson) Mean(theta []float64, distribution int) float64 {
	return e.groups[distribution].In(theta)[1]
}

// SetMean writes the mean of a distribution to theta. The error wraps em.ErrParameter if the mean
// is negative or not finite.
func (e *Poisson) SetMean(theta []float64, distribution int, mean float64) error {
	if !(mean >= 0) || math.IsInf(mean, 1) {
		return nested.Errorf("hmm: %w: the mean is %g, want a finite number ≥ 0", em.ErrParameter, mean)
	}
	copy(e.groups[distribution].In(theta), []float64{1, mean})
	return nil
}

// String returns the law and the distribution of every state.
func (e *Poisson) String() string { return fmt.Sprintf("Poisson %+v by distributions %v", e.law, e.of) }

func (e *Poisson) saved() (savedEmission, error) {
	return savedEmission{Kind: "poisson", Name: e.name, Of: e.of, Law: &em.SavedLaw{Law: e.law}}, nil
}

// States returns the number of states.
func (e *Poisson) States() int { return len(e.of) }

// Check returns an error unless o is ≥ 0 or Missing.
func (e *Poisson) Check(o int32) error {
	if o < 0 && o != Missing {
		return fmt.Errorf("number %d, want one ≥ 0 or Missing", o)
	}
	return nil
}

// Missing reports whether o is Missing.
func (e *Poisson) Missing(o int32) bool { return o == Missing }

// At returns the distributions.
func (e *Poisson) At(theta []float64, _ []semiring.ScaledFloat) (Densities[int32], error) {
	n := numbers{e: e}
	for _, g := range e.groups {
		n.thetas = append(n.thetas, append([]float64(nil), g.In(theta)...)) // training may change theta
	}
	return n, nil
}

type numbers struct {
	e      *Poisson
	thetas [][]float64 // per distribution
}

func (n numbers) Of(o int32, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	for i, d := range n.e.of {
		dst[i] = semiring.ScaledFromLog(n.e.law.LogProb(n.thetas[d], int(o)))
	}
	return dst
}

// Count adds the statistics of o to the counts of every state's distribution.
func (n numbers) Count(counts []float64, o int32, posterior []float64) {
	for i, p := range posterior {
		n.e.law.AddCounts(n.e.groups[n.e.of[i]].In(counts), int(o), p)
	}
}

// Sample draws a number. The error wraps ErrInvalid if the number exceeds the range of int32.
func (e *Poisson) Sample(theta []float64, state int, src rand.Source) (int32, error) {
	x := e.law.Sample(e.groups[e.of[state]].In(theta), src)
	if x < 0 || x > math.MaxInt32 {
		return 0, nested.Errorf("%w: a random number of mean %g is out of the range of int32", ErrInvalid, e.Mean(theta, e.of[state]))
	}
	return int32(x), nil
}
