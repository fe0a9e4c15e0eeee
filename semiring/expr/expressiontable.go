package expr

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"example.org/pathsum/semiring"
)

// kind is the form of an expression. All kinds except monomials are atoms: a monomial is a
// product of powers of atoms.
type kind uint8

const (
	monomial  kind = iota // constant × ∏ atom^number
	param                 // pairs[0].of is the parameter
	sum                   // ⊕ number copies of each part
	star                  // pairs[0].of*
	plainLeaf             // pairs[0].of, a leaf that does not change with the temperature
	whole                 // pairs[0].of, raised to the temperature as one number
	raised                // exp(ln a · ln w), see powerNode
)

// pair is a factor (an atom and its exponent) or a term (an expression and the number of its
// copies).
type pair struct{ of, number int32 }

// node is one expression of a table.
type node struct {
	shape uint32 // number of pairs << 3 | kind
	off   int32  // index of its first pair
	// extra is, for a monomial, an index into constants, or −1 for the constant 1; for an atom it
	// is the number of roundings.
	extra int32
}

func (n node) kind() kind { return kind(n.shape & 7) }
func (n node) size() int  { return int(n.shape >> 3) }

var unit = semiring.ScaledFloat{Mant: 1}

// table stores the expressions first, first+1, … and refers to the table of earlier expressions.
// Slices only grow at their ends, and entries of index are only set once, so a copy of a table is
// a snapshot that stays valid, and may be read, while the original grows.
type table struct {
	below     *table // expressions before first; nil if first is 0
	first     W
	nodes     []node
	pairs     []pair
	constants []semiring.ScaledFloat
	// index is a hash table of handles with linear probing; 0 marks an empty slot. Snapshots
	// share it, so its elements are read and written atomically. It may be nil in a Space, but
	// not in the tables below a Space.
	index []int32
	// finds, if not nil, restricts look-ups in the tables below to a Subset of the Space below.
	finds *Subset
}

func (t *table) len() int { return int(t.first) + len(t.nodes) }

// at returns the node of w and the table that it is in.
func (t *table) at(w W) (*table, node) {
	for w < t.first {
		t = t.below
	}
	return t, t.nodes[w-t.first]
}

func (t *table) pairsOf(n node) []pair {
	return t.pairs[n.off : int(n.off)+n.size()]
}

// constant returns the constant of a node, 1 for an atom.
func (t *table) constant(n node) semiring.ScaledFloat {
	if n.kind() != monomial || n.extra < 0 {
		return unit
	}
	return t.constants[n.extra]
}

// layers returns the tables from the bottom to t.
func (t *table) layers() []*table {
	var list []*table
	for ; t != nil; t = t.below {
		list = append(list, t)
	}
	slices.Reverse(list)
	return list
}

// intern returns the expression with the given parts. It adds the expression if it is new.
func (t *table) intern(k kind, c semiring.ScaledFloat, pairs []pair) W {
	if t.index == nil {
		t.reindex()
	}
	h := hash(k, c, pairs)
	last := W(0) // the greatest part: an expression comes after its parts
	if k != param && len(pairs) > 0 {
		last = W(pairs[len(pairs)-1].of)
	}
	var finds *Subset
	for l := t; l != nil && last < W(l.len()); l = l.below {
		if w, ok := l.find(h, k, c, pairs); ok && (finds == nil || finds.Contains(w)) {
			return w
		}
		if finds == nil {
			finds = l.finds
		}
	}
	w := t.add(k, c, pairs)
	if 4*len(t.nodes) > 3*len(t.index) {
		t.reindex()
	} else {
		t.put(h, w)
	}
	return w
}

// find looks up an expression in t, without the tables below.
func (t *table) find(h uint64, k kind, c semiring.ScaledFloat, pairs []pair) (W, bool) {
	mask := len(t.index) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		w := W(atomic.LoadInt32(&t.index[i]))
		if w == 0 {
			return 0, false
		}
		if int(w) >= t.len() { // made after this snapshot
			continue
		}
		n := t.nodes[w-t.first]
		if n.kind() == k && slices.Equal(t.pairsOf(n), pairs) && same(t.constant(n), c) {
			return w, true
		}
	}
}

// add appends a new expression.
func (t *table) add(k kind, c semiring.ScaledFloat, pairs []pair) W {
	if t.len() == math.MaxInt32 || len(t.pairs) > math.MaxInt32-len(pairs) || len(pairs) > math.MaxUint32>>3 {
		panic("expr: more than 2³¹−1 expressions or factors")
	}
	w := W(t.len())
	n := node{shape: uint32(len(pairs))<<3 | uint32(k), off: int32(len(t.pairs)), extra: -1}
	switch {
	case k != monomial:
		n.extra = t.roundingsOf(k, pairs)
	case !same(c, unit):
		n.extra = int32(len(t.constants))
		t.constants = append(t.constants, c)
	}
	t.pairs = append(t.pairs, pairs...)
	t.nodes = append(t.nodes, n)
	return w
}

// roundings returns the number of operations that the value of w takes, up to a limit. It
// measures rounding error when the argument of a star is compared with 1. It does not include the
// amplification of the error of an argument by a star.
func (t *table) roundings(w W) int {
	t, n := t.at(w)
	if n.kind() != monomial {
		return int(n.extra)
	}
	total := 1
	for _, f := range t.pairsOf(n) {
		_, atom := t.at(W(f.of))
		total += int(atom.extra) * max(int(f.number), -int(f.number))
	}
	return min(total, maxRoundings)
}

const maxRoundings = 1 << 20

// powerRoundings bounds the error of a power, in roundings, for logarithms below about 100.
const powerRoundings = 64

