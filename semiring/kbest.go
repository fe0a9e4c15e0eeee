package semiring

import (
	"fmt"
	"slices"
	"sync"
)

// Ranked is a weight of KBest: weights of the base ring, best first, none of them
// 0̄, at most k. Equal ones may follow each other.
type Ranked[W any] []W

// KBest returns the ring of the k best weights of a base ring: the path sum is the
// list of the weights of the k best paths, best first. It counts paths, not
// values: two paths of one weight are two entries. ⊕ merges two lists, ⊗ takes the
// k best of all products in O(k log k); 0̄ is the empty list and 1̄ the list of 1̄.
//
// The base must be Ordered and distribute from both sides, but need not be
// commutative. A list has a star if it holds nothing better than 1̄: it is made of
// the k best products of any number of its entries. The map of a weight to the list
// of it alone is no homomorphism, since k = 2 keeps what the base drops; the map of
// a list to its first entry (0̄ if there is none) is one to the base.
//
// Capabilities: Closed, and Kernel if the base is commutative; Metric (the greatest
// distance at one rank), Keyer, Texter, Reverser, Prober (of the first entry) and
// FromScaled if the base has them. The error wraps ErrCapability. KBest panics if
// k < 1.
func KBest[W any](base Semiring[W], k int) (Semiring[Ranked[W]], error) {
	if k < 1 {
		panic(fmt.Sprintf("semiring: KBest with k = %d", k))
	}
	order, err := Require[Ordered[W]](base)
	if err == nil {
		err = RequireSide(base, BothSides)
	}
	if err != nil {
		return nil, err
	}
	heaps := &sync.Pool{New: func() any { return &frontier[W]{order: order} }}
	return kBest[W]{base, order, k, heaps}, nil
}

type kBest[W any] struct {
	base  Semiring[W]
	order Ordered[W]
	k     int
	heaps *sync.Pool // of *frontier[W]
}

func (r kBest[W]) Zero() Ranked[W]         { return nil }
func (r kBest[W]) One() Ranked[W]          { return Ranked[W]{r.base.One()} }
func (r kBest[W]) IsZero(a Ranked[W]) bool { return len(a) == 0 }
func (r kBest[W]) better(a, b W) bool      { return r.order.Compare(a, b) < 0 }
func (r kBest[W]) room(n int) Ranked[W]    { return make(Ranked[W], 0, min(r.k, n)) }
func (r kBest[W]) full(a Ranked[W]) bool   { return len(a) >= r.k }

func (r kBest[W]) Plus(a, b Ranked[W]) Ranked[W] {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	sum := r.room(len(a) + len(b))
	for !r.full(sum) && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && !r.better(b[0], a[0]) {
			sum, a = append(sum, a[0]), a[1:]
		} else {
			sum, b = append(sum, b[0]), b[1:]
		}
	}
	return sum
}

func (r kBest[W]) Times(a, b Ranked[W]) Ranked[W] {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	return r.dot(r.room(len(a)*len(b)), 1,
		[3]arm[W]{{lists: []Ranked[W]{a}, index: indices(nil, 1)}, {lists: []Ranked[W]{b}, index: indices(nil, 1)}}, 2)
}

// star pops the entries of the star in order of rank: after the first, which is
// 1̄, each is an earlier one followed by an entry of a.
func (r kBest[W]) star(a Ranked[W]) (Ranked[W], bool) {
	one := r.base.One()
	if len(a) > 0 && r.better(a[0], one) {
		return nil, false
	}
	f := r.heaps.Get().(*frontier[W])
	defer r.heaps.Put(f)
	f.heap = f.heap[:0]
	sum := Ranked[W]{one}
	for rank := 0; len(a) > 0 && !r.full(sum); rank++ {
		f.push(candidate[W]{value: r.base.Times(sum[rank], a[0]), term: int32(rank)})
		c := f.pop()
		if r.base.IsZero(c.value) {
			break
		}
		sum = append(sum, c.value)
		if c.at[0]++; int(c.at[0]) < len(a) {
			c.value = r.base.Times(sum[c.term], a[c.at[0]])
			f.push(c)
		}
	}
	return sum, true
}

// As answers the package's As.
func (r kBest[W]) As(target any) bool {
	type X = Ranked[W]
	switch target := target.(type) {
	case *Lawful:
		*target = lawful(LawsOf(r.base)&Commutative | KClosed)
		return true
	case *Closed[X]:
		*target = kBestStar[W]{r}
		return true
	case *Kernel[X]:
		*target = kBestKernel[W]{r}
		return LawsOf(r.base).Has(Commutative)
	case *Metric[X]:
		return joinBase(r.base, target, func(c Metric[W]) Metric[X] { return listDist[X, W]{r.base, c} })
	case *Prober[X]:
		return joinBase(r.base, target, func(c Prober[W]) Prober[X] { return listProb[X, W]{r.base, c} })
	case *Keyer[X]:
		return joinBase(r.base, target, func(c Keyer[W]) Keyer[X] { return kBestKey[W]{c} })
	case *Texter[X]:
		return joinBase(r.base, target, func(c Texter[W]) Texter[X] { return kBestText[W]{r, c} })
	case *Reverser[X]:
		// A reversal maps ⊕ to ⊕, and so keeps the order of entries.
		return joinBase(r.base, target, func(c Reverser[W]) Reverser[X] { return listReverse[X, W]{c} })
	case *scaledReader[X]:
		read, err := FromScaled(r.base)
		*target = listReader[X, W]{r.base, read}
		return err == nil
	}
	return false
}

type kBestStar[W any] struct{ ring kBest[W] }

func (c kBestStar[W]) Star(a Ranked[W]) (Ranked[W], bool) { return c.ring.star(a) }

type kBestKey[W any] struct{ keyer Keyer[W] }

func (c kBestKey[W]) AppendKey(dst []byte, a Ranked[W], delta float64) []byte {
	return appendEntries(dst, c.keyer, a, delta)
}

type kBestText[W any] struct {
	ring   kBest[W]
	texter Texter[W]
}

func (c kBestText[W]) Format(a Ranked[W]) string { return formatEntries(c.texter, a) }

// Parse reads a list in any order.
func (c kBestText[W]) Parse(s string) (Ranked[W], error) {
	a, err := parseEntries(c.texter, s)
	if err == nil && len(a) > c.ring.k {
		err = fmt.Errorf("semiring: list of %d weights, want at most %d", len(a), c.ring.k)
	}
	if err != nil {
		return nil, err
	}
	a = slices.DeleteFunc(a, c.ring.base.IsZero)
	slices.SortStableFunc(a, c.ring.order.Compare)
	return a, nil
}
