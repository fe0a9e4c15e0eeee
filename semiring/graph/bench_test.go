package graph_test

import "testing"

// perArc is to be deferred before the loop of a benchmark: it reports the time per
// arc.
func perArc(b *testing.B, arcs int) func() {
	return func() {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
	}
}
