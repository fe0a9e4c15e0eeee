package semiring

import (
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/internal/nested"
)

// Ranked is a weight of KBest: at most k non-zero weights of the base ring, best first. Equal
// weights may follow each other.
type Ranked[W any] []W

// KBest returns the ring of the k best weights of a base ring: the path sum is the list of the
// weights of the k best paths, best first. It counts paths, not values: two paths of equal weight
// are two entries. ⊕ merges two lists, ⊗ takes the k best of all products in O(k log k); 0̄ is
// the empty list and 1̄ the list of 1̄.
//
// With ViterbiExpectation as the base it is the k-best expectation semiring: the masses of the k
// best paths, and the value along each. Best paths of the same mass, whose values the base adds
// up, are separate entries here.
//
// The base must distribute from both sides, but need not be commutative. It must be Ordered, or
// Lex of an Ordered ring and values with a total order. Values are ordered if they are numbers of
// Real, Scaled or Log, weights of an Ordered ring, or Expected, Expected2, Scalar, Dense and
// Sparse values of these. At equal first parts the lesser mass P comes first, then the lesser V,
// component by component. So masses must not be negative, and a tie is equality to the last bit.
//
// A list has a star if 1̄ is at least as good as each of its entries. The star consists of the k
// best products of any number of entries. The map of a weight to the list that contains only it
// is not a homomorphism, since k = 2 keeps weights that the base drops. The map of a list to its
// first entry (0̄ for an empty list) is a homomorphism to an Ordered base.
//
// Capabilities: Closed, and Kernel if the base is commutative; Metric (the greatest
// distance at one rank), Keyer, Textual, Reverser, Probabilistic (of the first entry) and
// FromScaled if the base has them. The error wraps ErrCapability. KBest panics if
// k < 1.
func KBest[W any](base Semiring[W], k int) (Semiring[Ranked[W]], error) {
	if k < 1 {
		panic(fmt.Sprintf("semiring: KBest with k = %d", k))
	}
	order, err := rankingOf(base)
	if err == nil {
		err = RequireSide(base, BothSides)
	}
	if err != nil {
		return nil, err
	}
	heaps := &sync.Pool{New: func() any { return &frontier[W]{order: order} }}
	r := kBest[W]{base, order, k, heaps, new(derived[Ranked[W]])}
	r.derive()
	return r, nil
}

