package semiringtest_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// oneSided forgets the second tail.
type oneSided struct{ semiring.Real }

func (r oneSided) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, _ []float64, _ []int32) {
	r.Marginals(p, a, w, k, x, i)
}

func (oneSided) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	for n := range w {
		sum[i[n]] += a * w[n] * x[j[n]]
	}
}

// greedy uses up its operands.
type greedy struct{ semiring.Real }

func (r greedy) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	r.Real.Marginals2(p, a, w, k, x, i, y, j)
	clear(y)
}

func (r greedy) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	r.Real.Scatter2(sum, a, w, x, i, j)
	clear(x)
}

// unlawful claims nothing.
type unlawful struct{ semiring.Real }

func (unlawful) Laws() semiring.Laws { return 0 }

func TestBrokenMarginals2AndScattersAreCaught(t *testing.T) {
	gen := func(r *rand.Rand) float64 { return float64(r.IntN(5)) }
	for _, test := range []struct {
		ring semiring.Semiring[float64]
		law  string
	}{
		{oneSided{}, "Marginals2 = mass of a ⊗ w[k] ⊗ x[i] ⊗ y[j]"},
		{oneSided{}, "Scatter2 adds a ⊗ w ⊗ x[j] to sum[i] and a ⊗ w ⊗ x[i] to sum[j]"},
		{greedy{}, "Marginals2 leaves its operands alone"},
		{greedy{}, "Scatter2 leaves its operands alone"},
		{unlawful{}, "Scatterer: the ring claims to be Commutative"},
	} {
		if err := semiringtest.Check(test.ring, gen, nil); !names(err, test.law) {
			t.Errorf("%T: %s is broken, and found is:\n%v", test.ring, test.law, err)
		}
	}
}
