package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/semiring"
)

// TestResidues: the field's operations are those of big.Int modulo 2⁶¹−1.
func TestResidues(t *testing.T) {
	p := big.NewInt(int64(modulus))
	rng := rand.New(rand.NewPCG(1, 2))
	number := func(a residue) *big.Int { return big.NewInt(int64(a)) }
	for range 2000 {
		a, b := residue(rng.Int64N(int64(modulus))), residue(1+rng.Int64N(int64(modulus)-1))
		if rng.IntN(4) == 0 {
			a, b = modulus-1, modulus-1-residue(rng.IntN(3))
		}
		n := rng.Uint64N(uint64(modulus))
		inverse := new(big.Int).ModInverse(number(b), p)
		for what, pair := range map[string][2]*big.Int{
			"sum":      {number(a.add(b)), new(big.Int).Mod(new(big.Int).Add(number(a), number(b)), p)},
			"product":  {number(a.times(b)), new(big.Int).Mod(new(big.Int).Mul(number(a), number(b)), p)},
			"quotient": {number(a.over(b)), new(big.Int).Mod(new(big.Int).Mul(number(a), inverse), p)},
			"power":    {number(a.power(n)), new(big.Int).Exp(number(a), new(big.Int).SetUint64(n), p)},
		} {
			if pair[0].Cmp(pair[1]) != 0 {
				t.Fatalf("%s of %d and %d, %d: %v, want %v", what, a, b, n, pair[0], pair[1])
			}
		}
		if got := a.power(tempered).power(cooled); got != a {
			t.Fatalf("%d is %d after both powers", a, got)
		}
	}
	if residue(5).over(0) != noResidue || noResidue.times(0) != noResidue || noResidue.add(1) != noResidue {
		t.Error("what has no value got one")
	}
}

// TestConstantsAtThePoints: products of decimal numbers have the products of their values,
// rounded or not; equal values do not come of different constants, of 2⁶¹ and 1 neither.
func TestConstantsAtThePoints(t *testing.T) {
	value := func(x float64) point { return points{}.constant(semiring.NewScaled(x)) }
	for _, c := range [][3]float64{
		{.1, .3, .03}, {.9, .9, .81}, {1. / 3, 3, 1}, {.2, -.4, -.08}, {1e-300, 2, 2e-300}, {.123, .456, .056088}, {0x1p-61, 0x1p61, 1},
	} {
		if got, want := (points{}).Times(value(c[0]), value(c[1])), value(c[2]); got != want {
			t.Errorf("%g × %g is %v, %g is %v", c[0], c[1], got, c[2], want)
		}
	}
	huge := semiring.NewScaled(.7)
	tiny := semiring.NewScaled(1 / .7)
	for range 2000 {
		huge, tiny = huge.Mul(semiring.NewScaled(0x1p-100)), tiny.Mul(semiring.NewScaled(0x1p100))
	}
	if got := (points{}).Times(points{}.constant(huge), points{}.constant(tiny)); got != (points{}).One() {
		t.Errorf("%v × %v is %v", huge, tiny, got)
	}
	seen := map[point]float64{}
	for _, x := range []float64{1, -1, 2, 0x1p61, 0x1p122, .5, 1 + 1e-10, 1. / 3, .3333, math.Pi, math.Pi * (1 + 0x1p-50)} {
		if y, again := seen[value(x)]; again {
			t.Errorf("%g and %g have the same value", x, y)
		}
		seen[value(x)] = x
	}
	if (points{}).constant(semiring.ScaledFloat{Mant: math.Inf(1)}).tells() || value(0) != (points{}).Zero() {
		t.Error("∞ or 0")
	}
}

// TestFunctionsConverge: shares that come closer and closer to each other stay different.
func TestFunctionsConverge(t *testing.T) {
	s := New()
	k := s.Functions().(*Functions)
	a, b, c, d := s.Param(0), s.Param(1), s.Param(2), s.Param(3)
	x, y := One, One
	seen := map[W]int{}
	for n := range 60 {
		x, y = k.Plus(k.Times(x, a), k.Times(y, c)), k.Plus(k.Times(x, b), k.Times(y, d))
		all := k.Plus(x, y)
		x, _ = k.RDiv(x, all)
		y, _ = k.RDiv(y, all)
		if m, again := seen[x]; again {
			t.Fatalf("the share after %d steps is that after %d", n, m)
		}
		seen[x] = n
	}
}
