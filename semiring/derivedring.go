package semiring

import (
	"encoding/binary"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// derived holds the capabilities of a ring or module that is made of others. Its constructor
// queries the parts; a nil function is a capability that some part lacks.
type derived[W any] struct {
	laws       Laws
	sides      Side
	kernel     Kernel[W]
	sweeper    Sweeper[W]
	star       func(a W) (W, bool)
	lDiv, rDiv func(a, b W) (W, bool)
	neg        func(a W) W
	compare    func(a, b W) int
	dist       func(a, b W) float64
	fromLog    func(logp float64) W
	log        func(w W) float64
	inRange    func(x, a, b W) bool
	key        func(dst []byte, w W, delta float64) []byte
	parse      func(s string) (W, error)
	format     func(w W) string
	reverse    func(a W) W
	read       func(x ScaledFloat) W
}

// As answers the package's As.
func (d *derived[W]) As(target any) bool {
	switch target := target.(type) {
	case *Lawful:
		*target = d
		return true
	case *OneSided:
		*target = d
		return true
	case *Kernel[W]:
		*target = d.kernel
		return d.kernel != nil
	case *Sweeper[W]:
		*target = d.sweeper
		return d.sweeper != nil
	case *Closed[W]:
		*target = d
		return d.star != nil
	case *Divider[W]:
		*target = d
		return d.lDiv != nil
	case *Negater[W]:
		*target = d
		return d.neg != nil
	case *Ordered[W]:
		*target = d
		return d.compare != nil
	case *Metric[W]:
		*target = d
		return d.dist != nil
	case *Probabilistic[W]:
		*target = d
		return d.log != nil
	case *Ranged[W]:
		*target = d
		return d.inRange != nil
	case *Keyer[W]:
		*target = d
		return d.key != nil
	case *Textual[W]:
		*target = d
		return d.parse != nil
	case *Reverser[W]:
		*target = d
		return d.reverse != nil
	case *scaledReader[W]:
		*target = d
		return d.read != nil
	}
	return false
}

func (d *derived[W]) Laws() Laws                 { return d.laws }
func (d *derived[W]) Distributes() Side          { return d.sides }
func (d *derived[W]) Star(a W) (W, bool)         { return d.star(a) }
func (d *derived[W]) LDiv(a, b W) (W, bool)      { return d.lDiv(a, b) }
func (d *derived[W]) RDiv(a, b W) (W, bool)      { return d.rDiv(a, b) }
func (d *derived[W]) Neg(a W) W                  { return d.neg(a) }
func (d *derived[W]) Compare(a, b W) int         { return d.compare(a, b) }
func (d *derived[W]) Dist(a, b W) float64        { return d.dist(a, b) }
func (d *derived[W]) FromLog(logp float64) W     { return d.fromLog(logp) }
func (d *derived[W]) Log(w W) float64            { return d.log(w) }
func (d *derived[W]) InRange(x, a, b W) bool     { return d.inRange(x, a, b) }
func (d *derived[W]) Parse(s string) (W, error)  { return d.parse(s) }
func (d *derived[W]) Format(w W) string          { return d.format(w) }
func (d *derived[W]) Reverse(a W) W              { return d.reverse(a) }
func (d *derived[W]) fromScaled(x ScaledFloat) W { return d.read(x) }
func (d *derived[W]) AppendKey(dst []byte, w W, delta float64) []byte {
	return d.key(dst, w, delta)
}

// both returns a capability of each of two rings or modules, and whether both have it.
func both[CA, CB any](a, b any) (ca CA, cb CB, ok bool) {
	ca, okA := capability[CA](a)
	cb, okB := capability[CB](b)
	return ca, cb, okA && okB
}

// four is both for the base and the three modules of an Expectation2.
func four[CP, CR, CS, CT any](p, r, s, t any) (cp CP, cr CR, cs CS, ct CT, ok bool) {
	cp, cr, okFirst := both[CP, CR](p, r)
	cs, ct, okSecond := both[CS, CT](s, t)
	return cp, cr, cs, ct, okFirst && okSecond
}

// appendItem appends the key of an item, then its length. With the lengths a sequence of keys can
// be split from the end, so sequences of several items have distinct keys.
func appendItem[W any](dst []byte, keyer Keyer[W], w W, delta float64) []byte {
	start := len(dst)
	return appendLength(keyer.AppendKey(dst, w, delta), start)
}

// appendLength ends an item that began at start.
func appendLength(dst []byte, start int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(len(dst)-start))
}

const lengthSize = 4 // bytes that appendLength appends

// formatList returns the items between brackets, separated by commas.
func formatList(open byte, items []string, end byte) string {
	return string(open) + strings.Join(items, ",") + string(end)
}

