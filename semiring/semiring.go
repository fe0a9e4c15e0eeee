package semiring

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/typename"
)

// Semiring is an algebra (K, ⊕, ⊗, 0̄, 1̄): ⊕ is associative and commutative with
// unit 0̄; ⊗ is associative with unit 1̄, distributes over ⊕ on both sides, and
// 0̄ annihilates it. A Semiring value carries everything that the algebra needs (a dimension, a
// base ring, a table of expressions). It is immutable and safe for concurrent use.
//
// Weights are values: no operation modifies its arguments, and a result may share storage with
// them. Every operation beyond these five methods is a capability, found with As.
type Semiring[W any] interface {
	// Zero returns 0̄, the weight of no path.
	Zero() W
	// One returns 1̄, the weight of the empty path.
	One() W
	// Plus returns a ⊕ b, the choice between paths.
	Plus(a, b W) W
	// Times returns a ⊗ b, a followed by b.
	Times(a, b W) W
	// IsZero reports whether a is exactly 0̄.
	IsZero(a W) bool
}

// Errors of sums over graphs, forests and machines wrap these.
var (
	// ErrCapability is returned when an algorithm needs a capability or a law that the ring does
	// not have.
	ErrCapability = errors.New("semiring lacks a capability")
	// ErrDiverges is returned when the sum 1̄ ⊕ a ⊕ a⊗a ⊕ … of a star or a cycle has no value in
	// the ring.
	ErrDiverges = errors.New("sum diverges")
	// ErrInaccurate is returned when rounding has spoilt a sum: cycles come so close to
	// divergence that more than 1e-9 of the sum is uncertain.
	ErrInaccurate = errors.New("sum is inaccurate")
	// ErrNotFinite reports an infinite or NaN weight, sum or derived value where a finite one is
	// required.
	ErrNotFinite = errors.New("not a finite number")
	// ErrNegative reports a negative number where only non-negative ones are allowed, such as a
	// probability.
	ErrNegative = errors.New("negative number")
	// ErrShape is returned when the shapes of arrays do not match each other, or do not match the
	// graph or forest.
	ErrShape = errors.New("shapes do not fit")
	// ErrLimit is returned when a limit is exceeded: a given one, 2³¹−1 states, arcs, nodes,
	// edges or tails, or the fill-in allowed in an elimination.
	ErrLimit = errors.New("limit exceeded")
)

// Laws is a set of laws that a ring claims beyond the semiring axioms. Algorithms rely on them to
// choose a faster method, so a false claim gives wrong answers; semiringtest.Check tests every
// claim.
type Laws uint16

// The laws. A selective ring is idempotent, and a bounded ring is idempotent and
// k-closed; the constants include what they imply.
const (
	// Commutative: a ⊗ b = b ⊗ a.
	Commutative Laws = 1 << iota
	// Idempotent: a ⊕ a = a.
	Idempotent
	selective
	bounded
	// KClosed: for every a that has a star, the sums 1̄ ⊕ a ⊕ … ⊕ aⁿ equal a* from some n on. If
	// a cycle has a sum, finitely many rounds reach it, so relaxation along arcs ends (M. Mohri,
	// Semiring frameworks and algorithms for shortest-distance problems, 2002, where n is one k
	// for all a).
	KClosed
	// Cancellative: for a ≠ 0̄ and apart from rounding, a ⊗ b = a ⊗ c implies b = c, and b ⊗ a =
	// c ⊗ a implies b = c.
	Cancellative
	// Selective: a ⊕ b is a or b (the "path property" of OpenFst). Such a ring
	// has the capability Ordered.
	Selective = selective | Idempotent
	// Bounded: 1̄ ⊕ a = 1̄, so that a* = 1̄ and no cycle improves a path.
	Bounded = bounded | Idempotent | KClosed
)

// String returns the names of the laws, separated by |, including implied laws.
func (l Laws) String() string {
	return named.Set(l, "Laws", "commutative", "idempotent", "selective", "bounded", "k-closed", "cancellative")
}

