package semiring

import (
	"math"
	"math/big"
)

// exp returns eˣ to within 0.52 units in the last place, at half the cost of
// math.Exp: one call per arc is what a path sum in Log consists of. It reduces x
// to r within ±ln2/256 by x = (128·m + j)·ln2/128 + r, looks 2^(j/128) up and
// multiplies it by a polynomial in r (P. T. P. Tang, Table-driven implementation
// of the exponential function in IEEE floating-point arithmetic, 1989).
func exp(x float64) float64 {
	if !(math.Abs(x) < expRange) {
		return math.Exp(x)
	}
	return expPower(expReduce(x))
}

// expRange is where exp(x) is a normal number. Loops that have to be fast ask for
// it themselves and call the two parts, which are inlined.
const expRange = 700

// expReduce returns 128·m + j, in the low bits of a word whose other bits do not
// matter, and r.
func expReduce(x float64) (bits uint64, r float64) {
	const (
		round  = 0x1.8p52 // adding it rounds to an integer, found in the low bits
		step   = math.Ln2 / 128
		stepHi = 0x1.62e42fefap-8 // n·stepHi is exact for the n that occur
		stepLo = step - stepHi
	)
	n := x*(1/step) + round
	bits = math.Float64bits(n)
	n -= round
	return bits, x - n*stepHi - n*stepLo
}

// expPower returns 2^(m + j/128)·eʳ.
func expPower(bits uint64, r float64) float64 {
	power := &expTable[bits%128]
	r2 := r * r
	p := power.tail + r + r2*(0.5+r*(1.0/6)) + r2*r2*(1.0/24+r*(1.0/120))
	scale := math.Float64frombits(power.bits + bits<<45)
	return scale + scale*p
}

// expTable[j] holds 2^(j/128) as the bits of a float64, less j<<45, which exp
// adds along with the exponent, and the relative error of that float64.
var expTable = func() (table [128]struct {
	bits uint64
	tail float64
}) {
	root := big.NewFloat(2).SetPrec(128)
	for range 7 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(128)
	for j := range table {
		head, _ := power.Float64()
		tail, _ := new(big.Float).Sub(power, big.NewFloat(head)).Float64()
		table[j].bits = math.Float64bits(head) - uint64(j)<<45
		table[j].tail = tail / head
		power.Mul(power, root)
	}
	return table
}()
