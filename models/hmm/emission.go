package hmm

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Emission is the distribution of observations of type O given the states of a model. Its
// parameters are among the model's em.Params. It must be safe for concurrent use.
//
// If it has a method Groups() []*em.Group, like the emissions of this package, the method returns
// the groups of its parameters, and New checks that they are in the model's em.Params.
type Emission[O any] interface {
	// String describes everything about the emission except parameter values. Checkpoints of
	// training compare it.
	fmt.Stringer
	// States returns the number of states.
	States() int
	// Check returns an error that describes the fault of o, or nil if o is a valid observation.
	Check(o O) error
	// Missing reports whether o stands for a missing observation.
	Missing(o O) bool
	// At returns the densities under the parameters theta, with their values (see
	// em.Params.Values).
	At(theta []float64, values []semiring.ScaledFloat) (Densities[O], error)
	// Sample draws an observation in the given state under theta.
	Sample(theta []float64, state int, src rand.Source) (O, error)
}

// groupsOf returns the groups of the parameters of an emission in a new slice, nil if the
// emission has no method Groups.
func groupsOf(emission any) []*em.Group {
	if e, ok := emission.(interface{ Groups() []*em.Group }); ok {
		return slices.Clone(e.Groups())
	}
	return nil
}

// checkGroups returns an error if the emission has groups that are not in p.
func checkGroups(p *em.Params, emission any) error {
	known := map[*em.Group]bool{}
	for _, g := range p.Groups() {
		known[g] = true
	}
	for _, g := range groupsOf(emission) {
		if !known[g] {
			return nested.Errorf("hmm: %w: the emission has parameters of another em.Params, such as %s; make it with the Params of the model", ErrInvalid, g.Name(0))
		}
	}
	return nil
}

// Densities are emission probabilities, or densities, under fixed parameters.
type Densities[O any] interface {
	// Of returns the density of o, which is not missing, in every state. It may fill in dst,
	// which has one weight per state, or return storage that the caller must not modify.
	Of(o O, dst []semiring.ScaledFloat) []semiring.ScaledFloat
	// Count adds to counts, one per parameter, the sufficient statistics of o, which is not
	// missing. posterior holds the probability of every state. For hidden variables other than
	// the state it adds expected counts under the parameters: the gradient of Σ posterior·ln
	// density.
	Count(counts []float64, o O, posterior []float64)
}

// distributions returns the number of distributions.
func distributions(of []int) (int, error) {
	n := 0
	for i, d := range of {
		if d < 0 || d >= len(of) {
			return 0, nested.Errorf("hmm: %w: state %d has emission %d, want a number in [0, %d)", ErrInvalid, i, d, len(of))
		}
		n = max(n, d+1)
	}
	return n, nil
}

// Each returns the numbers 0, 1, …, n−1, for states that do not share distributions.
func Each(n int) []int {
	of := make([]int, n)
	for i := range of {
		of[i] = i
	}
	return of
}

// unnamed returns an error if p already has a group with the name of one of the n distributions.
func unnamed(p *em.Params, name string, n int) error {
	for d := range n {
		if group := fmt.Sprintf("%s/%d", name, d); p.Find(group) != nil {
			return nested.Errorf("hmm: %w: the group %s exists already; give this emission another name than %q", ErrInvalid, group, name)
		}
	}
	return nil
}
