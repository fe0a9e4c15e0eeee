package cascade_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/benchdata"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// pairsTask is EM on string pairs: one state, 728 arcs normalized jointly, the
// stop weight fixed at 1.
func pairsTask(tb testing.TB) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel(tb, params, em.Multinomial{}, 26)}}
	lines := benchdata.Strings(tb, "pairs.txt")
	data := make([]cascade.Example, 0, len(lines)/2)
	for i := 0; i+1 < len(lines); i += 2 {
		data = append(data, cascade.Example{X: cascade.Labels(lines[i]...), Y: cascade.Labels(lines[i+1]...)})
	}
	return problem, data
}

// cipherTask is EM on ciphertext alone: a fixed bigram model of letters, then a
// substitution normalized for each letter.
func cipherTask(tb testing.TB) (cascade.Problem, []cascade.Example) {
	params := em.NewParams()
	k := params.Space()
	model := fst.NewBuilder(k)
	for range 27 {
		model.AddState()
	}
	model.AddStart(26, k.One())
	for p, row := range bigrams(tb) {
		for c, w := range row[:26] {
			if w > 0 {
				model.AddArc(int32(p), arc(epsilon, int32(c)+1, k.Const(semiring.NewScaled(w)), int32(c)))
			}
		}
		model.SetFinal(int32(p), k.Const(semiring.NewScaled(row[26])))
	}
	sub := fst.NewBuilder(k)
	s := sub.AddState()
	sub.AddStart(s, k.One())
	sub.SetFinal(s, k.One())
	for i := range int32(26) {
		g := params.Group(fmt.Sprint("sub ", i), 26, em.Multinomial{})
		for o := range int32(26) {
			sub.AddArc(s, arc(i+1, o+1, g.Weight(int(o)), s))
		}
	}
	lazy := fst.Compose(freeze(tb, model), freeze(tb, sub))
	f, err := fst.Expand(lazy, nil)
	if err != nil {
		tb.Fatal(err)
	}
	var data []cascade.Example
	for _, line := range benchdata.Strings(tb, "cipher.txt") {
		if len(line) > 0 {
			data = append(data, cascade.Example{Y: cascade.Labels(line...)})
		}
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data
}

// bigrams returns the letter model: row 26 is the start, column 26 the end.
func bigrams(tb testing.TB) (t [27][27]float64) {
	for lines := benchdata.Lines(tb, "lm.fsa"); lines.Scan(); {
		f := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(`() "!`, r) })
		if len(f) != 5 {
			continue
		}
		state := func(s string) int {
			if s == "S" || s == "F" {
				return 26
			}
			return int(s[0] - 'a')
		}
		w, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			tb.Fatal(err)
		}
		t[state(f[0])][state(f[1])] = w
	}
	return t
}

// peakMB returns the largest resident size of this process so far.
func peakMB() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	return math.NaN()
}

