package main

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/channel"
)

// katakana returns the pairs of a benchmark, and an untrained cascade for them.
func katakana(b *testing.B) (*cascadeSystem, *data) {
	b.Helper()
	train, test := "", ""
	if dir := os.Getenv("PATHSUM_KATAKANA"); dir != "" {
		train, test = filepath.Join(dir, "train.tsv"), filepath.Join(dir, "test.tsv")
	}
	d, _ := known(b, train, test)
	d.train, d.test = d.train[:min(len(d.train), 5000)], d.test[:min(len(d.test), 1000)]
	c, err := newCascade(d)
	if err != nil {
		b.Fatal(err)
	}
	return c, d
}

// BenchmarkWithin trains on the derivations within beams of several widths, and on all. It
// reports the time per pair and iteration. At the end of training it reports the arcs that an
// E step visits and the bounds of the log likelihood, in nats per pair. It also reports the
// number of test pairs whose first candidate is right. The pairs are the first of train.tsv and
// test.tsv in the folder PATHSUM_KATAKANA, or the embedded ones.
func BenchmarkWithin(b *testing.B) {
	for _, x := range []struct {
		name   string
		within *cascade.Pruning
		cache  int64
	}{
		{"exact", nil, 0},
		{"exact,composed-anew", nil, -1},
		{"best", &cascade.Pruning{K: 1}, 0},
		{"10-best", &cascade.Pruning{K: 10}, 0},
		{"beam=1e-1", &cascade.Pruning{Beam: 1e-1}, 0},
		{"beam=1e-2", &cascade.Pruning{Beam: 1e-2}, 0},
		{"beam=1e-4", &cascade.Pruning{Beam: 1e-4}, 0},
	} {
		b.Run(x.name, func(b *testing.B) {
			c, d := katakana(b)
			data := cascade.Data{Examples: examples(d.train), CacheBytes: x.cache, Pruning: x.within, Underivable: em.Skip}
			pairs := 0.0
			for _, p := range d.train {
				pairs += p.weight
			}
			const iterations = 20
			var l em.Likelihood
			var r *em.Result
			arcs := int64(0)
			report := benchtime.Per(b, iterations*len(d.train), "pair")
			for b.Loop() {
				var err error
				l, err = cascade.Problem{Params: c.channel.Params, Stages: c.channel.Stages}.Likelihood(data)
				if err != nil {
					b.Fatal(err)
				}
				r, err = em.Fit(b.Context(), l, &em.Options{Iterations: iterations, Tolerance: -1, Observer: func(e em.Event) { arcs = e.Arcs }})
				if err != nil {
					b.Fatal(err)
				}
			}
			report()
			b.ReportMetric(float64(arcs)/float64(len(d.train)), "arcs/pair")
			e, err := l.Expect(b.Context(), em.Query{Theta: r.Theta, Choose: true})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(e.LogLikelihood/pairs, "nats/pair")
			b.ReportMetric((e.LogLikelihood+e.Gap)/pairs, "most-nats/pair")
			both, err := c.transliterators(r.Theta)
			if err != nil {
				b.Fatal(err)
			}
			found, err := both[forward].Judge(b.Context(), d.test, 1, 2, func(int, []string, error) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(100*found.Accuracy().Top1, "%top1")
		})
	}
}

// BenchmarkSearched trains a channel from letters to katakana without an intermediate table, on
// parts of lattices that are found by search. It reports the same values as BenchmarkWithin.
func BenchmarkSearched(b *testing.B) {
	for _, x := range []struct {
		name   string
		within *cascade.Pruning
	}{
		{"exact", nil},
		{"beam=1e-1", &cascade.Pruning{Beam: 1e-1, Whole: -1}},
		{"beam=1e-2", &cascade.Pruning{Beam: 1e-2, Whole: -1}},
		{"beam=1e-4", &cascade.Pruning{Beam: 1e-4, Whole: -1}},
	} {
		b.Run(x.name, func(b *testing.B) {
			c, d := katakana(b)
			d.train = d.train[:min(len(d.train), 500)]
			p := em.NewParams()
			direct, err := channel.NewFertility(p, "channel", labels(d.letters.Symbols), labels(c.table.kana), start, em.Multinomial{})
			if err != nil {
				b.Fatal(err)
			}
			pairs := 0.0
			for _, p := range d.train {
				pairs += p.weight
			}
			const iterations = 20
			var l em.Likelihood
			var r *em.Result
			report := benchtime.Per(b, iterations*len(d.train), "pair")
			for b.Loop() {
				l, err = cascade.Problem{Params: p, Stages: []cascade.Stage{direct.Machine}}.Likelihood(cascade.Data{Examples: examples(d.train), Pruning: x.within, Underivable: em.Skip})
				if err != nil {
					b.Fatal(err)
				}
				if r, err = em.Fit(b.Context(), l, &em.Options{Iterations: iterations, Tolerance: -1}); err != nil {
					b.Fatal(err)
				}
			}
			report()
			e, err := l.Expect(b.Context(), em.Query{Theta: r.Theta, Choose: true})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(e.Arcs)/float64(len(d.train)), "arcs/pair")
			b.ReportMetric(e.LogLikelihood/pairs, "nats/pair")
			b.ReportMetric((e.LogLikelihood+e.Gap)/pairs, "most-nats/pair")
		})
	}
}
