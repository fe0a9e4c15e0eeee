package treebank

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
)

func TestSentences(t *testing.T) {
	const data = "\ufeffa\tthe dog barks\tDT NN VBZ\t2 3 0\t0-2 0-3\r\n" +
		"b\tyes\tUH\t0\t\nc\ta b\tX Y\t_\t_\n"
	got, err := Collect(Sentences(strings.NewReader(data), "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Sentence{
		{"a", []string{"the", "dog", "barks"}, []string{"DT", "NN", "VBZ"}, []int{1, 2, -1}, []Span{{0, 3}, {0, 2}}},
		{"b", []string{"yes"}, []string{"UH"}, []int{-1}, []Span{}},
		{"c", []string{"a", "b"}, []string{"X", "Y"}, nil, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	for _, s := range got {
		if err := Write(&b, &s); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Collect(Sentences(&b, "x"))
	if d := cmp.Diff(want, again); d != "" || err != nil {
		t.Error(d, err)
	}
}

// TestSkip: sentences after a wrong line are read, up to an error of reading.
func TestSkip(t *testing.T) {
	const good = "a\tb c\tX Y\t0 1\t0-2\n"
	failed := errors.New("failed")
	r := io.MultiReader(strings.NewReader(good+"a\tb\n"+good+"a\tb\tX\t2\t_\n"+good), iotest.ErrReader(failed))
	var got []string
	for s, err := range Sentences(r, "x") {
		switch {
		case errors.Is(err, failed):
			got = append(got, "failed")
		case err != nil:
			got = append(got, err.Error()[:4])
		default:
			got = append(got, s.ID)
		}
	}
	if want := []string{"a", "x:2:", "a", "x:4:", "a", "failed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNoFile(t *testing.T) {
	for _, open := range []func(string) error{
		func(f string) error { _, err := Collect(SentencesOf(f)); return err },
		func(f string) error { _, err := Collect(TreesOf(f)); return err },
		func(f string) error { _, err := Collect(CoNLLUOf(f, XPOS)); return err },
	} {
		if err := open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v, want that there is no file", err)
		}
	}
}

func TestTrees(t *testing.T) {
	const text = "x.1\t(S (NP-SBJ (DT the) (NN dog))\n (VP (VBZ barks) (NP (-NONE- *))) (. .))\n( (X é))"
	name := filepath.Join(t.TempDir(), "trees.gz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Collect(TreesOf(name))
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	if s := got[0].String(); s != "(S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks) (NP (-NONE- *))) (. .))" || got[0].ID != "x.1" {
		t.Errorf("%s %s", got[0].ID, s)
	}
	if s := got[1].String(); s != "( (X é))" {
		t.Errorf("%s", s)
	}
	s := got[0].Sentence()
	want := Sentence{ID: "x.1", Words: []string{"the", "dog", "barks", "*", "."}, Tags: []string{"DT", "NN", "VBZ", "-NONE-", "."},
		Spans: []Span{{0, 5}, {0, 2}, {2, 4}}}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	s.Heads = []int{1, 2, -1, 2, 2}
	kept := s.Keep(IsWord)
	want = Sentence{ID: "x.1", Words: []string{"the", "dog", "barks"}, Tags: []string{"DT", "NN", "VBZ"}, Heads: []int{1, 2, -1}, Spans: []Span{{0, 3}, {0, 2}}}
	if d := cmp.Diff(want, kept); d != "" {
		t.Error(d)
	}
	// The root goes, and its arguments become roots: the first one is the head of others.
	s.Heads = []int{4, 4, 4, 4, -1}
	if d := cmp.Diff([]int{-1, 0, 0}, s.Keep(IsWord).Heads); d != "" {
		t.Error(d)
	}
}

// TestSentenceTree: the tree of spans has these spans, and is read as it was written.
func TestSentenceTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		n := 1 + r.IntN(9)
		s := Sentence{Words: strings.Fields(strings.Repeat("(w ", n)), Tags: strings.Fields(strings.Repeat("T) ", n)), Spans: []Span{}}
		var split func(i, j int)
		split = func(i, j int) {
			if j-i > 1 {
				if r.IntN(4) > 0 || j-i == n {
					s.Spans = append(s.Spans, Span{I: i, J: j})
				}
				k := i + 1 + r.IntN(j-i-1)
				split(i, k)
				split(k, j)
			}
		}
		split(0, n)
		slices.SortFunc(s.Spans, Span.Compare)
		whole := s
		if len(s.Spans) > 0 && r.IntN(2) > 0 { // the node of the whole is there all the same
			whole.Spans = slices.Clone(s.Spans[1:])
			r.Shuffle(len(whole.Spans), func(i, j int) { whole.Spans[i], whole.Spans[j] = whole.Spans[j], whole.Spans[i] })
		}
		tree, err := whole.Tree("X")
		if err != nil {
			t.Fatal(err)
		}
		trees, err := Collect(Trees(strings.NewReader(tree.String()), "x"))
		if err != nil || len(trees) != 1 || trees[0].Label != "X" {
			t.Fatalf("%s: %v", tree, err)
		}
		got := trees[0].Sentence()
		if !slices.Equal(got.Spans, s.Spans) || len(got.Words) != n || got.Words[0] != "-LRB-w" || got.Tags[0] != "T-RRB-" {
			t.Fatalf("%v: %+v", s.Spans, got)
		}
	}
	for _, s := range []Sentence{
		{},
		{Words: []string{"a", "b"}, Tags: []string{"X"}},
		{Words: []string{"a", "b", "c"}, Tags: []string{"X", "Y", "Z"}, Spans: []Span{{0, 2}, {1, 3}}},
		{Words: []string{"a", "b"}, Tags: []string{"X", "Y"}, Spans: []Span{{0, 3}}},
	} {
		if tree, err := s.Tree("X"); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v, %v", s, tree, err)
		}
	}
}

// TestCoNLLUBlankLines: a line of blanks ends a sentence as an empty one does.
func TestCoNLLUBlankLines(t *testing.T) {
	const word = "1\tw\t_\tX\t_\t_\t0\t_\t_\t_\n"
	for _, blank := range []string{"", " ", "\t", " \t\u00a0"} {
		got, err := Collect(CoNLLU(strings.NewReader("# sent_id = a\n"+word+blank+"\n"+blank+"\n"+word+blank), "x", UPOS))
		if err != nil || len(got) != 2 || got[0].ID != "a" || got[1].Len() != 1 {
			t.Errorf("%q: %v, %v", blank, got, err)
		}
	}
}

func TestCoNLLU(t *testing.T) {
	const text = "# sent_id = a-1\n# text = x\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n" +
		"1\tdo\t_\tAUX\tVBP\t_\t3\t_\t_\t_\n2\tn't\t_\tPART\tRB\t_\t1\t_\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tgo\t_\tVERB\tVB\t_\t0\t_\t_\t_\n\n\n" +
		"1\ta\t_\tX\tx\t_\t3\t_\t_\t_\n2\tb\t_\tX\tx\t_\t0\t_\t_\t_\n3\tc\t_\tX\tx\t_\t2\t_\t_\t_\n4\td\t_\tX\tx\t_\t1\t_\t_\t_\n\n" +
		"1\ta\t_\tX\tx\t_\t_\t_\t_\t_"
	got, err := Collect(CoNLLU(strings.NewReader(text), "x", XPOS))
	if err != nil {
		t.Fatal(err)
	}
	want := []Sentence{
		{"a-1", []string{"do", "n't", "go"}, []string{"VBP", "RB", "VB"}, []int{2, 0, -1}, []Span{{0, 3}, {0, 2}}},
		{"", []string{"a", "b", "c", "d"}, []string{"x", "x", "x", "x"}, []int{2, -1, 1, 0}, nil},
		{"", []string{"a"}, []string{"x"}, nil, nil},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// randomHeads returns numbers that may be heads, often those of a tree.
func randomHeads(r *rand.Rand, n int) []int {
	heads := make([]int, n)
	order := r.Perm(n)
	for i, v := range order {
		heads[v] = -1
		if i > 0 {
			heads[v] = order[r.IntN(i)]
		}
	}
	if r.IntN(3) == 0 {
		heads[r.IntN(n)] = r.IntN(n+1) - 1
	}
	return heads
}

// TestHeads compares with definitions: every word climbs to the only root; the words
// below a word are a span.
func TestHeads(t *testing.T) {
	trees, projective := 0, 0
	for seed := range trials.Seeds(5000) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(6)
		heads := randomHeads(r, n)
		below := make([][]bool, n) // of each word, itself included
		for v := range below {
			below[v] = make([]bool, n)
		}
		roots, tree := 0, true
		for v := range heads {
			if heads[v] < 0 {
				roots++
			}
			u := v
			for range n {
				if u >= 0 {
					below[u][v] = true
					u = heads[u]
				}
			}
			tree = tree && u < 0
		}
		tree = tree && roots == 1
		if err := CheckHeads(heads); (err == nil) != tree || err != nil && !errors.Is(err, ErrInvalid) {
			t.Fatalf("heads %v: %v, tree %v", heads, err, tree)
		}
		want, spans := []Span{}, true
		for v := range below {
			i, j := slices.Index(below[v], true), n
			for j > 0 && !below[v][j-1] {
				j--
			}
			spans = spans && !slices.Contains(below[v][max(i, 0):j], false)
			want = append(want, Span{i, j})
		}
		yields, err := Yields(heads)
		switch {
		case !tree:
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("heads %v: error %v, want ErrInvalid", heads, err)
			}
			continue
		case !spans:
			trees++
			if _, again := BinarySpans(heads); !errors.Is(err, ErrProjective) || !errors.Is(again, ErrProjective) {
				t.Fatalf("heads %v: errors %v and %v, want ErrProjective", heads, err, again)
			}
			continue
		}
		projective++
		if err != nil || !slices.Equal(yields, want) {
			t.Fatalf("heads %v: yields %v, %v, want %v", heads, yields, err, want)
		}
		some, err := HeadSpans(heads)
		if err != nil || !slices.Equal(some, unique(want)) {
			t.Fatalf("heads %v: spans %v, %v", heads, some, err)
		}
		binary, err := BinarySpans(heads)
		if err != nil || CheckSpans(n, binary) != nil || len(binary) != n-1 {
			t.Fatalf("heads %v: binary spans %v, %v", heads, binary, err)
		}
		for _, x := range some {
			if !slices.Contains(binary, x) {
				t.Fatalf("heads %v: no %v among the binary spans %v", heads, x, binary)
			}
		}
	}
	if trees < 100 || projective < 1000 {
		t.Errorf("%d trees, %d projective ones", trees, projective)
	}
}

func TestBinarySpans(t *testing.T) {
	// 1 has the arguments 0 to its left and then 2 and 3 to its right.
	got, err := BinarySpans([]int{1, -1, 1, 1})
	if want := []Span{{0, 4}, {1, 4}, {1, 3}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestCheckSpans(t *testing.T) {
	for seed := range trials.Seeds(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var spans []Span
		legal := true
		for range r.IntN(5) {
			s := Span{r.IntN(7) - 1, r.IntN(8)}
			legal = legal && s.I >= 0 && s.J <= 6 && s.J-s.I > 1
			spans = append(spans, s)
		}
		for _, s := range spans {
			for _, u := range spans {
				legal = legal && !s.Crosses(u)
			}
		}
		if err := CheckSpans(6, spans); (err == nil) != legal || err != nil && !errors.Is(err, ErrInvalid) {
			t.Fatalf("%v: %v, legal %v", spans, err, legal)
		}
	}
}

func TestScore(t *testing.T) {
	var s Score
	if !math.IsNaN(s.F1()) || !math.IsNaN(s.DirectedAccuracy()) {
		t.Error("there is nothing to count")
	}
	gold := Sentence{Tags: make([]string, 4), Heads: []int{1, -1, 3, 1}, Spans: []Span{{0, 4}, {2, 4}, {0, 4}, {1, 2}}}
	s.Add(&gold, []Span{{0, 4}, {0, 2}, {0, 3}, {0, 3}, {2, 3}}, []int{1, -1, 1, 2})
	// Brackets 0-4 of 0-4, 2-4 and of 0-4, 0-3, 0-2; words 0 and 1, and 2 joined to 3.
	want := Score{1, 2, 3, 1, 4, 2, 3}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	s.Add(&Sentence{Tags: make([]string, 4), Heads: []int{1, -1, 1, 2}}, []Span{{0, 4}}, nil)
	want.Sentences = 2
	if s != want || s.Precision() != 1./3 || s.Recall() != .5 || s.F1() != .4 || s.DirectedAccuracy() != .5 || s.UndirectedAccuracy() != .75 {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// perByte bounds what a reader allocates for a byte of text.
const perByte = 200

func TestMemory(t *testing.T) {
	const size = 1 << 18
	for _, x := range []struct{ head, part string }{
		{"", "a\ta\tB\t0\t_\n"}, {"", "\t"}, {"", "\n"}, {"a\t", "a "}, {"a\ta b\tX Y\t_\t", "0-2 "},
		{"a\t" + strings.Repeat("a ", 1<<15) + "\t" + strings.Repeat("a ", 1<<15) + "\t", "0 "},
		{"", "("}, {"(", "(a b)"}, {"", "((a b))"}, {"", "(a b)"}, {"(S ", "a"}, {"", "a "},
		{"", "1\ta\t_\tX\tx\t_\t0\t_\t_\t_\n\n"}, {"", "#\n"}, {"", "1-2\t\t\t\t\t\t\t\t\t\n"}, {"# sent_id=", "a"},
	} {
		text := x.head + strings.Repeat(x.part, size/len(x.part))
		memtest.Bound(t, len(text), perByte, func() { Collect(Sentences(strings.NewReader(text), "x")) })
		memtest.Bound(t, len(text), perByte, func() { Collect(Trees(strings.NewReader(text), "x")) })
		memtest.Bound(t, len(text), perByte, func() { Collect(CoNLLU(strings.NewReader(text), "x", UPOS)) })
	}
}

// FuzzSentences and the other two: whatever is read comes back when it is written, and
// nothing makes a reader panic.
func FuzzSentences(f *testing.F) {
	f.Add("a\tthe dog\tDT NN\t2 0\t0-2\n")
	f.Add("a\tthe dog\tDT NN\t_\t_\n")
	f.Fuzz(func(t *testing.T, text string) {
		memtest.Bound(t, len(text), perByte, func() { Collect(Sentences(strings.NewReader(text), "x")) })
		for s, err := range Sentences(strings.NewReader(text), "x") {
			if err != nil {
				continue
			}
			if s.Heads != nil {
				Yields(s.Heads)
			}
			var b bytes.Buffer
			Write(&b, &s)
			again, err := Collect(Sentences(&b, "x"))
			if err != nil || len(again) != 1 || cmp.Diff(s, again[0]) != "" {
				t.Errorf("%+v became %+v, %v", s, again, err)
			}
		}
	})
}

func FuzzTrees(f *testing.F) {
	f.Add("x (S (DT the) (NN dog))")
	f.Add("( (X a))(")
	f.Fuzz(func(t *testing.T, text string) {
		memtest.Bound(t, len(text), perByte, func() { Collect(Trees(strings.NewReader(text), "x")) })
		for tree, err := range Trees(strings.NewReader(text), "x") {
			if err != nil {
				return
			}
			s := tree.Sentence()
			if err := CheckSpans(s.Len(), s.Spans); err != nil {
				t.Error(err)
			}
			again, err := Collect(Trees(strings.NewReader(tree.String()), "x"))
			if err != nil || len(again) != 1 || again[0].String() != tree.String() {
				t.Errorf("%v became %v, %v", tree, again, err)
			}
		}
	})
}

func FuzzCoNLLU(f *testing.F) {
	f.Add("# sent_id = a\n1\ta\t_\tX\tx\t_\t0\t_\t_\t_\n\n")
	f.Add("1\ta\t_\tX\tx\t_\t2\t_\t_\t_\n2\ta\t_\tX\tx\t_\t1\t_\t_\t_")
	f.Fuzz(func(t *testing.T, text string) {
		for s, err := range CoNLLU(strings.NewReader(text), "x", XPOS) {
			if err == nil && s.Heads != nil && CheckHeads(s.Heads) != nil {
				t.Errorf("%+v", s)
			}
		}
	})
}
