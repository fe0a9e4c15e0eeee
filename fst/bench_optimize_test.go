package fst_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// fileOf reads one of the acceptors of the benchmarks.
func fileOf(b *testing.B, name string) *fst.FST[semiring.Cost] {
	b.Helper()
	return must(fstio.ReadText(benchdata.Open(b, name), costs, &fstio.Options{Form: fstio.Acceptor}))(b)
}

// hasSize fails the benchmark unless f has the size that is known for the inputs of the default
// seed.
func hasSize[W any](b *testing.B, f *fst.FST[W], states, arcs int) {
	b.Helper()
	if benchdata.DefaultSeed(b) && (f.NumStates() != states || f.NumArcs() != arcs) {
		b.Fatalf("%d states and %d arcs, want %d and %d", f.NumStates(), f.NumArcs(), states, arcs)
	}
}

func logOf(w semiring.Cost) semiring.LogProb { return semiring.LogProb(-w) }

// BenchmarkRemoveEpsilon removes ε from an acyclic machine of 100,000 states with 30 % ε-arcs,
// and from one of 20,000 states with ε-cycles.
func BenchmarkRemoveEpsilon(b *testing.B) {
	for _, in := range []struct {
		file         string
		states, arcs int
	}{{"eps_dag.fsa.txt", 96428, 57783552}, {"eps_cyc.fsa.txt", 19643, 295213}} {
		f := fileOf(b, in.file)
		b.Run(in.file+"/tropical", func(b *testing.B) { benchRemoval(b, f, in.states, in.arcs) })
		b.Run(in.file+"/log", func(b *testing.B) { benchRemoval(b, fsttest.Frozen(fst.Map(f, logs, logOf)), in.states, in.arcs) })
	}
}

func benchRemoval[W any](b *testing.B, f *fst.FST[W], states, arcs int) {
	defer benchtime.Per(b, arcs, "arc")()
	for b.Loop() {
		hasSize(b, must(fst.Expand(fst.RemoveEpsilon(f), nil))(b), states, arcs)
	}
}

// BenchmarkDeterminize makes the prefix tree of 50,000 words from their union.
func BenchmarkDeterminize(b *testing.B) {
	for _, file := range []string{"words.fsa.txt", "wwords.fsa.txt"} {
		f := fileOf(b, file)
		b.Run(file, func(b *testing.B) {
			defer benchtime.Per(b, f.NumArcs(), "arc")()
			for b.Loop() {
				hasSize(b, must(fst.Expand(fst.Determinize(f, nil), nil))(b), 259050, 259049)
			}
		})
	}
}

// BenchmarkMinimize makes the minimal automaton of 50,000 words from their union.
func BenchmarkMinimize(b *testing.B) {
	for _, in := range []struct {
		file         string
		states, arcs int
	}{{"words.fsa.txt", 50822, 96528}, {"wwords.fsa.txt", 52205, 99109}} {
		f := fileOf(b, in.file)
		b.Run(in.file, func(b *testing.B) {
			defer benchtime.Per(b, f.NumArcs(), "arc")()
			for b.Loop() {
				hasSize(b, must(fst.Minimize(fst.Determinize(f, nil), nil))(b), in.states, in.arcs)
			}
		})
	}
}

// BenchmarkShortestPaths makes the machine of the 100 best paths of a lattice of a
// million arcs.
func BenchmarkShortestPaths(b *testing.B) {
	f := fileOf(b, "lattice.fsa.txt")
	b.Run("100", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			g := must(fst.ShortestPaths(f, 100, nil))(b)
			if best := must(graph.PathSum(g.Graph()))(b); benchdata.DefaultSeed(b) && math.Abs(float64(best)-887.1387) > 1e-3 {
				b.Fatalf("the best path costs %v, want 887.1387", best)
			}
		}
	})
}

// reversals is a dictionary of random words, with one start per word, that writes them in
// reverse: the output is uncertain until the last letter.
func reversals[W any](b *testing.B, ring semiring.Semiring[W], weight func(*rand.Rand) W) *fst.FST[W] {
	rng := rand.New(rand.NewPCG(1, 1))
	x := fst.NewBuilder(ring)
	end := x.AddState()
	x.SetFinal(end, ring.One())
	for range 5000 {
		word := make([]int32, 3+rng.IntN(8))
		for i := range word {
			word[i] = 1 + rng.Int32N(8)
		}
		s := x.AddState()
		x.AddStart(s, ring.One())
		back := slices.Clone(word)
		slices.Reverse(back)
		for i, label := range word {
			to := end
			if i < len(word)-1 {
				to = x.AddState()
			}
			x.AddArc(s, fst.Arc[W]{In: label, Out: back[i], Weight: weight(rng), To: to})
			s = to
		}
	}
	return must(x.Freeze())(b)
}

// BenchmarkTransducer minimizes a dictionary of 5,000 words with outputs.
func BenchmarkTransducer(b *testing.B) {
	b.Run("tropical", func(b *testing.B) {
		benchTransducer(b, reversals(b, costs, func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.IntN(5)) }))
	})
	b.Run("scaled", func(b *testing.B) {
		benchTransducer(b, reversals(b, semiring.Scaled{}, func(r *rand.Rand) semiring.ScaledFloat { return semiring.NewScaled(r.Float64()) }))
	})
}

func benchTransducer[W any](b *testing.B, f *fst.FST[W]) {
	d := must(fst.DeterminizeAll(f, nil))(b)
	b.Run("determinize", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.Expand(fst.Determinize(f, nil), nil))(b)
		}
	})
	b.Run("determinizeAll", func(b *testing.B) {
		defer benchtime.Per(b, f.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.DeterminizeAll(f, nil))(b)
		}
	})
	b.Run("pushLabels", func(b *testing.B) {
		defer benchtime.Per(b, d.NumArcs(), "arc")()
		for b.Loop() {
			must(fst.PushLabels(d, fst.TowardInitial, nil))(b)
		}
	})
}

// lexicon holds the machines for the correction of noisy words.
type lexicon struct {
	words [][]int32
	edit  *fst.FST[semiring.Cost] // any number of edits
	few   *fst.FST[semiring.Cost] // at most two edits
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

// compose returns (word ∘ edits) ∘ trie, and the composition in brackets. Both are valid until
// the next call.
func (l *lexicon) compose(b *testing.B, word []int32, edits *fst.FST[semiring.Cost]) (all, noise *fst.Composition[semiring.Cost]) {
	return l.composeWith(b, word, edits, l.trie)
}

// composeWith is compose with another lexicon in place of the trie.
func (l *lexicon) composeWith(b *testing.B, word []int32, edits, words *fst.FST[semiring.Cost]) (all, noise *fst.Composition[semiring.Cost]) {
	l.arena.Reset()
	noise = l.arena.Compose(l.arena.String(word), edits)
	return l.arena.Compose(noise, words), noise
}

// BenchmarkCorrect finds the nearest word in a lexicon of 50,000 words for each of 40 noisy
// words: by search in the lazy composition, and by expansion of the composition that allows
// only two edits.
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
