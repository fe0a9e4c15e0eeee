package derivation_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
)

// checkEntropies compares entropies of two weightings, in Real and in Log.
func checkEntropies(t *testing.T, s *structure, p, q []float64, entropy, cross float64) {
	t.Helper()
	for _, ring := range []string{"Real", "Log"} {
		a, b := s.weighted(ring, mapped(p, semiring.NewScaled)), s.weighted(ring, mapped(q, semiring.NewScaled))
		for _, x := range []struct {
			name string
			f    func() (float64, error)
			want float64
		}{
			{"entropy", a.entropy, entropy},
			{"cross-entropy", func() (float64, error) { return a.crossEntropy(b) }, cross},
			{"divergence", func() (float64, error) { return a.kullbackLeibler(b) }, cross - entropy},
			{"divergence from itself", func() (float64, error) { return a.kullbackLeibler(a) }, 0},
		} {
			got, err := x.f()
			if err != nil || !(got == x.want || math.Abs(got-x.want) <= 1e-11*(1+math.Abs(x.want))) {
				t.Errorf("%s in %s: %v (%v), want %v", x.name, ring, got, err, x.want)
			}
		}
	}
}

// Entropies equal the results of the enumeration, infinite if q lacks a derivation of p.
func TestEntropy(t *testing.T) {
	infinite := 0
	withFinite(t, 800, func(t *testing.T, r *rand.Rand, s *structure, inP []outcome) {
		zero := []float64{0, 0, .05}[r.IntN(3)]
		q := mapped(s.weights, func(w float64) float64 {
			if r.Float64() < zero {
				return 0
			}
			if w == 0 {
				return float64(r.IntN(2)) * r.Float64()
			}
			return r.Float64()
		})
		inQ := divided(s.outcomes(q))
		if len(inQ) == 0 {
			return
		}
		// An entry and its options are one derivation.
		of := func(x outcome) string { return x.key + string(rune('a'+slices.Index(x.uses[:s.sizes[0]], 1))) }
		other := map[string]float64{}
		for _, x := range inQ {
			other[of(x)] = x.mass
		}
		entropy, cross := 0.0, 0.0
		for _, x := range inP {
			entropy -= x.mass * math.Log(x.mass)
			cross -= x.mass * math.Log(other[of(x)])
		}
		if math.IsInf(cross, 1) {
			infinite++
		}
		checkEntropies(t, s, s.weights, q, entropy, cross)
	})
	if infinite < 20 {
		t.Errorf("only %d infinite divergences", infinite)
	}
}

// With cycles too, −Σ p ln q is ln Z of q less the mean of the logarithms of weights.
func TestEntropyCyclic(t *testing.T) {
	withCyclic(t, 400, func(t *testing.T, r *rand.Rand, s *structure) {
		p := s.in("Real")
		expected := func(w []float64) float64 {
			logs := s.scalars(mapped(w, func(w float64) float64 {
				if w == 0 {
					return 0 // it does not matter
				}
				return math.Log(w)
			}))
			z := must(s.weighted("Real", mapped(w, semiring.NewScaled)).total())
			return z.Log() - must(p.mean(logs))[0]
		}
		q := mapped(s.weights, func(w float64) float64 { return w * (.5 + .5*r.Float64()) })
		checkEntropies(t, s, s.weights, q, expected(s.weights), expected(q))
	})
}

// Nearly equal weightings: the divergence D of a weighting tilted by εv is ε²/2·Var(V) + O(ε³),
// up to √D roundings.
func TestDivergenceOfNearlyEqual(t *testing.T) {
	withCyclic(t, 200, func(t *testing.T, r *rand.Rand, s *structure) {
		v := normal(r, s.parts())
		_, c, err := s.in("Scaled").covariance(s.scalars(v))
		if err != nil {
			t.Fatal(err)
		}
		p := tilted(s, v, 0)
		for _, epsilon := range []float64{1e-4, 1e-6, 1e-8} {
			got := must(p.kullbackLeibler(tilted(s, v, epsilon)))
			want := epsilon * epsilon / 2 * c.At(0, 0)
			roundings := 1e-15 * math.Sqrt(want*max(1, c.At(0, 0)/2))
			if got < 0 || math.Abs(got-want) > 100*max(epsilon*want, roundings)+1e-30 {
				t.Errorf("ε = %v: divergence %v, want %v", epsilon, got, want)
			}
		}
		if same := must(p.kullbackLeibler(tilted(s, v, 0))); same != 0 {
			t.Errorf("a divergence of %v from itself", same)
		}
	})
}

// Support counts even if its probability underflows float64: at an option that only rare
// derivations have, and at a later option.
func TestDivergenceOfTinySupport(t *testing.T) {
	const rare = -1e4
	checked, later := 0, 0
	withFinite(t, 200, func(t *testing.T, r *rand.Rand, s *structure, all []outcome) {
		uses, _ := moments(all, s.parts())
		lo := s.sizes[0]
		for e := lo; e < lo+s.sizes[1]; e++ {
			without := slices.DeleteFunc(slices.Clone(all), func(x outcome) bool { return x.uses[e] > 0 })
			if uses[e] == 0 || len(without) == 0 {
				continue
			}
			checked++
			weights := mapped(s.weights, semiring.NewScaled)
			weights[e] = weights[e].Mul(semiring.ScaledFromLog(rare))
			p := s.weighted("Scaled", weights)
			none := slices.Clone(weights)
			none[e] = semiring.ScaledFloat{}
			q := s.weighted("Scaled", none)
			if got, err := p.kullbackLeibler(q); err != nil || !math.IsInf(got, 1) {
				t.Errorf("divergence %v (%v), want +Inf", got, err)
			}
			if got, err := q.kullbackLeibler(p); err != nil || !(got >= 0 && got < 1e-300) {
				t.Errorf("divergence %v (%v), want about 0", got, err)
			}
			for f := lo; f < lo+s.sizes[1]; f++ {
				if f == e || uses[f] == 0 || slices.ContainsFunc(without, func(x outcome) bool { return x.uses[f] > 0 }) {
					continue
				}
				later++
				dead := mapped(s.weights, semiring.NewScaled)
				dead[f] = semiring.ScaledFloat{}
				if got, err := p.crossEntropy(s.weighted("Scaled", dead)); err != nil || !math.IsInf(got, 1) {
					t.Errorf("cross-entropy %v (%v), want +Inf", got, err)
				}
			}
		}
	})
	if checked < 100 || later < 100 {
		t.Errorf("only %d rare options, %d after them", checked, later)
	}
}
