package pairgram

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
)

// alphabets name the symbols of random models.
func alphabets() (source, target *fst.Symbols) {
	return fst.NewSymbols("a", "b", "c"), fst.NewSymbols("X1", "Y", "Z")
}

func writeARPA(t testing.TB, m *Model, source, target *fst.Symbols) string {
	t.Helper()
	var b strings.Builder
	if err := m.WriteARPA(&b, source, target); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestARPA: a model that is written and read gives the same scores, also to symbols that are
// numbered otherwise, and is written again as it was.
func TestARPA(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 20))
		m := randomModel(t, rng, inventories[seed%4], false)
		source, target := alphabets()
		text := writeARPA(t, m, source, target)
		read, err := ReadARPA(strings.NewReader(text), "text", source, target)
		if err != nil {
			t.Fatal(err)
		}
		if again := writeARPA(t, read, source, target); again != text {
			t.Fatalf("seed %d: written again it is\n%s\nbut was\n%s", seed, again, text)
		}
		source2, target2 := fst.NewSymbols("z", "c", "b"), fst.NewSymbols()
		other, err := ReadARPA(strings.NewReader(text), "text", source2, target2)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range randomPairs(rng, 10, 4) {
			x, y := renamed(p.Source, source, source2), renamed(p.Target, target, target2)
			want := logProb(t, m, p.Source, p.Target)
			got, again := logProb(t, read, p.Source, p.Target), logProb(t, other, x, y)
			if got != want && !(math.Abs(got-want) <= 1e-7*(1-want)) || again != got && math.Abs(again-got) > 1e-12*(1-got) {
				t.Fatalf("seed %d: ln p of %v is %v and %v, was %v", seed, p, got, again, want)
			}
		}
	}
}

