package semiring

import (
	"fmt"
	"math/big"

	"example.org/pathsum/internal/text"
)

// Counting is the ring of natural numbers of any size, + and ×: how many paths?
// A nil weight counts as 0. Weights are never modified, and must not be.
//
// Star exists for 0 alone, division where there is no remainder. Dist is |a−b|.
type Counting struct{}

var bigZero, bigOne = big.NewInt(0), big.NewInt(1)

func count(a *big.Int) *big.Int {
	if a == nil {
		return bigZero
	}
	return a
}

// Zero returns 0.
func (Counting) Zero() *big.Int { return bigZero }

// One returns 1.
func (Counting) One() *big.Int { return bigOne }

// Plus returns a + b.
func (Counting) Plus(a, b *big.Int) *big.Int { return new(big.Int).Add(count(a), count(b)) }

// Times returns a · b.
func (Counting) Times(a, b *big.Int) *big.Int { return new(big.Int).Mul(count(a), count(b)) }

// IsZero reports whether a is 0.
func (Counting) IsZero(a *big.Int) bool { return count(a).Sign() == 0 }

// Star returns 1 for 0, and false otherwise.
func (Counting) Star(a *big.Int) (*big.Int, bool) {
	return bigOne, count(a).Sign() == 0
}

// LDiv returns b/a; false if a is 0 or does not divide b.
func (Counting) LDiv(a, b *big.Int) (*big.Int, bool) {
	if count(a).Sign() == 0 {
		return bigZero, false
	}
	quotient, rest := new(big.Int).QuoRem(count(b), a, new(big.Int))
	return quotient, rest.Sign() == 0
}

// RDiv returns LDiv(b, a).
func (Counting) RDiv(a, b *big.Int) (*big.Int, bool) { return Counting{}.LDiv(b, a) }

// Dist returns |a−b|.
func (Counting) Dist(a, b *big.Int) float64 {
	difference := new(big.Int).Sub(count(a), count(b))
	d, _ := new(big.Float).SetInt(difference.Abs(difference)).Float64()
	return d
}

// Laws returns Commutative.
func (Counting) Laws() Laws { return Commutative }

// AppendKey appends the digits of w; delta does not matter.
func (Counting) AppendKey(dst []byte, w *big.Int, _ float64) []byte { return count(w).Append(dst, 62) }

// Parse reads a decimal natural number.
func (Counting) Parse(s string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.Sign() < 0 {
		return nil, fmt.Errorf("semiring: %s is not a natural number", text.Quote(s))
	}
	return n, nil
}

// Format writes w in decimal.
func (Counting) Format(w *big.Int) string { return count(w).String() }
