package semiring_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

type (
	scalar2 = Expected2[float64, float64, float64, float64]
	dense2  = Expected2[float64, []float64, []float64, []float64]
	scaled2 = Expected2[ScaledFloat, []ScaledFloat, []ScaledFloat, []ScaledFloat]
)

func expectation2Of[W, R, S, T any](t testing.TB, base Semiring[W], product Bilinear[W, R, S, T]) Semiring[Expected2[W, R, S, T]] {
	t.Helper()
	ring, err := Expectation2(base, product)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// secondOrder returns the weight of an arc of mass p with values r and s.
func secondOrder[W, R, S, T any](product Bilinear[W, R, S, T], p W, r R, s S) Expected2[W, R, S, T] {
	R0, S0, T0 := product.Modules()
	t := T0.Zero()
	product.AddProduct(&t, p, r, s)
	return Expected2[W, R, S, T]{P: p, R: R0.Left(p, r), S: S0.Left(p, s), T: t}
}

func nearAll(a, b []float64) bool { return nearPolynomial(a, b) }

func components2(a dense2) []float64 {
	pad := func(v []float64, n int) []float64 { return append(v, make([]float64, n-len(v))...) }
	all := append([]float64{a.P}, pad(a.R, 2)...)
	return append(append(all, pad(a.S, 3)...), pad(a.T, 6)...)
}

func componentsScaled2(a scaled2) (all []float64) {
	all = append(all, a.P.Float64())
	for _, vector := range []struct {
		v []ScaledFloat
		n int
	}{{a.R, 2}, {a.S, 3}, {a.T, 6}} {
		for _, x := range append(vector.v, make([]ScaledFloat, vector.n-len(vector.v))...) {
			all = append(all, x.Float64())
		}
	}
	return all
}

// eighths are exact in sums of products, and have a star and an inverse.
func eighths(r *rand.Rand) float64 { return float64(1+r.IntN(3)) / 8 }

func TestExpectation2Laws(t *testing.T) {
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	scalarProduct := ScalarProduct(reals)
	semiringtest.Test(t, expectation2Of(t, reals, scalarProduct), func(r *rand.Rand) scalar2 {
		return scalar2{P: eighths(r), R: dyadic(r), S: dyadic(r), T: dyadic(r)}
	}, &semiringtest.Options[scalar2]{Trials: 80, Near: func(a, b scalar2) bool {
		return nearAll([]float64{a.P, a.R, a.S, a.T}, []float64{b.P, b.R, b.S, b.T})
	}})
	semiringtest.Test(t, expectation2Of(t, reals, DenseProduct(reals, 2, 3)), func(r *rand.Rand) dense2 {
		return dense2{P: eighths(r), R: denseOf(2, dyadic)(r), S: denseOf(3, dyadic)(r), T: denseOf(6, dyadic)(r)}
	}, &semiringtest.Options[dense2]{Trials: 80, Near: func(a, b dense2) bool { return nearAll(components2(a), components2(b)) }})
	vector := func(r *rand.Rand, n int) []ScaledFloat { return scaledOf(denseOf(n, dyadic)(r)...) }
	semiringtest.Test(t, expectation2Of(t, scaled, DenseProduct(scaled, 2, 3)), func(r *rand.Rand) scaled2 {
		return scaled2{P: NewScaled(eighths(r)), R: vector(r, 2), S: vector(r, 3), T: vector(r, 6)}
	}, &semiringtest.Options[scaled2]{Trials: 80, Near: func(a, b scaled2) bool { return nearAll(componentsScaled2(a), componentsScaled2(b)) }})
	semiringtest.Test(t, expectation2Of(t, Tropical{}, ScalarProduct(Tropical{})),
		func(r *rand.Rand) Expected2[Cost, Cost, Cost, Cost] {
			return Expected2[Cost, Cost, Cost, Cost]{P: cost(r), R: cost(r), S: cost(r), T: cost(r)}
		}, nil)
	// A base ring whose weights have storage.
	type stored = Expected[float64, []float64]
	vectors := Expectation(reals, Dense(reals, 2))
	drawVector := func(r *rand.Rand) stored { return stored{P: eighths(r), V: denseOf(2, dyadic)(r)} }
	numbers := func(a Expected2[stored, stored, stored, stored]) (all []float64) {
		for _, v := range []stored{a.P, a.R, a.S, a.T} {
			all = append(append(all, v.P), append(v.V, make([]float64, 2-len(v.V))...)...)
		}
		return all
	}
	semiringtest.Test(t, expectation2Of(t, vectors, ScalarProduct(vectors)), func(r *rand.Rand) Expected2[stored, stored, stored, stored] {
		return Expected2[stored, stored, stored, stored]{P: drawVector(r), R: drawVector(r), S: drawVector(r), T: drawVector(r)}
	}, &semiringtest.Options[Expected2[stored, stored, stored, stored]]{
		Trials: 40, Near: func(a, b Expected2[stored, stored, stored, stored]) bool { return nearAll(numbers(a), numbers(b)) },
	})
	if _, err := Expectation2(matrices{}, ScalarProduct(matrices{})); !errors.Is(err, ErrCapability) {
		t.Errorf("matrices: %v", err)
	}
}

// The star is the limit of its series.
func TestExpectation2StarIsItsSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	reals := Semiring[float64](Real{})
	ring := expectation2Of(t, reals, DenseProduct(reals, 2, 3))
	closed, _ := As[Closed[dense2]](ring)
	vector := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	for range 50 {
		a := dense2{P: 0.8 * r.Float64(), R: vector(2), S: vector(3), T: vector(6)}
		sum, power := ring.One(), ring.One()
		for range 400 {
			power = ring.Times(power, a)
			sum = ring.Plus(sum, power)
		}
		if star, ok := closed.Star(a); !ok || !nearAll(components2(star), components2(sum)) {
			t.Fatalf("%v* = %v, want %v", a, star, sum)
		}
	}
}

