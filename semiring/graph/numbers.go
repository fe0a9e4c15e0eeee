package graph

import "example.org/pathsum/semiring"

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
