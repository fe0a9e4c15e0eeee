package semiring

import (
	"fmt"

	"example.org/pathsum/internal/text"
)

// Pair is the weight of a Product.
type Pair[A, B any] struct {
	First  A
	Second B
}

// Product returns the ring of pairs with componentwise operations: two path sums
// at the price of one traversal. It has those capabilities among Closed, Divider,
// Negater, Metric (the greater distance), Lawful, Keyer, Texter, Reverser and
// FromScaled that both parts have, and Ranged if one part has it. It has the laws that
// both claim, except Selective (the better pair may be neither) and Cancellative (a part
// may be 0̄ alone). It distributes from the sides from which both do.
func Product[A, B any](a Semiring[A], b Semiring[B]) Semiring[Pair[A, B]] {
	return newProduct(a, b)
}

type product[A, B any] struct {
	a Semiring[A]
	b Semiring[B]
	*derived[Pair[A, B]]
}

func newProduct[A, B any](a Semiring[A], b Semiring[B]) product[A, B] {
	d := &derived[Pair[A, B]]{
		laws:  LawsOf(a) & LawsOf(b) &^ (selective | Cancellative),
		sides: Distributes(a) & Distributes(b),
	}
	p := product[A, B]{a, b, d}
	p.derive()
	return p
}

func (p product[A, B]) Zero() Pair[A, B] { return Pair[A, B]{p.a.Zero(), p.b.Zero()} }
func (p product[A, B]) One() Pair[A, B]  { return Pair[A, B]{p.a.One(), p.b.One()} }

func (p product[A, B]) Plus(x, y Pair[A, B]) Pair[A, B] {
	return Pair[A, B]{p.a.Plus(x.First, y.First), p.b.Plus(x.Second, y.Second)}
}

func (p product[A, B]) Times(x, y Pair[A, B]) Pair[A, B] {
	return Pair[A, B]{p.a.Times(x.First, y.First), p.b.Times(x.Second, y.Second)}
}

func (p product[A, B]) IsZero(x Pair[A, B]) bool {
	return p.a.IsZero(x.First) && p.b.IsZero(x.Second)
}

// derive sets the capabilities that both parts have.
func (p product[A, B]) derive() {
	type W = Pair[A, B]
	if a, b, ok := both[Closed[A], Closed[B]](p.a, p.b); ok {
		p.star = func(x W) (W, bool) {
			first, okA := a.Star(x.First)
			second, okB := b.Star(x.Second)
			return W{first, second}, okA && okB
		}
	}
	if a, b, ok := both[Divider[A], Divider[B]](p.a, p.b); ok {
		p.lDiv = func(x, y W) (W, bool) {
			first, okA := a.LDiv(x.First, y.First)
			second, okB := b.LDiv(x.Second, y.Second)
			return W{first, second}, okA && okB
		}
		p.rDiv = func(x, y W) (W, bool) {
			first, okA := a.RDiv(x.First, y.First)
			second, okB := b.RDiv(x.Second, y.Second)
			return W{first, second}, okA && okB
		}
	}
	if a, b, ok := both[Negater[A], Negater[B]](p.a, p.b); ok {
		p.neg = func(x W) W { return W{a.Neg(x.First), b.Neg(x.Second)} }
	}
	if a, b, ok := both[Metric[A], Metric[B]](p.a, p.b); ok {
		p.dist = func(x, y W) float64 { return max(a.Dist(x.First, y.First), b.Dist(x.Second, y.Second)) }
	}
	a, limitedA := As[Ranged[A]](p.a)
	b, limitedB := As[Ranged[B]](p.b)
	if limitedA || limitedB {
		p.inRange = func(x, y, z W) bool {
			return (!limitedA || a.InRange(x.First, y.First, z.First)) &&
				(!limitedB || b.InRange(x.Second, y.Second, z.Second))
		}
	}
	if a, b, ok := both[Keyer[A], Keyer[B]](p.a, p.b); ok {
		p.key = func(dst []byte, x W, delta float64) []byte {
			dst = appendPart(dst, a, x.First, delta)
			return appendPart(dst, b, x.Second, delta)
		}
	}
	if a, b, ok := both[Texter[A], Texter[B]](p.a, p.b); ok {
		p.format = func(x W) string {
			return formatList('(', []string{a.Format(x.First), b.Format(x.Second)}, ')')
		}
		p.parse = func(s string) (W, error) { return parsePair(s, a, b) }
	}
	// A commutative ring has no Reverser.
	if !(LawsOf(p.a) & LawsOf(p.b)).Has(Commutative) {
		a, okA := ReverseOf(p.a)
		b, okB := ReverseOf(p.b)
		if okA && okB {
			p.reverse = func(x W) W { return W{a(x.First), b(x.Second)} }
		}
	}
	readA, errA := FromScaled(p.a)
	readB, errB := FromScaled(p.b)
	if errA == nil && errB == nil {
		p.read = func(x ScaledFloat) W { return W{readA(x), readB(x)} }
	}
}

func parsePair[A, B any](s string, a Texter[A], b Texter[B]) (x Pair[A, B], err error) {
	parts, err := cutList(s, '(', ')')
	if err == nil && len(parts) != 2 {
		err = fmt.Errorf("semiring: %s is not a pair (first,second)", text.Quote(s))
	}
	if err != nil {
		return x, err
	}
	if x.First, err = a.Parse(parts[0]); err != nil {
		return x, err
	}
	x.Second, err = b.Parse(parts[1])
	return x, err
}
