package graph

import "example.org/pathsum/semiring"

// products computes ⊕ₙ of weights ⊗ values: by the ring's kernel where it has
// one, else by a fold that respects the side of ⊗.
type products[W any] struct {
	ring        semiring.Semiring[W]
	kernel      semiring.Kernel[W]
	sweeper     semiring.Sweeper[W] // nil if the ring has none
	commutative bool
}

func newProducts[W any](ring semiring.Semiring[W]) products[W] {
	_, bulk := semiring.As[semiring.Kernel[W]](ring)
	sweeper, _ := semiring.As[semiring.Sweeper[W]](ring)
	return products[W]{
		ring:        ring,
		kernel:      semiring.KernelOf(ring),
		sweeper:     sweeper,
		commutative: bulk || semiring.LawsOf(ring).Has(semiring.Commutative),
	}
}

// numbers returns a reader of the weights of a ring of numbers.
func (p *products[W]) numbers() numbers[W] {
	return numbers[W]{kernel: p.kernel, one: p.ring.One()}
}

// before sets *dst to ⊕ₙ w[k[n]] ⊗ x[i[n]]: weights before values, as β needs
// it. A nil k stands for 0, 1, 2, …; *dst must not share storage with a weight.
func (p *products[W]) before(dst *W, w []W, k []int32, x []W, i []int32) {
	p.kernel.Dot(dst, w, k, x, i)
}

// after sets *dst to ⊕ₙ x[i[n]] ⊗ w[k[n]]: weights after values, as α needs it.
func (p *products[W]) after(dst *W, w []W, k []int32, x []W, i []int32) {
	if p.commutative {
		p.kernel.Dot(dst, w, k, x, i)
		return
	}
	sum := p.ring.Zero()
	for n, kn := range k {
		sum = p.ring.Plus(sum, p.ring.Times(x[i[n]], w[kn]))
	}
	*dst = sum
}

// pull adds to *dst what state s gets of x by the arcs of its row.
func (p *products[W]) pull(dst *W, w, x []W, s int32, from adjacency) {
	before := *dst
	*dst = *new(W) // its storage may be that of a weight
	lo, hi := from.row[s], from.row[s+1]
	if from.isOut() {
		p.before(dst, w[lo:hi], nil, x, from.other[lo:hi])
	} else {
		p.after(dst, w, from.arc[lo:hi], x, from.other[lo:hi])
	}
	if !p.ring.IsZero(before) {
		*dst = p.ring.Plus(*dst, before)
	}
}

// numbers reads the weights of a ring of numbers as float64, many in one call.
type numbers[W any] struct {
	kernel semiring.Kernel[W]
	one    W
	ones   []W
}

// read sets dst[n] to w[arc[n]], or to w[n] if arc is nil. Numbers out of the range of
// float64 become 0 or infinite.
func (r *numbers[W]) read(dst []float64, w []W, arc []int32) {
	if len(dst) == 0 {
		return
	}
	r.kernel.Marginals(dst, r.one, w, arc, r.all(len(dst)), nil)
}

// all returns n ones.
func (r *numbers[W]) all(n int) []W {
	for len(r.ones) < n {
		r.ones = append(r.ones, r.one)
	}
	return r.ones[:n]
}
