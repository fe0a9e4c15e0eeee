package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/semiring/trellis"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse: every model also tags unknown words.
func TestUse(t *testing.T) {
	for _, m := range models {
		lines := []string{"The old dog barks .", "  the   Zyzzyvas/x barked 1/2", "."}
		stop := "training 2/4"
		if m.name == "hmm" {
			stop = "training 1/4"
		}
		answers := programtest.Check(t, newProgram, programtest.Use{Train: "-iterations 4 -model " + m.name, Lines: lines, Stop: stop})
		for i, a := range answers {
			words := strings.Fields(lines[i])
			for j, token := range strings.Fields(a) {
				if slash := strings.LastIndexByte(token, '/'); slash < 0 || token[:slash] != words[j] || token[slash+1:] == "" {
					t.Errorf("%s: %q, want %s with a tag", m.name, token, words[j])
				}
			}
		}
	}
}

// TestBest: the n best begin with the answer without -n, decrease, and sum to at most 1; the
// first has the model's probability.
func TestBest(t *testing.T) {
	const sentence = "The dog plants two boats"
	for _, m := range models {
		model := programtest.File(t, "model", "")
		lines := programtest.File(t, "lines", sentence+"\n\n\xff\n")
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, "-quiet", "-model", m.name, "-iterations", "3", "-save", model, "-apply", lines)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		one, rest, _ := strings.Cut(out, "\n")
		if rest != "\n\n" || !strings.Contains(stderr.String(), ":3: ") {
			t.Errorf("%q\n%s", out, &stderr)
		}
		status, out = run(t.Context(), &stderr, "-load", model, "-apply", lines, "-n", "7")
		list := strings.Split(strings.SplitN(out, "\n", 2)[0], "\t")
		if status != 0 || len(list) != 14 || list[0] != one {
			t.Fatalf("%s: status %d: %q, first %q", m.name, status, list, one)
		}
		sum, before := 0.0, 1.0
		for i := 1; i < len(list); i += 2 {
			p, err := strconv.ParseFloat(list[i], 64)
			if err != nil || p > before || p <= 0 {
				t.Errorf("%s: %q", m.name, list)
			}
			sum, before = sum+p, p
		}
		if sum > 1.001 || sum < .01 {
			t.Errorf("%s: probabilities of seven answers sum to %g", m.name, sum)
		}
	}
}

// TestBestPaths: all paths of a trellis and their probabilities agree with enumeration.
func TestBestPaths(t *testing.T) {
	l := models[3].new()
	train, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.train(t.Context(), train, options{iterations: 2, workers: 1, observe: func(em.Event) {}}); err != nil {
		t.Fatal(err)
	}
	x, tags, err := l.trellis([]string{"red", "boats"})
	if err != nil {
		t.Fatal(err)
	}
	best, err := bestPaths(x, int32(len(tags)), 1000)
	if err != nil || len(best) != len(tags)*len(tags) {
		t.Fatalf("%d paths, %v", len(best), err)
	}
	node := make([]float64, x.NumNodes())
	if _, err := x.Counts(1, trellis.Parts{Node: node}, new(trellis.Scratch)); err != nil {
		t.Fatal(err)
	}
	sum := make([]float64, len(node)) // of the paths through a node
	for _, b := range best {
		for layer, i := range b.path {
			sum[layer*len(tags)+int(i)] += b.probability
		}
	}
	for i := range node {
		if math.Abs(sum[i]-node[i]) > 1e-12 {
			t.Errorf("node %d: paths sum to %g, its posterior is %g", i, sum[i], node[i])
		}
	}
}

// TestLong: a long sentence is tagged, but gets only the best tags.
func TestLong(t *testing.T) {
	lines := programtest.File(t, "lines", strings.Repeat("barks ", maxArcs/81+2)+"\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-quiet", "-model", "hmm", "-apply", lines, "-n", "2")
	if n := len(strings.Fields(out)); status != 0 || n != maxArcs/81+2 {
		t.Errorf("status %d, %d words", status, n)
	}
	if want := fmt.Sprintf(":1: %d words: too many", maxArcs/81+2); !strings.Contains(stderr.String(), want) {
		t.Errorf("no %q in %s", want, &stderr)
	}
}

// TestLoad: a saved model has the same scores, and an invalid file is an error.
func TestLoad(t *testing.T) {
	test := programtest.File(t, "test", "The\tDET\ndog\tNOUN\nbarks\tVERB\n\nZyzzyvas\tNOUN\nbark\tVERB\n")
	for _, m := range models {
		model := programtest.File(t, "model", "")
		var stderr bytes.Buffer
		args := []string{"-quiet", "-json", "-test", test}
		status, out := run(t.Context(), &stderr, append(args, "-model", m.name, "-iterations", "3", "-save", model)...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		want := programtest.Report[report](t, out)
		status, out = run(t.Context(), &stderr, append(args, "-load", model)...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		got := programtest.Report[report](t, out)
		if got.Model != want.Model || got.Accuracy != want.Accuracy || got.Unknown != want.Unknown || got.Test != 2 {
			t.Errorf("%s: %+v, want %+v", m.name, got, want)
		}
	}
	for _, x := range []struct {
		text, want string
		status     int
		args       []string
	}{
		{"", "no saved model", 1, []string{"-test", test}},
		{string(savedFormat) + "\nx", "no saved model", 1, []string{"-test", test}},
		{"", "want -test or -apply as well", 2, nil},
		{"", "-model: has no effect with -load", 2, []string{"-test", test, "-model", "hmm"}},
		{"", "-plot: has no effect with -load", 2, []string{"-test", test, "-plot", "x.svg"}},
		{"", "-matrix: has no effect with -apply", 2, []string{"-apply", test, "-matrix", "x.svg"}},
		{"", "-column: want -data or -test as well", 2, []string{"-apply", test, "-column", "2"}},
		{"", "-test: has no effect with -apply", 2, []string{"-test", test, "-apply", test}},
		{"", "-n: want -apply", 2, []string{"-test", test, "-n", "2"}},
		{"", "-n: want -apply as well", 2, []string{"-test", test, "-n", "2", "-o", "-"}},
	} {
		var stderr bytes.Buffer
		status, _ := run(t.Context(), &stderr, append([]string{"-load", programtest.File(t, "model", x.text)}, x.args...)...)
		if status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%q %v: status %d, %s, want %s", x.text, x.args, status, &stderr, x.want)
		}
	}
}
