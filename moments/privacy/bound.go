package privacy

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// one is the denominator of all probabilities: a draw of probability t/one is one of
// 63 random bits, below t.
const one = 1 << 63

// draw returns 1 if the first 63 bits of a random word are below t, which has the
// probability t/one, and otherwise 0. It does not branch.
func draw(word, t uint64) uint64 {
	_, below := bits.Sub64(word>>1, t, 0)
	return below
}

// precision of what must bound a float64, in bits.
const precision = 256

// lower returns x/n as a number whose operations round down.
func lower(x float64, n int) *big.Float {
	f := new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf).SetFloat64(x)
	return f.Quo(f, new(big.Float).SetInt64(int64(n)))
}

// expBelow returns a lower bound of eˣ for x ≥ 0: a sum of the power series' first
// terms, squared again and again, all rounded down. Its relative error is less than
// (1+x)·2⁻²³⁰.
func expBelow(x *big.Float) *big.Float {
	x = new(big.Float).Copy(x)
	halvings := max(0, x.MantExp(nil)+8) // leaves x < 2⁻⁸
	x.SetMantExp(x, -halvings)
	sum := lower(1, 1)
	term := lower(1, 1)
	for n := 1; term.Sign() > 0 && term.MantExp(nil) > -precision; n++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(int64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// logAbove returns an upper bound of n·ln r for a ratio r ≥ 1, which exceeds it by
// less than one unit in the last place.
func logAbove(r *big.Rat, n int) float64 {
	excess, _ := new(big.Rat).Sub(r, big.NewRat(1, 1)).Float64()
	if excess == 0 && r.IsInt() {
		return 0
	}
	log := math.Log1p(excess)
	if math.IsInf(excess, 1) {
		mantissa := new(big.Float)
		exponent := new(big.Float).SetRat(r).MantExp(mantissa)
		m, _ := mantissa.Float64()
		log = math.Log(m) + float64(exponent)*math.Ln2
	}
	// From below the truth upward, to the first float64 whose exponential is proven
	// to be no less than r.
	x := max(0, float64(n)*log*(1-0x1p-50))
	for {
		e, _ := expBelow(lower(x, n)).Rat(nil)
		if e.Cmp(r) >= 0 {
			return x
		}
		x = math.Nextafter(x, math.Inf(1))
	}
}

// sumAbove returns an upper bound of a + b: the sum, rounded up.
func sumAbove(a, b float64) float64 {
	s := a + b
	rest := s - a
	if (a-(s-rest))+(b-rest) > 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}

// shareBelow returns the largest t with t/(one−t) ≤ g, or one less.
func shareBelow(g *big.Float) uint64 {
	t := lower(1, 1)
	t.Add(t, g)
	t.Quo(g, t)
	t.Mul(t, new(big.Float).SetUint64(one))
	n, _ := t.Uint64()
	n = min(n, one-1)
	for n > 0 {
		bound := new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf).SetUint64(one - n)
		if bound.Mul(bound, g).Cmp(new(big.Float).SetUint64(n)) >= 0 {
			break
		}
		n--
	}
	return n
}

// largest is the largest ε that makes a difference: beyond it every probability is
// as near to 0 or 1 as an integer over 2⁶³ can be.
const largest = 128

// ratioBelow returns a lower bound of e^(epsilon/n).
func ratioBelow(epsilon float64, n int) (*big.Float, error) {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("%w: %g, want a positive number", ErrEpsilon, epsilon)
	}
	x := lower(epsilon, n)
	if limit := lower(largest, 1); x.Cmp(limit) > 0 {
		x = limit
	}
	return expBelow(x), nil
}
