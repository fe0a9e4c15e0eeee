package semiring

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

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
		return ScaledFloat{}, fmt.Errorf("semiring: number %s: %w", text.Quote(s), strconv.ErrSyntax)
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

// cutExponent splits a number before its exponent, which is one of 10 or, in
// hexadecimal notation, of 2.
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

// decimal returns a > 0 with the given number of significant digits, less
// trailing zeros.
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
