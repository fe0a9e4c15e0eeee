package semiring_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// The number of rounds of a loop taken with probability p is geometric.
func TestExpectationOfALoop(t *testing.T) {
	reals := Semiring[float64](Real{})
	ring := Expectation(reals, Scalar(reals))
	closed, _ := As[Closed[Expected[float64, float64]]](ring)
	const p = 0.7
	star, ok := closed.Star(Expected[float64, float64]{p, p * 1})
	total := ring.Times(star, Expected[float64, float64]{1 - p, 0})
	if want := p / (1 - p); !ok || math.Abs(total.P-1) > 1e-15 || math.Abs(total.V-want) > 1e-14 {
		t.Errorf("⟨%v, %v⟩, want ⟨1, %v⟩", total.P, total.V, want)
	}
}

// The star is the limit of its series, on the proper sides of ⊗.
func TestExpectationStarIsItsSeries(t *testing.T) {
	square := Semiring[matrix](matrices{})
	ring := Expectation(square, Scalar(square))
	type weight = Expected[matrix, matrix]
	closed, _ := As[Closed[weight]](ring)
	r := rand.New(rand.NewPCG(5, 1))
	for range 20 {
		a := weight{randomMatrix(r), randomMatrix(r)}
		sum, power := ring.One(), ring.One()
		for range 200 {
			power = ring.Times(power, a)
			sum = ring.Plus(sum, power)
		}
		if star, ok := closed.Star(a); !ok || !nearMatrix(star.P, sum.P) || !nearMatrix(star.V, sum.V) {
			t.Fatalf("%v* = %v, want %v", a, star, sum)
		}
	}
}

// Expectations of counts along random paths, against enumeration.
func TestExpectationCounts(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	dense := Expectation(reals, Dense(reals, 2))
	sparse := Expectation(reals, Sparse(reals))
	shared := Expectation(scaled, Dense(scaled, 2))
	// A path takes one of two arcs, each of three times: arc j has weight p[j] and counts component j.
	p := []float64{0.3, 0.5}
	d, s, v := dense.One(), sparse.One(), shared.One()
	for range 3 {
		ds, ss, vs := dense.Zero(), sparse.Zero(), shared.Zero()
		for j, pj := range p {
			unit := []float64{0, 0}
			unit[j] = pj
			ds = dense.Plus(ds, Expected[float64, []float64]{pj, unit})
			ss = sparse.Plus(ss, Expected[float64, SparseVector[float64]]{pj, SparseVector[float64]{[]int32{int32(j)}, []float64{pj}}})
			vs = shared.Plus(vs, Expected[ScaledFloat, []ScaledFloat]{NewScaled(pj), scaledOf(unit...)})
		}
		d, s, v = dense.Times(d, ds), sparse.Times(s, ss), shared.Times(v, vs)
	}
	for j, pj := range p {
		want := 3 * pj / (p[0] + p[1])
		for name, got := range map[string]float64{
			"Dense": d.V[j] / d.P, "Sparse": s.V.Value[j] / s.P, "Dense Scaled": v.V[j].Div(v.P).Float64(),
		} {
			if math.Abs(got-want) > 1e-15*8 {
				t.Errorf("%s: expected count %d is %v, want %v", name, j, got, want)
			}
		}
	}
}

// scaledOf returns numbers as a vector over Scaled.
func scaledOf(x ...float64) []ScaledFloat {
	v := make([]ScaledFloat, len(x))
	for i := range x {
		v[i] = NewScaled(x[i])
	}
	return v
}

type (
	carried  = Expected[float64, float64]
	carried2 = Expected2[float64, float64, float64, float64]
)

// value draws a value of either sign that is not a dyadic fraction: sums of such values cancel
// only up to rounding.
func value(r *rand.Rand) float64 { return 3*r.Float64() - 1 }

// most draws a mass that is safe to divide by.
func most(r *rand.Rand) float64 { return .3 + r.Float64() }

