package main

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse: every answer is a tree that package treebank reads, with the words and tags of the
// line and heads that form a tree.
func TestUse(t *testing.T) {
	lines := []string{"DT NN VBZ", "the_DT dog_NN barks_VBZ", "  a_b_DT   dog_NN", "NN", strings.Repeat("DT NN ", 20)}
	for _, model := range []string{"product", "dmv", "ccm"} {
		stop := "training 2/9"
		if model == "ccm" {
			stop = "training 2/3"
		}
		answers := programtest.Check(t, newProgram, programtest.Use{Train: "-iterations 3 -model " + model, Lines: lines, Stop: stop})
		for i, a := range answers {
			want, err := tokens(lines[i])
			if err != nil {
				t.Fatal(err)
			}
			columns := strings.Split(a, "\t")
			if none := map[string]int{"ccm": 1}[model]; len(columns) != 2-none {
				t.Fatalf("%s: %q", model, a)
			}
			s := readTree(t, columns[0])
			if !slices.Equal(s.Words, want.Words) || !slices.Equal(s.Tags, want.Tags) || len(s.Spans) != want.Len()-1 {
				t.Errorf("%s: %q: %+v", model, a, s)
			}
			if len(columns) == 2 {
				checkHeads(t, columns[1], want.Len())
			}
		}
	}
}

func readTree(t *testing.T, text string) treebank.Sentence {
	t.Helper()
	trees, err := treebank.Collect(treebank.Trees(strings.NewReader(text), "answer"))
	if err != nil || len(trees) != 1 {
		t.Fatalf("%q: %d trees, %v", text, len(trees), err)
	}
	return trees[0].Sentence()
}

func checkHeads(t *testing.T, column string, n int) {
	t.Helper()
	var heads []int
	for _, f := range strings.Fields(column) {
		h, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, h-1)
	}
	if err := treebank.CheckHeads(heads); err != nil || len(heads) != n {
		t.Errorf("heads %s of %d words: %v", column, n, err)
	}
}

// TestBestParses: with -n the best parse is the same as without it; the others are different
// and less probable, and the probabilities of all parses sum to 1.
func TestBestParses(t *testing.T) {
	lines := []string{"the_DT dog_NN barks_VBZ", "NN", "DT NN QQ", strings.Repeat("DT NN ", mostOfProduct/2), strings.Repeat("DT NN ", mostOfPart)}
	input := programtest.File(t, "lines", strings.Join(lines, "\n")+"\n")
	for _, model := range []string{"product", "dmv", "ccm"} {
		file := filepath.Join(t.TempDir(), "model")
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, "-quiet", "-iterations", "3", "-model", model, "-save", file); status != 0 {
			t.Fatal(stderr.String())
		}
		answers := func(n string) []string {
			status, out := run(t.Context(), &stderr, "-load", file, "-apply", input, "-n", n)
			if status != 0 {
				t.Fatal(stderr.String())
			}
			return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		}
		one, many := answers("1"), answers("12")
		for i, a := range many {
			columns := strings.Split(a, "\t")
			width := 3
			if model == "ccm" {
				width = 2
			}
			words := strings.Fields(lines[i])
			trees := []int{7, 1, 7, 12, 1}[i]
			if model == "ccm" {
				trees = []int{2, 1, 2, 12, 1}[i]
			}
			if len(columns) != trees*width || !strings.HasPrefix(a, one[i]+"\t") {
				t.Fatalf("%s: line %d: %d columns, want %d trees: %.200s; the best is %.100s", model, i+1, len(columns), trees, a, one[i])
			}
			sum, last, seen := 0.0, 0.0, map[string]bool{}
			for k := 0; k < len(columns); k += width {
				if s := readTree(t, columns[k]); s.Len() != len(words) {
					t.Errorf("%s: %q", model, columns[k])
				}
				if width == 3 {
					checkHeads(t, columns[k+1], len(words))
				}
				x, err := strconv.ParseFloat(columns[k+width-1], 64)
				if err != nil || x > last {
					t.Errorf("%s: line %d: log probability %v after %v, %v", model, i+1, x, last, err)
				}
				sum, last = sum+math.Exp(x), x
				seen[strings.Join(columns[k:k+width-1], "\t")] = true
			}
			if len(seen) != trees || sum > 1.001 || i < 3 && sum < .999 {
				t.Errorf("%s: line %d: %d trees with probability %v", model, i+1, len(seen), sum)
			}
		}
	}
}

