package matrix

import "golang.org/x/sys/cpu"

// fused reports whether the processor has the instructions of the kernels in assembly.
var fused = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// The kernels compute RowTimes, TimesColumn and AddOuter for at least one row and column.

//go:noescape
func rowTimesFMA(y, x, a *float64, rows, cols int)

//go:noescape
func timesColumnFMA(y, a, x *float64, rows, cols int)

//go:noescape
func addOuterFMA(sum, x, z *float64, factor float64, rows, cols int)
