package matrix

import "testing"

// TestWithoutKernels: a processor without the instructions computes the same.
func TestWithoutKernels(t *testing.T) {
	defer func(was bool) { fused = was }(fused)
	fused = false
	TestProducts(t)
	TestEmptyProducts(t)
}