// Has reports whether l includes every law of m.
func (l Laws) Has(m Laws) bool { return l&m == m }

// LawsOf returns the laws that s claims: an empty set if s is not Lawful.
func LawsOf[W any](s Semiring[W]) Laws { return lawsOf(s) }

// lawsOf is LawsOf for a ring of any type.
func lawsOf(s any) Laws {
	if l, ok := capability[Lawful](s); ok {
		return l.Laws()
	}
	return 0
}

// RequireCommutative returns an error, wrapping ErrCapability, unless s claims that ⊗ is
// commutative.
func RequireCommutative[W any](s Semiring[W]) error {
	if !LawsOf(s).Has(Commutative) {
		return notCommutative(s)
	}
	return nil
}

func notCommutative(s any) error {
	return fmt.Errorf("%w: %s does not declare that it is commutative: it needs a method Laws that returns semiring.Commutative", ErrCapability, typename.Of(s))
}

// RequireClosed returns the star of s. For a ring that only claims to be Bounded, the star is 1̄.
// Otherwise the error wraps ErrCapability and names the missing method.
func RequireClosed[W any](s Semiring[W]) (Closed[W], error) {
	closed, err := Require[Closed[W]](s)
	if err != nil && LawsOf(s).Has(Bounded) {
		return &ones[W]{s}, nil
	}
	return closed, err
}

// ones is the star of a bounded ring.
type ones[W any] struct{ ring Semiring[W] }

func (o *ones[W]) Star(W) (W, bool) { return o.ring.One(), true }

// Side is a set of sides from which ⊗ distributes over ⊕.
type Side uint8

// The sides.
const (
	// LeftSide: a ⊗ (b ⊕ c) = a⊗b ⊕ a⊗c. A sum over paths that starts at their
	// ends (graph.Backward, graph.PathSum) needs it.
	LeftSide Side = 1 << iota
	// RightSide: (a ⊕ b) ⊗ c = a⊗c ⊕ b⊗c. A sum over paths that starts at their
	// starts (graph.Forward) needs it.
	RightSide
	// BothSides is the default of a semiring. A closure of cycles that replaces paths in their
	// middle needs it.
	BothSides = LeftSide | RightSide
)

// String names the sides: "the left", "the right", "both sides" or "no side".
func (s Side) String() string {
	return [...]string{"no side", "the left", "the right", "both sides"}[s&BothSides]
}

// OneSided is the capability, or rather the restriction, of an algebra in which ⊗ distributes
// over ⊕ from some sides only, such as LeftString. All other axioms of a Semiring hold. A ring
// without it distributes from both sides.
type OneSided interface {
	Distributes() Side
}

// Distributes returns the sides from which ⊗ distributes over ⊕ in s: BothSides unless s is
// OneSided.
func Distributes[W any](s Semiring[W]) Side { return distributes(s) }

// distributes is Distributes for a ring of any type.
func distributes(s any) Side {
	if one, ok := capability[OneSided](s); ok {
		return one.Distributes()
	}
	return BothSides
}

// RequireSide returns an error, wrapping ErrCapability, unless ⊗ distributes over
// ⊕ from every side in side.
func RequireSide[W any](s Semiring[W], side Side) error { return requireSide(s, side) }

// requireSide is RequireSide for a ring of any type.
func requireSide(s any, side Side) error {
	if has := distributes(s); has&side != side {
		return fmt.Errorf("%w: %s distributes from %v, want %v", ErrCapability, typename.Of(s), has, side)
	}
	return nil
}