// roundingsOf returns the roundings of a new atom.
func (t *table) roundingsOf(k kind, pairs []pair) int32 {
	switch k {
	case sum, whole:
	case raised:
		return powerRoundings
	default:
		return 1
	}
	total := 0
	for _, p := range pairs {
		total = min(total+t.roundings(W(p.of)), maxRoundings)
	}
	return int32(total)
}

// reindex makes an index with room for twice as many expressions.
func (t *table) reindex() {
	n := 64
	for 4*len(t.nodes) > 2*n {
		n *= 2
	}
	t.index = make([]int32, n)
	for i, nd := range t.nodes {
		if w := t.first + W(i); w > One {
			t.put(hash(nd.kind(), t.constant(nd), t.pairsOf(nd)), w)
		}
	}
}

func (t *table) put(h uint64, w W) {
	mask := len(t.index) - 1
	i := int(h) & mask
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	atomic.StoreInt32(&t.index[i], int32(w))
}

func (t *table) clip() {
	t.nodes = slices.Clone(t.nodes)
	t.pairs = slices.Clone(t.pairs)
	t.constants = slices.Clone(t.constants)
	t.index = nil
}

// same is == on bits, so that a constant NaN equals itself.
func same(a, b semiring.ScaledFloat) bool {
	return a.Exp == b.Exp && math.Float64bits(a.Mant) == math.Float64bits(b.Mant)
}

const hashSeed = 0x9e3779b97f4a7c15

// mix folds the 128-bit product of a and b.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

func hash(k kind, c semiring.ScaledFloat, pairs []pair) uint64 {
	h := mix(uint64(k)+hashSeed, math.Float64bits(c.Mant)+uint64(c.Exp)<<1)
	for _, p := range pairs {
		h = mix(h, uint64(uint32(p.of))<<32|uint64(uint32(p.number)))
	}
	return h
}

// flatTerms is the number of terms up to which a sum is flat. It bounds the cost per term of a
// long sum that is built term by term.
const flatTerms = 8

// product returns a ⊗ b^sign for sign = ±1; false if an exponent overflows.
func (s *Space) product(a, b W, sign int64) (W, bool) {
	var self [2][1]pair
	ca, fa := s.factors(a, &self[0])
	cb, fb := s.factors(b, &self[1])
	var ok bool
	if s.buf, ok = merge(s.buf[:0], fa, fb, sign); !ok {
		return Zero, false
	}
	c := ca
	switch {
	case cb == unit:
	case sign > 0:
		c = ca.Mul(cb)
	default:
		c = ca.Div(cb)
	}
	return s.monomialOf(c, s.buf), true
}

// raise returns c^n and appends to dst the factors with n times their exponents, for n ≠ 0; false
// if an exponent overflows.
func raise(dst []pair, c semiring.ScaledFloat, factors []pair, n int32) (semiring.ScaledFloat, []pair, bool) {
	for _, f := range factors {
		e := int64(f.number) * int64(n)
		if e > math.MaxInt32 || e < -math.MaxInt32 {
			return c, dst, false
		}
		dst = append(dst, pair{f.of, int32(e)})
	}
	if n < 0 {
		c, n = unit.Div(c), -n
	}
	return repeat(semiring.ScaledFloat.Mul, c, n), dst, true
}

// factors returns the constant and the factors of w as a monomial; it puts the factors of
// an atom in self.
func (t *table) factors(w W, self *[1]pair) (semiring.ScaledFloat, []pair) {
	t, n := t.at(w)
	if n.kind() == monomial {
		return t.constant(n), t.pairsOf(n)
	}
	self[0] = pair{int32(w), 1}
	return unit, self[:]
}

// monomialOf returns c ⊗ the product of factors, which are in order.
func (s *Space) monomialOf(c semiring.ScaledFloat, factors []pair) W {
	switch {
	case c.Mant == 0:
		return Zero
	case same(c, unit) && len(factors) == 0:
		return One
	case same(c, unit) && len(factors) == 1 && factors[0].number == 1:
		return W(factors[0].of)
	}
	return s.intern(monomial, c, factors)
}

// sum returns a ⊕ b.
func (s *Space) sum(a, b W) W {
	var self [2][1]pair
	var ok bool
	s.buf, ok = merge(s.buf[:0], s.terms(a, &self[0]), s.terms(b, &self[1]), 1)
	if !ok || len(s.buf) > flatTerms {
		if a == b {
			s.buf = append(s.buf[:0], pair{int32(a), 2})
		} else {
			s.buf = append(s.buf[:0], pair{int32(a), 1}, pair{int32(b), 1})
		}
	}
	return s.intern(sum, unit, s.buf)
}

// terms returns the terms of w as a sum; if w is not a sum, its only term, w, is put in self.
func (t *table) terms(w W, self *[1]pair) []pair {
	t, n := t.at(w)
	if n.kind() == sum {
		return t.pairsOf(n)
	}
	self[0] = pair{int32(w), 1}
	return self[:]
}

// merge appends the union of x and y to dst, all in order of pair.of. For an entry in both it
// adds the number in x and sign times the number in y, and drops entries that cancel. It returns
// false if a number overflows.
func merge(dst, x, y []pair, sign int64) ([]pair, bool) {
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		var of int32
		var number int64
		switch {
		case j == len(y) || i < len(x) && x[i].of < y[j].of:
			of, number = x[i].of, int64(x[i].number)
			i++
		case i == len(x) || y[j].of < x[i].of:
			of, number = y[j].of, sign*int64(y[j].number)
			j++
		default:
			of, number = x[i].of, int64(x[i].number)+sign*int64(y[j].number)
			i, j = i+1, j+1
		}
		if number > math.MaxInt32 || number < -math.MaxInt32 {
			return dst, false
		}
		if number != 0 {
			dst = append(dst, pair{of, int32(number)})
		}
	}
	return dst, true
}
