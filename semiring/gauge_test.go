package semiring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

type (
	carried  = Expected[float64, float64]
	carried2 = Expected2[float64, float64, float64, float64]
)

// value draws a value that is no dyadic fraction, of either sign: sums of such values cancel
// up to rounding alone.
func value(r *rand.Rand) float64 { return 3*r.Float64() - 1 }

// most draws a mass that may be divided by.
func most(r *rand.Rand) float64 { return .3 + r.Float64() }

// Derived rings keep the laws by their own Metric and Keyer with values that cancel: no
// function of the test measures them.
func TestLawsByOwnMeasures(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	expectation := Expectation(reals, Scalar(reals))
	draw := func(r *rand.Rand) carried { p := most(r); return carried{P: p, V: p * value(r)} }
	semiringtest.Test(t, expectation, draw, nil)
	semiringtest.Test(t, Expectation(scaled, Scalar(scaled)), func(r *rand.Rand) Expected[ScaledFloat, ScaledFloat] {
		w := draw(r)
		unit := ScaledFromLog(-2000 * r.Float64()) // far below float64
		return Expected[ScaledFloat, ScaledFloat]{P: NewScaled(w.P).Mul(unit), V: NewScaled(w.V).Mul(unit)}
	}, nil)
	semiringtest.Test(t, Expectation(reals, Dense(reals, 3)), func(r *rand.Rand) Expected[float64, []float64] {
		p := most(r)
		return Expected[float64, []float64]{P: p, V: denseOf(3, func(r *rand.Rand) float64 { return p * value(r) })(r)}
	}, nil)
	semiringtest.Test(t, Expectation(reals, Sparse(reals)), func(r *rand.Rand) Expected[float64, SparseVector[float64]] {
		p := most(r)
		v := Expected[float64, SparseVector[float64]]{P: p}
		for i := range int32(4) {
			if r.IntN(2) == 0 {
				v.V.Index, v.V.Value = append(v.V.Index, i), append(v.V.Value, p*value(r))
			}
		}
		return v
	}, nil)
	semiringtest.Test(t, expectation2Of(t, reals, ScalarProduct(reals)), func(r *rand.Rand) carried2 {
		p := most(r)
		return carried2{P: p, R: p * value(r), S: p * value(r), T: p * value(r)}
	}, nil)
	semiringtest.Test(t, expectation2Of(t, reals, DenseProduct(reals, 2, 2)), func(r *rand.Rand) Expected2[float64, []float64, []float64, []float64] {
		p := most(r)
		v := func(n int) []float64 { return denseOf(n, func(r *rand.Rand) float64 { return p * value(r) })(r) }
		return Expected2[float64, []float64, []float64, []float64]{P: p, R: v(2), S: v(2), T: v(4)}
	}, nil)
	semiringtest.Test(t, ViterbiExpectation(scaled, Scalar(scaled)), func(r *rand.Rand) Pair[ScaledFloat, Expected[ScaledFloat, ScaledFloat]] {
		p := NewScaled(math.Ldexp(1, -1-r.IntN(2)))
		return Pair[ScaledFloat, Expected[ScaledFloat, ScaledFloat]]{First: p, Second: Expected[ScaledFloat, ScaledFloat]{P: p, V: p.Mul(NewScaled(value(r)))}}
	}, nil)
	semiringtest.Test(t, Product(reals, expectation), pairOf(most, draw), nil)
	semiringtest.Test(t, lexOf(t, Semiring[Cost](Tropical{}), expectation), pairOf(fewCosts, draw), nil)
	pairs := Product(reals, scaled)
	semiringtest.Test(t, Expectation(pairs, Scalar(pairs)), func(r *rand.Rand) Expected[Pair[float64, ScaledFloat], Pair[float64, ScaledFloat]] {
		a, b := draw(r), draw(r)
		return Expected[Pair[float64, ScaledFloat], Pair[float64, ScaledFloat]]{
			P: Pair[float64, ScaledFloat]{First: a.P, Second: NewScaled(b.P)},
			V: Pair[float64, ScaledFloat]{First: a.V, Second: NewScaled(b.V)},
		}
	}, nil)
	semiringtest.Test(t, Expectation(expectation, Scalar(expectation)), func(r *rand.Rand) Expected[carried, carried] {
		p := draw(r)
		return Expected[carried, carried]{P: p, V: expectation.Times(p, draw(r))}
	}, nil)
	series := func(r *rand.Rand) Polynomial[float64] {
		a := Polynomial[float64]{most(r)}
		for range r.IntN(4) {
			a = append(a, a[0]*value(r)/2)
		}
		return a
	}
	semiringtest.Test(t, Series(reals, 4), series, nil)
	semiringtest.Test(t, Series(scaled, 4), func(r *rand.Rand) Polynomial[ScaledFloat] { return scaledOf(series(r)...) }, nil)
	semiringtest.Test(t, Series(expectation, 3), func(r *rand.Rand) Polynomial[carried] {
		a := Polynomial[carried]{draw(r)}
		for range r.IntN(3) {
			a = append(a, carried{P: a[0].P * value(r) / 2, V: a[0].P * value(r)})
		}
		return a
	}, nil)
	powers := Series(reals, 3)
	semiringtest.Test(t, Expectation(powers, Scalar(powers)), func(r *rand.Rand) Expected[Polynomial[float64], Polynomial[float64]] {
		p := series(r)
		return Expected[Polynomial[float64], Polynomial[float64]]{P: powers.Plus(p, nil)[:1], V: powers.Times(p, series(r))}
	}, nil)
}

