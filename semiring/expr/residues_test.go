package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// TestResidues: the field's operations agree with big.Int modulo 2⁶¹−1.
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

// finite is a Functions in which 1* has no value, as at the points.
type finite struct{ *Functions }

func (f finite) Star(a W) (W, bool) {
	if a == One {
		return Zero, false
	}
	return f.Functions.Star(a)
}

// TestFunctionsAreARing: the axioms hold of handles, the same bits, and not of values
// alone.
func TestFunctionsAreARing(t *testing.T) {
	s := New()
	ring := finite{s.Functions().(*Functions)}
	gen := func(r *rand.Rand) W {
		w := s.Param(r.Int32N(6))
		switch r.IntN(5) {
		case 0:
			w = ring.Times(w, s.Param(r.Int32N(6)))
		case 1:
			w = ring.Plus(w, s.Const(semiring.NewScaled(r.Float64())))
		case 2:
			w = ring.Plus(w, ring.Times(s.Param(r.Int32N(6)), w))
		case 3:
			return W(r.IntN(2))
		}
		return w
	}
	semiringtest.Test(t, ring, gen, nil)
}

func TestFunctionsAreEqual(t *testing.T) {
	s := New()
	k := s.Functions().(*Functions)
	over := func(a, b W) W { w, _ := k.RDiv(a, b); return w }
	star := func(a W) W { w, _ := k.Star(a); return w }
	a, b, c := s.Param(0), s.Param(1), s.Param(2)
	half, third := s.Const(semiring.NewScaled(.5)), s.Const(semiring.NewScaled(1./3))
	ab := k.Plus(a, b)
	for name, pair := range map[string][2]W{
		"a quotient of sums":  {over(k.Plus(k.Times(a, c), k.Times(b, c)), ab), c},
		"squares":             {k.Times(ab, ab), k.Plus(k.Times(a, a), k.Plus(k.Times(b, ab), k.Times(a, b)))},
		"a fraction of all":   {k.Plus(over(a, ab), over(b, ab)), One},
		"a star of sums":      {star(ab), k.Times(star(a), star(k.Times(b, star(a))))},
		"a star and its tail": {star(k.Times(half, a)), k.Plus(One, k.Times(k.Times(half, a), star(k.Times(half, a))))},
		"a plain sum as one":  {s.Whole(s.Untempered(k.Times(ab, c))), k.Times(s.Whole(s.Untempered(ab)), c)},
		"constants":           {k.Times(k.Times(half, third), a), k.Times(half, k.Times(a, third))},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s and %s", name, s.String(pair[0]), s.String(pair[1]))
		}
	}
	negative := s.Const(semiring.NewScaled(-.5))
	for name, pair := range map[string][2]W{
		"another temperature":  {k.Plus(half, half), One},
		"what is plain":        {s.Untempered(k.Plus(a, half)), k.Plus(a, half)},
		"what is whole":        {s.Whole(s.Untempered(ab)), ab},
		"a sign":               {k.Times(a, half), k.Times(a, negative)},
		"the sum of opposites": {k.Plus(half, negative), k.Times(k.Plus(half, negative), a)},
		"nearly 1":             {s.Const(semiring.NewScaled(1 + 1e-10)), One},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%s: both are %s", name, s.String(pair[0]))
		}
	}
	if _, ok := k.RDiv(a, Zero); ok {
		t.Error("a/0 has a value")
	}
}

// TestFunctionsKeepValues: whatever is worked out has the value that the Space gives it,
// at every θ and temperature, in fewer expressions.
func TestFunctionsKeepValues(t *testing.T) {
	fewer := 0
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := New()
		k := s.Functions()
		divide := k.(semiring.Divider[W])
		made := [][2]W{{One, One}, {s.Const(semiring.NewScaled(.25)), s.Const(semiring.NewScaled(.25))}}
		for p := range int32(4) {
			made = append(made, [2]W{s.Param(p), s.Param(p)})
		}
		distinct := [2]map[W]bool{{}, {}}
		for range 60 {
			a, b := made[rng.IntN(len(made))], made[rng.IntN(len(made))]
			var w [2]W
			switch rng.IntN(5) {
			case 4:
				w = [2]W{s.Whole(s.Untempered(a[0])), s.Whole(s.Untempered(a[1]))}
			case 0:
				w = [2]W{s.Plus(a[0], b[0]), k.Plus(a[1], b[1])}
			case 1:
				w[0], _ = s.RDiv(a[0], b[0])
				w[1], _ = divide.RDiv(a[1], b[1])
			case 2:
				share, _ := s.RDiv(a[0], s.Plus(a[0], b[0]))
				w[0], _ = s.Star(share)
				share, _ = divide.RDiv(a[1], k.Plus(a[1], b[1]))
				w[1], _ = k.(semiring.Closed[W]).Star(share)
			default:
				w = [2]W{s.Times(a[0], b[0]), k.Times(a[1], b[1])}
			}
			made = append(made, w)
			for i := range w {
				distinct[i][w[i]] = true
			}
		}
		fewer += len(distinct[0]) - len(distinct[1])
		theta := make([]semiring.ScaledFloat, 4)
		for i := range theta {
			theta[i] = semiring.NewScaled(.1 + 3*rng.Float64())
		}
		for _, beta := range []float64{1, .5 + rng.Float64()} {
			values, err := s.EvaluateTempered(nil, theta, beta)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range made {
				if got, want := values[w[1]], values[w[0]]; !near(got.Div(want).Float64(), 1, 1e-9) {
					t.Fatalf("seed %d: %s is %v, want %v as %s", seed, s.String(w[1]), got, want, s.String(w[0]))
				}
			}
		}
	}
	if fewer < 10 {
		t.Errorf("only %d expressions were saved", fewer)
	}
}

// TestFunctionsShared: goroutines that work on one Space get handles that mean the
// same.
func TestFunctionsShared(t *testing.T) {
	s := New()
	k := s.Functions()
	got := make([][]W, 8)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() {
			for j := range 200 {
				a, b := s.Param(int32(j%7)), s.Param(int32(7+(i+j)%3))
				w := k.Times(k.Plus(a, b), a)
				got[i] = append(got[i], w, k.Plus(k.Times(a, a), k.Times(a, b)))
				if got[i][2*j] != got[i][2*j+1] {
					t.Errorf("%s and %s", s.String(w), s.String(got[i][2*j+1]))
				}
			}
		})
	}
	wait.Wait()
}

// BenchmarkFunctions: an operation with a known result and with a new one.
func BenchmarkFunctions(b *testing.B) {
	const params = 1000
	b.Run("known", func(b *testing.B) {
		s := New()
		k := s.Functions()
		for b.Loop() {
			for p := range int32(params) {
				k.Times(s.Param(p), s.Param(p+1))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/params, "ns/op")
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			s := New()
			k := s.Functions()
			for p := range int32(params) {
				k.Times(s.Param(p), s.Param(p+1))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/params, "ns/op")
	})
}
