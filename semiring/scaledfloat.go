package semiring

import (
	"cmp"
	"math"
)

// ScaledFloat is the real number Mant × 2^(512·Exp): the weight of Scaled and of
// Viterbi. Its zero value is the number 0, and == is equality of numbers.
//
// It is kept normalized: 2^-256 ≤ |Mant| < 2^256; 0, ±Inf and NaN have Exp 0.
// Every function here returns such values and expects them; NewScaled makes one
// from a float64. It is as precise as float64 at every magnitude. |Exp| stays
// within 2^53, that is, logarithms within ±3.1e18; a result beyond is ±Inf or 0,
// as in IEEE arithmetic.
type ScaledFloat struct {
	Mant float64
	Exp  int64
}

const (
	scaleUp   = 0x1p512
	scaleDown = 0x1p-512
	mantMax   = 0x1p256
	mantMin   = 0x1p-256
	maxExp    = 1 << 53 // 512·maxExp fits an int64 and maxExp a float64, exactly

	// What the nearest float64 to ln 2 lacks.
	ln2Lo = math.Ln2 - 0x1.62e42fefa39efp-1
)

// NewScaled returns x as a ScaledFloat; the conversion is exact.
func NewScaled(x float64) ScaledFloat { return normalize(x, 0) }

// ScaledFromLog returns exp(logp), logp in nats: 0 for −Inf. It is accurate to a
// few roundings, if logp is taken as exact.
func ScaledFromLog(logp float64) ScaledFloat {
	const oneDigit = 177 // 2^-256 < exp(±oneDigit) < 2^256
	if math.Abs(logp) < oneDigit {
		return ScaledFloat{Mant: expPower(expReduce(logp))}
	}
	n := math.Round(logp / math.Ln2)
	if !(math.Abs(n) <= 512*maxExp) {
		return ScaledFloat{Mant: math.Exp(logp)} // 0, Inf or NaN
	}
	rest := math.FMA(-n, math.Ln2, logp)
	rest = math.FMA(-n, ln2Lo, rest)
	return scaledLdexp(exp(rest), int64(n))
}

// scaledLdexp returns m × 2^n.
func scaledLdexp(m float64, n int64) ScaledFloat {
	power := math.Float64frombits(uint64(1023+n&511) << 52) // 2^(n mod 512)
	return NewScaled(m).Mul(normalize(power, n>>9))
}

// normalize returns m × 2^(512·e) for any m and any |e| ≤ 3·maxExp + 3.
func normalize(m float64, e int64) ScaledFloat {
	if isNormal(m, e) {
		return ScaledFloat{m, e}
	}
	return renormalize(m, e)
}

// isNormal reports whether {m, e} is normalized and not 0.
func isNormal(m float64, e int64) bool {
	const least = 1023 - 256 // exponent bits of mantMin
	return math.Float64bits(m)>>52&0x7ff-least < 512 && uint64(e+maxExp) <= 2*maxExp
}

func renormalize(m float64, e int64) ScaledFloat {
	if m == 0 || m-m != 0 {
		return ScaledFloat{Mant: m + 0} // −0 is 0
	}
	for range 2 { // a subnormal needs two digits
		switch a := math.Abs(m); {
		case a < mantMin:
			m *= scaleUp
			e--
		case a >= mantMax:
			m *= scaleDown
			e++
		}
	}
	switch {
	case e > maxExp:
		return ScaledFloat{Mant: math.Copysign(math.Inf(1), m)}
	case e < -maxExp:
		return ScaledFloat{}
	}
	return ScaledFloat{m, e}
}

// Mul returns a·b.
func (a ScaledFloat) Mul(b ScaledFloat) ScaledFloat {
	return normalize(a.Mant*b.Mant, a.Exp+b.Exp)
}

// Div returns a/b. As in IEEE arithmetic a/0 is ±Inf, and 0/0 is NaN.
func (a ScaledFloat) Div(b ScaledFloat) ScaledFloat {
	return normalize(a.Mant/b.Mant, a.Exp-b.Exp)
}

// Add returns a + b.
func (a ScaledFloat) Add(b ScaledFloat) ScaledFloat {
	if a.Exp == b.Exp {
		return normalize(a.Mant+b.Mant, a.Exp)
	}
	return normalize(addDigits(a.Mant, a.Exp, b.Mant, b.Exp))
}

// Sub returns a − b.
func (a ScaledFloat) Sub(b ScaledFloat) ScaledFloat { return a.Add(b.Neg()) }

// Neg returns −a.
func (a ScaledFloat) Neg() ScaledFloat { return ScaledFloat{0 - a.Mant, a.Exp} }

