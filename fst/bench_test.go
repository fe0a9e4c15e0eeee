package fst_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// editChannel has one state and an arc per pair of letters or ε, except ε:ε.
func editChannel(b *testing.B, space *expr.Space) *fst.FST[expr.W] {
	z := fst.NewBuilder(space)
	s := z.AddState()
	z.AddStart(s, expr.One)
	z.SetFinal(s, expr.One)
	p := int32(0)
	for in := range int32(27) {
		for out := range int32(27) {
			if in+out > 0 {
				z.AddArc(s, fst.Arc[expr.W]{In: in, Out: out, To: s, Weight: space.Param(p)})
				p++
			}
		}
	}
	f, err := z.Freeze()
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func reportArcs(b *testing.B, arcs int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
	b.ReportMetric(float64(arcs), "arcs")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/1e6, "heap-MB")
}

// lattice holds the arrays that the handwritten loops fill.
type lattice struct {
	row, in, out, to []int32
	w                []expr.W
}

func (l *lattice) reset() {
	l.row, l.in, l.out, l.to, l.w = l.row[:0], l.in[:0], l.out[:0], l.to[:0], l.w[:0]
}

func (l *lattice) arc(in, out, to int32, w expr.W) {
	l.in, l.out, l.to, l.w = append(l.in, in), append(l.out, out), append(l.to, to), append(l.w, w)
}

// BenchmarkPairs builds x ∘ channel ∘ y for 10,000 pairs of words: in an Arena, and by a loop
// that is specialized for the result.
func BenchmarkPairs(b *testing.B) {
	strings := benchdata.Strings(b, "pairs.txt")
	space := expr.New()
	channel := editChannel(b, space)
	b.Run("arena", func(b *testing.B) {
		arena := fst.NewArena(space)
		arcs := 0
		for b.Loop() {
			arcs = 0
			for i := 0; i+1 < len(strings); i += 2 {
				arena.Reset()
				left := arena.Compose(arena.String(strings[i]), channel)
				c := arena.Compose(left, arena.String(strings[i+1]))
				f, err := arena.Expand(c, nil)
				if err != nil {
					b.Fatal(err)
				}
				arcs += f.NumArcs()
			}
		}
		reportArcs(b, arcs)
	})
	b.Run("hand", func(b *testing.B) {
		var l lattice
		w := channel.Graph().Weights() // arc in:out is number 27·in + out − 1
		arcs := 0
		for b.Loop() {
			arcs = 0
			for i := 0; i+1 < len(strings); i += 2 {
				l.reset()
				x, y := strings[i], strings[i+1]
				next := int32(len(y) + 1)
				for p := range len(x) + 1 {
					for q := range len(y) + 1 {
						s := int32(p)*next + int32(q)
						l.row = append(l.row, int32(len(l.to)))
						if p < len(x) {
							l.arc(x[p], 0, s+next, w[27*x[p]-1])
						}
						if q < len(y) {
							l.arc(0, y[q], s+1, w[y[q]-1])
							if p < len(x) {
								l.arc(x[p], y[q], s+next+1, w[27*x[p]+y[q]-1])
							}
						}
					}
				}
				arcs += len(l.to)
			}
		}
		reportArcs(b, arcs)
	})
}

// bigrams reads the language model of the decipherment task.
func bigrams(b *testing.B, space *expr.Space) *fst.FST[expr.W] {
	z := fst.NewBuilder(space)
	z.AddStates(27)
	z.AddStart(0, expr.One)
	state := func(name string) int32 {
		if name == "S" {
			return 0
		}
		return int32(name[0]-'a') + 1
	}
	form := regexp.MustCompile(`^\((\w) \((\w) \*e\* (\S+) ([^!]+)!\)\)`)
	lines := benchdata.Lines(b, "lm.fsa")
	for lines.Scan() {
		m := form.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		p, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			b.Fatal(err)
		}
		w := space.Const(semiring.NewScaled(p))
		if m[2] == "F" {
			z.SetFinal(state(m[1]), w)
		} else {
			z.AddArc(state(m[1]), fst.Arc[expr.W]{Out: int32(m[3][1]-'a') + 1, To: state(m[2]), Weight: w})
		}
	}
	f, err := z.Freeze()
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// decipherment returns model ∘ substitution, where substitution has one state and 26 × 26 arcs.
func decipherment(b *testing.B, space *expr.Space) *fst.FST[expr.W] {
	z := fst.NewBuilder(space)
	s := z.AddState()
	z.AddStart(s, expr.One)
	z.SetFinal(s, expr.One)
	for in := range int32(26) {
		for out := range int32(26) {
			z.AddArc(s, fst.Arc[expr.W]{In: in + 1, Out: out + 1, To: s, Weight: space.Param(in*26 + out)})
		}
	}
	c := fst.Compose(bigrams(b, space), must(z.Freeze())(b))
	f := must(fst.Expand(c, nil))(b)
	if s, m := f.NumStates(), f.NumArcs(); s != 27 || m != 18252 {
		b.Fatalf("cascade has %d states and %d arcs, want 27 and 18,252", s, m)
	}
	return f
}

