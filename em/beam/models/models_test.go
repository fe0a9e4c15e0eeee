package models_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/em/cascade"
	plain "example.org/pathsum/internal/text"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/grammar"
)

func TestMain(m *testing.M) {
	log.LogLevel = "error"
	beam.Init()
	os.Exit(m.Run())
}

// written writes lines to a file and returns the text.
func written(t *testing.T, lines []string) (dir string, text *beam.Text) {
	t.Helper()
	dir = t.TempDir()
	name := filepath.Join(dir, "lines")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := beam.Survey(t.Context(), dir, nil, name)
	if err != nil {
		t.Fatal(err)
	}
	return dir, text
}

// exampleText writes sentences to a file for an Example.
func exampleText(sentences [][]string) (dir string, files []string) {
	dir, err := os.MkdirTemp("", "pathsum-example-")
	if err != nil {
		panic(err)
	}
	name, content := filepath.Join(dir, "tags"), ""
	for _, s := range sentences {
		content += strings.Join(s, " ") + "\n"
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		panic(err)
	}
	return dir, []string{name}
}

// bitext returns sentences e ||| f in which words are often the same on both sides. They are the
// first lines of the files train.e.gz and train.f.gz in the folder named in the
// environment, or drawn at random.
func bitext(t *testing.T, n int) []string {
	t.Helper()
	var lines []string
	if dir := os.Getenv("PATHSUM_WORDALIGN"); dir != "" {
		var sides [2][]string
		for i, name := range []string{"train.e.gz", "train.f.gz"} {
			for l, err := range plain.LinesOf(filepath.Join(dir, name)) {
				if err != nil {
					t.Fatal(err)
				}
				if sides[i] = append(sides[i], l.Text); len(sides[i]) == 10000 {
					break
				}
			}
		}
		for i := range sides[0] {
			lines = append(lines, sides[0][i]+" ||| "+sides[1][i])
		}
		return lines
	}
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	for range n {
		var e, f []string
		for range 1 + rng.IntN(9) {
			w := rng.IntN(1 + rng.IntN(40))
			e, f = append(e, fmt.Sprint("e", w)), append(f, fmt.Sprint("f", w))
		}
		if rng.IntN(3) == 0 {
			f = append(f, "of")
		}
		rng.Shuffle(min(3, len(f)), func(i, j int) { f[i], f[j] = f[j], f[i] })
		lines = append(lines, strings.Join(e, " ")+" ||| "+strings.Join(f, " "))
	}
	return lines
}

// TestAlign: both directions of an alignment, trained to agree stage by stage, have the bits of
// a run in one process. With PATHSUM_WORDALIGN the data are 10,000 sentences of the Hansards.
func TestAlign(t *testing.T) {
	lines := bitext(t, 400)
	corpus := align.NewCorpus()
	for i, l := range lines {
		s, err := models.Pair(cascade.Line{File: "lines", Number: i + 1, Text: l})
		if err != nil {
			t.Fatal(err)
		}
		if err := corpus.AddLine(i+1, s); err != nil {
			t.Fatal(err)
		}
	}
	dir, text := written(t, lines)
	shards := text.Cut(corpus.Cut())
	for _, c := range []struct {
		name   string
		stages []align.Stage
	}{
		{"product of posteriors", []align.Stage{stage(align.Model1, 2, align.Own, align.Multiplied), stage(align.HMM, 3, align.Own, align.Multiplied)}},
		{"product EM", []align.Stage{stage(align.Model1, 2, align.Own, align.Separate), stage(align.HMM, 3, align.Joint, align.Averaged)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			train := func(via func(m *align.Model, o *align.FitOptions) func()) (*align.Model, *em.Result) {
				m, err := align.New(corpus, nil)
				if err != nil {
					t.Fatal(err)
				}
				opts := &align.FitOptions{Stages: c.stages}
				defer via(m, opts)()
				r, err := m.Fit(t.Context(), corpus, opts)
				if err != nil {
					t.Fatal(err)
				}
				return m, r
			}
			want, inProcess := train(func(*align.Model, *align.FitOptions) func() { return func() {} })
			got, byBeam := train(func(m *align.Model, o *align.FitOptions) (end func()) {
				o.Distribute, end = models.Distribute(t.Context(), m, beam.Job{Shards: shards, Dir: dir, Keep: 1000})
				return end
			})
			if !slices.Equal(byBeam.Objective, inProcess.Objective) || !bytes.Equal(savedAlign(t, got), savedAlign(t, want)) {
				t.Errorf("other bits: objectives %v, want %v", byBeam.Objective, inProcess.Objective)
			}
		})
	}
}

func stage(p align.Positions, iterations int, e align.EStep, c align.Counting) align.Stage {
	return align.Stage{Positions: p, Iterations: iterations, EStep: e, Counting: c}
}

func savedAlign(t *testing.T, m *align.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGrammar: grammars of all kinds have the bits of a run in one process.
func TestGrammar(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var lines []string
	var sentences [][]string
	for range 150 {
		var s []string
		for range 2 + rng.IntN(6) {
			s = append(s, string(rune('A'+rng.IntN(4))))
		}
		sentences, lines = append(sentences, s), append(lines, strings.Join(s, " "))
	}
	dir, text := written(t, lines)
	for _, kind := range []grammar.Kind{grammar.DMV, grammar.CCM, grammar.Product} {
		t.Run(kind.String(), func(t *testing.T) {
			m, err := grammar.New(kind, sentences, nil)
			if err != nil {
				t.Fatal(err)
			}
			var saved bytes.Buffer
			if err := m.Save(&saved); err != nil {
				t.Fatal(err)
			}
			opts := &em.Options{Iterations: 5, Tolerance: -1, Start: slices.Clone(m.Theta)}
			want, err := m.Fit(t.Context(), sentences, opts)
			if err != nil {
				t.Fatal(err)
			}
			l, err := beam.New(context.Background(), beam.Job{Model: models.Grammar, Saved: saved.Bytes(), Dir: dir, Shards: text.Cut(em.NewCut(text.Lines()))})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			got, err := em.Fit(t.Context(), l, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
				t.Errorf("other bits: objectives %v, want %v", got.Objective, want.Objective)
			}
		})
	}
}
