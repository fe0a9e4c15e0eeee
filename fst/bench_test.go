package fst_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// benchFile opens an input of the benchmarks, which are skipped where the
// environment does not say where they are.
func benchFile(b *testing.B, name string) *os.File {
	b.Helper()
	dir := os.Getenv("PATHSUM_BENCH")
	if dir == "" {
		b.Skip("PATHSUM_BENCH is not set")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

// quoted reads lines of quoted letters as labels 1 … 26.
func quoted(b *testing.B, name string) [][]int32 {
	var all [][]int32
	lines := bufio.NewScanner(benchFile(b, name))
	for lines.Scan() {
		var x []int32
		for _, c := range lines.Bytes() {
			if 'a' <= c && c <= 'z' {
				x = append(x, int32(c-'a')+1)
			}
		}
		all = append(all, x)
	}
	return all
}

// editChannel has one state and an arc per pair of letters or ε, but ε:ε.
func editChannel(b *testing.B, space *expr.Space) *fst.FST[expr.W] {
	z := fst.NewBuilder(semiring.Semiring[expr.W](space))
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

// BenchmarkPairs builds x ∘ channel ∘ y for 10,000 pairs of words.
func BenchmarkPairs(b *testing.B) {
	strings := quoted(b, "pairs.txt")
	space := expr.New()
	channel := editChannel(b, space)
	arena := fst.NewArena[expr.W](space)
	arcs := 0
	for b.Loop() {
		arcs = 0
		for i := 0; i+1 < len(strings); i += 2 {
			arena.Reset()
			left, err := arena.Compose(arena.String(strings[i]), channel)
			if err != nil {
				b.Fatal(err)
			}
			c, err := arena.Compose(left, arena.String(strings[i+1]))
			if err != nil {
				b.Fatal(err)
			}
			f, err := arena.Expand(c, 0)
			if err != nil {
				b.Fatal(err)
			}
			arcs += f.NumArcs()
		}
	}
	reportArcs(b, arcs)
}

// bigrams reads the language model of the decipherment task.
func bigrams(b *testing.B, space *expr.Space) *fst.FST[expr.W] {
	z := fst.NewBuilder(semiring.Semiring[expr.W](space))
	z.AddStates(27)
	z.AddStart(0, expr.One)
	state := func(name string) int32 {
		if name == "S" {
			return 0
		}
		return int32(name[0]-'a') + 1
	}
	form := regexp.MustCompile(`^\((\w) \((\w) \*e\* (\S+) ([^!]+)!\)\)`)
	lines := bufio.NewScanner(benchFile(b, "lm.fsa"))
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

// BenchmarkCipher builds (model ∘ substitution) ∘ y for 1,000 lines of 40
// letters.
func BenchmarkCipher(b *testing.B) {
	strings := quoted(b, "cipher.txt")
	space := expr.New()
	z := fst.NewBuilder(semiring.Semiring[expr.W](space))
	s := z.AddState()
	z.AddStart(s, expr.One)
	z.SetFinal(s, expr.One)
	for in := range int32(26) {
		for out := range int32(26) {
			z.AddArc(s, fst.Arc[expr.W]{In: in + 1, Out: out + 1, To: s, Weight: space.Param(in*26 + out)})
		}
	}
	sub, err := z.Freeze()
	if err != nil {
		b.Fatal(err)
	}
	cascade, err := fst.Compose[expr.W](bigrams(b, space), sub)
	if err != nil {
		b.Fatal(err)
	}
	channel, err := fst.Expand(cascade, 0)
	if err != nil {
		b.Fatal(err)
	}
	if s, m := channel.NumStates(), channel.NumArcs(); s != 27 || m != 18252 {
		b.Fatalf("cascade has %d states and %d arcs, want 27 and 18,252", s, m)
	}
	arena := fst.NewArena[expr.W](space)
	arcs := 0
	for b.Loop() {
		arcs = 0
		for _, y := range strings {
			if len(y) == 0 {
				continue
			}
			arena.Reset()
			c, err := arena.Compose(channel, arena.String(y))
			if err != nil {
				b.Fatal(err)
			}
			f, err := arena.Expand(c, 0)
			if err != nil {
				b.Fatal(err)
			}
			arcs += f.NumArcs()
		}
	}
	reportArcs(b, arcs)
}

// BenchmarkEditTrie builds edit ∘ trie: one state with 728 arcs, which are all of
// use, and a lexicon of 50,000 words.
func BenchmarkEditTrie(b *testing.B) {
	ring := semiring.Semiring[semiring.Cost](semiring.Tropical{})
	edit := must(fstio.ReadText(benchFile(b, "edit.fst.txt"), ring, nil))(b)
	trie := must(fstio.ReadText(benchFile(b, "trie.fsa.txt"), ring, &fstio.Options{Form: fstio.Acceptor}))(b)
	arcs := 0
	for b.Loop() {
		c, err := fst.Compose[semiring.Cost](edit, trie)
		if err != nil {
			b.Fatal(err)
		}
		f, err := fst.Expand(c, 0)
		if err != nil {
			b.Fatal(err)
		}
		arcs = f.NumArcs()
	}
	reportArcs(b, arcs)
}
