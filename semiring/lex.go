package semiring

import "fmt"

// Lex returns the lexicographic ring of pairs: ⊗ is componentwise, and ⊕ keeps the
// pair with the better first part, or adds up the second parts where the first ones
// are equal. The path sum is the weight of the best paths by a together with the
// sum of their weights by b:
//
//	Lex(Tropical, Counting)   least cost, and how many paths have it
//	Lex(Tropical, Tropical)   least cost, and among those paths the least by another
//	Lex(Viterbi, Real)        mass of the best path, and how much all like it have
//
// The first ring must be Ordered, and Cancellative lest ⊗ makes a tie where there
// was none, which breaks distributivity: Bottleneck is refused. A tie is equality to
// the last bit, so costs should be exact sums, of small integers say. A pair whose
// first part is 0̄ is 0̄ whatever the second; one with a second part of 0̄ alone is
// not.
//
// A star is that of the second part where the first is 1̄, and 1̄ where the first is
// worse. The map to the first part is a homomorphism, that to the second is not.
//
// Capabilities: Closed, and Ordered if b has it; Divider, Metric (the greater
// distance), Keyer, Texter, Reverser, Prober (of the first part) and FromScaled if
// both have them, Ranged if one has it; Kernel if both are commutative. The error wraps
// ErrCapability.
func Lex[A, B any](a Semiring[A], b Semiring[B]) (Semiring[Pair[A, B]], error) {
	order, err := Require[Ordered[A]](a)
	if err != nil {
		return nil, err
	}
	if !LawsOf(a).Has(Cancellative) {
		return nil, fmt.Errorf("%w: %T is not Cancellative, as the first part of Lex has to be", ErrCapability, a)
	}
	return newLex(a, order, b), nil
}

func newLex[A, B any](a Semiring[A], order Ordered[A], b Semiring[B]) lex[A, B] {
	return lex[A, B]{product[A, B]{a, b}, order}
}

type lex[A, B any] struct {
	pair  product[A, B]
	order Ordered[A]
}

func (l lex[A, B]) Zero() Pair[A, B]         { return l.pair.Zero() }
func (l lex[A, B]) One() Pair[A, B]          { return l.pair.One() }
func (l lex[A, B]) IsZero(x Pair[A, B]) bool { return l.pair.a.IsZero(x.First) }

// normal returns x, or 0̄ as Zero writes it.
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
	return Pair[A, B]{x.First, l.pair.b.Plus(x.Second, y.Second)}
}

func (l lex[A, B]) Times(x, y Pair[A, B]) Pair[A, B] {
	first := l.pair.a.Times(x.First, y.First)
	if l.pair.a.IsZero(first) {
		return l.Zero()
	}
	return Pair[A, B]{first, l.pair.b.Times(x.Second, y.Second)}
}

// As answers the package's As.
func (l lex[A, B]) As(target any) bool {
	type W = Pair[A, B]
	p := l.pair
	switch target := target.(type) {
	case *Lawful:
		second := LawsOf(p.b)
		both := LawsOf(p.a) & second
		*target = lawful(second&(Selective|KClosed) | both&(Commutative|bounded))
		return true
	case *Closed[W]:
		return joinBase(p.b, target, func(c Closed[B]) Closed[W] { return lexStar[A, B]{l, c} })
	case *Ordered[W]:
		return joinBase(p.b, target, func(c Ordered[B]) Ordered[W] { return lexOrder[A, B]{l, c} })
	case *Kernel[W]:
		*target = lexKernel[A, B]{l}
		return (LawsOf(p.a) & LawsOf(p.b)).Has(Commutative)
	case *Divider[W]:
		return join(p, target, func(a Divider[A], b Divider[B]) Divider[W] { return lexDiv[A, B]{l, pairDiv[A, B]{a, b}} })
	case *Metric[W]:
		return join(p, target, func(a Metric[A], b Metric[B]) Metric[W] { return lexDist[A, B]{l, pairDist[A, B]{a, b}} })
	case *Prober[W]:
		return join(p, target, func(a Prober[A], b Prober[B]) Prober[W] { return lexProb[A, B]{a, b} })
	case *Keyer[W]:
		return join(p, target, func(a Keyer[A], b Keyer[B]) Keyer[W] { return lexKey[A, B]{l, pairKey[A, B]{a, b}} })
	case *Texter[W]:
		return join(p, target, func(a Texter[A], b Texter[B]) Texter[W] { return lexText[A, B]{l, pairText[A, B]{a, b}} })
	case *OneSided, *Ranged[W], *Reverser[W], *scaledReader[W]:
		return p.As(target)
	}
	return false
}

type lexStar[A, B any] struct {
	lex    lex[A, B]
	closed Closed[B]
}

func (c lexStar[A, B]) Star(x Pair[A, B]) (Pair[A, B], bool) {
	one := c.lex.One()
	switch order := c.lex.order.Compare(one.First, x.First); {
	case order > 0:
		return one, false
	case order < 0:
		return one, true
	}
	second, ok := c.closed.Star(x.Second)
	return Pair[A, B]{one.First, second}, ok
}

type lexOrder[A, B any] struct {
	lex    lex[A, B]
	second Ordered[B]
}

func (c lexOrder[A, B]) Compare(x, y Pair[A, B]) int {
	if first := c.lex.order.Compare(x.First, y.First); first != 0 || c.lex.IsZero(x) {
		return first
	}
	return c.second.Compare(x.Second, y.Second)
}

type lexDiv[A, B any] struct {
	lex  lex[A, B]
	pair pairDiv[A, B]
}

func (c lexDiv[A, B]) LDiv(x, y Pair[A, B]) (Pair[A, B], bool) {
	if c.lex.IsZero(y) {
		return c.lex.Zero(), !c.lex.IsZero(x)
	}
	return c.pair.LDiv(x, y)
}

func (c lexDiv[A, B]) RDiv(x, y Pair[A, B]) (Pair[A, B], bool) {
	if c.lex.IsZero(x) {
		return c.lex.Zero(), !c.lex.IsZero(y)
	}
	return c.pair.RDiv(x, y)
}

type lexDist[A, B any] struct {
	lex  lex[A, B]
	pair pairDist[A, B]
}

func (c lexDist[A, B]) Dist(x, y Pair[A, B]) float64 {
	return c.pair.Dist(c.lex.normal(x), c.lex.normal(y))
}

type lexProb[A, B any] struct {
	a Prober[A]
	b Prober[B]
}

func (c lexProb[A, B]) FromLog(logp float64) Pair[A, B] {
	return Pair[A, B]{c.a.FromLog(logp), c.b.FromLog(logp)}
}

func (c lexProb[A, B]) Log(x Pair[A, B]) float64 { return c.a.Log(x.First) }

type lexKey[A, B any] struct {
	lex  lex[A, B]
	pair pairKey[A, B]
}

func (c lexKey[A, B]) AppendKey(dst []byte, x Pair[A, B], delta float64) []byte {
	return c.pair.AppendKey(dst, c.lex.normal(x), delta)
}

type lexText[A, B any] struct {
	lex  lex[A, B]
	pair pairText[A, B]
}

func (c lexText[A, B]) Format(x Pair[A, B]) string { return c.pair.Format(c.lex.normal(x)) }

func (c lexText[A, B]) Parse(s string) (Pair[A, B], error) {
	x, err := c.pair.Parse(s)
	return c.lex.normal(x), err
}