// benchmarkFit measures ten iterations with data, whose examples are replaced by the task's. The
// last log likelihood must equal the result of the loop written by hand.
func benchmarkFit(b *testing.B, task func(testing.TB) (cascade.Problem, []cascade.Example), data cascade.Data, hand func(testing.TB, int) float64) {
	nats := hand(b, 10)
	problem, examples := task(b)
	data.Examples = examples
	var arcs int64
	defer benchtime.Per(b, 10, "iteration")()
	for b.Loop() {
		arcs = 0
		r, err := problem.Fit(context.Background(), data, &em.Options{Iterations: 10, Tolerance: -1, Workers: 1,
			Observer: func(e em.Event) { arcs += e.Arcs }})
		if err != nil {
			b.Fatal(err)
		}
		if got := r.Objective[9]; math.Abs(got-nats) > 1e-9*math.Abs(nats) {
			b.Fatalf("log likelihood after 9 iterations is %.9f, want %.9f", got, nats)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
	b.ReportMetric(peakMB(), "peak-MB")
}

// Complete training, ten iterations by one worker: with the way chosen by size, by kept lattices,
// and by rebuilt lattices. Run each alone (-bench '^BenchmarkPairs$' -benchtime 1x) for the peak
// of memory.
func BenchmarkPairs(b *testing.B)  { benchmarkFit(b, pairsTask, cascade.Data{}, pairsByHand) }
func BenchmarkCipher(b *testing.B) { benchmarkFit(b, cipherTask, cascade.Data{}, cipherByHand) }
func BenchmarkPairsLattices(b *testing.B) {
	benchmarkFit(b, pairsTask, cascade.Data{Strategy: cascade.ByLattice}, pairsByHand)
}
func BenchmarkCipherLattices(b *testing.B) {
	benchmarkFit(b, cipherTask, cascade.Data{Strategy: cascade.ByLattice}, cipherByHand)
}
func BenchmarkPairsRebuilt(b *testing.B) {
	benchmarkFit(b, pairsTask, cascade.Data{Strategy: cascade.ByLattice, CacheBytes: -1}, pairsByHand)
}
func BenchmarkCipherRebuilt(b *testing.B) {
	benchmarkFit(b, cipherTask, cascade.Data{Strategy: cascade.ByLattice, CacheBytes: -1}, cipherByHand)
}

// BenchmarkScaling measures an E step of the task of string pairs, by the number of examples and
// of workers: with lattices kept from the previous E step, with all lattices rebuilt, and without
// lattices.
func BenchmarkScaling(b *testing.B) {
	task, pairs := pairsTask(b)
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		data := make([]cascade.Example, n)
		for i := range data {
			data[i] = pairs[i%len(pairs)]
		}
		for _, c := range []struct {
			name  string
			way   cascade.Strategy
			bytes int64
		}{{"kept", cascade.ByLattice, 1 << 40}, {"rebuilt", cascade.ByLattice, -1}, {"without", cascade.ByBlocks, 0}} {
			l := likelihood(b, task, cascade.Data{Examples: data, Strategy: c.way, CacheBytes: c.bytes})
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("examples=%d/%s/workers=%d", n, c.name, workers), func(b *testing.B) {
					expect := func() int64 {
						e, err := l.Expect(context.Background(), em.Query{Theta: task.Params.Start(), Workers: workers})
						if err != nil {
							b.Fatal(err)
						}
						return e.Arcs
					}
					arcs := expect() // this keeps the lattices
					defer benchtime.Per(b, int(arcs), "arc")()
					for b.Loop() {
						expect()
					}
					b.ReportMetric(peakMB(), "peak-MB")
				})
			}
		}
	}
}

// BenchmarkGrowth measures an E step of string pairs that are read from files, half of them
// compressed, and never kept: time per example and memory by their number. The blocks
// sub-benchmark reads the lines of shards without parsing them, the work of one worker at a time.
func BenchmarkGrowth(b *testing.B) {
	problem, _ := noisyProblem(b, em.Multinomial{})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1e4, 1e5, 1e6, 1e7} {
		var files []string
		for part := min(n/10, 20_000); len(files)*part < n; {
			lines := make([]string, part)
			for i := range lines {
				lines[i] = word(rng) + "\t" + word(rng)
			}
			files = append(files, shardFiles(b, lines, part, len(files))...)
		}
		b.Run(fmt.Sprintf("examples=%d/blocks", n), func(b *testing.B) {
			defer benchtime.Per(b, n, "example")()
			for b.Loop() {
				for _, file := range files {
					readBlocks(b, file)
				}
			}
		})
		b.Run(fmt.Sprintf("examples=%d/reading", n), func(b *testing.B) {
			defer benchtime.Per(b, n, "example")()
			for b.Loop() {
				for _, err := range cascade.Lines(files, pair).All() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("examples=%d/workers=%d", n, workers), func(b *testing.B) {
				debug.FreeOSMemory()
				l := likelihood(b, problem, cascade.Data{Stream: cascade.Lines(files, pair), CacheBytes: -1})
				q := em.Query{Theta: problem.Params.Start(), Workers: workers}
				defer benchtime.Per(b, n, "example")()
				for b.Loop() {
					if e, err := l.Expect(b.Context(), q); err != nil || e.Examples != n {
						b.Fatalf("%v, error %v", e, err)
					}
				}
				b.ReportMetric(peakMB(), "peak-MB")
			})
		}
	}
}

