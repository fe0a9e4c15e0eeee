package convex_test

import (
	"fmt"
	"runtime"
	"testing"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/benchtime"
)

// BenchmarkSplitting: naive Bayes with ternary children, β = 1. Of 6 children there are few
// distinct rows; of 12, as many as there are rows.
func BenchmarkSplitting(b *testing.B) {
	for _, x := range []struct {
		merged int
		data   []convex.Variable
		gap    float64
		groups int
	}{
		{34, ternary(31, 100, 6, 4), 1e-4, 0},
		{86, ternary(25, 400, 6, 4), 1e-4, 0},
		{127, ternary(51, 1000, 6, 4), 1e-4, 0},
		{200, distinct(1, 200, 12, 1), 1e-3, 0},
		{400, distinct(1, 400, 12, 1), 1e-3, 0},
		{1000, distinct(1, 1000, 12, 1), .1, 300},
	} {
		b.Run(fmt.Sprintf("rows=%d", x.merged), func(b *testing.B) {
			p := newProblem(b, x.data, nil, 1)
			peak := uint64(0)
			s := convex.Splitting{Gap: x.gap, Rows: x.groups, Observer: func(convex.Event) { peak = max(peak, heap()) }}
			r := solve(b, s, p) // also reports the memory
			if n := len(r.Relations[0].Weight); n != x.merged || r.Status != convex.Converged {
				b.Fatalf("%v, %d merged rows", r.Status, n)
			}
			s.Observer = nil
			defer benchtime.Per(b, 1, "solution")()
			for b.Loop() {
				r = solve(b, s, p)
			}
			b.ReportMetric(float64(r.Iterations), "iterations")
			b.ReportMetric(r.Gap(), "gap")
			b.ReportMetric(float64(peak)/1e6, "MB")
		})
	}
}

// heap returns the bytes of the heap in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
