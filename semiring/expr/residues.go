package expr

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// residue is an element of the field of integers modulo the prime 2⁶¹−1, or noResidue.
type residue uint64

const (
	modulus residue = 1<<61 - 1
	// noResidue marks a value without a residue, such as 1/0 and anything computed from it.
	noResidue residue = math.MaxUint64
)

func (a residue) add(b residue) residue {
	if a == noResidue || b == noResidue {
		return noResidue
	}
	return (a + b) % modulus
}

func (a residue) times(b residue) residue {
	if a == noResidue || b == noResidue {
		return noResidue
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// 2⁶¹ is 1.
	return (residue(lo)&modulus + residue(lo>>61|hi<<3)) % modulus
}

// power returns a^n.
func (a residue) power(n uint64) residue {
	x := residue(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			x = x.times(a)
		}
		a = a.times(a)
	}
	return x
}

// over returns a/b.
func (a residue) over(b residue) residue {
	if b == 0 {
		return noResidue
	}
	return a.times(b.power(uint64(modulus) - 2))
}

// point holds the values of an expression at two points of the field.
type point [2]residue

// tells reports whether v identifies its function.
func (v point) tells() bool {
	return v[0] != noResidue && v[1] != noResidue && v[0] != 0 && v[1] != 0
}

func (v point) appendTo(dst []byte) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
	}
	return dst
}

// points is the field of the values at the points. Every operation has a result, possibly
// noResidue.
type points struct{}

func (points) Zero() point         { return point{} }
func (points) One() point          { return point{1, 1} }
func (points) IsZero(a point) bool { return a == point{} }
func (points) Laws() semiring.Laws { return semiring.Commutative }

func (points) Plus(a, b point) point  { return point{a[0].add(b[0]), a[1].add(b[1])} }
func (points) Times(a, b point) point { return point{a[0].times(b[0]), a[1].times(b[1])} }
func (points) over(a, b point) point  { return point{a[0].over(b[0]), a[1].over(b[1])} }

// star is 1/(1−a), noResidue if a is 1.
func (p points) star(a point) point {
	minus := point{modulus - 1, modulus - 1}
	return p.over(p.One(), p.Plus(p.One(), p.Times(minus, a)))
}

func (p points) Star(a point) (point, bool)    { return p.star(a), true }
func (p points) LDiv(a, b point) (point, bool) { return p.over(b, a), true }
func (p points) RDiv(a, b point) (point, bool) { return p.over(a, b), true }

// The temperature at the points is a power under which constants do not add up. cooled is its
// inverse: a^tempered^cooled is a, because their product is 1 modulo 2⁶¹−2.
const (
	tempered = 1_000_000_007
	cooled   = 1_703_099_667_602_959_793
)

func (v point) power(n uint64) point { return point{v[0].power(n), v[1].power(n)} }

// powerOf returns the value of a power: a power is treated like a parameter for each pair of a
// and w, because the field has no logarithms.
func (points) powerOf(_, _, a, w point, isPlain bool) (point, error) {
	if !a.tells() || !w.tells() {
		return point{noResidue, noResidue}, nil
	}
	mixed := mix(uint64(a[0])+uint64(w[0]), uint64(a[0])^uint64(w[0]))
	again := mix(uint64(a[1])+uint64(w[1]), uint64(a[1])^uint64(w[1]))
	v := drawn(mixed, again|1<<63)
	if isPlain {
		return v, nil
	}
	return v.power(tempered), nil
}

// drawn returns random residues that are determined by the seeds.
func drawn(a, b uint64) point {
	rng := rand.New(rand.NewPCG(a, b))
	n := uint64(modulus) - 2
	return point{residue(2 + rng.Uint64N(n)), residue(2 + rng.Uint64N(n))}
}

// pointOf returns the values of parameter p at the points.
func pointOf(p int32) point { return drawn(uint64(p), 0) }

// two is the value of the constant 2: the residue 2 is unsuitable because 2⁶¹ is 1.
var two = drawn(0, 1)

// constant returns the tempered value of c. It is multiplicative if c is exact or the rounding of
// a simple fraction with a denominator of up to 2²⁰.
func (p points) constant(c semiring.ScaledFloat) point {
	if !c.IsFinite() {
		return point{noResidue, noResidue}
	}
	if c.IsZero() {
		return point{}
	}
	mant, exp := math.Frexp(math.Abs(c.Mant))
	a, b := fraction(mant)
	zeros := bits.TrailingZeros64(a) - bits.TrailingZeros64(b)
	a >>= bits.TrailingZeros64(a)
	b >>= bits.TrailingZeros64(b)
	x := residue(a).over(residue(b)).power(tempered)
	const order = int64(modulus) - 1
	n := (c.Exp%order*512 + int64(exp+zeros)) % order
	v := p.Times(point{x, x}, two.power(uint64((n+order)%order)))
	if c.Mant < 0 {
		v = p.Times(v, point{modulus - 1, modulus - 1})
	}
	return v
}

// fraction returns x, for ½ ≤ x < 1, as the simplest a/b that equals it up to a few roundings, by
// continued fractions. If there is no such fraction with b ≤ 2²⁰, it returns x exactly, with b =
// 2⁵³.
func fraction(x float64) (a, b uint64) {
	const most, close = 1 << 20, 0x1p-51
	a0, b0, a1, b1 := uint64(0), uint64(1), uint64(1), uint64(0)
	for rest := x; ; {
		whole := math.Floor(rest)
		if whole > most {
			break
		}
		n := uint64(whole)
		a0, b0, a1, b1 = a1, b1, n*a1+a0, n*b1+b0
		if b1 > most {
			break
		}
		if math.Abs(float64(a1)/float64(b1)-x) <= close*x {
			return a1, b1
		}
		rest = 1 / (rest - whole)
	}
	return uint64(x * (1 << 53)), 1 << 53
}