// BenchmarkCipher builds (model ∘ substitution) ∘ y for 1,000 lines of 40 letters: in an Arena,
// and by a loop over arcs sorted by output label.
func BenchmarkCipher(b *testing.B) {
	var strings [][]int32
	for _, y := range benchdata.Strings(b, "cipher.txt") {
		if len(y) > 0 {
			strings = append(strings, y)
		}
	}
	space := expr.New()
	cascade := decipherment(b, space)
	b.Run("arena", func(b *testing.B) {
		arena := fst.NewArena(space)
		arcs := 0
		for b.Loop() {
			arcs = 0
			for _, y := range strings {
				arena.Reset()
				c := arena.Compose(cascade, arena.String(y))
				f, err := arena.Expand(c, nil)
				if err != nil {
					b.Fatal(err)
				}
				arcs += f.NumArcs()
			}
		}
		reportArcs(b, arcs)
	})
	b.Run("hand", func(b *testing.B) {
		var l lattice
		sorted := must(fst.ArcSortOut(cascade, nil))(b)
		row, to, w := sorted.Graph().Row(), sorted.Graph().To(), sorted.Graph().Weights()
		first := firstArcs(sorted)
		arcs := 0
		for b.Loop() {
			arcs = 0
			for _, y := range strings {
				l.reset()
				for q, label := range y {
					for s := range len(row) - 1 {
						if q == 0 && s > 0 || q > 0 && s == 0 {
							continue // state 0 is initial and has no incoming arcs
						}
						l.row = append(l.row, int32(len(l.to)))
						for e := first[s][label]; e < first[s][label+1]; e++ {
							l.arc(sorted.In()[e], label, int32(26*q)+to[e], w[e])
						}
					}
				}
				arcs += len(l.to)
			}
		}
		reportArcs(b, arcs)
	})
}

// firstArcs returns, for each state and label, the first arc with the label in a machine whose
// arcs are sorted by output labels 1 … 26.
func firstArcs(f *fst.FST[expr.W]) [][28]int32 {
	row := f.Graph().Row()
	first := make([][28]int32, f.NumStates())
	for s := range first {
		e := row[s]
		for label := range int32(28) {
			for e < row[s+1] && f.Out()[e] < label {
				e++
			}
			first[s][label] = e
		}
	}
	return first
}

// BenchmarkEditTrie builds edit ∘ trie: edit has one state with 728 arcs, all of which match,
// and trie is a lexicon of 50,000 words.
func BenchmarkEditTrie(b *testing.B) {
	ring := semiring.Tropical{}
	edit := must(fstio.ReadText(benchdata.Open(b, "edit.fst.txt"), ring, nil))(b)
	trie := must(fstio.ReadText(benchdata.Open(b, "trie.fsa.txt"), ring, &fstio.Options{Form: fstio.Acceptor}))(b)
	arcs := 0
	for b.Loop() {
		c := fst.Compose(edit, trie)
		f, err := fst.Expand(c, nil)
		if err != nil {
			b.Fatal(err)
		}
		arcs = f.NumArcs()
	}
	reportArcs(b, arcs)
}

// BenchmarkLookAhead composes a lexicon that writes each of 50,000 words at its end with a
// grammar of ten states that accept twenty words each, with and without looking ahead.
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

// BenchmarkHeuristic finds the nearest words of a lexicon with costs for ten noisy words, where
// an edit costs 4, with and without the heuristic of the two machines.
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

// BenchmarkApply finds the best output of strings of eight letters through a channel that
// mostly copies letters, and may replace, insert and delete any of 26. It measures Apply with
// separate memory for each string, Apply in one Arena, and a handwritten path sum of the same
// lattice.
func BenchmarkApply(b *testing.B) {
	b.Run("Tropical", func(b *testing.B) {
		benchmarkApply(b, costs, func(p float64) semiring.Cost { return semiring.Cost(-math.Log(p)) })
	})
	b.Run("Real", func(b *testing.B) { benchmarkApply(b, reals, func(p float64) float64 { return p }) })
}

func benchmarkApply[W any](b *testing.B, ring semiring.Semiring[W], weight func(float64) W) {
	r := fsttest.Rand(1)
	build := fst.NewBuilder(ring)
	build.AddStart(build.AddState(), ring.One())
	build.SetFinal(0, ring.One())
	for in := range int32(27) {
		for out := range int32(27) {
			p := (.5 + r.Float64()) / 300
			switch {
			case in == 0 && out == 0:
				continue
			case in == out:
				p = .8
			}
			build.AddArc(0, fst.Arc[W]{In: in, Out: out, Weight: weight(p)})
		}
	}
	f := must(build.Freeze())(b)
	x := make([]int32, 8)
	arena := fst.NewArena(ring)
	each := func(name string, best func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range x {
					x[i] = 1 + r.Int32N(26)
				}
				arena.Reset()
				best()
			}
		})
	}
	each("each", func() { take(b, 1, fst.Apply(f, x, nil)) })
	each("arena", func() { take(b, 1, arena.Apply(f, x, nil)) })
	each("sum", func() {
		lattice := must(arena.Expand(arena.Compose(arena.String(x), f), nil))(b)
		must(graph.PathSum(lattice.Graph()))(b)
	})
}