// TestStrange: unknown tags and long sentences are answered with a remark; only a token without
// a tag has no answer.
func TestStrange(t *testing.T) {
	long := mostOfProduct + 1
	lines := programtest.File(t, "lines", "the_DT zyx_QQ barks_VBZ\nDT dog_\n"+strings.Repeat("NN ", 3*long)+"\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-quiet", "-iterations", "3", "-init", "harmonic-counts", "-apply", lines)
	answers := strings.Split(out, "\n")
	if status != 0 || len(answers) != 4 {
		t.Fatalf("status %d: %s%s", status, out, &stderr)
	}
	for i, n := range []int{3, 0, 3 * long} {
		if n == 0 {
			if answers[i] != "" {
				t.Errorf("answer %q", answers[i])
			}
			continue
		}
		tree, heads, _ := strings.Cut(answers[i], "\t")
		if s := readTree(t, tree); s.Len() != n || len(s.Spans) != n-1 {
			t.Errorf("%d words, %d spans, want %d words", s.Len(), len(s.Spans), n)
		}
		checkHeads(t, heads, n)
	}
	for _, want := range []string{
		`:1: word 2 has the tag "QQ", which the model does not know`, `:2: token 2 is "dog_", want a tag after _`,
		":3: 123 words, parsed in 4 parts of at most 40",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %s", want, &stderr)
		}
	}
}

// TestHeldOut: a trained model parses all held-out sentences, with the same results after
// saving; some have unseen tags and lengths.
func TestHeldOut(t *testing.T) {
	all := strings.SplitAfter(sentencesTSV, "\n")
	train := programtest.File(t, "train", strings.Join(all[:32], ""))
	rest := strings.Join(all[32:], "") + "odd\tthe zyx barks\tDT QQ VBZ\t2 3 0\t0-2 0-3\n" +
		"long\t" + strings.TrimSpace(strings.Repeat("w ", 50)) + "\t" + strings.TrimSpace(strings.Repeat("NN ", 50)) + "\t_\t_\n"
	test := programtest.File(t, "test", rest)
	model, output := programtest.File(t, "model", ""), filepath.Join(t.TempDir(), "out")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-data", train, "-test", test, "-iterations", "20", "-model", "dmv", "-init", "harmonic-counts", "-save", model, "-o", output)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Sentences != 32 || r.Test != 18 || r.F1 < .7 || *r.Directed < .5 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(stderr.String(), `odd: word 2 has the tag "QQ"`) {
		t.Error(stderr.String())
	}
	found, err := treebank.Collect(treebank.SentencesOf(output))
	if err != nil || len(found) != 18 || found[16].Words[1] != "zyx" {
		t.Errorf("%v, %d sentences", err, len(found))
	}
	status, out = run(t.Context(), &stderr, "-json", "-load", model, "-test", test)
	if again := programtest.Report[report](t, out); status != 0 || again.F1 != r.F1 || *again.Directed != *r.Directed || again.Model != "dmv" {
		t.Errorf("status %d: %+v, want %+v", status, again, r)
	}
	for _, x := range []struct {
		want   string
		status int
		args   []string
	}{
		{"want -test or -apply as well", 2, []string{"-load", model}},
		{"-init: has no effect with -load", 2, []string{"-load", model, "-test", test, "-init", "harmonic-trees"}},
		{"-test: has no effect with -apply", 2, []string{"-apply", test, "-test", test}},
		{"it does not begin with", 1, []string{"-load", test, "-test", test}},
	} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, x.args...); status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%v: status %d, %s, want %s", x.args, status, &stderr, x.want)
		}
	}
}

// TestParts: parsing in parts returns a tree, and short sentences are parsed by the model as a
// whole.
func TestParts(t *testing.T) {
	data, err := treebank.Collect(treebank.Sentences(strings.NewReader(sentencesTSV), "sentences.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := grammar.New(grammar.Product, tagsOf(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := newOpen(m)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 12; n++ {
		tags := strings.Fields(strings.Repeat("DT NN VBZ ", 4))[:n]
		o.most = mostOfProduct
		whole, err := o.parse(tags)
		if err != nil {
			t.Fatal(err)
		}
		best, err := o.Best(tags)
		if err != nil || !slices.Equal(whole.Spans, best.Spans) || !slices.Equal(whole.Heads, best.Heads) {
			t.Errorf("%d words: %+v, %v, want %+v", n, whole, err, best)
		}
		o.most = 3
		parts, err := o.parse(tags)
		if err != nil || treebank.CheckHeads(parts.Heads) != nil || treebank.CheckSpans(n, parts.Spans) != nil || len(parts.Spans) != n-1 {
			t.Errorf("%d words in parts: %+v, %v", n, parts, err)
		}
	}
}
