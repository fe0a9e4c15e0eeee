package semiring

import (
	"fmt"

	"example.org/pathsum/internal/typename"
)

// Lex returns the lexicographic ring of pairs: ⊗ is componentwise, and ⊕ keeps the pair with the
// better first part, or adds up the second parts if the first parts are equal. The path sum is
// the weight of the best paths by a together with the sum of their weights by b:
//
//	Lex(Tropical, Counting)   least cost, and how many paths have it
//	Lex(Tropical, Tropical)   least cost, and among those paths the least by another
//	Lex(Viterbi, Real)        mass of the best path, and how much all like it have
//
// The first ring must be Ordered. It must also be Cancellative, because otherwise ⊗ may produce a
// tie, which breaks distributivity: Lex refuses Bottleneck. A tie is equality to the last bit, so
// costs should be exact sums, for example of small integers. A pair whose first part is 0̄ is 0̄
// whatever the second part; if only the second part is 0̄, the pair is not.
//
// If the first part is 1̄, the star is the star of the second part; if it is worse, the star is
// 1̄. The map to the first part is a homomorphism, the map to the second is not.
//
// Capabilities: Closed, and Ordered if b has it; Divider, Metric (the greater
// distance), Keyer, Textual, Reverser, Probabilistic (of the first part) and FromScaled if
// both have them, Ranged if one has it. The error wraps
// ErrCapability.
func Lex[A, B any](a Semiring[A], b Semiring[B]) (Semiring[Pair[A, B]], error) {
	order, err := Require[Ordered[A]](a)
	if err != nil {
		return nil, err
	}
	if !LawsOf(a).Has(Cancellative) {
		return nil, fmt.Errorf("%w: %s is not Cancellative, as the first part of Lex has to be", ErrCapability, typename.Of(a))
	}
	return newLex(a, order, b), nil
}

func newLex[A, B any](a Semiring[A], order Ordered[A], b Semiring[B]) lex[A, B] {
	l := lex[A, B]{newProduct(a, b), order}
	l.derive()
	return l
}

// lex has the capabilities of a product except those that depend on the order.
type lex[A, B any] struct {
	product[A, B]
	order Ordered[A]
}

func (l lex[A, B]) IsZero(x Pair[A, B]) bool { return l.a.IsZero(x.First) }

// normal returns x in the form of Zero if it is 0̄, and otherwise x unchanged.
func (l lex[A, B]) normal(x Pair[A, B]) Pair[A, B] {
	if l.IsZero(x) {
		return l.Zero()
	}
	return x
}

func (l lex[A, B]) Plus(x, y Pair[A, B]) Pair[A, B] {
	c := l.order.Compare(x.First, y.First)
	switch {
	case l.IsZero(y), c < 0:
		return x
	case l.IsZero(x), c > 0:
		return y
	}
	return Pair[A, B]{x.First, l.b.Plus(x.Second, y.Second)}
}

func (l lex[A, B]) Times(x, y Pair[A, B]) Pair[A, B] {
	first := l.a.Times(x.First, y.First)
	if l.a.IsZero(first) {
		return l.Zero()
	}
	return Pair[A, B]{first, l.b.Times(x.Second, y.Second)}
}

// derive adapts the capabilities of the product to the order.
func (l lex[A, B]) derive() {
	type W = Pair[A, B]
	second := LawsOf(l.b)
	l.laws = second&(Selective|KClosed) | LawsOf(l.a)&second&(Commutative|bounded)
	l.neg, l.star = nil, nil
	if closed, ok := As[Closed[B]](l.b); ok {
		l.star = func(x W) (W, bool) {
			one := l.One()
			switch order := l.order.Compare(one.First, x.First); {
			case order > 0:
				return one, false
			case order < 0:
				return one, true
			}
			second, ok := closed.Star(x.Second)
			return W{one.First, second}, ok
		}
	}
	if second, ok := As[Ordered[B]](l.b); ok {
		l.compare = func(x, y W) int {
			if first := l.order.Compare(x.First, y.First); first != 0 || l.IsZero(x) {
				return first
			}
			return second.Compare(x.Second, y.Second)
		}
	}
	if lDiv, rDiv := l.lDiv, l.rDiv; lDiv != nil {
		l.lDiv = func(x, y W) (W, bool) {
			if l.IsZero(y) {
				return l.Zero(), !l.IsZero(x)
			}
			return lDiv(x, y)
		}
		l.rDiv = func(x, y W) (W, bool) {
			if l.IsZero(x) {
				return l.Zero(), !l.IsZero(y)
			}
			return rDiv(x, y)
		}
	}
	if a, b, ok := both[Probabilistic[A], Probabilistic[B]](l.a, l.b); ok {
		l.fromLog = func(logp float64) W { return W{a.FromLog(logp), b.FromLog(logp)} }
		l.log = func(x W) float64 { return a.Log(x.First) }
	}
	if dist := l.dist; dist != nil {
		l.dist = func(x, y W) float64 { return dist(l.normal(x), l.normal(y)) }
	}
	if key := l.key; key != nil {
		l.key = func(dst []byte, x W, delta float64) []byte { return key(dst, l.normal(x), delta) }
	}
	if format, parse := l.format, l.parse; parse != nil {
		l.format = func(x W) string { return format(l.normal(x)) }
		l.parse = func(s string) (W, error) {
			x, err := parse(s)
			return l.normal(x), err
		}
	}
}

// ViterbiExpectation returns Lex(Viterbi, Expectation(base, m)): the mass of the best
// path, and the value along it. Give an arc of mass p that contributes v the weight
// (p, ⟨p, p·v⟩): its weight in an Expectation with p in front. Then the value of the best
// path is V/P.
//
// If several paths are best, to the last bit, P is their total mass and V/P the mean of their
// values. This rule depends only on the paths and not on the order of summation, so all axioms
// hold. The base is usually Scaled.
//
// A cycle of mass 1 has no star unless the base has a star for it: there are infinitely many best
// paths.
//
// KBest of it returns the values along each of the k best paths.
func ViterbiExpectation[W, V any](base Semiring[W], m Module[W, V]) Semiring[Pair[ScaledFloat, Expected[W, V]]] {
	return newLex(Viterbi{}, Ordered[ScaledFloat](Viterbi{}), Expectation(base, m))
}
