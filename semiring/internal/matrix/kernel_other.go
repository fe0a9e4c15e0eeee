//go:build !amd64

package matrix

// Only amd64 has kernels in assembly.
const fused = false

func rowTimesFMA(_, _, _ *float64, _, _ int) {}

func timesColumnFMA(_, _, _ *float64, _, _ int) {}

func addOuterFMA(_, _, _ *float64, _ float64, _, _ int) {}
