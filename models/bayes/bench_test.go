package bayes_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/models/bayes"
)

// observed returns rows of a network in which only every third variable is known.
func observed(n *bayes.Network, size int) []bayes.Row {
	rng := graphtest.Rand(1)
	var rows []bayes.Row
	for range size {
		r := n.Sample(rng)
		var hidden []int
		for v := range r {
			if v%3 != 0 {
				hidden = append(hidden, v)
			}
		}
		rows = append(rows, bayes.Hide([]bayes.Row{r}, hidden...)[0])
	}
	return rows
}

// Alarm, 24 of 37 variables hidden: time per row. By hand is elimination on arrays of
// float64, the order of which is found for every row.
func BenchmarkAlarm(b *testing.B) {
	n := shared(b, "alarm.bif.gz")
	rows := observed(n, 1000)
	perRow := func(b *testing.B, each func(r bayes.Row)) {
		i := 0
		defer benchtime.Per(b, 1, "row")()
		for b.Loop() {
			each(rows[i%len(rows)])
			i++
		}
	}
	b.Run("likelihood", func(b *testing.B) { perRow(b, func(r bayes.Row) { must(n.LogProb(r)) }) })
	b.Run("likelihood by hand", func(b *testing.B) {
		e := newEliminator(n)
		perRow(b, func(r bayes.Row) { e.likelihood(r) })
	})
	b.Run("posteriors", func(b *testing.B) { perRow(b, func(r bayes.Row) { must(n.Posteriors(r)) }) })
	b.Run("explanation", func(b *testing.B) {
		perRow(b, func(r bayes.Row) {
			if _, _, err := n.Best(r); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("plan", func(b *testing.B) {
		defer benchtime.Per(b, 1, "row")()
		for b.Loop() {
			must(must(bayes.New(n.Variables(), n.Families())).LogProb(rows[0]))
		}
	})
	b.Run("E step", func(b *testing.B) {
		m := must(bayes.NewModel(n, nil))
		l := must(m.Likelihood(bayes.Data{Rows: rows}))
		defer benchtime.Per(b, len(rows), "row")()
		for b.Loop() {
			must(l.Expect(ctx, em.Query{Theta: m.Theta, Workers: 1}))
		}
	})
	b.Run("E step at worst", func(b *testing.B) { // everything is hidden
		m := must(bayes.NewModel(n, nil))
		l := must(m.Likelihood(bayes.Data{Rows: []bayes.Row{n.Unknown()}}))
		defer benchtime.Per(b, 1, "row")()
		for b.Loop() {
			must(l.Expect(ctx, em.Query{Theta: m.Theta, Workers: 1}))
		}
	})
}
