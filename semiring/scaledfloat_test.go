package semiring_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	. "example.org/pathsum/semiring"
)

const extreme = 1 << 53 // the greatest |Exp|

func TestScaledFloatIsExactlyRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		a, b := randomScaled(r, 2), randomScaled(r, 2)
		x, y := bigScaled(a), bigScaled(b)
		check := func(op string, got ScaledFloat, want *big.Float) {
			if got != fromBig(want) {
				t.Fatalf("%v %s %v = %v, want %v", a, op, b, got, fromBig(want))
			}
		}
		z := new(big.Float).SetPrec(3000) // holds sums exactly
		check("+", a.Add(b), z.Add(x, y))
		check("-", a.Sub(b), z.Sub(x, y))
		check("*", a.Mul(b), z.Mul(x, y))
		if !b.IsZero() {
			check("/", a.Div(b), z.Quo(x, y))
		}
		if a.Cmp(b) != x.Cmp(y) {
			t.Fatalf("Cmp(%v, %v) = %d", a, b, a.Cmp(b))
		}
	}
}

func TestScaledFloat64RoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a := randomScaled(r, 3)
		want, _ := bigScaled(a).Float64()
		if got := a.Float64(); got != want {
			t.Fatalf("%v.Float64() = %v, want %v", a, got, want)
		}
	}
	for _, x := range []float64{0, 1, -1, math.SmallestNonzeroFloat64, 0x1p-1022, -0x1.8p-1060, 0x1p-256, 0x1p256,
		math.MaxFloat64, math.Inf(1), math.Inf(-1)} {
		if got := NewScaled(x).Float64(); got != x {
			t.Errorf("NewScaled(%v).Float64() = %v", x, got)
		}
	}
	if !math.IsNaN(NewScaled(math.NaN()).Float64()) {
		t.Error("NaN is lost")
	}
	if NewScaled(math.Copysign(0, -1)) != (ScaledFloat{}) || math.Signbit(NewScaled(math.Copysign(0, -1)).Mant) {
		t.Error("−0 is not 0")
	}
}

func isNormal(a ScaledFloat) bool {
	m := math.Abs(a.Mant)
	if m == 0 || !a.IsFinite() {
		return a.Exp == 0
	}
	return m >= 0x1p-256 && m < 0x1p256 && -extreme <= a.Exp && a.Exp <= extreme
}

func TestScaledFloatSpecials(t *testing.T) {
	inf, nan := NewScaled(math.Inf(1)), NewScaled(math.NaN())
	values := []ScaledFloat{{}, NewScaled(1), NewScaled(-3), inf, inf.Neg(), nan, {1, 5}, {-1, -5}, {1, extreme}, {1, -extreme}}
	for _, a := range values {
		for _, b := range values {
			// Signs and specials are those of IEEE arithmetic on stand-ins.
			x, y := standIn(a), standIn(b)
			for op, pair := range map[string][2]float64{
				"+": {a.Add(b).Mant, x + y}, "-": {a.Sub(b).Mant, x - y}, "*": {a.Mul(b).Mant, x * y}, "/": {a.Div(b).Mant, x / y},
			} {
				got, want := pair[0], pair[1]
				if math.IsNaN(got) != math.IsNaN(want) || math.IsInf(want, 0) && got != want {
					t.Errorf("%v %s %v has mantissa %v, want one like %v", a, op, b, got, want)
				}
			}
			for _, c := range []ScaledFloat{a.Add(b), a.Sub(b), a.Mul(b), a.Div(b)} {
				if !isNormal(c) {
					t.Errorf("%v, %v: %+v is not normalized", a, b, [2]any{c.Mant, c.Exp})
				}
			}
			if got := a.Cmp(b); got != cmpFloat(x, y) {
				t.Errorf("Cmp(%v, %v) = %d", a, b, got)
			}
		}
	}
	huge, tiny := ScaledFloat{0x1p255, extreme}, ScaledFloat{0x1p-255, -extreme}
	if got := huge.Mul(huge); got != inf {
		t.Errorf("overflow gives %v", got)
	}
	if got := huge.Neg().Mul(huge); got != inf.Neg() {
		t.Errorf("negative overflow gives %v", got)
	}
	if got := tiny.Mul(tiny); !got.IsZero() {
		t.Errorf("underflow gives %v", got)
	}
	if got := huge.Mul(tiny); got != NewScaled(1) {
		t.Errorf("2^n · 2^-n = %v", got)
	}
}

