package hmm

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// Emission says how the states of a model emit observations of type O. It knows
// which parameters of the model's em.Params are its own. An implementation is used
// by many goroutines at a time.
type Emission[O any] interface {
	// String describes the emission, with all that is fixed about it: a checkpoint
	// of training is recognized by it.
	fmt.Stringer
	// States returns the number of states.
	States() int
	// Check returns an error that says why o is no observation, or nil.
	Check(o O) error
	// Missing reports whether o says that nothing was observed.
	Missing(o O) bool
	// At returns the densities under the parameters theta, whose values are given
	// (see em.Params.Values).
	At(theta []float64, values []semiring.ScaledFloat) (Densities[O], error)
	// Count adds to counts, one per parameter, the sufficient statistics of o
	// times posterior, one per state.
	Count(counts []float64, o O, posterior []float64)
	// Sample draws an observation in the given state under theta.
	Sample(theta []float64, state int, rng *rand.Rand) (O, error)
}

// Densities are emission probabilities, or densities, under fixed parameters.
type Densities[O any] interface {
	// Of returns that of o, which is not missing, in every state. It may use dst,
	// of one weight per state, or return storage that is not to be modified.
	Of(o O, dst []semiring.ScaledFloat) []semiring.ScaledFloat
}
