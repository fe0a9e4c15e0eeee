package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
)

func TestBounds(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		x := math.Exp(rng.Float64()*44 - 40)
		n := 1 + rng.IntN(5)
		e, _ := expBelow(lower(x, n)).Rat(nil)
		if !within(e, x/float64(n)*(1+0x1p-50)) {
			t.Fatalf("e^(%v/%d) is less than its lower bound", x, n)
		}
		// Just at the bound, and at a ratio of any integers.
		q := one/2 + 1 + rng.Uint64N(one/2-1)
		for _, r := range []*big.Rat{e, new(big.Rat).Quo(probability(q), probability(one-q))} {
			l := logAbove(r, n)
			if !within(r, l/float64(n)*(1+0x1p-52)) {
				t.Fatalf("%d·ln %v is more than %v", n, r, l)
			}
			if n == 1 && (!within(r, l) || within(r, math.Nextafter(l, 0))) {
				t.Fatalf("%v is not the least float64 that is no less than ln %v", l, r)
			}
		}
	}
	// Known logarithms, rounded up: of 1, 2, 10 and 2^2000.
	for _, test := range []struct {
		r    *big.Rat
		want float64
	}{
		{big.NewRat(1, 1), 0},
		{big.NewRat(2, 1), 0.6931471805599454},
		{big.NewRat(10, 1), 2.302585092994046},
		{new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2000)), math.Nextafter(2000*math.Ln2, 1e9)},
	} {
		if got := logAbove(test.r, 1); math.Abs(got-test.want) > 0x1p-52*test.want {
			t.Errorf("ln %v is %v, want %v", test.r, got, test.want)
		}
	}
}

func TestSumAbove(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		a, b := epsilon(rng), epsilon(rng)
		exact := new(big.Rat).Add(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
		s := sumAbove(a, b)
		if new(big.Rat).SetFloat64(s).Cmp(exact) < 0 || new(big.Rat).SetFloat64(math.Nextafter(s, 0)).Cmp(exact) >= 0 {
			t.Fatalf("%v + %v rounded up is not %v", a, b, s)
		}
	}
}

// TestShare: shares are as large as their bound lets them be.
func TestShare(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := lower(math.Exp(rng.Float64()*80-40), 1)
		n := shareBelow(g)
		exact, _ := g.Rat(nil)
		ratio := func(n uint64) *big.Rat { return new(big.Rat).Quo(probability(n), probability(one-n)) }
		if ratio(n).Cmp(exact) > 0 {
			t.Fatalf("%d is too large for %v", n, g)
		}
		if n+2 < one && ratio(n+2).Cmp(exact) <= 0 {
			t.Fatalf("%d is too small for %v", n, g)
		}
	}
}

// TestThreshold: the probability of 1 is the probability for a flipped bit, and lies between the
// probabilities for the ends, whatever the fraction.
func TestThreshold(t *testing.T) {
	for seed := range trials.Seeds(2000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		b := bit{hi: one/2 + 1 + rng.Uint64N(one/2-1)}
		if b.lo = one - b.hi; rng.IntN(2) == 0 {
			b.hi = one / 2
		}
		f := rng.Uint64N(one + 1)
		if rng.IntN(3) == 0 {
			f = []uint64{0, 1, one / 2, one - 1, one}[rng.IntN(5)]
		}
		got := b.threshold(f)
		if b.threshold(0) != b.lo || b.threshold(one) != b.hi || got < b.lo || got > b.hi {
			t.Fatalf("%d to %d, f %d: %d", b.lo, b.hi, f, got)
		}
		want := new(big.Rat).Mul(probability(b.hi-b.lo), probability(f))
		want.Add(want, probability(b.lo))
		off := want.Sub(want, probability(got))
		if off.Abs(off).Cmp(new(big.Rat).SetFloat64(0x1p-64)) > 0 {
			t.Fatalf("%d to %d, f %d: %d is off by more than half", b.lo, b.hi, f, got)
		}
	}
}

func TestWeights(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n := 1 + rng.IntN(100)
		p := distribution(rng, n)
		if rng.IntN(3) == 0 {
			p = nil
		}
		w := must(newWeights(p, n))
		if w.end[n-1] != one {
			t.Fatalf("they sum to %d", w.end[n-1])
		}
		for j, s := range w.size {
			want := 1 / float64(n)
			if p != nil {
				want = p[j]
			}
			near(t, "weight", float64(s)/one, want)
			if first := w.end[j] - s; w.draw(first<<1) != j || w.draw((w.end[j]-1)<<1|1) != j {
				t.Fatalf("outcome %d is not drawn from %d up to %d", j, first, w.end[j])
			}
		}
	}
}
