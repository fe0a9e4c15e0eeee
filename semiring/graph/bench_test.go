package graph_test

import (
	"testing"

	"example.org/pathsum/internal/benchtime"
)

// perArc is to be deferred before the loop of a benchmark.
func perArc(b *testing.B, arcs int) func() { return benchtime.Per(b, arcs, "arc") }