// addDigits returns z × 2^(512·e) + t × 2^(512·q) as a pair of the same kind. It
// is the slow path of all sums, for e ≠ q. A product of three mantissas spans
// three digits of the base 2^512, [2^-768, 2^768), so a term three digits below
// the leading one may still matter and one four digits below never does.
// A zero does not raise the exponent; NaN and Inf are never dropped.
//
//go:noinline
func addDigits(z float64, e int64, t float64, q int64) (float64, int64) {
	if t == 0 {
		return z, e
	}
	if z == 0 {
		return t, q
	}
	if e < q {
		z, e, t, q = t, q, z, e
	}
	switch e - q {
	case 1:
		t *= scaleDown
	case 2:
		t *= scaleDown * scaleDown
	case 3:
		t = t * (scaleDown * scaleDown) * scaleDown
	default:
		if t-t == 0 {
			return z, e
		}
	}
	return z + t, e
}

// Cmp returns −1, 0 or +1 for a < b, a = b and a > b. NaN is equal to NaN and
// less than everything else.
func (a ScaledFloat) Cmp(b ScaledFloat) int {
	if a.Exp == b.Exp || a.Mant == 0 || b.Mant == 0 || a.Mant-a.Mant != 0 ||
		b.Mant-b.Mant != 0 || (a.Mant < 0) != (b.Mant < 0) {
		return cmp.Compare(a.Mant, b.Mant)
	}
	if a.Mant < 0 {
		return cmp.Compare(b.Exp, a.Exp)
	}
	return cmp.Compare(a.Exp, b.Exp)
}

// IsZero reports whether a is 0.
func (a ScaledFloat) IsZero() bool { return a.Mant == 0 }

// IsNaN reports whether a is not a number.
func (a ScaledFloat) IsNaN() bool { return a.Mant != a.Mant }

// IsFinite reports whether a is neither infinite nor NaN.
func (a ScaledFloat) IsFinite() bool { return a.Mant-a.Mant == 0 }

// Log returns ln a in nats: −Inf for 0, NaN for a negative number.
func (a ScaledFloat) Log() float64 {
	e := 512 * float64(a.Exp)
	return math.FMA(e, math.Ln2, math.FMA(e, ln2Lo, math.Log(a.Mant)))
}

// Float64 returns a rounded to a float64: like any conversion, it may overflow
// to ±Inf or underflow to 0.
func (a ScaledFloat) Float64() float64 {
	return shiftDigits(a.Mant, a.Exp)
}

// digits[e+2] is 2^(512·e), of the digits that a float64 may have.
var digits = [4]float64{scaleDown * scaleDown, scaleDown, 1, scaleUp}

// shiftDigits returns m × 2^(512·e), rounded once.
func shiftDigits(m float64, e int64) float64 {
	if at := uint64(e + 2); at < uint64(len(digits)) {
		return m * digits[at]
	}
	return ldexpDigits(m, e)
}

//go:noinline
func ldexpDigits(m float64, e int64) float64 {
	return math.Ldexp(m, 512*int(max(-5, min(e, 5)))) // beyond five digits m does not matter
}

// Pow returns a^beta, to within a few roundings for |beta| ≤ 256 and as accurate
// as exp(beta·ln a) beyond. As in math.Pow, the result is 1 for beta = 0, and NaN
// for a negative a and a beta that is no integer.
func (a ScaledFloat) Pow(beta float64) ScaledFloat {
	const limit = 256 // fraction^beta is far from overflow
	fraction, e := math.Frexp(a.Mant)
	if fraction == 0 || fraction-fraction != 0 || beta != beta {
		return ScaledFloat{Mant: math.Pow(a.Mant, beta)}
	}
	if math.Abs(fraction) == 0.5 { // powers of 2 are exact
		fraction *= 2
		e--
	}
	high := 512 * float64(a.Exp) * beta
	if !(math.Abs(beta) <= limit) || math.Abs(high) > 512*maxExp+1024 {
		return a.powLog(beta)
	}
	n1, rest1 := splitProduct(512*float64(a.Exp), beta)
	n2, rest2 := splitProduct(float64(e), beta)
	m := math.Pow(fraction, beta) * math.Exp2(rest1+rest2)
	return scaledLdexp(m, n1+n2)
}

// powLog is Pow by logarithms, for extreme powers of a number that is neither
// zero nor infinite.
func (a ScaledFloat) powLog(beta float64) ScaledFloat {
	if a == (ScaledFloat{Mant: 1}) {
		return a
	}
	sign := math.Pow(math.Copysign(1, a.Mant), beta) // NaN if there is none
	a.Mant = math.Abs(a.Mant)
	return ScaledFromLog(beta * a.Log()).Mul(NewScaled(sign))
}

// splitProduct returns a·b as an integer and a remainder within ±1, exact to
// rounding of the remainder.
func splitProduct(a, b float64) (int64, float64) {
	high := float64(a * b) // rounded, not fused with what follows
	low := math.FMA(a, b, -high)
	n1, n2 := math.Round(high), math.Round(low)
	return int64(n1) + int64(n2), (high - n1) + (low - n2)
}
