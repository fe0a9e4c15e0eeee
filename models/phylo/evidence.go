package phylo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/models/hmm"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

// Evidence is the probability of what is known of a site if its base is each of the four,
// up to a factor.
type Evidence [msa.NumBases]float64

// evident is the emission of evidence by so many states, each of which stands for its
// last base; it has no parameters.
type evident int

// String describes the emission.
func (s evident) String() string { return fmt.Sprintf("evidence of %d states", int(s)) }

// States returns the number of states.
func (s evident) States() int { return int(s) }

// Check asks for finite numbers ≥ 0 that are not all 0.
func (evident) Check(e Evidence) error {
	sum := 0.0
	for _, x := range e {
		if sum += x; !(x >= 0) {
			return fmt.Errorf("evidence %v, want numbers ≥ 0", e)
		}
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return fmt.Errorf("evidence %v, want finite numbers that are not all 0", e)
	}
	return nil
}

// Missing reports false: evidence for all bases alike says the same.
func (evident) Missing(Evidence) bool { return false }

// At returns the densities, which do not depend on parameters.
func (s evident) At([]float64, []semiring.ScaledFloat) (hmm.Densities[Evidence], error) {
	return s, nil
}

// Of returns the evidence for the last base of each state.
func (evident) Of(e Evidence, dst []semiring.ScaledFloat) []semiring.ScaledFloat {
	for state := range dst {
		dst[state] = semiring.NewScaled(e[state%bases])
	}
	return dst
}

// Count has nothing to count.
func (evident) Count([]float64, Evidence, []float64) {}

// Sample returns an error that wraps semiring.ErrCapability: evidence is no datum.
func (evident) Sample([]float64, int, rand.Source) (Evidence, error) {
	return Evidence{}, fmt.Errorf("phylo: %w: evidence drawn at random", semiring.ErrCapability)
}
