// Package benchtime reports the time of benchmarks per arc, edge or other unit of work. The
// idea: if other processes compete for the processors, processor time is more informative than
// elapsed time.
package benchtime

import "testing"

// Per must be deferred before the loop of a benchmark, as in
//
//	defer benchtime.Per(b, edges, "edge")()
//
// It reports, for a run of n edges, the elapsed time and the processor time per edge.
func Per(b *testing.B, n int, unit string) func() {
	before := CPU()
	return func() {
		runs := float64(b.N) * float64(n)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/runs, "ns/"+unit)
		b.ReportMetric(float64(CPU()-before)/runs, "cpu-ns/"+unit)
	}
}
