// Package benchtime reports what benchmarks take per arc, edge or whatever they do many
// of. The idea: where other processes want the processors too, the time that this one
// spent on them says more than that which has passed.
package benchtime

import "testing"

// Per is to be deferred before the loop of a benchmark, as in
//
//	defer benchtime.Per(b, edges, "edge")()
//
// and reports the time per edge, of which a run has so many, and that which all
// processors spent.
func Per(b *testing.B, n int, unit string) func() {
	before := cpuTime()
	return func() {
		runs := float64(b.N) * float64(n)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/runs, "ns/"+unit)
		b.ReportMetric(float64(cpuTime()-before)/runs, "cpu-ns/"+unit)
	}
}