// readBlocks reads the lines of a file as an E step does, in blocks of one shard.
func readBlocks(tb testing.TB, file string) {
	f, err := text.Open(file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var lines text.BlockReader
	lines.Reset(f, file)
	for block := (text.Block{}); err == nil; {
		if block.Len() == 1<<12 {
			block.Reset()
		}
		err = lines.Append(&block, 1<<12-block.Len())
	}
	if err != io.EOF {
		tb.Fatal(err)
	}
}

// BenchmarkBudget measures ten iterations of both tasks by the memory for lattices: lattices that
// do not fit are rebuilt. Run each alone for the peak of memory.
func BenchmarkBudget(b *testing.B) {
	for _, task := range []struct {
		name string
		make func(testing.TB) (cascade.Problem, []cascade.Example)
		hand func(testing.TB, int) float64
	}{{"pairs", pairsTask, pairsByHand}, {"cipher", cipherTask, cipherByHand}} {
		for _, megabytes := range []int64{1 << 10, 128, 64, 16, 4, -1} {
			b.Run(fmt.Sprintf("%s/MB=%d", task.name, megabytes), func(b *testing.B) {
				benchmarkFit(b, task.make, cascade.Data{Strategy: cascade.ByLattice, CacheBytes: megabytes << 20}, task.hand)
			})
		}
	}
}

// TestBenchmarkAnswers: the log likelihoods of both tasks before training and after nine
// iterations equal the results of the loops written by hand, and known values.
func TestBenchmarkAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		task  func(testing.TB) (cascade.Problem, []cascade.Example)
		hand  func(testing.TB, int) float64
		known map[int]float64
	}{
		"pairs":  {pairsTask, pairsByHand, map[int]float64{0: -594525.740745671, 9: -405809.066197438}},
		"cipher": {cipherTask, cipherByHand, map[int]float64{9: -162000.790152415 * math.Ln2}},
	} {
		problem, data := c.task(t)
		r := fit(t, problem, data, &em.Options{Iterations: 10, Tolerance: -1})
		check := func(i int, want float64) {
			if math.Abs(r.Objective[i]-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s: log likelihood %d is %.9f, want %.9f", name, i, r.Objective[i], want)
			}
		}
		check(0, c.hand(t, 1))
		check(9, c.hand(t, 10))
		if benchdata.DefaultSeed(t) {
			for i, want := range c.known {
				check(i, want)
			}
		}
	}
}

// BenchmarkLexicon measures E steps of pairs of four words from the machine's vocabulary, with
// parameters for all pairs of words: a shard uses few of them.
func BenchmarkLexicon(b *testing.B) {
	const n = 5_000
	for _, words := range []int32{30, 100, 300} {
		params := em.NewParams()
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{channel(b, params, em.Multinomial{}, words)}}
		rng := rand.New(rand.NewPCG(1, 1))
		sentence := func() cascade.Side {
			return cascade.Labels(1+rng.Int32N(words), 1+rng.Int32N(words), 1+rng.Int32N(words), 1+rng.Int32N(words))
		}
		data := make([]cascade.Example, n)
		for i := range data {
			data[i] = cascade.Example{X: sentence(), Y: sentence()}
		}
		for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.BySize} {
			l := likelihood(b, problem, cascade.Data{Examples: data, Strategy: way})
			b.Run(fmt.Sprintf("parameters=%d/%v", params.Len(), way), func(b *testing.B) {
				q := em.Query{Theta: params.Start(), Workers: 1}
				expect := func() {
					if _, err := l.Expect(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
				expect() // this makes the kept shards
				defer benchtime.Per(b, n, "example")()
				for b.Loop() {
					expect()
				}
				b.ReportMetric(peakMB(), "peak-MB")
			})
		}
	}
}

// BenchmarkNarrow measures ten iterations with strings whose paths reach few of many states.
// BySize should take as long as the faster of the other ways.
func BenchmarkNarrow(b *testing.B) {
	for _, c := range []struct{ silent, followers, strings int }{{0, 340, 20_000}, {0, 340, 300}, {0, 30, 20_000}, {0, 5, 20_000}, {2, 340, 5_000}, {20, 340, 1_000}, {2, 30, 20_000}, {20, 30, 20_000}} {
		problem, data := narrow(b, 360, c.silent, 26, c.followers, c.strings, 8)
		for _, way := range []cascade.Strategy{cascade.ByBlocks, cascade.ByLattice, cascade.BySize} {
			b.Run(fmt.Sprintf("silent=%d/followers=%d/strings=%d/%v", c.silent, c.followers, c.strings, way), func(b *testing.B) {
				defer benchtime.Per(b, 10*c.strings, "example")()
				for b.Loop() {
					l := likelihood(b, problem, cascade.Data{Examples: data, Strategy: way})
					for range 10 {
						if _, err := l.Expect(b.Context(), em.Query{Theta: problem.Params.Start(), Workers: 1}); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(peakMB(), "peak-MB")
			})
		}
	}
}
