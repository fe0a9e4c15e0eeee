package privacy

import (
	"fmt"
	"math/big"
	"math/bits"
)

// bit releases a fraction f of a range as one bit, 1 with probability
// (1−q) + (2q−1)f: a bit drawn with probability f, flipped with probability 1−q. All
// probabilities are in [1−q, q], whatever f is.
type bit struct {
	q       uint64     // truth, in units of 1/one; more than half
	worth   [2]float64 // of a bit, as an estimate of f
	ratio   *big.Rat   // q/(1−q)
	epsilon float64    // the ε that the bits of a record were asked to keep together
}

// newBit returns bits of which n have a privacy loss of epsilon together.
func newBit(epsilon float64, n int) (bit, error) {
	e, err := ratioBelow(epsilon, n)
	if err != nil {
		return bit{}, err
	}
	q := shareBelow(e)
	if q <= one/2 {
		return bit{}, fmt.Errorf("%w: %g for %d bits leaves no information in them", ErrEpsilon, epsilon, n)
	}
	information := float64(2*q - one) // 2q−1
	return bit{
		q:       q,
		worth:   [2]float64{-float64(one-q) / information, float64(q) / information},
		ratio:   new(big.Rat).SetFrac(new(big.Int).SetUint64(q), new(big.Int).SetUint64(one-q)),
		epsilon: epsilon,
	}, nil
}

// loss returns the privacy loss of n bits, rounded up.
func (b *bit) loss(n int) float64 { return min(b.epsilon, logAbove(b.ratio, n)) }

// threshold returns the probability of 1 for a fraction f.
func (b *bit) threshold(f uint64) uint64 {
	hi, lo := bits.Mul64(2*b.q-one, f)
	lo, carry := bits.Add64(lo, one/2, 0) // to nearest: at most 2q−1 whole, so that the sum is at most q
	return one - b.q + (hi+carry)<<1 + lo>>63
}

// probability returns t/one.
func probability(t uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(t), new(big.Int).SetUint64(one))
}
