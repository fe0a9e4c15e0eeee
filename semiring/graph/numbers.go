package graph

import "example.org/pathsum/semiring"

// numbers reads the weights of a ring of numbers as float64, many in one call.
type numbers[W any] struct {
	kernel semiring.Kernel[W]
	one    W
	ones   []W
}

// read sets dst[n] to w[arc[n]]. Numbers out of the range of float64 become 0 or
// infinite.
func (r *numbers[W]) read(dst []float64, w []W, arc []int32) {
	if len(arc) == 0 {
		return // nil would be all of w
	}
	for len(r.ones) < len(arc) {
		r.ones = append(r.ones, r.one)
	}
	r.kernel.Marginals(dst, r.one, w, arc, r.ones[:len(arc)], nil)
}