// cutList undoes formatList: commas inside inner brackets do not separate.
func cutList(s string, open, end byte) ([]string, error) {
	if len(s) < 2 || s[0] != open || s[len(s)-1] != end {
		return nil, nested.Errorf("semiring: %s is not of the form %c…%c", text.Quote(s), open, end)
	}
	s = s[1 : len(s)-1]
	if s == "" {
		return nil, nil
	}
	var items []string
	start, depth := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, s[start:i])
				start = i + 1
			}
		}
	}
	return append(items, s[start:]), nil
}

// entry returns a[n], or 0̄ beyond the end of a.
func entry[W any](base Semiring[W], a []W, n int) W {
	if n < len(a) {
		return a[n]
	}
	return base.Zero()
}

// singleton returns the list that contains only w, or the empty list if w is 0̄.
func singleton[L ~[]W, W any](base Semiring[W], w W) L {
	if base.IsZero(w) {
		return nil
	}
	return L{w}
}

func each[L ~[]W, W any](a L, f func(W) W) L {
	image := make(L, len(a))
	for n, w := range a {
		image[n] = f(w)
	}
	return image
}

// deriveLists sets the capabilities of weights that are lists of weights of base: of
// Ranked, Polynomial and Dense vectors. A list stands for the mass of its first entry.
func deriveLists[L ~[]W, W any](d *derived[L], base Semiring[W]) {
	if metric, ok := As[Metric[W]](base); ok { // the greatest distance of two entries
		d.dist = func(a, b L) float64 {
			most := 0.0
			for n := range max(len(a), len(b)) {
				most = max(most, metric.Dist(entry(base, a, n), entry(base, b, n)))
			}
			return most
		}
	}
	if prober, ok := As[Probabilistic[W]](base); ok {
		d.fromLog = func(logp float64) L { return singleton[L](base, prober.FromLog(logp)) }
		d.log = func(a L) float64 { return prober.Log(entry(base, a, 0)) }
	}
	if read, err := FromScaled(base); err == nil {
		d.read = func(x ScaledFloat) L { return singleton[L](base, read(x)) }
	}
	if reverser, ok := As[Reverser[W]](base); ok {
		d.reverse = func(a L) L { return each(a, reverser.Reverse) }
	}
}

func appendEntries[W any](dst []byte, keyer Keyer[W], a []W, delta float64) []byte {
	for _, w := range a {
		dst = appendItem(dst, keyer, w, delta)
	}
	return dst
}

func formatEntries[W any](texter Textual[W], a []W) string {
	items := make([]string, len(a))
	for n, w := range a {
		items[n] = texter.Format(w)
	}
	return formatList('[', items, ']')
}

// parseEntries undoes formatEntries.
func parseEntries[W any](texter Textual[W], s string) ([]W, error) {
	items, err := cutList(s, '[', ']')
	if err != nil {
		return nil, err
	}
	var a []W
	for _, item := range items {
		w, err := texter.Parse(item)
		if err != nil {
			return nil, err
		}
		a = append(a, w)
	}
	return a, nil
}

// Pair is the weight of a Product.
type Pair[A, B any] struct {
	First  A
	Second B
}

// Product returns the ring of pairs with componentwise operations: two path sums at the price of
// one traversal. It has those capabilities among Closed, Divider, Negater, Metric (the greater
// distance), Lawful, Keyer, Textual, Reverser and FromScaled that both parts have, and Ranged if
// one part has it. It has the laws that both claim, except Selective (the better pair may be
// neither) and Cancellative (one part alone may be 0̄). It distributes from a side if both parts
// do.
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
			dst = appendItem(dst, a, x.First, delta)
			return appendItem(dst, b, x.Second, delta)
		}
	}
	if a, b, ok := both[Textual[A], Textual[B]](p.a, p.b); ok {
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

func parsePair[A, B any](s string, a Textual[A], b Textual[B]) (x Pair[A, B], err error) {
	items, err := cutList(s, '(', ')')
	if err == nil && len(items) != 2 {
		err = nested.Errorf("semiring: %s is not a pair (first,second)", text.Quote(s))
	}
	if err != nil {
		return x, err
	}
	if x.First, err = a.Parse(items[0]); err != nil {
		return x, err
	}
	x.Second, err = b.Parse(items[1])
	return x, err
}

// Gallic returns the ring of pairs of a word and a weight of base, in which
// determinization and pushing of functional transducers take place: outputs are
// delayed by their common prefix and weights divided by their sum (Mohri 1997).
// It is the Product of LeftString and base, and so has the capabilities of both.
// Like LeftString it distributes from the left only.
func Gallic[W any](base Semiring[W]) Semiring[Pair[Word, W]] {
	return Product(LeftString{}, base)
}
