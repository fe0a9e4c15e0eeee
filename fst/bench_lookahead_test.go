package fst_test

import (
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkLookAhead composes a lexicon that writes each of 50,000 words at its end with
// a grammar of ten states that take twenty words each, all at hand and ahead.
func BenchmarkLookAhead(b *testing.B) {
	lexicon := must(fstio.ReadText(benchdata.Open(b, "loop.fst.txt"), costs, nil))(b)
	r := rand.New(rand.NewPCG(1, 2))
	z := fst.NewBuilder(costs)
	z.AddStates(10)
	z.AddStart(0, 0)
	for s := range int32(10) {
		for range 20 {
			w := 1 + r.Int32N(50_000)
			z.AddArc(s, fst.Arc[semiring.Cost]{In: w, Out: w, To: r.Int32N(10), Weight: 1})
		}
		z.SetFinal(s, 0)
	}
	grammar := must(z.Freeze())(b)
	ahead := fst.LookAhead(lexicon, fst.Output)
	want := must(fst.Connect(fst.Compose(lexicon, grammar), nil))(b).NumStates()
	for name, left := range map[string]fst.Machine[semiring.Cost]{"none": lexicon, "labels": ahead} {
		b.Run(name, func(b *testing.B) {
			defer benchtime.Per(b, want, "useful-state")()
			states := 0
			for b.Loop() {
				f := must(fst.Expand(fst.Compose(left, grammar), nil))(b)
				if states = f.NumStates(); must(fst.Connect(f, nil))(b).NumStates() != want {
					b.Fatalf("%d useful states, want %d", must(fst.Connect(f, nil))(b).NumStates(), want)
				}
			}
			b.ReportMetric(float64(states), "states")
		})
	}
	b.Run("tables", func(b *testing.B) {
		defer benchtime.Per(b, lexicon.NumArcs(), "arc")()
		for b.Loop() {
			fst.LookAhead(lexicon, fst.Output)
		}
	})
}

// BenchmarkHeuristic finds the words of a lexicon with costs that are nearest to ten
// noisy ones, an edit costing 4, with and without the way on in each machine alone.
func BenchmarkHeuristic(b *testing.B) {
	l := readLexicon(b)
	l.words = l.words[:10]
	lexicon := must(fst.Expand(fst.Determinize(fileOf(b, "wwords.fsa.txt"), nil), nil))(b)
	ways := must(graph.Backward(lexicon.Graph()))(b)
	edits := fsttest.Frozen(fst.Map(l.edit, costs, func(w semiring.Cost) semiring.Cost { return 4 * w }))
	for name, with := range map[string][]semiring.Cost{"none": nil, "alone": ways} {
		b.Run(name, func(b *testing.B) {
			states, sum := 0, semiring.Cost(0)
			defer benchtime.Per(b, len(l.words), "word")()
			for b.Loop() {
				states, sum = 0, 0
				for _, w := range l.words {
					all, _ := l.composeWith(b, w, edits, lexicon)
					h := all.Heuristic(nil, with)
					for p, err := range graph.Search(b.Context(), all, &graph.SearchOptions[semiring.Cost]{Heuristic: h}) {
						if err != nil {
							b.Fatal(err)
						}
						sum += p.Weight
						break
					}
					states += all.NumStates()
				}
			}
			b.ReportMetric(float64(states), "states")
			b.ReportMetric(float64(sum), "cost")
		})
	}
}
