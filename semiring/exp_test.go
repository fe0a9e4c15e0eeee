package semiring

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	worst := 0.0
	for i := range 3000 {
		x := 1400 * (r.Float64() - 0.5)
		if i%2 == 0 {
			x = 4 * (r.Float64() - 0.5)
		}
		// e^x by Taylor's series of x/2^30.
		sum, term := big.NewFloat(1).SetPrec(200), big.NewFloat(1).SetPrec(200)
		z := new(big.Float).SetPrec(200).SetMantExp(big.NewFloat(x), -30)
		for n := 1; n < 12; n++ {
			term.Quo(term.Mul(term, z), big.NewFloat(float64(n)))
			sum.Add(sum, term)
		}
		for range 30 {
			sum.Mul(sum, sum)
		}
		got := exp(x)
		d, _ := new(big.Float).Sub(big.NewFloat(got), sum).Float64()
		ulp := math.Nextafter(got, math.Inf(1)) - got
		if worst = max(worst, math.Abs(d)/ulp); math.Abs(d) > ulp {
			t.Fatalf("exp(%v) = %v is off by %.2f units in the last place", x, got, d/ulp)
		}
	}
	t.Logf("greatest error: %.3f units in the last place", worst)
	for _, x := range []float64{0, -700, 700, -701, -745, -746, 709.7, 710, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -1e308} {
		if got, want := exp(x), math.Exp(x); got != want && math.Abs(got/want-1) > 1e-15 {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
}
