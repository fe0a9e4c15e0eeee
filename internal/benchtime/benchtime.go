// Package benchtime reports what benchmarks take per arc, edge or whatever they do many
// of. The idea: where other processes want the processors too, the time that this one
// spent on them says more than that which has passed.
package benchtime

import "testing"

// Per is to be deferred before the loop of a benchmark, as in
//
//	defer benchtime.Per(b, edges, "edge")()
//
// and reports, for a run of that many edges, the time per edge and the time that all
// processors spent on one.
func Per(b *testing.B, n int, unit string) func() {
	before := CPU()
	return func() {
		runs := float64(b.N) * float64(n)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/runs, "ns/"+unit)
		b.ReportMetric(float64(CPU()-before)/runs, "cpu-ns/"+unit)
	}
}
