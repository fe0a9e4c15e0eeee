package derivation_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
)

// questions are the queries about random derivations.
var questions = map[string]func(m machine, s *structure) error{
	"mean":       func(m machine, s *structure) error { _, err := m.mean(values{dim: 1}); return err },
	"covariance": func(m machine, s *structure) error { _, _, err := m.covariance(values{dim: 1}); return err },
	"counts":     func(m machine, s *structure) error { _, _, err := m.along(make([]float64, s.parts())); return err },
	"Hessian": func(m machine, s *structure) error {
		_, err := m.hessianVector(make([]float64, s.parts()))
		return err
	},
	"entropy":    func(m machine, s *structure) error { _, err := m.entropy(); return err },
	"divergence": func(m machine, s *structure) error { _, err := m.kullbackLeibler(m); return err },
	"sampler":    func(m machine, s *structure) error { _, err := m.sampler(); return err },
}

// The weights of all parts must be finite and not negative, in a ring of masses that ⊕ adds.
// There must be a derivation.
func TestRandomDerivationsNeedMasses(t *testing.T) {
	for _, storage := range storages {
		for seed := range uint64(30) {
			r := graphtest.Rand(seed)
			s := storage.finite(r)
			if s.parts() == 0 {
				continue
			}
			for _, test := range []struct {
				ring   string
				weight float64 // of one part
				want   error
			}{
				{"Real", -1, semiring.ErrNegative},
				{"Scaled", math.Inf(1), semiring.ErrNotFinite},
				{"Real", math.NaN(), semiring.ErrNotFinite},
				{"Viterbi", 1, semiring.ErrCapability},
				{"Real", 0, storage.empty},
			} {
				w := mapped(s.weights, semiring.NewScaled)
				w[r.IntN(len(w))] = semiring.NewScaled(test.weight)
				if test.weight == 0 {
					clear(w)
				}
				for name, ask := range questions {
					if err := ask(s.weighted(test.ring, w), s); !errors.Is(err, test.want) {
						t.Errorf("%s, seed %d: %s in %s with a weight of %v: error %v, want %v",
							storage.name, seed, name, test.ring, test.weight, err, test.want)
					}
				}
			}
		}
	}
}

func TestValuesThatDoNotFit(t *testing.T) {
	rows := func(row []int32, index []int32, value ...float64) semiring.Rows {
		return semiring.Rows{Row: row, Index: index, Value: value}
	}
	withFinite(t, 30, func(t *testing.T, r *rand.Rand, s *structure, _ []outcome) {
		m := s.in("Real")
		if _, err := m.mean(values{}); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("no component: error %v, want semiring.ErrShape", err)
		}
		for kind, n := range s.sizes[:2] {
			if n < 2 {
				continue
			}
			zeros := func() []int32 { return make([]int32, n+1) }
			ending := func(last int32) []int32 { return append(make([]int32, n), last) }
			falling := append(slices.Repeat([]int32{1}, n), 0)
			falling[0] = 0
			behind := zeros()
			behind[0] = 1
			for name, part := range map[string]semiring.Rows{
				"too few rows":    semiring.Scalars(make([]float64, n-1)),
				"index too high":  rows(ending(1), []int32{1}, 1),
				"negative index":  rows(ending(1), []int32{-1}, 1),
				"too few values":  rows(ending(1), []int32{0}),
				"falling row":     rows(falling, nil),
				"rows left out":   rows(nil, []int32{0}, 1),
				"rows not from 0": rows(behind, nil),
			} {
				v := values{dim: 1}
				v.rows[kind] = part
				if _, err := m.mean(v); !errors.Is(err, semiring.ErrShape) {
					t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
				}
				if _, _, err := m.covariance(v); !errors.Is(err, semiring.ErrShape) {
					t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
				}
			}
		}
	})
}

// Weightings of different structures cannot be compared.
func TestEntropyOfDifferentStructures(t *testing.T) {
	for _, storage := range storages {
		for seed := range uint64(30) {
			r := graphtest.Rand(seed)
			p, q := storage.finite(r), storage.finite(r)
			if p.sizes == q.sizes {
				continue
			}
			for name, f := range map[string]func(p, q machine) (float64, error){
				"cross-entropy": machine.crossEntropy,
				"divergence":    machine.kullbackLeibler,
			} {
				if _, err := f(p.in("Real"), q.in("Real")); !errors.Is(err, semiring.ErrShape) {
					t.Errorf("%s: %s: error %v, want semiring.ErrShape", storage.name, name, err)
				}
			}
		}
	}
}
