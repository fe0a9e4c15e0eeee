package crf_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/crf"
)

// An E step of a fit to statistics, beside that of a fit to labels.
func BenchmarkLogPartition(b *testing.B) {
	d, _ := benchData(b)
	for _, kind := range []crf.Kind{crf.Chain, crf.Node} {
		l, theta := random(b, graphtest.Rand(2), kind, d)
		p := must(l.LogPartition())
		for name, x := range map[string]em.Likelihood{"labels": l, "statistics": p} {
			b.Run(kind.String()+"/"+name, func(b *testing.B) {
				for b.Loop() {
					must(x.Expect(b.Context(), em.Query{Theta: theta, Workers: 1}))
				}
			})
		}
	}
}
