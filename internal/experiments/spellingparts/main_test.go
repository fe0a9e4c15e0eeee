package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

var run = programtest.New(newProgram)

// model writes a small speller that has learnt the transposition of e and i.
func model(t *testing.T) string {
	t.Helper()
	letters := fst.RuneSymbols("abcdefghijklmnopqrstuvwxyz")
	var alphabet []int32
	for l := range letters.All() {
		if l != fst.Epsilon {
			alphabet = append(alphabet, l)
		}
	}
	var pairs []edit.Pair
	var examples []cascade.Example
	var chunks []pairgram.Pair
	for _, words := range [][2]string{{"receive", "recieve"}, {"believe", "beleive"}, {"field", "feild"}} {
		word, misspelt := words[0], words[1]
		p := edit.Pair{Source: fst.RuneLabels(word), Target: fst.RuneLabels(misspelt)}
		pairs = append(pairs, p)
		examples = append(examples, cascade.Example{X: cascade.Labels(p.Source...), Y: cascade.Labels(p.Target...)})
		chunks = append(chunks, pairgram.Pair{Source: p.Target, Target: p.Source})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	scout, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
	must(err)
	_, err = scout.Fit(t.Context(), cascade.Data{Examples: examples}, nil)
	must(err)
	contextual, err := edit.NewContextual(alphabet, pairs, nil)
	must(err)
	_, err = contextual.Fit(t.Context(), pairs, nil)
	must(err)
	for _, m := range []*edit.Model{scout, &contextual.Model} {
		f, err := fst.Expand(m.Stages[0], nil)
		must(err)
		m.Stages[0] = f.WithSymbols(f.InSymbols(), letters)
	}
	s := &speller.Speller{Scout: scout, Edits: &contextual.Model, Slips: scout, Weights: []float64{1, 1, 1, 1}}
	s.Lexicon = speller.Lexicon([]speller.Word{{Text: "receive"}, {Text: "thief"}, {Text: "their"}, {Text: "field"}, {Text: "act"}})
	s.Mixed, err = edit.NewMixture(s.Edits, s.Slips)
	must(err)
	s.Pairs, err = (&pairgram.Recipe{}).Fit(t.Context(), chunks, nil)
	must(err)
	s.Spelling, err = ngram.Fit(2, 'z', func(yield func([]int32, float64) bool) {
		for _, p := range pairs {
			if !yield(p.Source, 1) {
				return
			}
		}
	}, nil)
	must(err)
	name := filepath.Join(t.TempDir(), "speller")
	f, err := os.Create(name)
	must(err)
	must(s.Save(f))
	must(f.Close())
	return name
}

func TestParts(t *testing.T) {
	test := programtest.File(t, "test.tsv", "thief\ttheif\nact\tact\nfield\tfeild\nact\täct\n")
	_, r, out := programtest.Reporting[struct {
		Contextual float64 `json:"contextual_top1"`
		Memoryless float64 `json:"memoryless_top1"`
	}](run)(t, t.Context(), os.Stderr, "-quiet", "-load", model(t), "-test", test)
	// one of four pairs has a character that is unknown to the models
	if r.Contextual != .75 || r.Memoryless < .5 || r.Memoryless > .75 || !strings.Contains(out, "in context   0.7500") {
		t.Errorf("%+v, %s", r, out)
	}
	for _, args := range [][]string{{"-load", test, "-test", test}, {"-load", model(t), "-test", os.DevNull}, {"-load", test}} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, args...); status == 0 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", args, status, &stderr)
		}
	}
}