// Moments of two counts along random paths, against enumeration; at any scale.
func TestExpectation2Moments(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	reals, scaled := Semiring[float64](Real{}), Semiring[ScaledFloat](Scaled{})
	for _, shift := range []float64{0, -3000} {
		product, small := DenseProduct(reals, 2, 3), DenseProduct(scaled, 2, 3)
		ring, smallRing := expectation2Of(t, reals, product), expectation2Of(t, scaled, small)
		total, smallTotal := ring.One(), smallRing.One()
		type path struct {
			p    float64
			r, s []float64
		}
		paths := []path{{p: 1, r: make([]float64, 2), s: make([]float64, 3)}}
		for range 4 {
			step, smallStep := ring.Zero(), smallRing.Zero()
			var next []path
			for range 3 {
				p, rv, sv := r.Float64(), []float64{r.NormFloat64(), 1}, []float64{r.NormFloat64(), 0, 1}
				step = ring.Plus(step, secondOrder(product, p, rv, sv))
				smallStep = smallRing.Plus(smallStep, secondOrder(small, NewScaled(p).Mul(ScaledFromLog(shift)), scaledOf(rv...), scaledOf(sv...)))
				for _, q := range paths {
					next = append(next, path{q.p * p, plus(q.r, rv), plus(q.s, sv)})
				}
			}
			total, smallTotal = ring.Times(total, step), smallRing.Times(smallTotal, smallStep)
			paths = next
		}
		want := dense2{R: make([]float64, 2), S: make([]float64, 3), T: make([]float64, 6)}
		for _, q := range paths {
			want.P += q.p
			for i := range 2 {
				want.R[i] += q.p * q.r[i]
			}
			for j := range 3 {
				want.S[j] += q.p * q.s[j]
			}
			for i := range 6 {
				want.T[i] += q.p * q.r[i/3] * q.s[i%3]
			}
		}
		if !nearAll(components2(total), components2(want)) {
			t.Errorf("moments %v, want %v", total, want)
		}
		back := ScaledFromLog(-4 * shift)
		unscaled := smallRing.Times(smallTotal, scaled2{P: back})
		if !nearAll(componentsScaled2(unscaled), components2(want)) {
			t.Errorf("moments at e^%v: %v, want %v", shift, componentsScaled2(unscaled), components2(want))
		}
	}
}

func plus(u, v []float64) []float64 {
	sum := make([]float64, len(u))
	for i := range u {
		sum[i] = u[i] + v[i]
	}
	return sum
}

// polynomialOf draws up to n coefficients.
func polynomialOf[W any](n int, gen func(*rand.Rand) W) func(*rand.Rand) Polynomial[W] {
	return func(r *rand.Rand) Polynomial[W] {
		a := make(Polynomial[W], r.IntN(n+1))
		for m := range a {
			a[m] = gen(r)
		}
		return a
	}
}

// nearPolynomial measures errors in units of the greatest coefficient.
func nearPolynomial(a, b Polynomial[float64]) bool {
	size, d := 1.0, 0.0
	for m := range max(len(a), len(b)) {
		var x, y float64
		if m < len(a) {
			x = a[m]
		}
		if m < len(b) {
			y = b[m]
		}
		size, d = max(size, math.Abs(x), math.Abs(y)), max(d, math.Abs(x-y))
	}
	return d <= 1e-9*size
}

