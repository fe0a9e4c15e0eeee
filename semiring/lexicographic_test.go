package semiring_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

func lexOf[A, B any](t testing.TB, a Semiring[A], b Semiring[B]) Semiring[Pair[A, B]] {
	t.Helper()
	ring, err := Lex(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// Costs of few values make ties frequent.
func fewCosts(r *rand.Rand) Cost {
	if r.IntN(8) == 0 {
		return Tropical{}.Zero()
	}
	return Cost(r.IntN(4) - 1)
}

func halves(r *rand.Rand) ScaledFloat { return NewScaled(math.Ldexp(1, -r.IntN(3))) }

func TestLexLaws(t *testing.T) {
	costs, reals := Semiring[Cost](Tropical{}), Semiring[float64](Real{})
	scaled, best := Semiring[ScaledFloat](Scaled{}), Semiring[ScaledFloat](Viterbi{})
	strings := Semiring[Word](shortlex{})
	half := func(r *rand.Rand) float64 { return float64(r.IntN(4)) / 8 }
	counting := lexOf(t, costs, Counting{})
	semiringtest.Test(t, counting, pairOf(fewCosts, number), nil)
	semiringtest.Test(t, lexOf(t, costs, costs), pairOf(fewCosts, cost), nil)
	semiringtest.Test(t, lexOf(t, costs, reals), pairOf(fewCosts, half), nil)
	semiringtest.Test(t, lexOf(t, best, scaled), pairOf(halves, halves), nil)
	semiringtest.Test(t, lexOf(t, costs, lexOf(t, best, reals)), pairOf(fewCosts, pairOf(halves, half)), nil)
	semiringtest.Test(t, lexOf(t, costs, strings), pairOf(fewCosts, word), nil)
	semiringtest.Test(t, lexOf(t, strings, reals), pairOf(word, half), nil)
	semiringtest.Test(t, lexOf(t, Boolean{}, Bottleneck{}),
		pairOf(truth, func(r *rand.Rand) Width { return Width(r.IntN(9)) }), nil)
	semiringtest.Test(t, lexOf(t, costs, LeftString{}), pairOf(fewCosts, word), nil)
	semiringtest.Test(t, lexOf(t, costs, matrices{}), pairOf(fewCosts, randomMatrix),
		&semiringtest.Options[Pair[Cost, matrix]]{Near: func(a, b Pair[Cost, matrix]) bool {
			return a.First == b.First && (Tropical{}.IsZero(a.First) || nearMatrix(a.Second, b.Second))
		}})
	ranked := kBestOf(t, lexOf(t, costs, costs), 3)
	semiringtest.Test(t, ranked, rankedOf(lexOf(t, costs, costs), 3, pairOf(fewCosts, fewCosts)), nil)
}

func TestLexRefuses(t *testing.T) {
	if _, err := Lex(Bottleneck{}, Real{}); !errors.Is(err, ErrCapability) {
		t.Errorf("Bottleneck: %v", err)
	}
	if _, err := Lex(Real{}, Real{}); !errors.Is(err, ErrCapability) {
		t.Errorf("Real: %v", err)
	}
	closed, _ := As[Closed[Pair[Cost, float64]]](lexOf(t, Tropical{}, Real{}))
	for _, c := range []struct {
		x    Pair[Cost, float64]
		want float64
		ok   bool
	}{
		{Pair[Cost, float64]{First: 0, Second: .5}, 2, true},
		{Pair[Cost, float64]{First: 1, Second: 5}, 1, true},
		{Pair[Cost, float64]{First: 0, Second: 1}, 0, false},
		{Pair[Cost, float64]{First: -1, Second: .5}, 0, false},
		{Pair[Cost, float64]{First: Cost(math.NaN()), Second: .5}, 0, false},
	} {
		if got, ok := closed.Star(c.x); ok != c.ok || ok && (got.First != 0 || got.Second != c.want) {
			t.Errorf("%v* = %v, %v", c.x, got, ok)
		}
	}
}

func TestViterbiExpectationLaws(t *testing.T) {
	scaled := Semiring[ScaledFloat](Scaled{})
	ring := ViterbiExpectation(scaled, Scalar(scaled))
	type weight = Pair[ScaledFloat, Expected[ScaledFloat, ScaledFloat]]
	value := func(r *rand.Rand) ScaledFloat { return NewScaled(float64(r.IntN(5))) }
	semiringtest.Test(t, ring, func(r *rand.Rand) weight {
		p := NewScaled(math.Ldexp(1, -1-r.IntN(2)))
		return weight{First: p, Second: Expected[ScaledFloat, ScaledFloat]{P: p, V: p.Mul(value(r))}}
	}, nil)
	// Two best paths of three: the mean of their values.
	arc := func(p, v float64) weight {
		return weight{First: NewScaled(p), Second: Expected[ScaledFloat, ScaledFloat]{P: NewScaled(p), V: NewScaled(p * v)}}
	}
	sum := ring.Plus(ring.Plus(ring.Times(arc(.5, 3), arc(.25, 1)), arc(.125, 8)), arc(.1, 100))
	if mean := sum.Second.V.Div(sum.Second.P).Float64(); sum.First.Float64() != .125 || mean != 6 {
		t.Errorf("best path of mass %v with value %v", sum.First, mean)
	}
	read, err := FromScaled(ring)
	if err != nil || ring.IsZero(read(NewScaled(.5))) || !ring.IsZero(read(ScaledFloat{})) {
		t.Errorf("FromScaled: %v", err)
	}
}
