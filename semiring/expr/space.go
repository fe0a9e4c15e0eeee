package expr

import (
	"fmt"
	"iter"
	"sync"

	"example.org/pathsum/semiring"
)

// W is an expression: a handle into a Space, valid only for this Space and its forks. Its zero
// value is Zero.
type W int32

// The two expressions at the start of every Space.
const (
	Zero W = 0 // 0̄
	One  W = 1 // 1̄
)

var (
	_ semiring.Semiring[W] = (*Space)(nil)
	_ semiring.Closed[W]   = (*Space)(nil)
	_ semiring.Divider[W]  = (*Space)(nil)
	_ semiring.Keyer[W]    = (*Space)(nil)
	_ semiring.Textual[W]  = (*Space)(nil)
	_ semiring.Lawful      = (*Space)(nil)
)

// Space is a growing table of expressions and, at the same time, the commutative ring over them.
// It is safe for concurrent use. Handles are numbered in order of first creation, so they are
// reproducible if one goroutine creates them (see Fork). A Space never removes an expression.
// Using a handle of another Space is an error that may be undetected or cause a panic. Creating
// more than 2³¹−1 handles, or a power beyond ±(2³¹−1), panics.
type Space struct {
	mu     sync.Mutex
	table                     // expressions; guarded by mu
	memo   memo               // results of recent operations; guarded by mu
	plains map[W]W            // Untempered of expressions; guarded by mu
	buf    []pair             // scratch; guarded by mu
	namer  func(int32) string // nil for θ0, θ1, …; guarded by mu
}

// New returns a Space that holds Zero and One.
func New() *Space {
	s := new(Space)
	s.add(monomial, semiring.ScaledFloat{}, nil)
	s.add(monomial, unit, nil)
	return s
}

// Fork returns a Space that starts with the expressions of s, under the same handles, and then
// adds its own. Expressions added later to one are not in the other, and both may grow
// concurrently. It takes constant time; looking up an expression takes a little longer with each
// generation of forks.
//
// If each shard of a computation has its own fork, the handles of a shard do not depend on other
// shards or on the number of goroutines.
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

// Len returns the number of expressions, including inherited expressions: handles are 0 …
// Len()−1. Every expression comes after its parts.
func (s *Space) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len()
}

// Inherited returns the number of expressions that s inherited from the Space that it was forked
// from, 0 for a Space made by New.
func (s *Space) Inherited() int { return int(s.first) }

// Clip frees the memory that only speeds up the creation of expressions. Creating expressions is
// still possible, but the first creation rebuilds the index.
func (s *Space) Clip() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clip()
	s.memo = memo{}
	s.plains = nil
	s.buf = nil
}

// Bytes returns the memory of s, without inherited expressions. Clip reduces it.
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

// Constant returns the value of w if w is a constant, made by Const or a product of constants. It
// returns false if w contains parameters, sums or stars.
func (s *Space) Constant(w W) (semiring.ScaledFloat, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var self [1]pair
	c, factors := s.factors(w, &self)
	return c, len(factors) == 0
}

// Factor is a power of an expression that is not a product.
type Factor struct {
	Of    W
	Power int32 // not 0
}

// Factors yields the factors of each expression of ws, with the expression's index in ws, in
// ascending order of the factors' handles. An expression is the product of its factors times a
// constant. Parameters, sums and stars are factors. Zero and One have no factors.
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

// AppendBelow appends to dst the inherited expressions that the fork's own expressions refer to,
// with repetition. Backpropagate adds counts only to these inherited expressions.
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

// IsZero reports whether a is the expression Zero. Other expressions may also have the value 0
// for some or all θ.
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

// RDiv returns the quotient a/b, or false if b is Zero. Evaluation fails if b has the value 0,
// unless b was canceled: (a⊗b)/b is a, as for rational functions.
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

// Star returns a*. The expression always exists; evaluation fails if a ≥ 1. Its value is 1/(1−a),
// which for a ≤ −1 is the analytic continuation of the divergent series 1 + a + a² + ….
func (s *Space) Star(a W) (W, bool) {
	if a == Zero {
		return One, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf[:0], pair{int32(a), 1})
	return s.intern(star, unit, s.buf), true
}

// AppendKey appends the four bytes of the handle w: equality of expressions is exact, and delta
// is ignored.
func (s *Space) AppendKey(dst []byte, w W, delta float64) []byte {
	return append(dst, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
}

// Laws returns semiring.Commutative.
func (s *Space) Laws() semiring.Laws { return semiring.Commutative }

// SetNamer sets the function that names parameters in error messages and String; nil restores the
// default θ0, θ1, …. Forks made later inherit it.
func (s *Space) SetNamer(name func(p int32) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.namer = name
}

// apply returns the result of a binary operation, from the memo or computed.
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

// op is a binary operation. 0 is reserved for an empty slot of a memo.
type op uint64

const (
	plus op = iota + 1
	times
	over
)

// key packs an operation and its operands, 2 + 31 + 31 bits.
func (o op) key(a, b W) uint64 { return uint64(o)<<62 | uint64(a)<<31 | uint64(b) }

// memo is a direct-mapped cache of results of operations: a new result overwrites the old entry
// of its slot. Losing a result only costs time, because repeating the operation finds the same
// expression.
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
