package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// chained reports whether the product m of three truth values can be made of two products
// in turn, as Problem makes it.
func chained(a, b, c, m float64) bool {
	// An end of what is possible.
	for _, ab := range []float64{max(0, a+b-1), min(a, b), m, m + 1 - c} {
		if ab >= 0 && within([3]float64{a, b, ab}) && within([3]float64{ab, c, m}) {
			return true
		}
	}
	return false
}

// TestChainedProducts: products taken in pairs constrain entries exactly as the paper's
// constraints of a product of three do: no chain is looser, and none is tighter.
func TestChainedProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 63))
	in := 0
	for range 20000 {
		a, b, c, m := rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()
		direct := m <= min(a, b, c) && m >= a+b+c-2
		if chained(a, b, c, m) != direct {
			t.Fatalf("%g of %g, %g, %g: chained %v, direct %v", m, a, b, c, !direct, direct)
		}
		if direct {
			in++
		}
	}
	if in < 1000 {
		t.Errorf("only %d were possible", in)
	}
}

// TestLooseEntries: the interval that an entry of a product of l relations may be in, for
// entries uniform on [0, 1], is 1/(l+1) − 1/(l+1)! wide on the mean, and the product 2⁻ˡ: the
// more parents, the less their product is held to what it should be.
func TestLooseEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	for l, want := range map[int]float64{2: 1. / 6, 3: 5. / 24, 4: 23. / 120} {
		const n = 200000
		width := 0.
		for range n {
			lower, upper := 1., 1.
			for range l { // one product after the other
				x := rng.Float64()
				lower, upper = max(0, lower+x-1), min(upper, x)
			}
			width += (upper - lower) / n
		}
		if math.Abs(width-want) > .002 {
			t.Errorf("%d parents: width %g, want %g", l, width, want)
		}
	}
}
