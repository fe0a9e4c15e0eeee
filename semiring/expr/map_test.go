package expr

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"example.org/pathsum/semiring"
)

func TestMapIntoTropical(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		values, err := Map(tr.space, semiring.Tropical{},
			func(p int32) semiring.Cost { return semiring.Cost(-math.Log(tr.theta[p])) },
			func(c semiring.ScaledFloat) semiring.Cost { return semiring.Cost(-c.Log()) })
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tr.made {
			if got, want := float64(values[w]), tr.want[w].cost; math.Abs(got-want) > 1e-9 {
				t.Fatalf("seed %d: %s costs %g, want %g", seed, tr.space.String(w), got, want)
			}
		}
	}
}

// TestMapIntoScaled: the generic homomorphism is Evaluate.
func TestMapIntoScaled(t *testing.T) {
	for seed := range uint64(trials) {
		tr := newTrial(seed, 4, 120)
		theta := scaled(tr.theta...)
		values, err := Map(tr.space, semiring.Scaled{},
			func(p int32) semiring.ScaledFloat { return theta[p] },
			func(c semiring.ScaledFloat) semiring.ScaledFloat { return c })
		if err != nil {
			t.Fatal(err)
		}
		want, err := tr.space.Evaluate(nil, theta)
		if err != nil {
			t.Fatal(err)
		}
		for w := range want {
			if !near(values[w].Div(want[w]).Float64(), 1, 1e-12) && want[w] != values[w] {
				t.Fatalf("seed %d: %s = %v, want %v", seed, tr.space.String(W(w)), values[w], want[w])
			}
		}
	}
}

// TestMapCountsPaths: multiplicities are copies, not numbers, in every ring.
func TestMapCountsPaths(t *testing.T) {
	s := New()
	a, half := s.Param(0), s.Const(semiring.NewScaled(0.5))
	w := s.Plus(s.Plus(a, half), s.Plus(half, s.Plus(half, a))) // 2 a, 3 halves
	w = s.Times(w, w)
	count, err := Map(s, semiring.Counting{},
		func(int32) *big.Int { return big.NewInt(1) },
		func(semiring.ScaledFloat) *big.Int { return big.NewInt(1) })
	if err != nil || count[w].Int64() != 25 {
		t.Errorf("%v paths, %v; want 25", count[w], err)
	}
	reach, err := Map(s, semiring.Boolean{}, func(int32) bool { return false },
		func(semiring.ScaledFloat) bool { return true })
	if err != nil || !reach[w] || reach[a] || reach[Zero] || !reach[One] {
		t.Errorf("Boolean image wrong: %v", err)
	}
}

// words is a ring without Star, division or commutativity.
type words struct{ semiring.Semiring[bool] }

func (words) Laws() semiring.Laws { return 0 }

// plain is a commutative ring without further capabilities.
type plain struct{ semiring.Semiring[bool] }

func (plain) Laws() semiring.Laws { return semiring.Commutative }

func TestMapErrors(t *testing.T) {
	all := func(int32) bool { return true }
	constant := func(semiring.ScaledFloat) bool { return true }
	s := New()
	a, b := s.Param(0), s.Param(1)
	if _, err := Map(s, words{semiring.Boolean{}}, all, constant); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("non-commutative ring: %v", err)
	}
	f := s.Fork()
	f.Star(a)
	if _, err := Map(f, plain{semiring.Boolean{}}, all, constant); !errors.Is(err, semiring.ErrCapability) ||
		!strings.Contains(err.Error(), "star(θ0)") {
		t.Errorf("ring without Star: %v", err)
	}
	f = s.Fork()
	f.RDiv(a, b)
	if _, err := Map(f, plain{semiring.Boolean{}}, all, constant); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("ring without division: %v", err)
	}
	number := func(x float64) func(int32) float64 { return func(int32) float64 { return x } }
	if _, err := Map(f, semiring.Real{}, number(0), semiring.ScaledFloat.Float64); !errors.Is(err, ErrDivision) ||
		!strings.Contains(err.Error(), "θ0*θ1^-1") {
		t.Errorf("division by zero: %v", err)
	}
	f = s.Fork()
	f.Star(a)
	if _, err := Map(f, semiring.Real{}, number(1), semiring.ScaledFloat.Float64); !errors.Is(err, ErrDiverges) {
		t.Errorf("star of 1: %v", err)
	}
}

// TestMapIntoExpectation: the expectation semiring, run forward, counts what
// Backpropagate counts in reverse (Eisner 2002, §4).
func TestMapIntoExpectation(t *testing.T) {
	const params = 4
	ring := semiring.Expectation(semiring.Real{}, semiring.Dense(semiring.Real{}, params))
	type pair = semiring.Expected[float64, []float64]
	for seed := range uint64(trials) {
		tr := newTrial(seed, params, 80)
		images, err := Map(tr.space, ring, func(p int32) pair {
			v := make([]float64, params)
			v[p] = tr.theta[p]
			return pair{P: tr.theta[p], V: v}
		}, func(c semiring.ScaledFloat) pair { return pair{P: c.Float64()} })
		if err != nil {
			t.Fatal(err)
		}
		values, err := tr.space.Evaluate(nil, scaled(tr.theta...))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range tr.made {
			for p, got := range usesOf(tr.space, values, w, params) {
				want := 0.0
				if v := images[w].V; len(v) > 0 {
					want = v[p] / images[w].P
				}
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("seed %d: %s: %g uses of θ%d, want %g", seed, tr.space.String(w), got, p, want)
				}
			}
		}
	}
}
