package solve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// exactly is a random expression over data, in big floats and in bounded numbers.
type exactly struct {
	truth *big.Float
	b     bounded
}

func bigOf(x semiring.ScaledFloat) *big.Float {
	f := new(big.Float).SetPrec(400).SetFloat64(x.Mant)
	return f.SetMantExp(f, 512*int(x.Exp))
}

func randomExactly(r *rand.Rand, depth int) (exactly, bool) {
	if depth == 0 {
		x := semiring.ScaledFromLog(r.NormFloat64() * math.Pow(10, float64(r.IntN(4))))
		if r.IntN(4) == 0 {
			x = x.Neg()
		}
		return exactly{bigOf(x), newBounded(x)}, true
	}
	x, ok1 := randomExactly(r, depth-1)
	y, ok2 := randomExactly(r, depth-1)
	z := exactly{truth: new(big.Float).SetPrec(400)}
	switch r.IntN(5) {
	case 0, 1:
		z.truth.Add(x.truth, y.truth)
		z.b = x.b.plus(y.b)
	case 2, 3:
		z.truth.Mul(x.truth, y.truth)
		z.b = x.b.times(y.b)
	case 4:
		star, ok := x.b.star()
		if !ok {
			return x, false
		}
		z.truth.Quo(big.NewFloat(1).SetPrec(400), z.truth.Sub(big.NewFloat(1), x.truth))
		z.b = star
	}
	return z, ok1 && ok2
}

// The bound covers the distance from the truth.
func TestBoundedCoversTruth(t *testing.T) {
	tried := 0
	for seed := range trials.Seeds(5000) {
		r := rand.New(rand.NewPCG(seed, 6))
		x, ok := randomExactly(r, 1+r.IntN(5))
		if !ok || math.IsInf(x.b.err, 0) {
			continue
		}
		tried++
		distance := new(big.Float).SetPrec(400).Sub(bigOf(semiring.ScaledFloat{Mant: x.b.mant, Exp: x.b.exp}), x.truth)
		bound := bigOf(semiring.ScaledFloat{Mant: x.b.err, Exp: x.b.exp})
		if distance.Abs(distance).Cmp(bound) > 0 {
			t.Fatalf("seed %d: %v is %v off", seed, x.b, distance)
		}
	}
	if tried < 2000 {
		t.Errorf("only %d trials", tried)
	}
}

// addBounded computes the same as plus and times, with a bound that may be a little larger.
func TestBoundedAddRow(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		draw := func() bounded {
			if r.IntN(5) == 0 {
				return bounded{}
			}
			return newBounded(semiring.ScaledFromLog(r.NormFloat64() * math.Pow(10, float64(r.IntN(4)))))
		}
		a, u, work := draw(), []bounded{draw(), draw(), draw()}, []bounded{draw(), draw(), draw()}
		want := make([]bounded, 3)
		for i := range want {
			want[i] = work[i].plus(a.times(u[i]))
		}
		addBounded(work, []int32{0, 1, 2}, a, u)
		for i, w := range want {
			got := work[i]
			if got.value() != w.value() || !(got.err >= w.err*(1-1e-9) && got.err <= 2*w.err) {
				t.Fatalf("seed %d: %v, want %v", seed, got, w)
			}
		}
	}
}

// A star is certain only if 1 − a is four times its error above 0: error bounds are of first
// order, and the bound of a pivot near 0 is least reliable.
func TestBoundedStarMargin(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		err := math.Pow(10, -14+10*r.Float64())
		for _, x := range []struct {
			errors float64
			want   bool
		}{{-5, false}, {.9, false}, {1.1, false}, {2 + r.Float64(), false}, {3.9, false}, {4.1, true}, {10, true}} {
			a := bounded{1 - x.errors*err, err, 0}
			got, ok := a.star()
			if ok != x.want {
				t.Fatalf("seed %d: 1 − a is %g times its error %g: star is %v, want %v", seed, x.errors, err, ok, x.want)
			}
			// A certain result bounds 1/(1−a) for every a within its error.
			if ok && math.Abs(1/(1-a.mant-err)-got.mant) > got.err*(1+1e-9) {
				t.Fatalf("seed %d: star %g ± %g", seed, got.mant, got.err)
			}
		}
	}
}

func TestBoundedKeepsNaN(t *testing.T) {
	nan := newBounded(semiring.NewScaled(math.NaN()))
	for _, exp := range []int64{-10, -1, 0, 1, 10} {
		x := bounded{1, 0, exp}
		for _, sum := range []bounded{x.plus(nan), nan.plus(x), x.times(nan)} {
			if _, ok := sum.star(); ok || !math.IsNaN(sum.mant) {
				t.Errorf("exponent %d: %v", exp, sum)
			}
		}
	}
}