func logProb(t testing.TB, m *Model, x, y []int32) float64 {
	t.Helper()
	p, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	logp, err := p.LogProb(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return logp
}

// renamed returns labels of the same names in another table; a name it has not got is 99.
func renamed(labels []int32, from, to *fst.Symbols) []int32 {
	all := slices.Clone(labels)
	for i, l := range labels {
		name, _ := from.Name(l)
		n, ok := to.Find(name)
		if !ok {
			n = 99
		}
		all[i] = n
	}
	return all
}

// A file as Phonetisaurus makes it, with chunks of several symbols and an unknown word.
const pairARPA = "\n\\data\\\nngram 1=6\nngram 2=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n-0.5\t</s>\n-1\tp|h}F\t-0.25\n-1\to}OW|W\t0\n-1.5\te}_\n\n" +
	"\\2-grams:\n-0.25\t<s> p|h}F\n-0.125\tp|h}F o}OW|W\n-0.5\to}OW|W e}_\n\n\\end\\\n"

func TestPairARPAByHand(t *testing.T) {
	source, target := fst.NewSymbols(), fst.NewSymbols()
	m, err := ReadARPA(strings.NewReader(pairARPA), "text", source, target)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := source.Encode("p", "h", "o", "e")
	if err != nil {
		t.Fatal(err)
	}
	best, err := p.Best(t.Context(), x, 2)
	if err != nil || len(best) != 1 {
		t.Fatal(best, err)
	}
	y, err := target.Decode(best[0].Labels)
	if want := -(.25 + .125 + .5 + .5) * math.Ln10; err != nil || strings.Join(y, " ") != "F OW W" || math.Abs(best[0].LogProb-want) > 1e-12 {
		t.Errorf("%v with ln p %v, want F OW W with %v (%v)", y, best[0].LogProb, want, err)
	}
	if got := m.Chunks().Sizes(); !slices.Equal(got, []Size{{1, 0}, {1, 1}, {1, 2}, {2, 1}}) {
		t.Errorf("sizes %v", got)
	}
}

func TestReadARPAErrors(t *testing.T) {
	for _, x := range []struct{ old, new, want string }{
		{"p|h}F", "p}h}F", `the word "p}h}F", want a source and a target`},
		{"p|h}F", "_}_", `want symbols on one side`},
		{"p|h}F", "p||h}F", `"" is not a name`},
		{"p|h}F", "<eps>}F", `"<eps>" is not a name`},
		{"p|h}F", "a|b|c|d|e|f|g|h|i}F", "9 symbols on a side, want at most 8"},
		{"e}_", "<unk>}<unk>", "stand for the same chunk"},
		{"ngram 1=6", "ngram 1=7", "6 1-grams before"},
		{"o}OW|W e}_", "o}OW|W q}_", "5 words, but only 4"},
		{"\\1-grams:", "\\0-grams:", "no word that is a chunk"},
	} {
		text := strings.Replace(pairARPA, x.old, x.new, -1)
		if x.old == "o}OW|W e}_" {
			text = strings.Replace(pairARPA, x.old, x.new, 1)
		}
		_, err := ReadARPA(strings.NewReader(text), "text", fst.NewSymbols(), fst.NewSymbols())
		if err == nil || !strings.Contains(err.Error(), x.want) || !errors.Is(err, ErrFormat) && !errors.Is(err, ngram.ErrFormat) {
			t.Errorf("%s for %s: %v, want %s", x.new, x.old, err, x.want)
		}
	}
	m := randomModel(t, rand.New(rand.NewPCG(1, 20)), nil, false)
	for _, name := range []string{"", "_", "a|", "}", "a b"} {
		if err := m.WriteARPA(new(strings.Builder), fst.NewSymbols("a", "b", name), fst.NewSymbols("a", "b", "c")); !errors.Is(err, fst.ErrSymbol) {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

// FuzzReadARPA: a file is refused, or its model is read again as it is written.
func FuzzReadARPA(f *testing.F) {
	f.Add(pairARPA)
	f.Add("\\data\\\nngram 1=2\n\\1-grams:\n0\t</s>\n0\ta}b\n\\end\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		var m *Model
		var err error
		source, target := fst.NewSymbols(), fst.NewSymbols()
		memtest.Bound(t, len(text)+(1<<16), perByte, func() { m, err = ReadARPA(strings.NewReader(text), "text", source, target) })
		if err != nil {
			return
		}
		var b strings.Builder
		if err := m.WriteARPA(&b, source, target); err != nil {
			return // <unk> and what has odd names
		}
		again, err := ReadARPA(strings.NewReader(b.String()), "again", source, target)
		if err != nil || again.Chunks().Len() != m.Chunks().Len() {
			t.Errorf("%q is written as\n%s\n%v", text, &b, err)
		}
	})
}

// withEpsilon returns the machine of the n-grams with back-off arcs that are ε.
func withEpsilon(t testing.TB, m *Model) *fst.FST[scaled] {
	t.Helper()
	grams, err := ngram.BackoffAcceptor(m.grams, semiring.Scaled{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := fst.NewBuilder(grams.Semiring())
	b.AddStates(grams.NumStates())
	for _, s := range grams.AppendStarts(nil) {
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(grams.NumStates()) {
		b.SetFinal(s, grams.Final(s))
		for _, a := range grams.AppendArcs(nil, s) {
			if a.In > m.grams.Vocabulary() {
				a.In, a.Out = 0, 0
			}
			b.AddArc(s, a)
		}
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMachine: the machine is the composition of the spelling of chunks and their n-grams, and
// no pair is less probable there than in the model.
func TestMachine(t *testing.T) {
	ring := semiring.Semiring[scaled](semiring.Scaled{})
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 21))
		m := randomModel(t, rng, inventories[seed%4], false)
		source, target := alphabets()
		f, err := Machine(m, ring, nil, source, target)
		if err != nil || f.InSymbols() != source || f.OutSymbols() != target {
			t.Fatal(err)
		}
		grams := withEpsilon(t, m)
		read := spelling(t, m, func(c Chunk) []int32 { return c.Source })
		written := fst.Invert(spelling(t, m, func(c Chunk) []int32 { return c.Target }))
		for _, p := range randomPairs(rng, 6, 3) {
			x, y := fst.FromString(ring, p.Source), fst.FromString(ring, p.Target)
			got, best := sumAndBest(t, compose(t, x, f, y))
			want, wantBest := sumAndBest(t, compose(t, x, read, grams, written, y))
			if !close(got, want) || !close(best, wantBest) {
				t.Fatalf("seed %d: ln of the sum %v and the best %v of %v, want %v and %v", seed, got, best, p, want, wantBest)
			}
			if least := logProb(t, m, p.Source, p.Target); got < least-1e-9 {
				t.Fatalf("seed %d: ln of the sum of %v is %v, in the model %v", seed, p, got, least)
			}
		}
	}
	backward := randomModel(t, rand.New(rand.NewPCG(1, 21)), nil, true)
	source, target := alphabets()
	if _, err := Machine(backward, ring, nil, source, target); !errors.Is(err, ErrInvalid) {
		t.Errorf("a model that reads backward: %v", err)
	}
	if _, err := ClusterMachine(backward, ring, nil, source, fst.NewSymbols("X")); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("symbols without names: %v", err)
	}
}

func close(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(a)) }

// openFst runs a command of the shell in a folder and returns what it prints. The test is
// skipped where OpenFst's tools are not installed.
func openFst(t testing.TB, folder, command string) string {
	t.Helper()
	if _, err := exec.LookPath("fstcompose"); err != nil {
		if os.Getenv("PATHSUM_OPENFST") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	cmd := exec.Command("sh", "-c", command)
	var out, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %s", command, err, &stderr)
	}
	return out.String()
}

// TestOpenFst: OpenFst's tools find in both machines the best path that is there. The word is
// given to the machine of clusters as the decoder of Phonetisaurus does it: with an arc for each
// cluster, and a loop of nothing at each position.
func TestOpenFst(t *testing.T) {
	tropical := semiring.Semiring[semiring.Cost](semiring.Tropical{})
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 22))
		m := randomModel(t, rng, inventories[seed%4], false)
		source, target := alphabets()
		f, err := Machine(m, tropical, nil, source, target)
		if err != nil {
			t.Fatal(err)
		}
		clusters, err := ClusterMachine(m, tropical, nil, source, target)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		for name, f := range map[string]*fst.FST[semiring.Cost]{"model": f, "clusters": clusters} {
			var b bytes.Buffer
			if err := fstio.WriteBinary(&b, f, nil); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		x := []int32{1, 2, 3, 1}
		scaledMachine, err := Machine(m, semiring.Scaled{}, nil, source, target)
		if err != nil {
			t.Fatal(err)
		}
		_, best := sumAndBest(t, compose(t, fst.FromString(semiring.Scaled{}, x), scaledMachine))
		var word, loops strings.Builder
		for i, s := range x {
			fmt.Fprintln(&word, i, i+1, s)
		}
		fmt.Fprintln(&word, len(x))
		for i := range len(x) + 1 {
			fmt.Fprintln(&loops, i, i, "_")
			for j := i + 1; j <= len(x); j++ {
				name, err := side(source, x[i:j])
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := clusters.InSymbols().Find(name); ok {
					fmt.Fprintln(&loops, i, j, name)
				}
			}
		}
		fmt.Fprintln(&loops, len(x))
		for name, text := range map[string]string{"word.txt": word.String(), "loops.txt": loops.String()} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if name, _ := clusters.InSymbols().Name(2); name != "_" {
			t.Errorf("label 2 is %q", name)
		}
		openFst(t, folder, "fstsymbols --save_isymbols=names clusters >/dev/null")
		for _, command := range []string{
			"fstcompile --acceptor word.txt | fstarcsort --sort_type=olabel | fstcompose --fst_compat_symbols=false - model | fstshortestdistance --reverse | head -1",
			"fstcompile --acceptor --isymbols=names loops.txt | fstarcsort --sort_type=olabel | fstcompose --fst_compat_symbols=false - clusters | fstshortestdistance --reverse | head -1",
		} {
			columns := strings.Fields(openFst(t, folder, command))
			cost := math.Inf(1)
			if len(columns) == 2 {
				if cost, err = strconv.ParseFloat(columns[1], 64); err != nil {
					t.Fatal(err)
				}
			}
			if !(math.Abs(cost+best) <= 1e-4*(1+cost)) && !math.IsInf(best, -1) {
				t.Errorf("seed %d: %s\ncosts %v, want %v", seed, command, cost, -best)
			}
		}
	}
}
