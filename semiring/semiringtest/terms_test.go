package semiringtest_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// sharing is Scaled or Log with a fault in SweepTerms.
type sharing[W any] struct {
	semiring.Semiring[W]
	of    semiring.TermSweeper[W]
	laws  semiring.Laws
	fault func(term, own, unit []float64, x, w []W) bool // returns the result of SweepTerms
}

func (s sharing[W]) Laws() semiring.Laws { return s.laws }

func (s sharing[W]) SweepTerms(term, own, unit []float64, x []W, order, row []int32, w []W, i []int32) bool {
	return s.of.SweepTerms(term, own, unit, x, order, row, w, i) && s.fault(term, own, unit, x, w)
}

// Log and FromLog are those of the ring.
func (s sharing[W]) Log(w W) float64 { return s.Semiring.(semiring.Probabilistic[W]).Log(w) }
func (s sharing[W]) FromLog(logp float64) W {
	return s.Semiring.(semiring.Probabilistic[W]).FromLog(logp)
}
func (s sharing[W]) Dist(a, b W) float64 { return s.Semiring.(semiring.Metric[W]).Dist(a, b) }

func TestFaultsOfTermsAreCaught(t *testing.T) {
	t.Run("Real", func(t *testing.T) { faultsOfTerms[float64](t, semiring.Real{}, func(x float64) float64 { return x }) })
	t.Run("Scaled", func(t *testing.T) { faultsOfTerms[semiring.ScaledFloat](t, semiring.Scaled{}, semiring.NewScaled) })
	t.Run("Log", func(t *testing.T) {
		faultsOfTerms[semiring.LogProb](t, semiring.Log{}, func(x float64) semiring.LogProb { return semiring.LogProb(semiring.NewScaled(x).Log()) })
	})
}

func faultsOfTerms[W any](t *testing.T, ring interface {
	semiring.Semiring[W]
	semiring.TermSweeper[W]
}, weight func(float64) W) {
	draw := func(r *rand.Rand) W { return weight(float64(r.IntN(4))) }
	for _, f := range []struct {
		law  string // "" if there is no fault
		laws semiring.Laws
		call func(term, own, unit []float64, x, w []W) bool
	}{
		{"", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool { return true }},
		{"TermSweeper: the ring claims to be Commutative", 0, func(term, own, unit []float64, x, w []W) bool { return true }},
		{"SweepTerms has shares of sums of numbers in range", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool { return false }},
		{"SweepTerms: term · unit is the share of w ⊗ x[i]", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool {
			for n := range term {
				term[n] *= 1 + 1e-9
			}
			return true
		}},
		{"SweepTerms: term · unit is the share of w ⊗ x[i]", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool {
			clear(own)
			return true
		}},
		{"SweepTerms: x[s] = x[s] ⊕ ⊕ w ⊗ x[i]", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool {
			if len(x) > 1 {
				x[1] = ring.Plus(x[1], ring.One())
			}
			return true
		}},
		{"SweepTerms leaves weights alone and replaces those of x", semiring.Commutative, func(term, own, unit []float64, x, w []W) bool {
			if len(w) > 0 {
				w[0] = ring.Plus(w[0], ring.One())
			}
			return true
		}},
	} {
		err := semiringtest.Check(sharing[W]{ring, ring, f.laws, f.call}, draw, nil)
		if f.law == "" && err != nil || f.law != "" && !names(err, f.law) {
			t.Errorf("%q: found is:\n%v", f.law, err)
		}
	}
}