// standIn returns a float64 that behaves as a does.
func standIn(a ScaledFloat) float64 {
	return a.Mant * math.Ldexp(1, int(max(-300, min(a.Exp, 300))))
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y || x != x && y == y:
		return -1
	case x > y || y != y && x == x:
		return 1
	}
	return 0
}

func TestScaledLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 300 {
		a := positive(randomScaled(r, 1000))
		if a.IsZero() {
			continue
		}
		want, _ := bigLog(bigScaled(a)).Float64()
		if got := a.Log(); math.Abs(got-want) > 0x1p-52*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", a, got, want)
		}
		l := 1e6 * (r.Float64() - 0.5)
		if e := relativeError(ScaledFromLog(l), bigExp(newBig(l))); e > 0x1p-51 {
			t.Errorf("ScaledFromLog(%v) has relative error %g", l, e)
		}
	}
	if got := (ScaledFloat{1, extreme}).Log(); got != 0x1p62*math.Ln2 {
		t.Errorf("Log of the greatest power is %v", got)
	}
	for l, want := range map[float64]ScaledFloat{
		math.Inf(-1): {}, -4e18: {}, -1e300: {}, 0: NewScaled(1), 3.2e18: NewScaled(math.Inf(1)), 4e18: NewScaled(math.Inf(1)), math.Inf(1): NewScaled(math.Inf(1)),
	} {
		if got := ScaledFromLog(l); got != want {
			t.Errorf("ScaledFromLog(%v) = %v", l, got)
		}
	}
	if !ScaledFromLog(math.NaN()).IsNaN() || !math.IsNaN(NewScaled(-1).Log()) || !math.IsInf(ScaledFloat{}.Log(), -1) {
		t.Error("Log of a special value")
	}
}

func TestScaledPow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		a := positive(randomScaled(r, 100))
		if a.IsZero() {
			continue
		}
		beta := (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(8)-4)
		want := bigExp(new(big.Float).Mul(newBig(beta), bigLog(bigScaled(a))))
		if e := relativeError(a.Pow(beta), want); e > 16*0x1p-53 {
			t.Errorf("%v.Pow(%v) = %v has relative error %g", a, beta, a.Pow(beta), e)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		a    ScaledFloat
		beta float64
		want ScaledFloat
	}{
		{ScaledFloat{1, 7}, 0, NewScaled(1)}, {ScaledFloat{}, 0, NewScaled(1)}, {ScaledFloat{}, 2, ScaledFloat{}},
		{ScaledFloat{}, -1, NewScaled(inf)}, {ScaledFloat{1.5, 9}, 1, ScaledFloat{1.5, 9}}, {NewScaled(-2), 3, NewScaled(-8)},
		{NewScaled(-2), -1, NewScaled(-0.5)}, {ScaledFloat{1, 1}, 1. / 512, NewScaled(2)}, {ScaledFloat{1, -extreme}, 0.5, ScaledFloat{1, -extreme / 2}},
		{ScaledFloat{1, extreme}, 1e3, NewScaled(inf)}, {ScaledFloat{1, extreme}, -2, ScaledFloat{}}, {NewScaled(1), 1e300, NewScaled(1)},
		{NewScaled(0.5), 1e300, ScaledFloat{}}, {NewScaled(0.5), -1e300, NewScaled(inf)}, {NewScaled(2), 2048, ScaledFloat{1, 4}}, {NewScaled(inf), -1, ScaledFloat{}},
	} {
		if got := c.a.Pow(c.beta); got != c.want && relativeError(got, bigScaled(c.want)) > 1e-12 {
			t.Errorf("%v.Pow(%v) = %v, want %v", c.a, c.beta, got, c.want)
		}
	}
	if !NewScaled(-2).Pow(0.5).IsNaN() || !NewScaled(math.NaN()).Pow(1).IsNaN() || !NewScaled(2).Pow(math.NaN()).IsNaN() {
		t.Error("NaN expected")
	}
}

