package expr

import (
	"sync"

	"example.org/pathsum/semiring"
)

// Functions is the ring of the expressions of a Space in which expressions are equal if they are
// equal as functions of the parameters: an operation returns the first expression that equals its
// result. Algorithms that terminate when weights recur need this ring, above all determinization
// of cyclic machines: in it (a⊗c ⊕ b⊗c)/(a ⊕ b) is c.
//
// Expressions are compared by their values at two random but fixed points in the field of
// integers modulo 2⁶¹−1 (Schwartz 1980; Zippel 1979). Constants are raised to a power there, too,
// so that equal expressions stay equal under EvaluateTempered. Values are exact: expressions that
// merely converge, such as shares of a sum along a cycle, stay different. Different expressions
// collide by chance with a probability of about (d/2⁶¹)² per pair, for numerators and
// denominators of degree d. An expression whose value at a point is 0 or undefined equals only
// itself.
//
// A constant that float64 has rounded counts as the fraction nearby with a denominator up to 2²⁰,
// if there is one. Products of other constants are equal if operations of the ring computed them,
// in any order; constants rounded elsewhere may differ.
//
// Weights are handles of the Space: fst.FST.WithSemiring changes the ring of a machine. Functions
// is safe for concurrent use. The first operation takes time linear in the size of the Space,
// every other operation a look-up.
type Functions struct {
	*Space

	mu     sync.Mutex
	values homomorphism[point] // guarded by mu, like first
	first  map[point]W         // by value
}

var (
	_ semiring.Semiring[W] = (*Functions)(nil)
	_ semiring.Closed[W]   = (*Functions)(nil)
	_ semiring.Divider[W]  = (*Functions)(nil)
	_ semiring.Keyer[W]    = (*Functions)(nil)
)

// Functions returns the ring of the expressions of s as functions.
func (s *Space) Functions() semiring.Semiring[W] {
	f := &Functions{Space: s, first: map[point]W{}}
	f.values = homomorphism[point]{ring: points{}, param: pointOf, constant: points{}.constant, power: points{}.powerOf,
		plain: func(v point) point { return v.power(cooled) },
		whole: func(v point) point { return v.power(tempered) }}
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

// AppendKey appends the values of w at the two points; delta is ignored.
func (f *Functions) AppendKey(dst []byte, w W, delta float64) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extend(w)
	return f.values.values[w].appendTo(dst)
}

// apply returns the first expression with the value of the operation, or a new one.
func (f *Functions) apply(a, b W, value func(a, b point) point, operate func(a, b W) (W, bool)) (W, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extend(max(a, b))
	v := value(f.values.values[a], f.values.values[b])
	if v.tells() {
		if w, ok := f.first[v]; ok {
			return w, true
		}
	}
	w, ok := operate(a, b)
	known := len(f.values.values)
	f.extend(w)
	if ok && int(w) >= known && v.tells() {
		// Its constant, a product, may have been rounded; its value was not.
		f.values.values[w], f.first[v] = v, w
	}
	return w, ok
}

// extend computes the values of expressions up to w.
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
		if _, ok := f.first[v]; !ok {
			f.first[v] = W(n + w)
		}
	}
}
