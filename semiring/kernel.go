package semiring

import (
	"math"
	"sync/atomic"
)

// Kernel is the capability of a commutative ring with bulk operations. A path
// sum makes one such call per state or node and none per arc. In all of them a
// nil index slice stands for 0, 1, 2, …; the number of terms is the length of
// the first of k, i, w (in that order) that is not nil. No terms sum to 0̄.
//
// The storage of *dst is reused. It must not be shared with an operand, and a
// weight that shares it (a result of ⊕ and ⊗ may) changes with the call: let *dst
// be the zero value of W at first and then only the target of further calls. Of a
// W that is a plain number *dst may be anything, operands included.
type Kernel[W any] interface {
	// Dot sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]].
	Dot(dst *W, w []W, k []int32, x []W, i []int32)
	// Dot2 sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]] ⊗ y[j[n]].
	Dot2(dst *W, w []W, k []int32, x []W, i []int32, y []W, j []int32)
	// Marginals sets p[n] to the number that a ⊗ w[k[n]] ⊗ x[i[n]] stands for. It
	// panics if the ring is no Prober.
	Marginals(p []float64, a W, w []W, k []int32, x []W, i []int32)
	// Marginals2 sets p[n] to the number that a ⊗ w[k[n]] ⊗ x[i[n]] ⊗ y[j[n]]
	// stands for. It panics if the ring is no Prober.
	Marginals2(p []float64, a W, w []W, k []int32, x []W, i []int32, y []W, j []int32)
}

// Scatterer is the capability of a commutative ring of plain numbers to add to many
// sums as fast as to one. Outside weights of a forest are such sums: an edge adds to
// the weights of its tails. Log does better with one sum after the other, as it needs an
// exponential for every term but a logarithm only once.
type Scatterer[W any] interface {
	// Scatter2 adds, for each n in turn, a ⊗ w[n] ⊗ x[j[n]] to sum[i[n]] and then
	// a ⊗ w[n] ⊗ x[i[n]] to sum[j[n]].
	Scatter2(sum []W, a W, w []W, x []W, i, j []int32)
}

// Sweeper is the capability of a commutative ring with bulk operations for whole
// passes: the solutions of x = b ⊕ A ⊗ x and x = b ⊕ x ⊗ A for a matrix A that has a
// topological order, by substitution. A path sum of an acyclic graph makes one such
// call. Where rows have few terms, to call a Kernel once per row costs more than the terms.
// A Sweeper has both methods; the sums of a ring with one of them use its Kernel.
//
// Row s of A holds w[n] in column i[n] for n = row[s], …, row[s+1]−1. A nil order
// stands for 0, 1, 2, …; i is not nil. A is square, and no row refers to its own column.
type Sweeper[W any] interface {
	// Sweep replaces x[s] by x[s] ⊕ ⊕ₙ w[n] ⊗ x[i[n]], the sum over row s, for
	// s = order[0], order[1], … one after the other: a row sees what became of x
	// before.
	Sweep(x []W, order, row []int32, w []W, i []int32)
	// Spread replaces x[i[n]] by x[i[n]] ⊕ x[s] ⊗ w[n], for n in row s, for
	// s = order[0], order[1], … one after the other. No row refers to a column whose own
	// row came before, so that a row spreads the final x[s].
	Spread(x []W, order, row []int32, w []W, i []int32)
}

// rowsOf returns the rows of a pass in the order to be taken.
func rowsOf(order, row []int32) []int32 { return indices(order, max(0, len(row)-1)) }

// KernelOf returns the kernel of s: its own, or a fold with Plus and Times. The
// fold keeps the factors in the order in which Kernel writes them, so it serves
// a ring that is not commutative as well; its Marginals panics if s is no Prober.
func KernelOf[W any](s Semiring[W]) Kernel[W] {
	if k, ok := As[Kernel[W]](s); ok {
		return k
	}
	return &fold[W]{s}
}

const needsProber = "semiring: marginals need the capability Prober"

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
	prober, ok := As[Prober[W]](ring)
	if !ok {
		panic(needsProber)
	}
	return prober.Log
}

// A kernel has one loop over explicit indices (and one more for contiguous
// weights where that pays). A nil index slice is replaced by a stretch of
// 0, 1, 2, …, which all share and which grows to the longest ever asked for.

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