func TestScaledText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for i := range 3000 {
		a := randomScaled(r, 3)
		if i%3 == 0 && !a.IsZero() {
			a.Exp = r.Int64N(2*extreme+1) - extreme
		}
		if b, err := ParseScaled(a.String()); err != nil || b != a {
			t.Fatalf("%v reads back as %v, %v", a, b, err)
		}
		if a.Exp >= -3 && a.Exp <= 3 { // not only reversible, but right
			x, _, err := big.ParseFloat(a.String(), 10, prec, big.ToNearestEven)
			if err != nil || !a.IsZero() && relativeError(a, x) > 0x1p-53 {
				t.Fatalf("%v is %v", bigScaled(a), a)
			}
		}
	}
	for _, s := range []string{"0", "1", "-0.25", "1.5e-4321", "-1e100000", "3e-1388255822130839000", "Infinity", "-Infinity", "NaN", "1e-310"} {
		a, err := ParseScaled(s)
		if err != nil || a.String() != s {
			t.Errorf("%s is written %v (%v)", s, a, err)
		}
	}
	for s, want := range map[string]ScaledFloat{
		"1e2000000000000000000": NewScaled(math.Inf(1)), "-1e99999999999999999999": NewScaled(math.Inf(-1)), "1e-1400000000000000000": {},
		"1e-99999999999999999999": {}, "0e999999": {}, "0x1p-5120": {1, -10}, "0x1p+5120": {1, 10}, "+2": NewScaled(2), "inf": NewScaled(math.Inf(1)),
	} {
		if got, err := ParseScaled(s); err != nil || got != want {
			t.Errorf("%s is read as %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", "1e", "1e5x", "1__0e5", "--1", "1 ", "1e-4321x", "0x1p-5000x"} {
		if got, err := ParseScaled(s); !errors.Is(err, strconv.ErrSyntax) {
			t.Errorf("%q is read as %v, %v", s, got, err)
		}
	}
}

// TestRealLogOfSubnormal: ln of 2^-1022 … 2^-1074, and of numbers without a logarithm.
func TestRealLogOfSubnormal(t *testing.T) {
	for n := -1022; n >= -1074; n-- {
		if got, want := (Real{}).Log(math.Ldexp(1, n)), float64(n)*math.Ln2; math.Abs(got-want) > 1e-12*-want {
			t.Errorf("ln 2^%d is %v, want %v", n, got, want)
		}
	}
	if got := (Real{}).Log(0); !math.IsInf(got, -1) {
		t.Errorf("ln 0 is %v", got)
	}
	if got := (Real{}).Log(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("ln Inf is %v", got)
	}
	if got := (Real{}).Log(-1); !math.IsNaN(got) {
		t.Errorf("ln -1 is %v", got)
	}
}

// Oracles in arithmetic of 300 bits.

const prec = 300

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// bigScaled returns the value of a, whose exponent has to be moderate.
func bigScaled(a ScaledFloat) *big.Float {
	return new(big.Float).SetPrec(prec).SetMantExp(newBig(a.Mant), int(512*a.Exp))
}

// fromBig rounds x to a ScaledFloat.
func fromBig(x *big.Float) ScaledFloat {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64() // ½ ≤ |f| ≤ 1
	digit := math.Floor(float64(e) / 512)
	scale := math.Ldexp(1, e-512*int(digit)-256)
	return NewScaled(f * scale).Mul(ScaledFloat{Mant: 1, Exp: int64(digit)}).Mul(NewScaled(0x1p256))
}

// bigExp returns eˣ by a Taylor series of x/2^k.
func bigExp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)+20)
	r := new(big.Float).SetPrec(prec+100).SetMantExp(x, -k)
	sum, term := newBig(1).SetPrec(prec+100), newBig(1).SetPrec(prec+100)
	for n := 1; n < 30; n++ {
		term.Mul(term, r)
		term.Quo(term, newBig(float64(n)))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(prec)
}

// bigLog returns ln x for x > 0 by Newton's method on exp.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := newBig(math.Log(f) + float64(e)*math.Ln2)
	for range 4 { // doubles the digits each time
		q := new(big.Float).SetPrec(prec).Quo(x, bigExp(y))
		y.Add(y, q.Sub(q, newBig(1)))
	}
	return y
}

// relativeError returns |got − want| / |want|.
func relativeError(got ScaledFloat, want *big.Float) float64 {
	d := new(big.Float).Sub(bigScaled(got), want)
	if d.Sign() == 0 {
		return 0
	}
	if want.Sign() == 0 {
		return math.Inf(1)
	}
	e, _ := d.Quo(d, want).Float64()
	return math.Abs(e)
}

