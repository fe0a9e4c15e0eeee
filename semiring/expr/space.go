package expr

import (
	"fmt"
	"iter"
	"sync"

	"example.org/pathsum/semiring"
)

// W is an expression: a handle into a Space, and meaningless without it. Its
// zero value is Zero.
type W int32

// The two expressions that every Space begins with.
const (
	Zero W = 0 // 0̄
	One  W = 1 // 1̄
)

var (
	_ semiring.Semiring[W] = (*Space)(nil)
	_ semiring.Closed[W]   = (*Space)(nil)
	_ semiring.Divider[W]  = (*Space)(nil)
	_ semiring.Keyer[W]    = (*Space)(nil)
	_ semiring.Texter[W]   = (*Space)(nil)
	_ semiring.Lawful      = (*Space)(nil)
)

// Space is a growing table of expressions and, at the same time, the commutative
// ring over them. It is safe for concurrent use; handles are numbered in the
// order in which they are first made, so they are reproducible if one goroutine
// makes them (see Fork). A Space never forgets an expression. Using a handle of
// another Space is an error that may go unnoticed or panic; so does making more
// than 2³¹−1 handles or a power beyond ±(2³¹−1).
type Space struct {
	mu     sync.Mutex
	table                     // expressions; guarded by mu
	memo   memo               // results of recent operations; guarded by mu
	plains map[W]W            // Plain of expressions; guarded by mu
	buf    []pair             // scratch; guarded by mu
	namer  func(int32) string // nil: θ0, θ1, …; guarded by mu
}

// New returns a Space that holds Zero and One.
func New() *Space {
	s := new(Space)
	s.add(monomial, semiring.ScaledFloat{}, nil)
	s.add(monomial, unit, nil)
	return s
}

// Fork returns a Space that begins with the expressions of s, under the same
// handles, and makes its own from there on. Neither sees what the other makes
// later, and both may grow at the same time. It takes constant time; looking an
// expression up takes a little longer with each generation of forks.
//
// Give each shard of a computation its own fork, and the handles of a shard do
// not depend on the other shards nor on the number of goroutines.
func (s *Space) Fork() *Space {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Space{namer: s.namer}
	f.first = W(s.len())
	if len(s.nodes) == 0 {
		f.below, f.finds = s.below, s.finds
		return f
	}
	if s.index == nil {
		s.reindex()
	}
	below := s.table
	f.below = &below
	return f
}

// Len returns the number of expressions, the inherited ones included: handles
// are 0 … Len()−1. Every expression comes after its parts.
func (s *Space) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len()
}

// Inherited returns the number of expressions that s has from the Space it was
// forked from, 0 for a Space made by New.
func (s *Space) Inherited() int { return int(s.first) }

// Clip gives back the memory that only serves to make expressions quickly. More
// can be made afterwards, but the first one pays for an index of all.
func (s *Space) Clip() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clip()
	s.memo = memo{}
	s.plains = nil
	s.buf = nil
}

// Bytes returns the memory that s takes, apart from what it inherited. Clip makes
// it less.
func (s *Space) Bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	const node, pair, number, index, memo = 12, 8, 16, 4, 12
	return node*cap(s.nodes) + pair*cap(s.pairs) + number*cap(s.constants) + index*cap(s.index) + memo*cap(s.memo.keys)
}

// Param returns the parameter p. It panics if p is negative.
func (s *Space) Param(p int32) W {
	if p < 0 {
		panic(fmt.Sprintf("expr: parameter %d is negative", p))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf[:0], pair{p, 0})
	return s.intern(param, unit, s.buf)
}

// Const returns the constant c, which is Zero for 0 and One for 1. Evaluation
// fails if c is not finite.
func (s *Space) Const(c semiring.ScaledFloat) W {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.monomialOf(c, nil)
}

// Constant returns the number that w is: what Const returns, and products of that. It returns
// false if w is made of parameters, sums or stars.
func (s *Space) Constant(w W) (semiring.ScaledFloat, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var self [1]pair
	c, factors := s.factors(w, &self)
	return c, len(factors) == 0
}

// Factor is a power of an expression that is itself no product.
type Factor struct {
	Of    W
	Power int32 // not 0
}

// Factors yields the factors of each of ws, with its place in ws, in ascending order of
// their handles: an expression is their product times a constant. Parameters, sums and stars
// are factors. Zero and One have none.
func (s *Space) Factors(ws []W) iter.Seq2[int, Factor] {
	s.mu.Lock()
	snapshot := s.table
	s.mu.Unlock()
	return func(yield func(int, Factor) bool) {
		var self [1]pair
		for i, w := range ws {
			_, factors := snapshot.factors(w, &self)
			for _, f := range factors {
				if !yield(i, Factor{W(f.of), f.number}) {
					return
				}
			}
		}
	}
}