// Derived rings keep the laws, measured by their own Metric and Keyer, with values that cancel.
func TestLawsByDistAndKeys(t *testing.T) {
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

// Dist and AppendKey treat values that cancel as 0, and other values not.
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
	// The range of float64 does not matter, and NaN stays NaN.
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

// A cycle of mass 1 has no star, in whatever order its masses are summed.
func TestStarRefusesHiddenMassOne(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	partitions := [][]float64{{.7, .2, .1}, {.1, .1, .8}, {.1, .2, .3, .4}, {.6, .3, .1}, {.9, .05, .05}, {.1, .1, .1, .1, .1, .5}, {1. / 3, 1. / 3, 1. / 3}}
	for _, masses := range partitions {
		for range 200 {
			r.Shuffle(len(masses), func(i, j int) { masses[i], masses[j] = masses[j], masses[i] })
			refuses(t, Real{}, masses, r)
			refuses(t, Scaled{}, masses, r)
			refuses(t, Log{}, masses, r)
		}
	}
}

// refuses sums masses in the order of a random tree and by the kernel.
func refuses[W any](t *testing.T, s Semiring[W], masses []float64, r *rand.Rand) {
	t.Helper()
	read, err := FromScaled(s)
	if err != nil {
		t.Fatal(err)
	}
	var w, ones []W
	for _, p := range masses {
		w, ones = append(w, read(NewScaled(p))), append(ones, s.One())
	}
	var sums [2]W
	KernelOf(s).Dot(&sums[0], w, nil, ones, nil)
	for len(w) > 1 {
		i := r.IntN(len(w) - 1)
		w[i] = s.Plus(w[i], w[i+1])
		w = append(w[:i+1], w[i+2:]...)
	}
	sums[1] = w[0]
	closed, _ := As[Closed[W]](s)
	for _, sum := range sums {
		if star, ok := closed.Star(sum); ok {
			t.Errorf("%T: %v sum to %v, whose star is given as %v", s, masses, sum, star)
		}
	}
}

func TestStarNearOne(t *testing.T) {
	for _, gap := range []float64{5 * 0x1p-52, 6 * 0x1p-52, 0x1p-40, 1e-9, 1e-3, 0.25, 0.5, 0.75, 1, 1 - 0x1p-20} {
		a := 1 - gap
		want := 1 / gap // 1 − a is exact, and so is gap for the small ones
		if got, ok := (Real{}).Star(a); !ok || math.Abs(got/(1/(1-a))-1) > 0x1p-52 || math.Abs(got/want-1) > 1e-12 && gap > 1e-3 {
			t.Errorf("Real: %v* = %v, %v", a, got, ok)
		}
		if got, ok := (Scaled{}).Star(NewScaled(a)); !ok || math.Abs(got.Float64()*(1-a)-1) > 0x1p-51 {
			t.Errorf("Scaled: %v* = %v, %v", a, got, ok)
		}
	}
	for _, a := range []float64{1, 1 - 0x1p-53, 1 - 4*0x1p-52, 1 + 0x1p-52, 2, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		if got, ok := (Real{}).Star(a); ok {
			t.Errorf("Real: %v* = %v", a, got)
		}
		if got, ok := (Scaled{}).Star(NewScaled(a)); ok {
			t.Errorf("Scaled: %v* = %v", a, got)
		}
	}
	if _, ok := (Scaled{}).Star(ScaledFloat{1, 10}); ok {
		t.Error("Scaled: a huge weight has a star")
	}
	if got, ok := (Scaled{}).Star(ScaledFloat{1, -10}); !ok || got != NewScaled(1) {
		t.Errorf("Scaled: the star of a tiny weight is %v", got)
	}
	if got, ok := (Real{}).Star(-3); !ok || got != 0.25 { // the solution of x = 1 − 3x
		t.Errorf("Real: (−3)* = %v, %v", got, ok)
	}
}

func TestLogStarAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 300 {
		a := -math.Exp(-34 + 38*r.Float64()) // −2e-15 … −50
		got, ok := (Log{}).Star(LogProb(a))
		if !ok {
			t.Fatalf("Log: %v has no star", a)
		}
		pivot := new(big.Float).Sub(newBig(1), bigExp(newBig(a)))
		want, _ := bigLog(pivot).Float64()
		if e := math.Abs(float64(got) + want); e > 0x1p-51*math.Abs(want) {
			t.Errorf("Log: %v* = %v, want %v", a, got, -want)
		}
	}
	for _, a := range []LogProb{0, -0x1p-53, -4 * 0x1p-52, 1e-300, 1, LogProb(math.Inf(1)), LogProb(math.NaN())} {
		if got, ok := (Log{}).Star(a); ok {
			t.Errorf("Log: %v* = %v", a, got)
		}
	}
	if got, ok := (Log{}).Star((Log{}).Zero()); !ok || got != 0 {
		t.Errorf("Log: 0̄* = %v, %v", got, ok)
	}
}

func TestSelectiveStars(t *testing.T) {
	for a, want := range map[Cost]bool{0: true, 1: true, Cost(math.Inf(1)): true, -0x1p-50: false, Cost(math.NaN()): false, Cost(math.Inf(-1)): false} {
		if star, ok := (Tropical{}).Star(a); ok != want || ok && star != 0 {
			t.Errorf("Tropical: %v* = %v, %v", a, star, ok)
		}
	}
	for a, want := range map[float64]bool{0: true, 0.5: true, 1: true, 1 + 0x1p-52: false, math.Inf(1): false, math.NaN(): false} {
		if star, ok := (Viterbi{}).Star(NewScaled(a)); ok != want || ok && star != NewScaled(1) {
			t.Errorf("Viterbi: %v* = %v, %v", a, star, ok)
		}
	}
}