func TestSeriesLaws(t *testing.T) {
	reals, costs, square := Semiring[float64](Real{}), Semiring[Cost](Tropical{}), Semiring[matrix](matrices{})
	near := &semiringtest.Options[Polynomial[float64]]{Trials: 60, Near: nearPolynomial}
	// Division by a series with a small first coefficient is badly conditioned.
	leading := func(n int) func(r *rand.Rand) Polynomial[float64] {
		return func(r *rand.Rand) Polynomial[float64] {
			a := polynomialOf(n, probability)(r)
			if len(a) > 0 {
				a[0] = (1 + a[0]) / 2
			}
			return a
		}
	}
	for _, n := range []int{1, 4} {
		semiringtest.Test(t, Series(reals, n), leading(n), near)
		semiringtest.Test(t, Series(reals, n), polynomialOf(n, dyadic), near)
		semiringtest.Test(t, Series(costs, n), polynomialOf(n, cost), &semiringtest.Options[Polynomial[Cost]]{Trials: 60})
		semiringtest.Test(t, Series(Log{}, n), polynomialOf(n, logProb), &semiringtest.Options[Polynomial[LogProb]]{Trials: 60})
		semiringtest.Test(t, Series(Expectation(reals, Dense(reals, 2)), n),
			polynomialOf(n, func(r *rand.Rand) Expected[float64, []float64] {
				return Expected[float64, []float64]{P: float64(r.IntN(4)) / 8, V: denseOf(2, func(r *rand.Rand) float64 { return float64(r.IntN(8)) / 4 })(r)}
			}), &semiringtest.Options[Polynomial[Expected[float64, []float64]]]{Trials: 60, Near: nearExpectations})
	}
	semiringtest.Test(t, Series(square, 3), polynomialOf(3, randomMatrix), &semiringtest.Options[Polynomial[matrix]]{
		Trials: 60, Near: func(a, b Polynomial[matrix]) bool {
			for m := range max(len(a), len(b)) {
				var x, y matrix
				if m < len(a) {
					x = a[m]
				}
				if m < len(b) {
					y = b[m]
				}
				if !(matrixDistance(x, y) <= 1e-9*(1+matrixDistance(x, matrix{}))) {
					return false
				}
			}
			return true
		}})
	// A series of series: two counts at once.
	semiringtest.Test(t, Series(Series(reals, 2), 3), polynomialOf(3, polynomialOf(2, probability)),
		&semiringtest.Options[Polynomial[Polynomial[float64]]]{Trials: 60, Near: func(a, b Polynomial[Polynomial[float64]]) bool {
			for m := range max(len(a), len(b)) {
				var x, y Polynomial[float64]
				if m < len(a) {
					x = a[m]
				}
				if m < len(b) {
					y = b[m]
				}
				if !nearPolynomial(x, y) {
					return false
				}
			}
			return true
		}})
}

func nearExpectations(a, b Polynomial[Expected[float64, []float64]]) bool {
	at := func(x Polynomial[Expected[float64, []float64]], m int) Polynomial[float64] {
		if m >= len(x) {
			return nil
		}
		return append(Polynomial[float64]{x[m].P}, x[m].V...)
	}
	for m := range max(len(a), len(b)) {
		if !nearPolynomial(at(a, m), at(b, m)) {
			return false
		}
	}
	return true
}

// The number of successes of independent trials, against its recursion; the mean equals the mean
// of the expectation semiring.
func TestSeriesIsPoissonBinomial(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	ring := Series(Real{}, 31)
	total, want := ring.One(), make([]float64, 31)
	want[0] = 1
	mean := 0.0
	for range 30 {
		p := r.Float64()
		total = ring.Times(total, Polynomial[float64]{1 - p, p})
		for m := 30; m > 0; m-- {
			want[m] = want[m]*(1-p) + want[m-1]*p
		}
		want[0] *= 1 - p
		mean += p
	}
	got := 0.0
	for m, p := range total {
		got += float64(m) * p
		if math.Abs(p-want[m]) > 1e-15 {
			t.Errorf("probability of %d successes %v, want %v", m, p, want[m])
		}
	}
	if math.Abs(got-mean) > 1e-12 {
		t.Errorf("mean %v, want %v", got, mean)
	}
}

func TestSeriesStar(t *testing.T) {
	ring := Series(Real{}, 4)
	closed, _ := As[Closed[Polynomial[float64]]](ring)
	for _, c := range []struct{ a, want Polynomial[float64] }{
		{nil, Polynomial[float64]{1}},
		{Polynomial[float64]{.5}, Polynomial[float64]{2}},
		{Polynomial[float64]{0, 1}, Polynomial[float64]{1, 1, 1, 1}}, // mass 1, and yet it converges
		{Polynomial[float64]{0, 7, 0, 0}, Polynomial[float64]{1, 7, 49, 343}},
		{Polynomial[float64]{0, 1, 1}, Polynomial[float64]{1, 1, 2, 3}}, // Fibonacci
		{Polynomial[float64]{.5, .25}, Polynomial[float64]{2, 1, .5, .25}},
	} {
		if got, ok := closed.Star(c.a); !ok || !slices.Equal(got, c.want) {
			t.Errorf("%v* = %v, %v, want %v", c.a, got, ok, c.want)
		}
	}
	if got, ok := closed.Star(Polynomial[float64]{1, 1}); ok {
		t.Errorf("a cycle of constant mass 1 has the star %v", got)
	}
}

func TestSeriesRefuses(t *testing.T) {
	texter, _ := As[Textual[Polynomial[float64]]](Series(Real{}, 2))
	for _, bad := range []string{"", "[1,2,3]", "[x]", "(1)"} {
		if a, err := texter.Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, a)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for n = 0")
		}
	}()
	Series(Real{}, 0)
}
