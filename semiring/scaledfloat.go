package semiring

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
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

	// The difference between ln 2 and the nearest float64.
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

// Pow returns a^beta, to within a few roundings for |beta| ≤ 256 and as accurate as exp(beta·ln
// a) beyond. As in math.Pow, the result is 1 for beta = 0, and NaN if a is negative and beta is
// not an integer.
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
	sign := math.Pow(math.Copysign(1, a.Mant), beta) // NaN if the power is not real
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

// String returns the shortest decimal number that ParseScaled reads back as a,
// such as 1.5e-4321; or NaN, Infinity, -Infinity.
func (a ScaledFloat) String() string {
	if x := a.Float64(); a.Exp == 0 || NewScaled(x) == a && math.Abs(x) >= 0x1p-1022 {
		return formatFloat(x)
	}
	if a.Mant < 0 {
		return "-" + a.Neg().String()
	}
	for digits := 15; ; digits++ { // 17 identify every float64
		s := a.decimal(digits)
		if b, err := ParseScaled(s); digits == 17 || err == nil && b == a {
			return s
		}
	}
}

// ParseScaled reads a decimal number of any magnitude, in the syntax of
// strconv.ParseFloat, and rounds it to the nearest ScaledFloat. Numbers beyond
// the range of ScaledFloat become ±Inf or 0. An error wraps strconv.ErrSyntax.
func ParseScaled(s string) (ScaledFloat, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.Abs(x) >= 0x1p-1022 || x != x) {
		return NewScaled(x), nil
	}
	if errors.Is(err, strconv.ErrSyntax) {
		return ScaledFloat{}, nested.Errorf("semiring: number %s: %w", text.Quote(s), strconv.ErrSyntax)
	}
	number, exponent, ten := cutExponent(s)
	m, _ := new(big.Float).SetPrec(widePrec).SetString(number)
	n, err := strconv.ParseInt(exponent, 10, 64)
	switch {
	case m.Sign() == 0:
		return ScaledFloat{}, nil
	case err != nil || max(n, -n) > 2e18: // beyond 2^±(2^62), and 10^n would not fit
		if strings.HasPrefix(exponent, "-") {
			return ScaledFloat{}, nil
		}
		return ScaledFloat{Mant: math.Inf(m.Sign())}, nil
	}
	value := newWide(m)
	if ten {
		value = value.mul(pow10(n))
	} else {
		value.exp += n
	}
	f, _ := value.mant.Float64()
	return scaledLdexp(f, value.exp), nil
}

// cutExponent splits a number before its exponent, to base 10 or, in hexadecimal notation, to
// base 2.
func cutExponent(s string) (number, exponent string, ten bool) {
	letters := "eE"
	if strings.ContainsAny(s, "xX") {
		letters = "pP"
	}
	if i := strings.IndexAny(s, letters); i >= 0 {
		return s[:i], s[i+1:], letters == "eE"
	}
	return s, "0", true
}

// decimal returns a > 0 with the given number of significant digits, without trailing zeros.
func (a ScaledFloat) decimal(digits int) string {
	f, e := math.Frexp(a.Mant)
	value := wide{new(big.Float).SetPrec(widePrec).SetFloat64(f), 512*a.Exp + int64(e)}
	tens := value.floorLog10()
	rest := value.mul(pow10(-tens)) // about 1 … 10
	text := rest.mant.SetMantExp(rest.mant, int(rest.exp)).Text('e', digits-1)
	number, exponent, _ := cutExponent(text)
	more, _ := strconv.ParseInt(exponent, 10, 64)
	number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	return number + "e" + strconv.FormatInt(tens+more, 10)
}

// wide is mant × 2^exp with |mant| in [½, 1): enough precision to convert any
// ScaledFloat, and more range than big.Float.
type wide struct {
	mant *big.Float
	exp  int64
}

// 62 squarings in pow10 may cost 62 bits.
const widePrec = 256

func newWide(x *big.Float) wide {
	m := new(big.Float).SetPrec(widePrec)
	return wide{m, int64(x.MantExp(m))}
}

func (a wide) mul(b wide) wide {
	c := newWide(new(big.Float).SetPrec(widePrec).Mul(a.mant, b.mant))
	c.exp += a.exp + b.exp
	return c
}

// pow10 returns 10^n for |n| ≤ 2e18.
func pow10(n int64) wide {
	result := newWide(big.NewFloat(1).SetPrec(widePrec))
	square := newWide(big.NewFloat(10).SetPrec(widePrec))
	for bits := max(n, -n); bits > 0; bits >>= 1 {
		if bits&1 == 1 {
			result = result.mul(square)
		}
		if bits > 1 {
			square = square.mul(square)
		}
	}
	if n < 0 {
		inverse := newWide(new(big.Float).SetPrec(widePrec).Quo(big.NewFloat(1), result.mant))
		inverse.exp -= result.exp
		return inverse
	}
	return result
}

// floorLog10 returns ⌊log₁₀ a⌋ for a > 0, or one less.
func (a wide) floorLog10() int64 {
	const log2 = "0.301029995663981195213738894724493026768189881462108541310427"
	tens, _, _ := big.ParseFloat(log2, 10, widePrec, big.ToNearestEven)
	tens.Mul(tens, new(big.Float).SetInt64(a.exp-1)) // a ≥ 2^(exp−1)
	n, _ := tens.Int64()
	if tens.Sign() < 0 && !tens.IsInt() {
		n--
	}
	return n
}
