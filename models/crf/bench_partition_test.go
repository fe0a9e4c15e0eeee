package crf_test

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments"
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

// Fifty iterations of a fit to statistics, those of the labels, beside as many of the
// trainer of the conditional model.
func BenchmarkFitStatistics(b *testing.B) {
	d, _ := benchData(b)
	for _, kind := range []crf.Kind{crf.Chain, crf.Node} {
		l := must(newLikelihood(kind, d, em.LogLinearOptions{Sigma: 1}))
		p := must(must(newLikelihood(kind, d, em.LogLinearOptions{})).LogPartition())
		zero := em.Query{Theta: make([]float64, l.Params().Len())}
		total := must(l.Expect(b.Context(), zero)).Counts // observed less expected
		floats.Add(total, must(p.Expect(b.Context(), zero)).Counts)
		const iterations = 50
		o := &em.Options{Method: em.LBFGS{}, Iterations: iterations, Tolerance: -1, Workers: 1}
		b.Run(kind.String()+"/labels", func(b *testing.B) {
			defer benchtime.Per(b, iterations, "iteration")()
			for b.Loop() {
				must(em.Fit(b.Context(), l, o))
			}
		})
		b.Run(kind.String()+"/statistics", func(b *testing.B) {
			defer benchtime.Per(b, iterations, "iteration")()
			for b.Loop() {
				must(moments.Fit(b.Context(), p, total, &moments.Options{Training: o}))
			}
		})
	}
}
