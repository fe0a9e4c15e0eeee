package derivation_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The remaining derivations are the derivations whose parts all have the posterior, with their
// weights and in their order, and every remaining part is in one of them.
func TestPrunePosterior(t *testing.T) {
	empty, left := 0, 0
	withFinite(t, 800, func(t *testing.T, r *rand.Rand, s *structure, _ []outcome) {
		least := []float64{0, .1, .3, .7, r.Float64() * r.Float64()}[r.IntN(5)]
		uses, _, err := s.in("Real").along(make([]float64, s.parts()))
		if err != nil {
			t.Fatal(err)
		}
		var want []outcome
		for _, x := range s.outcomes(s.weights) {
			rare := false
			for i, n := range x.uses {
				rare = rare || n > 0 && uses[i] < least
			}
			if !rare {
				want = append(want, x)
			}
		}
		got, sizes, err := s.pruned(least)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, func(a, b outcome) bool { return a.mass == b.mass && slices.Equal(a.uses, b.uses) }) {
			t.Errorf("least %v: left %v, want %v", least, got, want)
		}
		var used [2]int
		for i := range s.sizes[0] + s.sizes[1] {
			if slices.ContainsFunc(want, func(x outcome) bool { return x.uses[i] > 0 }) {
				used[min(1, i/max(1, s.sizes[0]))]++
			}
		}
		if sizes != used {
			t.Errorf("least %v: %v entries and options, of which derivations use %v", least, sizes, used)
		}
		if left += len(want); len(want) == 0 {
			empty++
		}
	})
	if empty < 20 || left < 1000 {
		t.Errorf("%d were emptied, %d derivations left", empty, left)
	}
}
