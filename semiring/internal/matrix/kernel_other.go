//go:build !amd64

package matrix

// There are kernels in assembly for amd64 only.
const fused = false

func rowTimesFMA(_, _, _ *float64, _, _ int) {}

func timesColumnFMA(_, _, _ *float64, _, _ int) {}

func addOuterFMA(_, _, _ *float64, _ float64, _, _ int) {}