// AppendBelow appends to dst the inherited expressions that those of s itself, a fork, are
// made of, with repetition, and returns it: all that Backpropagate adds counts to.
func (s *Space) AppendBelow(dst []W) []W {
	t, _ := s.snapshot()
	for _, n := range t.nodes {
		if n.kind() == param {
			continue
		}
		for _, x := range t.pairsOf(n) {
			if W(x.of) < t.first {
				dst = append(dst, W(x.of))
			}
		}
	}
	return dst
}

// Zero returns the expression 0̄.
func (s *Space) Zero() W { return Zero }

// One returns the expression 1̄.
func (s *Space) One() W { return One }

// IsZero reports whether a is the expression Zero. Other expressions may have
// the value 0 for some or all θ.
func (s *Space) IsZero(a W) bool { return a == Zero }

// Plus returns a ⊕ b.
func (s *Space) Plus(a, b W) W {
	if a == Zero {
		return b
	}
	if b == Zero {
		return a
	}
	if a > b {
		a, b = b, a
	}
	return s.apply(plus, a, b)
}

// Times returns a ⊗ b.
func (s *Space) Times(a, b W) W {
	switch {
	case a == One:
		return b
	case b == One:
		return a
	case a == Zero || b == Zero:
		return Zero
	}
	if a > b {
		a, b = b, a
	}
	return s.apply(times, a, b)
}

// LDiv returns the quotient b/a, or false if a is Zero.
func (s *Space) LDiv(a, b W) (W, bool) { return s.RDiv(b, a) }

// RDiv returns the quotient a/b, or false if b is Zero. Evaluation fails where b
// has the value 0, unless it was canceled: (a⊗b)/b is a, as between rational
// functions.
func (s *Space) RDiv(a, b W) (W, bool) {
	switch {
	case b == Zero:
		return Zero, false
	case a == Zero || b == One:
		return a, true
	case a == b:
		return One, true
	}
	return s.apply(over, a, b), true
}

// Star returns a*. It always exists as an expression; evaluation fails where the
// series diverges. Its value is 1/(1−a), which for a ≤ −1, where the series 1 + a + a² + … has
// no limit, is its analytic continuation.
func (s *Space) Star(a W) (W, bool) {
	if a == Zero {
		return One, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf[:0], pair{int32(a), 1})
	return s.intern(star, unit, s.buf), true
}

// AppendKey appends the four bytes of the handle w: expressions are equal or
// not, and delta makes no difference.
func (s *Space) AppendKey(dst []byte, w W, delta float64) []byte {
	return append(dst, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
}

// Laws returns semiring.Commutative.
func (s *Space) Laws() semiring.Laws { return semiring.Commutative }

// SetNamer makes name the source of parameter names in error messages and
// String; nil restores the default θ0, θ1, …. Forks made later inherit it.
func (s *Space) SetNamer(name func(p int32) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.namer = name
}

// apply returns the result of a binary operation, remembered or worked out.
func (s *Space) apply(o op, a, b W) W {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := o.key(a, b)
	if w, ok := s.memo.find(key); ok {
		return w
	}
	w, ok := Zero, true
	switch o {
	case plus:
		w = s.sum(a, b)
	case times:
		w, ok = s.product(a, b, 1)
	case over:
		w, ok = s.product(a, b, -1)
	}
	if !ok {
		panic("expr: an exponent beyond ±(2³¹−1)")
	}
	s.memo.add(key, w)
	return w
}

// op is a binary operation. Its values leave 0 for an empty place in a memo.
type op uint64

const (
	plus op = iota + 1
	times
	over
)

// key packs an operation and its operands, 2 + 31 + 31 bits.
func (o op) key(a, b W) uint64 { return uint64(o)<<62 | uint64(a)<<31 | uint64(b) }

// memo remembers results of operations in a direct-mapped cache: a newcomer
// takes the place of whatever was there. Losing a result costs time only, as the
// operation worked out again finds the same expression.
type memo struct {
	keys []uint64
	vals []W
	lost int // results overwritten since the last growth
}

const (
	memoMin = 1 << 8
	memoMax = 1 << 20
)

func (m *memo) place(key uint64) int { return int(mix(key, hashSeed) & uint64(len(m.keys)-1)) }

func (m *memo) find(key uint64) (W, bool) {
	if len(m.keys) == 0 {
		return 0, false
	}
	i := m.place(key)
	return m.vals[i], m.keys[i] == key
}

func (m *memo) add(key uint64, w W) {
	if len(m.keys) == 0 {
		m.resize(memoMin)
	}
	i := m.place(key)
	if m.keys[i] != 0 {
		m.lost++
		if m.lost > len(m.keys)/4 && len(m.keys) < memoMax {
			m.resize(2 * len(m.keys))
			i = m.place(key)
		}
	}
	m.keys[i], m.vals[i] = key, w
}

func (m *memo) resize(n int) {
	old := *m
	*m = memo{keys: make([]uint64, n), vals: make([]W, n)}
	for j, key := range old.keys {
		if key != 0 {
			i := m.place(key)
			m.keys[i], m.vals[i] = key, old.vals[j]
		}
	}
}
