package fst_test

import (
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// lexicon is what the correction of noisy words needs.
type lexicon struct {
	words [][]int32
	edit  *fst.FST[semiring.Cost] // any edits
	few   *fst.FST[semiring.Cost] // at most two
	trie  *fst.FST[semiring.Cost]
	arena *fst.Arena[semiring.Cost]
	// Per state of the trie, the least and the largest number of letters that
	// may follow.
	least, most []int
}

func readLexicon(b *testing.B) *lexicon {
	ring := semiring.Tropical{}
	l := &lexicon{
		edit:  must(fstio.ReadText(benchdata.Open(b, "edit.fst.txt"), ring, nil))(b),
		trie:  must(fstio.ReadText(benchdata.Open(b, "trie.fsa.txt"), ring, &fstio.Options{Form: fstio.Acceptor}))(b),
		arena: fst.NewArena(ring),
	}
	lines := benchdata.Lines(b, "noisy.txt")
	for lines.Scan() && len(l.words) < 40 {
		var w []int32
		for _, c := range lines.Text() {
			w = append(w, c-'a'+1)
		}
		l.words = append(l.words, w)
	}
	z := fst.NewBuilder(ring)
	z.AddStates(3)
	z.AddStart(0, 0)
	for k := range int32(3) {
		z.SetFinal(k, 0)
		for _, a := range l.edit.AppendArcs(nil, 0) {
			if a.To = k; a.In != a.Out {
				a.To++
			}
			if a.To < 3 {
				z.AddArc(k, a)
			}
		}
	}
	l.few = must(z.Freeze())(b)
	lengths := func(sign semiring.Cost) []int {
		g := graph.Map(l.trie.Graph(), semiring.Tropical{}, func(w semiring.Cost) semiring.Cost {
			if (semiring.Tropical{}).IsZero(w) {
				return w
			}
			return sign
		})
		final := make([]semiring.Cost, g.NumStates())
		for s, w := range g.Finals() {
			final[s] = w - sign
		}
		var n []int
		for _, x := range must(graph.Backward(must(g.WithWeights(g.Weights(), g.Starts(), final))(b)))(b) {
			n = append(n, int(x*sign))
		}
		return n
	}
	l.least, l.most = lengths(1), lengths(-1)
	return l
}

// compose returns (word ∘ edits) ∘ trie, and the composition in brackets, until it is
// called again.
func (l *lexicon) compose(b *testing.B, word []int32, edits *fst.FST[semiring.Cost]) (all, noise *fst.Composition[semiring.Cost]) {
	return l.composeWith(b, word, edits, l.trie)
}

// composeWith is compose with another lexicon in place of the trie.
func (l *lexicon) composeWith(b *testing.B, word []int32, edits, words *fst.FST[semiring.Cost]) (all, noise *fst.Composition[semiring.Cost]) {
	l.arena.Reset()
	noise = l.arena.Compose(l.arena.String(word), edits)
	return l.arena.Compose(noise, words), noise
}

// BenchmarkCorrect finds the word of a lexicon of 50,000 that is nearest to each of
// 40 noisy ones: by search in the lazy composition, and by expansion of the one that
// allows two edits only.
func BenchmarkCorrect(b *testing.B) {
	l := readLexicon(b)
	correct := func(b *testing.B, nearest func(word []int32) semiring.Cost) {
		var sum semiring.Cost
		for b.Loop() {
			sum = 0
			for _, w := range l.words {
				sum += nearest(w)
			}
		}
		b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N), "ms/40words")
		b.ReportMetric(float64(sum), "edits")
	}
	first := func(b *testing.B, m *fst.Composition[semiring.Cost], opts *graph.SearchOptions[semiring.Cost]) semiring.Cost {
		for p, err := range graph.Search(b.Context(), m, opts) {
			if err != nil {
				b.Fatal(err)
			}
			return p.Weight
		}
		b.Fatal("no path")
		return 0
	}
	b.Run("lazy", func(b *testing.B) {
		correct(b, func(w []int32) semiring.Cost {
			all, _ := l.compose(b, w, l.edit)
			return first(b, all, nil)
		})
	})
	b.Run("lazy with lengths", func(b *testing.B) {
		correct(b, func(w []int32) semiring.Cost {
			all, noise := l.compose(b, w, l.edit)
			return first(b, all, &graph.SearchOptions[semiring.Cost]{Heuristic: func(s int32) semiring.Cost {
				p, q := all.State(s)
				i, _ := noise.State(p)
				left := len(w) - int(i)
				return semiring.Cost(max(0, left-l.most[q], l.least[q]-left))
			}})
		})
	})
	b.Run("eager with two edits", func(b *testing.B) {
		correct(b, func(w []int32) semiring.Cost {
			all, _ := l.compose(b, w, l.few)
			f := must(l.arena.Expand(all, nil))(b)
			return must(graph.BestPath(f.Graph()))(b).Weight
		})
	})
}
