package frames_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring/frames"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkCTC measures sums and counts over the chain of a transcript, per cell (one of 2|y|+1
// states after one of 500 frames), beside loops for this chain alone and beside the written
// product.
func BenchmarkCTC(b *testing.B) {
	const n, symbols, length = 500, 30, 100
	r := rand.New(rand.NewPCG(1, 9))
	labels := randomLabels(r, length, symbols)
	for _, c := range []struct {
		name   string
		labels []int32
		depth  float64
	}{
		{"soft", labels, 3}, {"peaky", labels, 30}, {"wrong", randomLabels(r, length, symbols), 30},
		{"extreme", randomLabels(r, length, symbols), 300},
	} {
		e := peaky(b, r, n, symbols, labels, c.depth)
		m, h := chain(b, symbols, c.labels), newByHand(symbols, c.labels, e)
		gamma, uses, change, s := make([]float64, n*symbols), m.parts(), m.parts(), new(frames.Scratch)
		written := func(posteriors bool) {
			product, _, err := m.Written(e)
			if err == nil && posteriors {
				_, err = graph.Posteriors(product)
			} else if err == nil {
				_, err = graph.PathSum(product)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		counts := func(uses frames.Parts, gamma []float64) {
			if _, err := m.Counts(e, 1, uses, gamma, s); err != nil {
				b.Fatal(err)
			}
		}
		for _, q := range []struct {
			name string
			ask  func()
		}{
			{"PathSum", func() {
				if _, err := m.PathSum(e, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"γ", func() { counts(frames.Parts{}, gamma) }},
			{"γ and uses", func() { counts(uses, gamma) }},
			{"BestPath", func() {
				if _, err := m.BestPath(e, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"HessianVector", func() {
				if _, err := m.HessianVector(e, frames.Parts{Arc: uses.Arc}, 1, change, change, s); err != nil {
					b.Fatal(err)
				}
			}},
			{"by hand, γ", func() { clear(gamma); h.counts(symbols, gamma) }},
			{"by hand in logarithms, γ", func() { clear(gamma); h.logCounts(symbols, gamma) }},
			{"written, PathSum", func() { written(false) }},
			{"written, Posteriors", func() { written(true) }},
		} {
			b.Run(c.name+"/"+q.name, func(b *testing.B) {
				defer benchtime.Per(b, n*(2*length+1), "cell")()
				for b.Loop() {
					q.ask()
				}
			})
		}
	}
}

// BenchmarkBatch measures γ of 32 transcripts, of which each is compiled once and then asked about.
func BenchmarkBatch(b *testing.B) {
	const n, symbols, length, batch = 500, 30, 100, 32
	r := rand.New(rand.NewPCG(2, 9))
	var e []*frames.Emissions
	var machines []*machine
	var hands []*byHand
	var labels [][]int32
	for i := range batch {
		labels = append(labels, randomLabels(r, length, symbols))
		e = append(e, peaky(b, r, n, symbols, labels[i], 10))
		machines, hands = append(machines, chain(b, symbols, labels[i])), append(hands, newByHand(symbols, labels[i], e[i]))
	}
	gamma, s := make([]float64, n*symbols), new(frames.Scratch)
	for name, ask := range map[string]func(i int){
		"γ": func(i int) {
			if _, err := machines[i].Counts(e[i], 1, frames.Parts{}, gamma, s); err != nil {
				b.Fatal(err)
			}
		},
		"compiled and γ": func(i int) {
			if _, err := chain(b, symbols, labels[i]).Counts(e[i], 1, frames.Parts{}, gamma, s); err != nil {
				b.Fatal(err)
			}
		},
		"by hand": func(i int) { clear(gamma); hands[i].counts(symbols, gamma) },
	} {
		b.Run(name, func(b *testing.B) {
			defer benchtime.Per(b, batch*n*(2*length+1), "cell")()
			for b.Loop() {
				for i := range batch {
					ask(i)
				}
			}
		})
	}
}

// BenchmarkGraphs measures γ for random graphs with k arcs per state, per arc and frame.
func BenchmarkGraphs(b *testing.B) {
	const n, symbols = 200, 40
	for _, states := range []int{100, 10_000} {
		r := rand.New(rand.NewPCG(3, 9))
		m := shape{states: states, symbols: symbols, arcs: 10 * states, spread: 1}.machine(b, r)
		e := noise(b, r, n, symbols, 3, false)
		gamma, uses, s := make([]float64, n*symbols), m.parts(), new(frames.Scratch)
		for name, uses := range map[string]frames.Parts{"γ": {}, "γ and uses": uses} {
			b.Run(fmt.Sprintf("states=%d/%s", states, name), func(b *testing.B) {
				defer benchtime.Per(b, n*10*states, "arc")()
				for b.Loop() {
					if _, err := m.Counts(e, 1, uses, gamma, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkScores measures how long it takes to make emissions of scores, per number.
func BenchmarkScores(b *testing.B) {
	const n, symbols = 500, 30
	r := rand.New(rand.NewPCG(4, 9))
	x := make([]float32, n*symbols)
	for i := range x {
		x[i] = 10 * float32(r.NormFloat64())
	}
	defer benchtime.Per(b, len(x), "number")()
	for b.Loop() {
		if _, err := frames.Scores(n, symbols, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}
