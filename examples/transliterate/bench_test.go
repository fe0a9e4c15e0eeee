package main

import (
	"fmt"
	"math"
	"testing"

	"example.org/pathsum/em"
)

// BenchmarkWithin trains on the derivations within beams of several widths, and on all. It
// reports the bounds of the log likelihood at the end, in nats per pair, and which part of
// the arcs E steps visit and of the test pairs has the right katakana first.
func BenchmarkWithin(b *testing.B) {
	for _, w := range []em.Within{{}, {K: 1}, {Beam: 1e-1}, {Beam: 1e-2}, {Beam: 1e-4}, {Beam: 1e-2, States: 300, Whole: -1}} {
		name := "exact"
		switch {
		case w.K > 0:
			name = "best"
		case w.Whole < 0:
			name = fmt.Sprintf("beam=%g,searched", w.Beam)
		case w.Beam > 0:
			name = fmt.Sprintf("beam=%g", w.Beam)
		}
		b.Run(name, func(b *testing.B) {
			c, d := newTestCascade(b)
			data := em.Data{Examples: examples(d.train)}
			if w != (em.Within{}) {
				data.Within = &w
			}
			pairs := 0.0
			for _, p := range d.train {
				pairs += p.weight
			}
			for b.Loop() {
				l, err := em.Problem{Params: c.channel.Params, Cascade: c.channel.Cascade}.Likelihood(data)
				if err != nil {
					b.Fatal(err)
				}
				arcs := int64(0)
				r, err := em.Fit(b.Context(), l, &em.Options{Iterations: 20, Tolerance: -1, Observer: func(e em.Event) { arcs = e.Arcs }})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(arcs)/float64(len(d.train)), "arcs/pair")
				b.StopTimer()
				e, err := l.Expect(b.Context(), em.Query{Theta: r.Theta, Choose: true})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(e.LogLikelihood/pairs, "nats/pair")
				if !math.IsInf(e.Gap, 1) {
					b.ReportMetric((e.LogLikelihood+e.Gap)/pairs, "atmost/pair")
				}
				found, err := c.directions()[0].decode(b.Context(), r.Theta, d.test, 2, func(pair, answer) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*found.accuracy.Top1, "%top1")
				b.StartTimer()
			}
		})
	}
}
