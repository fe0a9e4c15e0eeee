package expr

import (
	"math/rand/v2"
	"sync"

	"example.org/pathsum/semiring"
)

// Functions is the ring of the expressions of a Space in which those that are equal as
// functions of the parameters, and not as texts alone, are one: an operation returns
// the first expression made that equals its result. It is what algorithms need that
// end when weights come back, determinization of cyclic machines above all: in it
// (a⊗c ⊕ b⊗c)/(a ⊕ b) is c.
//
// Expressions are told apart by their values at two random points, the same ones
// always, where constants too are raised to random powers, so that equal ones stay
// equal under EvaluateTempered (Schwartz 1980; Zippel 1979). Those whose values differ
// by less than 1e-11 of them count as equal; that others do by chance has a
// probability of about 1e-21 per pair. An expression without a finite value other
// than 0 at the points equals no other.
//
// Weights are handles of the Space: a machine changes rings by fst.FST.WithSemiring.
// It is safe for concurrent use. The first operation takes time linear in the size
// of the Space, each other one a look-up.
type Functions struct {
	*Space

	mu     sync.Mutex
	values homomorphism[point] // guarded by mu, as is all below
	first  map[string]W        // by key
	key    []byte
}

var (
	_ semiring.Semiring[W] = (*Functions)(nil)
	_ semiring.Closed[W]   = (*Functions)(nil)
	_ semiring.Divider[W]  = (*Functions)(nil)
	_ semiring.Keyer[W]    = (*Functions)(nil)
)

// sameFunction is the relative distance within which values are equal: far above the
// rounding of an operation.
const sameFunction = 1e-11

// Functions returns the ring of the expressions of s as functions.
func (s *Space) Functions() semiring.Semiring[W] {
	f := &Functions{Space: s, first: map[string]W{}}
	f.values = homomorphism[point]{ring: points{}, param: pointOf, constant: points{}.constant,
		plain: func(v point) point { return v.power(1/powers[0], 1/powers[1]) },
		whole: func(v point) point { return v.power(powers[0], powers[1]) }}
	return f
}

// Plus returns a ⊕ b.
func (f *Functions) Plus(a, b W) W {
	w, _ := f.apply(a, b, points{}.Plus, func(a, b W) (W, bool) { return f.Space.Plus(a, b), true })
	return w
}

// Times returns a ⊗ b.
func (f *Functions) Times(a, b W) W {
	w, _ := f.apply(a, b, points{}.Times, func(a, b W) (W, bool) { return f.Space.Times(a, b), true })
	return w
}

// RDiv returns the quotient a/b, or false if b is Zero.
func (f *Functions) RDiv(a, b W) (W, bool) {
	return f.apply(a, b, points{}.over, f.Space.RDiv)
}

// LDiv returns the quotient b/a, or false if a is Zero.
func (f *Functions) LDiv(a, b W) (W, bool) { return f.RDiv(b, a) }

// Star returns a*.
func (f *Functions) Star(a W) (W, bool) {
	return f.apply(a, a, func(a, _ point) point { return points{}.star(a) }, func(a, _ W) (W, bool) { return f.Space.Star(a) })
}

// AppendKey appends the values of w at the two points, as semiring.Scaled does it.
func (f *Functions) AppendKey(dst []byte, w W, delta float64) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extend(w)
	return appendPoint(dst, f.values.values[w], delta)
}

// apply returns the first expression with the value of the operation, or a new one.
func (f *Functions) apply(a, b W, value func(a, b point) point, operate func(a, b W) (W, bool)) (W, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extend(max(a, b))
	if v := value(f.values.values[a], f.values.values[b]); v.tells() {
		f.key = appendPoint(f.key[:0], v, sameFunction)
		if w, ok := f.first[string(f.key)]; ok {
			return w, true
		}
	}
	w, ok := operate(a, b)
	f.extend(w)
	return w, ok
}

// extend sees to it that w has a value.
func (f *Functions) extend(w W) {
	n := len(f.values.values)
	if int(w) < n {
		return
	}
	t, names := f.snapshot()
	if err := f.values.extend(&t, names); err != nil {
		panic("expr: " + err.Error()) // points have all operations
	}
	for w, v := range f.values.values[n:] {
		if !v.tells() {
			continue
		}
		f.key = appendPoint(f.key[:0], v, sameFunction)
		if _, ok := f.first[string(f.key)]; !ok {
			f.first[string(f.key)] = W(n + w)
		}
	}
}

// point is the values of an expression at both points.
type point [2]semiring.ScaledFloat

// tells reports whether v tells its function from others.
func (v point) tells() bool {
	return v[0].IsFinite() && v[1].IsFinite() && !v[0].IsZero() && !v[1].IsZero()
}

func appendPoint(dst []byte, v point, delta float64) []byte {
	for _, x := range v {
		dst = semiring.Scaled{}.AppendKey(dst, x, delta)
	}
	return dst
}

// pointOf returns the values of parameter p at the points.
func pointOf(p int32) point {
	rng := rand.New(rand.NewPCG(uint64(p), 0))
	return point{semiring.NewScaled(.5 + rng.Float64()), semiring.NewScaled(.5 + rng.Float64())}
}

// points is the field of the values at the points, as far as rounding lets it be one.
// Every operation has a result, if not a finite one.
type points struct{}

// powers are the temperatures: constants are raised to them, plain ones are not.
var powers = [2]float64{.7320508075688772, 1.2360679774997896}

func (points) Zero() point         { return point{} }
func (points) One() point          { return point{unit, unit} }
func (points) IsZero(a point) bool { return a == point{} }
func (points) Laws() semiring.Laws { return semiring.Commutative }

func (points) Plus(a, b point) point  { return point{a[0].Add(b[0]), a[1].Add(b[1])} }
func (points) Times(a, b point) point { return point{a[0].Mul(b[0]), a[1].Mul(b[1])} }
func (points) over(a, b point) point  { return point{a[0].Div(b[0]), a[1].Div(b[1])} }

// star is 1/(1−a) wherever a is.
func (p points) star(a point) point {
	return p.over(p.One(), point{unit.Sub(a[0]), unit.Sub(a[1])})
}

// constant returns the value of c, which is tempered.
func (points) constant(c semiring.ScaledFloat) point { return point{c, c}.power(powers[0], powers[1]) }

// power returns sign(v)·|v|^exponent.
func (v point) power(exponents ...float64) point {
	for i, exponent := range exponents {
		if v[i].Mant < 0 {
			v[i] = v[i].Neg().Pow(exponent).Neg()
		} else {
			v[i] = v[i].Pow(exponent)
		}
	}
	return v
}

func (p points) Star(a point) (point, bool)    { return p.star(a), true }
func (p points) LDiv(a, b point) (point, bool) { return p.over(b, a), true }
func (p points) RDiv(a, b point) (point, bool) { return p.over(a, b), true }