// Kernel is the capability of a commutative ring with bulk operations. A path sum makes one call
// per state or node instead of one per arc. In all methods a nil index slice stands for 0, 1, 2,
// …; the number of terms is the length of the first of k, i, w (in that order) that is not nil.
// An empty sum is 0̄.
//
// The storage of *dst is reused. It must not be shared with an operand, and a call changes every
// weight that shares it (a result of ⊕ and ⊗ may): start with the zero value of W in *dst and use
// it only as the target of further calls. If W is a plain number, *dst may be anything, operands
// included.
type Kernel[W any] interface {
	// Dot sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]].
	Dot(dst *W, w []W, k []int32, x []W, i []int32)
	// Dot2 sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]] ⊗ y[j[n]].
	Dot2(dst *W, w []W, k []int32, x []W, i []int32, y []W, j []int32)
	// Marginals sets p[n] to the number that a ⊗ w[k[n]] ⊗ x[i[n]] stands for. It panics if the
	// ring is not Probabilistic.
	Marginals(p []float64, a W, w []W, k []int32, x []W, i []int32)
	// Marginals2 sets p[n] to the number that a ⊗ w[k[n]] ⊗ x[i[n]] ⊗ y[j[n]] stands for. It
	// panics if the ring is not Probabilistic.
	Marginals2(p []float64, a W, w []W, k []int32, x []W, i []int32, y []W, j []int32)
}

// Scatterer is the capability of a commutative ring of plain numbers that adds to many sums as
// fast as to one. Outside weights of a forest are such sums: an edge adds to the weights of its
// tails. Log is faster with one sum at a time: it needs one exponential per term but a logarithm
// only once per sum.
type Scatterer[W any] interface {
	// Scatter2 adds, for each n in turn, a ⊗ w[n] ⊗ x[j[n]] to sum[i[n]] and then
	// a ⊗ w[n] ⊗ x[i[n]] to sum[j[n]].
	Scatter2(sum []W, a W, w []W, x []W, i, j []int32)
}

// Sweeper is the capability of a commutative ring with bulk operations for whole passes. They
// solve x = b ⊕ A ⊗ x and x = b ⊕ x ⊗ A by substitution, for a matrix A that has a topological
// order. A path sum of an acyclic graph makes one such call. If rows have few terms, one call of
// a Kernel per row costs more than the terms. A Sweeper has both methods; a ring with only one of
// them falls back to its Kernel.
//
// Row s of A holds w[n] in column i[n] for n = row[s], …, row[s+1]−1. A nil order
// stands for 0, 1, 2, …; i is not nil. A is square, and no row refers to its own column.
type Sweeper[W any] interface {
	// Sweep replaces x[s] by x[s] ⊕ ⊕ₙ w[n] ⊗ x[i[n]], the sum over row s, for s = order[0],
	// order[1], … in turn: a row reads the x that earlier rows have updated. The order may omit
	// rows, which keep their x.
	Sweep(x []W, order, row []int32, w []W, i []int32)
	// Spread replaces x[i[n]] by x[i[n]] ⊕ x[s] ⊗ w[n], for n in row s, for s = order[0],
	// order[1], … in turn. No row refers to the column of an earlier row, so each row spreads the
	// final x[s]. The order may omit rows, which receive terms but do not spread their x.
	Spread(x []W, order, row []int32, w []W, i []int32)
}

// TermSweeper is the capability of a commutative ring of numbers that ⊕ adds: a Sweep that also
// divides every sum among its terms. The share of an arc in the sum of its state is the
// probability of the arc in that state. So posteriors of an acyclic graph take one such call and
// a pass over float64 numbers, which reads no weights.
type TermSweeper[W any] interface {
	// SweepTerms is Sweep, up to rounding. In addition, term[n]·unit[s] is the share of
	// w[n] ⊗ x[i[n]] in the new x[s], for n in row s, and own[s]·unit[s] is the share of the old
	// x[s]. Shares add up to 1; they are 0 in a row of sum 0̄. A share is accurate to a few
	// roundings, or to 2⁻⁴⁷⁰ if it is very small. term has the length of i; own and unit have the
	// length of x.
	//
	// It returns false if a sum has no such shares: it is infinite, NaN or out of range, or it is
	// 0̄ although a term is not. Then x is correct, and the numbers in other slices are arbitrary.
	// A negative share means that terms cancel; it is not an error.
	SweepTerms(term, own, unit []float64, x []W, order, row []int32, w []W, i []int32) bool
}

