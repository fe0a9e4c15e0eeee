package semiring_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

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

// The number of successes of independent trials, against its recursion; the mean is
// also that of the expectation semiring.
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
	texter, _ := As[Texter[Polynomial[float64]]](Series(Real{}, 2))
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