// What cancels is 0 to Dist and to AppendKey, and what does not is not.
func TestResiduesAreZero(t *testing.T) {
	reals := Semiring[float64](Real{})
	const residue = 1e-17
	type vector = Expected[float64, []float64]
	type sparse = Expected[float64, SparseVector[float64]]
	checkResidue(t, Expectation(reals, Scalar(reals)), carried{P: .5}, carried{P: .5, V: residue}, carried{P: .5, V: 1e-6})
	checkResidue(t, Expectation(reals, Dense(reals, 2)), vector{P: .5}, vector{P: .5, V: []float64{0, residue}}, vector{P: .5, V: []float64{1e-6, 0}})
	checkResidue(t, Expectation(reals, Sparse(reals)), sparse{P: .5},
		sparse{P: .5, V: SparseVector[float64]{Index: []int32{7}, Value: []float64{-residue}}},
		sparse{P: .5, V: SparseVector[float64]{Index: []int32{7}, Value: []float64{1e-6}}})
	checkResidue(t, expectation2Of(t, reals, ScalarProduct(reals)), carried2{P: 2, R: 1}, carried2{P: 2, R: 1, S: residue, T: -residue}, carried2{P: 2, R: 1, T: 1e-6})
	checkResidue(t, Series(reals, 4), Polynomial[float64]{.5, 2}, Polynomial[float64]{.5, 2, residue, -residue}, Polynomial[float64]{.5, 2, 0, 1e-6})
	checkResidue(t, Series(reals, 4), Polynomial[float64]{0, 2}, Polynomial[float64]{residue, 2}, Polynomial[float64]{1e-6, 2})
	// Without a mass there is no other scale: V is measured by itself.
	ring := Expectation(reals, Scalar(reals))
	metric, _ := As[Metric[carried]](ring)
	if d := metric.Dist(carried{V: 1e-20}, carried{V: 2e-20}); d != .5 {
		t.Errorf("beside no mass, 1e-20 and 2e-20 are %v apart, want .5", d)
	}
	// The range of float64 does not matter, and what is not a number stays so.
	if d := metric.Dist(carried{P: 1e-300, V: 1e300}, carried{P: 1e-300, V: 2e300}); d != .5 {
		t.Errorf("1e300 and 2e300 beside 1e-300 are %v apart, want .5", d)
	}
	nan := carried{P: 1, V: math.NaN()}
	if d := metric.Dist(nan, nan); d == d {
		t.Errorf("NaN is %v from itself, want NaN", d)
	}
}

func checkResidue[W any](t *testing.T, ring Semiring[W], exact, near, far W) {
	t.Helper()
	metric, _ := As[Metric[W]](ring)
	keyer, _ := As[Keyer[W]](ring)
	key := func(w W, delta float64) string { return string(keyer.AppendKey(nil, w, delta)) }
	if d := metric.Dist(exact, near); !(0 < d && d < 1e-15) {
		t.Errorf("%v is %v from %v, want a rounding", near, d, exact)
	}
	if d := metric.Dist(exact, far); !(d > 1e-8) {
		t.Errorf("%v is %v from %v, want more", far, d, exact)
	}
	if key(exact, 1e-9) != key(near, 1e-9) || key(exact, 0) == key(near, 0) || key(exact, 1e-9) == key(far, 1e-9) {
		t.Errorf("keys of %v, %v and %v: want the first two equal but for delta 0", exact, near, far)
	}
}
