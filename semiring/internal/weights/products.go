package weights

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// Products computes ⊕ₙ of weights ⊗ values: by the kernel of the ring if it has one, else by a
// fold that respects the order of ⊗.
type Products[W any] struct {
	Ring        semiring.Semiring[W]
	Kernel      semiring.Kernel[W]
	Sweeper     semiring.Sweeper[W] // nil if the ring has no Sweeper
	commutative bool
}

// NewProducts returns the products of a ring.
func NewProducts[W any](ring semiring.Semiring[W]) Products[W] {
	_, bulk := semiring.As[semiring.Kernel[W]](ring)
	sweeper, _ := semiring.As[semiring.Sweeper[W]](ring)
	return Products[W]{
		Ring:        ring,
		Kernel:      semiring.KernelOf(ring),
		Sweeper:     sweeper,
		commutative: bulk || semiring.LawsOf(ring).Has(semiring.Commutative),
	}
}

// NumbersOf returns a reader of the weights of a ring of numbers.
func NumbersOf[W any](p *Products[W]) Numbers[W] {
	return Numbers[W]{Kernel: p.Kernel, one: p.Ring.One()}
}

// Before sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]], with weights before values, as for β. A nil k stands
// for 0, 1, 2, …; *dst must not share storage with a weight.
func Before[W any](p *Products[W], dst *W, w []W, k []int32, x []W, i []int32) {
	p.Kernel.Dot(dst, w, k, x, i)
}

// After sets *dst to ⊕ₙ x[i[n]] ⊗ w[k[n]], with weights after values, as for α.
func After[W any](p *Products[W], dst *W, w []W, k []int32, x []W, i []int32) {
	if p.commutative {
		p.Kernel.Dot(dst, w, k, x, i)
		return
	}
	sum := p.Ring.Zero()
	for n, kn := range k {
		sum = p.Ring.Plus(sum, p.Ring.Times(x[i[n]], w[kn]))
	}
	*dst = sum
}

// Pull adds to *dst the terms that state s gets from x by the arcs of its row.
func Pull[W any](p *Products[W], dst *W, w, x []W, s int32, from rows.Adjacency) {
	before := *dst
	*dst = *new(W) // it may share storage with a weight
	lo, hi := from.Row[s], from.Row[s+1]
	if from.IsOut() {
		Before(p, dst, w[lo:hi], nil, x, from.Other[lo:hi])
	} else {
		After(p, dst, w, from.Arc[lo:hi], x, from.Other[lo:hi])
	}
	if !p.Ring.IsZero(before) {
		*dst = p.Ring.Plus(*dst, before)
	}
}

// Numbers reads the weights of a ring of numbers as float64, many in one call.
type Numbers[W any] struct {
	Kernel semiring.Kernel[W]
	one    W
	ones   []W
}

// Read sets dst[n] to w[arc[n]], or to w[n] if arc is nil. Numbers out of the range of
// float64 become 0 or infinite.
func Read[W any](r *Numbers[W], dst []float64, w []W, arc []int32) {
	if len(dst) == 0 {
		return
	}
	r.Kernel.Marginals(dst, r.one, w, arc, Ones(r, len(dst)), nil)
}

// Ones returns n ones, for calls of Kernel. The caller must not modify them.
func Ones[W any](r *Numbers[W], n int) []W {
	for len(r.ones) < n {
		r.ones = append(r.ones, r.one)
	}
	return r.ones[:n]
}
