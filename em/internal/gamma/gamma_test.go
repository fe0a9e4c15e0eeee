package gamma

import (
	"math"
	"testing"
)

// TestDigamma: ψ(n) = Hₙ₋₁ − γ, ψ(n + ½) = Σ 2/(2k−1) − γ − 2 ln 2, and 1/x dominates
// near 0.
func TestDigamma(t *testing.T) {
	const gamma = 0.57721566490153286060651209008240243
	check := func(x, want float64) {
		t.Helper()
		if got := Digamma(x); math.Abs(got-want) > 2e-15*math.Max(1, math.Abs(want)) {
			t.Errorf("ψ(%g) is %.17g, want %.17g", x, got, want)
		}
	}
	whole, half := -gamma, -gamma-2*math.Ln2
	for n := 1.; n < 60; n++ {
		check(n, whole)
		check(n-.5, half)
		whole += 1 / n
		half += 2 / (2*n - 1)
	}
	check(1e-9, -1e9-gamma+1e-9*math.Pi*math.Pi/6)
	check(1e-300, -1e300)
	check(1e300, math.Log(1e300))
}

// TestTrigamma: ψ′(n) = π²/6 − Σ 1/k² and ψ″(n) = −2ζ(3) + Σ 2/k³ for k < n, and x·ψ′(x) is 1/x and
// x²·ψ″(x) −2/x near 0.
func TestTrigamma(t *testing.T) {
	check := func(x, want float64) {
		t.Helper()
		if got := Trigamma(x); math.Abs(got-want) > 1e-14*want {
			t.Errorf("x·ψ′(x) at %g is %.17g, want %.17g", x, got, want)
		}
	}
	second := func(x, want, tolerance float64) {
		t.Helper()
		if got := Tetragamma(x); math.Abs(got-want) > tolerance*math.Abs(want) {
			t.Errorf("x²·ψ″(x) at %g is %.17g, want %.17g", x, got, want)
		}
	}
	const zeta3 = 1.20205690315959428539973816151144999
	psi, change := math.Pi*math.Pi/6, -2*zeta3
	for n := 1.; n < 20; n++ {
		check(n, n*psi)
		second(n, n*n*change, 1e-12)
		psi -= 1 / (n * n)
		change += 2 / (n * n * n)
	}
	for _, x := range []float64{1e-20, 1e-99, 1e-101, 1e-300} {
		check(x, 1/x)
		second(x, -2/x, 1e-14)
	}
}

// TestExcess compares with the definition if it does not cancel, and else with (x−y)²·ψ′(y)/2 − ….
func TestExcess(t *testing.T) {
	for _, y := range []float64{1000, 3e4, 1e6, 1e9, 1e15} {
		for _, ratio := range []float64{1e-9, 1e-6, 1e-3, .1, .5, 1, 10} {
			for _, d := range []float64{ratio * y, -ratio * y} {
				x := y + d
				if d = x - y; x < 1000 || d == 0 {
					continue
				}
				want, slack := Log(x)-Log(y)-d*Digamma(y), 1e-14*(Log(x)+Log(y))
				if ratio <= 1e-6 {
					u := d / y
					want = d * u * (.5*Trigamma(y) - u/6*(1+2*ratio))
					slack = 1e-6*want + 4e-16*math.Abs(d) + 1e-19
				}
				if got := Excess(x, y); math.Abs(got-want) > slack {
					t.Errorf("at %g, %g: %g, want %g", x, y, got, want)
				}
			}
		}
	}
}
