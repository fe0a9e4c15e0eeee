package derivation_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
)

// fit is a sum of χ² statistics.
type fit struct{ statistic, freedom float64 }

// add compares frequencies of drawn derivations with their probabilities. Derivations expected
// less than ten times are combined, together with unlisted ones.
func (f *fit) add(drawn map[string]int, probability map[string]float64, draws int) {
	rare, rareDrawn := float64(draws), draws
	cells := 0.0
	for k, p := range probability {
		if want := p * float64(draws); want >= 10 {
			d := float64(drawn[k]) - want
			f.statistic += d * d / want
			rare -= want
			rareDrawn -= drawn[k]
			cells++
		}
	}
	if rare >= 10 {
		d := float64(rareDrawn) - rare
		f.statistic += d * d / rare
		cells++
	}
	f.freedom += max(0, cells-1)
}

// check fails with a probability of one in a million if the sampler is correct.
func (f *fit) check(t *testing.T) {
	t.Helper()
	if z := (f.statistic - f.freedom) / math.Sqrt(2*f.freedom); !(math.Abs(z) < 5) || f.freedom < 300 {
		t.Errorf("χ² is %v with %v degrees of freedom: %v deviations", f.statistic, f.freedom, z)
	}
}

// checkSamples draws derivations in a ring, with entries that weigh scale times as much.
func (f *fit) checkSamples(t *testing.T, r *rand.Rand, s *structure, ring string, scale semiring.ScaledFloat) {
	w := mapped(s.weights, semiring.NewScaled)
	for i := range w[:s.sizes[0]] {
		w[i] = w[i].Mul(scale)
	}
	z := must(s.in("Scaled").total())
	probability := map[string]float64{}
	for _, x := range s.outcomes(s.weights) {
		probability[x.key] += semiring.NewScaled(x.mass).Div(z).Float64()
	}
	sample, err := s.weighted(ring, w).sampler()
	if err != nil {
		t.Fatal(err)
	}
	const draws = 2000
	drawn := map[string]int{}
	for range draws {
		key, mass := sample(r)
		if want, ok := probability[key]; ok && !near(mass.Div(z).Div(scale).Float64(), want) {
			t.Fatalf("%s: %s has probability %v, want %v", ring, key, mass.Div(z).Div(scale), want)
		}
		drawn[key]++
	}
	f.add(drawn, probability, draws)
}

func TestSample(t *testing.T) {
	var all fit
	withFinite(t, 200, func(t *testing.T, r *rand.Rand, s *structure, _ []outcome) {
		all.checkSamples(t, r, s, "Real", semiring.NewScaled(1))
		all.checkSamples(t, r, s, "Log", semiring.NewScaled(1))
	})
	all.check(t)
}

// With cycles, and with weights far below the range of float64.
func TestSampleCyclic(t *testing.T) {
	var all fit
	withCyclic(t, 100, func(t *testing.T, r *rand.Rand, s *structure) {
		all.checkSamples(t, r, s, "Scaled", semiring.ScaledFromLog(-1e5))
	})
	all.check(t)
}

// A sampler used by many goroutines depends only on the random numbers of each.
func TestSampleConcurrent(t *testing.T) {
	different := 0
	withCyclic(t, 10, func(t *testing.T, r *rand.Rand, s *structure) {
		sample := must(s.in("Real").sampler())
		draw := func(seed uint64) (keys []string) {
			r := graphtest.Rand(seed)
			for range 50 {
				key, _ := sample(r)
				keys = append(keys, key)
			}
			return keys
		}
		got := make([][]string, 8)
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() { got[i] = draw(uint64(i / 2)) })
		}
		group.Wait()
		for i, keys := range got {
			if !slices.Equal(keys, draw(uint64(i/2))) {
				t.Errorf("goroutine %d drew other derivations", i)
			}
		}
		if !slices.Equal(got[0], got[2]) {
			different++
		}
	})
	if different == 0 {
		t.Error("the same derivations for other random numbers")
	}
}

// extremes yields the least and the greatest random number in turn.
type extremes struct{ high bool }

func (x *extremes) Uint64() uint64 {
	x.high = !x.high
	if x.high {
		return math.MaxUint64
	}
	return 0
}

// Parts of weight 0 are never drawn, whatever the random numbers.
func TestSampleNeverZero(t *testing.T) {
	withFinite(t, 300, func(t *testing.T, r *rand.Rand, s *structure, _ []outcome) {
		w := mapped(s.weights, func(w float64) float64 { return w * float64(r.IntN(2)) })
		if len(s.outcomes(w)) == 0 {
			return
		}
		sample := must(s.weighted("Real", mapped(w, semiring.NewScaled)).sampler())
		source := &extremes{r.IntN(2) == 0}
		for range 10 {
			if key, mass := sample(source); mass.IsZero() {
				t.Errorf("%s is drawn", key)
			}
		}
	})
}