// omits reports whether an order omits rows.
func omits(order, row []int32) bool { return order != nil && len(order) < len(row)-1 }

// rowsOf returns the row numbers in the order of a pass.
func rowsOf(order, row []int32) []int32 {
	if order == nil {
		return stretch(max(0, len(row)-1))
	}
	return order
}

// KernelOf returns the kernel of s: its own, or a fold with Plus and Times. The fold keeps the
// factors in the order in which Kernel writes them, so it is also correct for a ring that is not
// commutative; its Marginals panics if s is not Probabilistic.
func KernelOf[W any](s Semiring[W]) Kernel[W] {
	if k, ok := As[Kernel[W]](s); ok {
		return k
	}
	return &fold[W]{s}
}

const needsProber = "semiring: marginals need the capability Probabilistic"

type fold[W any] struct{ ring Semiring[W] }

func (f *fold[W]) Dot(dst *W, w []W, k []int32, x []W, i []int32) {
	n := terms(k, i, w)
	k, i = indices(k, n), indices(i, n)
	ring := f.ring
	sum := ring.Zero()
	for n, kn := range k {
		sum = ring.Plus(sum, ring.Times(w[kn], x[i[n]]))
	}
	*dst = sum
}

func (f *fold[W]) Dot2(dst *W, w []W, k []int32, x []W, i []int32, y []W, j []int32) {
	n := terms(k, i, w)
	k, i, j = indices(k, n), indices(i, n), indices(j, n)
	ring := f.ring
	sum := ring.Zero()
	for n, kn := range k {
		sum = ring.Plus(sum, ring.Times(ring.Times(w[kn], x[i[n]]), y[j[n]]))
	}
	*dst = sum
}

func (f *fold[W]) Marginals(p []float64, a W, w []W, k []int32, x []W, i []int32) {
	ring, log := f.ring, logOf(f.ring)
	n := terms(k, i, w)
	p, k, i = p[:n], indices(k, n), indices(i, n)
	for n, kn := range k {
		p[n] = math.Exp(log(ring.Times(ring.Times(a, w[kn]), x[i[n]])))
	}
}

func (f *fold[W]) Marginals2(p []float64, a W, w []W, k []int32, x []W, i []int32, y []W, j []int32) {
	ring, log := f.ring, logOf(f.ring)
	n := terms(k, i, w)
	p, k, i, j = p[:n], indices(k, n), indices(i, n), indices(j, n)
	for n, kn := range k {
		product := ring.Times(ring.Times(a, w[kn]), x[i[n]])
		p[n] = math.Exp(log(ring.Times(product, y[j[n]])))
	}
}

// logOf returns the logarithm of the mass of a weight, for marginals.
func logOf[W any](ring Semiring[W]) func(W) float64 {
	prober, ok := As[Probabilistic[W]](ring)
	if !ok {
		panic(needsProber)
	}
	return prober.Log
}

// A kernel has one loop over explicit indices, and a second one for contiguous weights if that is
// faster. A nil index slice is replaced by a prefix of a shared list 0, 1, 2, …, which grows to
// the longest length requested so far.

var identity atomic.Pointer[[]int32]

func init() { identity.Store(newIdentity(1 << 10)) }

func newIdentity(n int) *[]int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return &s
}

// indices returns the first n of i, or 0, 1, …, n−1 if i is nil.
func indices(i []int32, n int) []int32 {
	if i == nil {
		return stretch(n)
	}
	return i[:n]
}

// stretch returns 0, 1, …, n−1.
func stretch(n int) []int32 {
	s := *identity.Load()
	if n > len(s) {
		grown := newIdentity(max(n, 2*len(s)))
		identity.Store(grown)
		s = *grown
	}
	return s[:n]
}

// terms returns the number of terms of a kernel call.
func terms[W any](k, i []int32, w []W) int {
	switch {
	case k != nil:
		return len(k)
	case i != nil:
		return len(i)
	}
	return len(w)
}