type kBest[W any] struct {
	base  Semiring[W]
	order Ordered[W]
	k     int
	heaps *sync.Pool // of *frontier[W]
	*derived[Ranked[W]]
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

// closure pops the entries of the star in order of rank: the first is 1̄, and each later entry is
// an earlier one followed by an entry of a.
func (r kBest[W]) closure(a Ranked[W]) (Ranked[W], bool) {
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

// derive sets the capabilities that the parts allow.
func (r kBest[W]) derive() {
	type X = Ranked[W]
	deriveLists(r.derived, r.base) // a reversal maps ⊕ to ⊕, and so keeps the order of entries
	r.laws = LawsOf(r.base)&Commutative | KClosed
	r.sides = BothSides
	if r.laws.Has(Commutative) {
		r.kernel = kBestKernel[W]{&fold[X]{r}, r}
	}
	r.star = r.closure
	if keyer, ok := As[Keyer[W]](r.base); ok {
		r.key = func(dst []byte, a X, delta float64) []byte { return appendEntries(dst, keyer, a, delta) }
	}
	if texter, ok := As[Textual[W]](r.base); ok {
		r.format = func(a X) string { return formatEntries(texter, a) }
		r.parse = func(s string) (X, error) { return r.parseRanked(texter, s) }
	}
}

// parseRanked reads a list in any order.
func (r kBest[W]) parseRanked(texter Textual[W], s string) (Ranked[W], error) {
	a, err := parseEntries(texter, s)
	if err == nil && len(a) > r.k {
		err = nested.Errorf("semiring: list of %d weights, want at most %d", len(a), r.k)
	}
	if err != nil {
		return nil, err
	}
	a = slices.DeleteFunc(a, r.base.IsZero)
	slices.SortStableFunc(a, r.order.Compare)
	return a, nil
}

// Products of lists, best first. The products of two lists (or three) form a grid that gets worse
// along each axis. The frontier, a heap, holds all candidates for the next product: at first the
// best product of every term. When a product is taken, neighbours are added. Each product is
// added by one neighbour only, the product with the last non-zero index decremented.

// arm is one factor of the terms of a dot product: lists[index[n]] in term n.
type arm[W any] struct {
	lists []Ranked[W]
	index []int32
}

// candidate is a product of entries, number at[f] of the list in arm f.
type candidate[W any] struct {
	value W
	term  int32
	at    [3]int32
}

// dot appends to dst the best products of the entries of arms 0 … m−1, over all n terms, until
// dst has k entries.
func (r kBest[W]) dot(dst Ranked[W], n int, arms [3]arm[W], m int) Ranked[W] {
	f := r.heaps.Get().(*frontier[W])
	defer r.heaps.Put(f)
	f.heap = f.heap[:0]
	for term := range int32(n) {
		if c := (candidate[W]{term: term}); r.enter(&c, &arms, m) {
			f.heap = append(f.heap, c)
		}
	}
	f.init()
	for len(f.heap) > 0 && !r.full(dst) {
		c := f.heap[0]
		if r.base.IsZero(c.value) {
			break // and so are all the others
		}
		dst = append(dst, c.value)
		gone := false // c, from the top
		for axis := m - 1; axis >= 0; axis-- {
			next := c
			next.at[axis]++
			if r.enter(&next, &arms, m) {
				if gone {
					f.push(next)
				} else {
					f.heap[0], gone = next, true
					f.down(0)
				}
			}
			if c.at[axis] != 0 {
				break
			}
		}
		if !gone {
			f.pop()
		}
	}
	return dst
}

// enter computes the value of c, unless a list is too short.
func (r kBest[W]) enter(c *candidate[W], arms *[3]arm[W], m int) bool {
	for f := range m {
		list := arms[f].lists[arms[f].index[c.term]]
		if int(c.at[f]) >= len(list) {
			return false
		}
		if w := list[c.at[f]]; f == 0 {
			c.value = w
		} else {
			c.value = r.base.Times(c.value, w)
		}
	}
	return true
}

// frontier is a heap of candidates, the best on top.
type frontier[W any] struct {
	order Ordered[W]
	heap  []candidate[W]
}

func (f *frontier[W]) init() {
	for i := len(f.heap)/2 - 1; i >= 0; i-- {
		f.down(i)
	}
}

func (f *frontier[W]) push(c candidate[W]) {
	f.heap = append(f.heap, c)
	i := len(f.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if f.order.Compare(f.heap[i].value, f.heap[parent].value) >= 0 {
			break
		}
		f.heap[i], f.heap[parent] = f.heap[parent], f.heap[i]
		i = parent
	}
}

func (f *frontier[W]) pop() candidate[W] {
	top, last := f.heap[0], len(f.heap)-1
	f.heap[0] = f.heap[last]
	f.heap = f.heap[:last]
	f.down(0)
	return top
}

func (f *frontier[W]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(f.heap) {
			return
		}
		if right := child + 1; right < len(f.heap) && f.order.Compare(f.heap[right].value, f.heap[child].value) < 0 {
			child = right
		}
		if f.order.Compare(f.heap[child].value, f.heap[i].value) >= 0 {
			return
		}
		f.heap[i], f.heap[child] = f.heap[child], f.heap[i]
		i = child
	}
}

// kBestKernel takes the k best of all terms at once, in O(n + k log(n+k)) for n terms, instead of
// k entries of each.
type kBestKernel[W any] struct {
	*fold[Ranked[W]]
	ring kBest[W]
}

func (c kBestKernel[W]) Dot(dst *Ranked[W], w []Ranked[W], k []int32, x []Ranked[W], i []int32) {
	n := terms(k, i, w)
	arms := [3]arm[W]{{w, indices(k, n)}, {x, indices(i, n)}}
	*dst = c.ring.dot((*dst)[:0], n, arms, 2)
}

func (c kBestKernel[W]) Dot2(dst *Ranked[W], w []Ranked[W], k []int32, x []Ranked[W], i []int32, y []Ranked[W], j []int32) {
	n := terms(k, i, w)
	arms := [3]arm[W]{{w, indices(k, n)}, {x, indices(i, n)}, {y, indices(j, n)}}
	*dst = c.ring.dot((*dst)[:0], n, arms, 3)
}