// randomScaled returns a number with a random sign, any mantissa and an exponent
// within ±digits.
func randomScaled(r *rand.Rand, digits int) ScaledFloat {
	m := math.Ldexp(0.5+r.Float64()/2, r.IntN(513)-255)
	m = min(max(m, 0x1p-256), 0x1.fffffffffffffp255)
	switch r.IntN(20) {
	case 0:
		m = 0x1p-256
	case 1:
		m = 0x1.fffffffffffffp255
	case 2:
		return ScaledFloat{}
	}
	if r.IntN(2) == 0 {
		m = -m
	}
	return ScaledFloat{Mant: m, Exp: int64(r.IntN(2*digits+1) - digits)}
}

func positive(a ScaledFloat) ScaledFloat {
	a.Mant = math.Abs(a.Mant)
	return a
}

// parses reads a text as a weight of a ring, writes it, and reads it again.
type parses struct {
	name string
	do   func(t *testing.T, text string)
}

func texter[W any](name string, s Semiring[W]) parses {
	texts, ok := As[Textual[W]](s)
	if !ok {
		panic(name)
	}
	return parses{name, func(t *testing.T, text string) {
		w, err := texts.Parse(text)
		if err != nil {
			return
		}
		written := texts.Format(w)
		again, err := texts.Parse(written)
		if err != nil {
			t.Fatalf("%s: %q is written as %q: %v", name, text, written, err)
		}
		if twice := texts.Format(again); twice != written {
			t.Fatalf("%s: %q is written as %q, then as %q", name, text, written, twice)
		}
	}}
}

// FuzzParse: the text that a ring writes for a parsed weight has the same value.
func FuzzParse(f *testing.F) {
	lex, err := Lex(Tropical{}, Tropical{})
	if err != nil {
		f.Fatal(err)
	}
	best, err := KBest(Tropical{}, 3)
	if err != nil {
		f.Fatal(err)
	}
	rings := []parses{
		texter("Real", Real{}),
		texter("Scaled", Scaled{}),
		texter("Log", Log{}),
		texter("Tropical", Tropical{}),
		texter("Viterbi", Viterbi{}),
		texter("Bottleneck", Bottleneck{}),
		texter("Boolean", Boolean{}),
		texter("Counting", Counting{}),
		texter("LeftString", LeftString{}),
		texter("Product", Product(Real{}, Boolean{})),
		texter("Lex", lex),
		texter("KBest", best),
		texter("Series", Series(Real{}, 3)),
		texter("Expectation", Expectation(Real{}, Scalar(Real{}))),
		texter("dense", Expectation(Real{}, Dense(Real{}, 2))),
	}
	for _, s := range []string{"", "0", "1", "-1.5", "1e-999", "0x1p-1074", "inf", "-inf", "NaN", "true", "1e99999", "2^-5000", "1,2", "(1,2)", "<1,2>", "[1 2]", "1 2", "1;2", "a b", "1:2", "999999999999999999999999"} {
		for i := range rings {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, ring uint8, text string) {
		rings[int(ring)%len(rings)].do(t, text)
	})
}

// Log uses the same exponential function as its marginals.
func TestExp(t *testing.T) {
	exp := func(x float64) float64 {
		p, one := make([]float64, 1), []LogProb{0}
		Log{}.Marginals2(p, LogProb(x), one, nil, one, nil, one, nil)
		return p[0]
	}
	r := rand.New(rand.NewPCG(2, 1))
	worst := 0.0
	for i := range 3000 {
		x := 1400 * (r.Float64() - 0.5)
		if i%2 == 0 {
			x = 4 * (r.Float64() - 0.5)
		}
		// e^x by Taylor's series of x/2^30.
		sum, term := big.NewFloat(1).SetPrec(200), big.NewFloat(1).SetPrec(200)
		z := new(big.Float).SetPrec(200).SetMantExp(big.NewFloat(x), -30)
		for n := 1; n < 12; n++ {
			term.Quo(term.Mul(term, z), big.NewFloat(float64(n)))
			sum.Add(sum, term)
		}
		for range 30 {
			sum.Mul(sum, sum)
		}
		got := exp(x)
		d, _ := new(big.Float).Sub(big.NewFloat(got), sum).Float64()
		ulp := math.Nextafter(got, math.Inf(1)) - got
		if worst = max(worst, math.Abs(d)/ulp); math.Abs(d) > ulp {
			t.Fatalf("exp(%v) = %v is off by %.2f units in the last place", x, got, d/ulp)
		}
	}
	t.Logf("greatest error: %.3f units in the last place", worst)
	for _, x := range []float64{0, -700, 700, -701, -745, -746, 709.7, 710, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -1e308} {
		if got, want := exp(x), math.Exp(x); got != want && math.Abs(got/want-1) > 1e-15 {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
}
