package semiring

import "fmt"

// Pair is the weight of a Product.
type Pair[A, B any] struct {
	First  A
	Second B
}

// Product returns the ring of pairs with componentwise operations: two path sums
// at the price of one traversal. It has those capabilities among Closed, Divider,
// Negater, Metric (the greater distance), Lawful, Keyer, Texter, Reverser, Kernel and
// FromScaled that both parts have, and Ranged if one part has it. It has the laws that
// both claim, except Selective (the better pair may be neither) and Cancellative (a part
// may be 0̄ alone). It distributes from the sides from which both do.
func Product[A, B any](a Semiring[A], b Semiring[B]) Semiring[Pair[A, B]] {
	return product[A, B]{a, b}
}

type product[A, B any] struct {
	a Semiring[A]
	b Semiring[B]
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

// As answers the package's As: a capability is there if both parts have it.
func (p product[A, B]) As(target any) bool {
	type W = Pair[A, B]
	switch target := target.(type) {
	case *Lawful:
		*target = lawful(LawsOf(p.a) & LawsOf(p.b) &^ (selective | Cancellative))
		return true
	case *OneSided:
		*target = Distributes(p.a) & Distributes(p.b)
		return true
	case *Closed[W]:
		return join(p, target, func(a Closed[A], b Closed[B]) Closed[W] { return pairStar[A, B]{a, b} })
	case *Kernel[W]:
		return join(p, target, newPairKernel[A, B])
	case *Divider[W]:
		return join(p, target, func(a Divider[A], b Divider[B]) Divider[W] { return pairDiv[A, B]{a, b} })
	case *Negater[W]:
		return join(p, target, func(a Negater[A], b Negater[B]) Negater[W] { return pairNeg[A, B]{a, b} })
	case *Metric[W]:
		return join(p, target, func(a Metric[A], b Metric[B]) Metric[W] { return pairDist[A, B]{a, b} })
	case *Ranged[W]:
		a, okA := As[Ranged[A]](p.a)
		b, okB := As[Ranged[B]](p.b)
		*target = pairRange[A, B]{a, b}
		return okA || okB
	case *Keyer[W]:
		return join(p, target, func(a Keyer[A], b Keyer[B]) Keyer[W] { return pairKey[A, B]{a, b} })
	case *Texter[W]:
		return join(p, target, func(a Texter[A], b Texter[B]) Texter[W] { return pairText[A, B]{a, b} })
	case *Reverser[W]:
		a, okA := ReverseOf(p.a)
		b, okB := ReverseOf(p.b)
		*target = pairReverse[A, B]{a, b}
		both := LawsOf(p.a) & LawsOf(p.b) // a commutative ring has no Reverser
		return okA && okB && !both.Has(Commutative)
	case *scaledReader[W]:
		a, errA := FromScaled(p.a)
		b, errB := FromScaled(p.b)
		*target = pairReader[A, B]{a, b}
		return errA == nil && errB == nil
	}
	return false
}

// join sets *target to the capability made of those of the parts.
func join[CA, CB, C, A, B any](p product[A, B], target *C, combine func(CA, CB) C) bool {
	a, okA := As[CA](p.a)
	b, okB := As[CB](p.b)
	if okA && okB {
		*target = combine(a, b)
	}
	return okA && okB
}

type lawful Laws

func (l lawful) Laws() Laws { return Laws(l) }

type pairStar[A, B any] struct {
	a Closed[A]
	b Closed[B]
}

func (c pairStar[A, B]) Star(x Pair[A, B]) (Pair[A, B], bool) {
	a, okA := c.a.Star(x.First)
	b, okB := c.b.Star(x.Second)
	return Pair[A, B]{a, b}, okA && okB
}

type pairDiv[A, B any] struct {
	a Divider[A]
	b Divider[B]
}

func (c pairDiv[A, B]) LDiv(x, y Pair[A, B]) (Pair[A, B], bool) {
	a, okA := c.a.LDiv(x.First, y.First)
	b, okB := c.b.LDiv(x.Second, y.Second)
	return Pair[A, B]{a, b}, okA && okB
}

func (c pairDiv[A, B]) RDiv(x, y Pair[A, B]) (Pair[A, B], bool) {
	a, okA := c.a.RDiv(x.First, y.First)
	b, okB := c.b.RDiv(x.Second, y.Second)
	return Pair[A, B]{a, b}, okA && okB
}

type pairNeg[A, B any] struct {
	a Negater[A]
	b Negater[B]
}

func (c pairNeg[A, B]) Neg(x Pair[A, B]) Pair[A, B] {
	return Pair[A, B]{c.a.Neg(x.First), c.b.Neg(x.Second)}
}

type pairDist[A, B any] struct {
	a Metric[A]
	b Metric[B]
}

func (c pairDist[A, B]) Dist(x, y Pair[A, B]) float64 {
	return max(c.a.Dist(x.First, y.First), c.b.Dist(x.Second, y.Second))
}

type pairKey[A, B any] struct {
	a Keyer[A]
	b Keyer[B]
}

func (c pairKey[A, B]) AppendKey(dst []byte, x Pair[A, B], delta float64) []byte {
	dst = appendPart(dst, c.a, x.First, delta)
	return appendPart(dst, c.b, x.Second, delta)
}

type pairText[A, B any] struct {
	a Texter[A]
	b Texter[B]
}

func (c pairText[A, B]) Format(x Pair[A, B]) string {
	return formatList('(', []string{c.a.Format(x.First), c.b.Format(x.Second)}, ')')
}

func (c pairText[A, B]) Parse(s string) (Pair[A, B], error) {
	parts, err := cutList(s, '(', ')')
	if err == nil && len(parts) != 2 {
		err = fmt.Errorf("semiring: %q is not a pair (first,second)", s)
	}
	if err != nil {
		return Pair[A, B]{}, err
	}
	a, err := c.a.Parse(parts[0])
	if err != nil {
		return Pair[A, B]{}, err
	}
	b, err := c.b.Parse(parts[1])
	return Pair[A, B]{a, b}, err
}

type pairReverse[A, B any] struct {
	a func(A) A
	b func(B) B
}

func (c pairReverse[A, B]) Reverse(x Pair[A, B]) Pair[A, B] {
	return Pair[A, B]{c.a(x.First), c.b(x.Second)}
}

type pairReader[A, B any] struct {
	a func(ScaledFloat) A
	b func(ScaledFloat) B
}

func (c pairReader[A, B]) fromScaled(x ScaledFloat) Pair[A, B] {
	return Pair[A, B]{c.a(x), c.b(x)}
}
