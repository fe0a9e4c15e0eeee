package convex_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/convex"
)

// A relation in several products has a copy for each, whose steps together are one step:
// only then do they meet at the minimum.
func TestCopiesMeetAtTheMinimum(t *testing.T) {
	s := shape{variables: []convex.Variable{{States: 2}, {States: 2}, {States: 2}, {States: 2, Parents: []int{0, 1}}, {States: 2, Parents: []int{0, 2}}}, hidden: []int{0, 1, 2}}
	for seed := range uint64(3) {
		v, w := s.data(rand.New(rand.NewPCG(seed, 12)), 10)
		r := solve(t, convex.Splitting{Gap: 1e-5, Iterations: 1000}, newProblem(t, v, w, .8))
		if r.Status != convex.Converged {
			t.Errorf("seed %d: %v between %g and %g after %d iterations", seed, r.Status, r.Lower, r.Upper, r.Iterations)
		}
	}
}
