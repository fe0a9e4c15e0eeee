package wordalign

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

func TestEmbeddedSentences(t *testing.T) {
	d := new(Data)
	lines, err := d.embedded()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for l := range lines {
		if len(l.Source) == 0 || len(l.Target) == 0 || seen[key(l.Sentence)] {
			t.Errorf("line %d: %q is empty on a side or not the first", l.Number, key(l.Sentence))
		}
		seen[key(l.Sentence)] = true
	}
	if len(seen) < 80 || len(d.Dev.Sentences) < 20 || len(d.Test.Sentences) < 20 {
		t.Errorf("%d sentences, %d and %d with references", len(seen), len(d.Dev.Sentences), len(d.Test.Sentences))
	}
	for _, j := range []Judged{d.Dev, d.Test} {
		for i, r := range j.References {
			s := j.Sentences[i]
			if err := r.Check(len(s.Source), len(s.Target)); err != nil {
				t.Errorf("%q: %v", key(s), err)
			}
			// In these sentences every word has a counterpart.
			e, f := map[int]bool{}, map[int]bool{}
			for _, l := range append(r.Sure, r.Possible...) {
				e[l.Source], f[l.Target] = true, true
			}
			if len(e) != len(s.Source) || len(f) != len(s.Target) || len(r.Sure) < min(len(s.Source), len(s.Target))-2 {
				t.Errorf("%q has the reference %v", key(s), r)
			}
		}
	}
}

func TestSpelling(t *testing.T) {
	for word, want := range map[string]string{"": "", "größten": "größt", "haus": "haus"} {
		if got := stem(word); got != want {
			t.Errorf("the stem of %s is %s, want %s", word, got, want)
		}
	}
	for _, pair := range [][2]string{{"canada", "canadien"}, {"7", "7"}, {"œuvre", "œuvres"}} {
		if Cognates(pair[0], pair[1]) != 1 {
			t.Errorf("%v are no cognates", pair)
		}
	}
	for _, pair := range [][2]string{{"a", "au"}, {"can", "canne"}, {"the", "que"}} {
		if Cognates(pair[0], pair[1]) != 0 {
			t.Errorf("%v are cognates", pair)
		}
	}
}

// TestPlaces: sentences of a text are found by their lines, whole or in pieces, and sentences
// of Dev that are not in the text are in the corpus without a line, as often as Dev has them.
func TestPlaces(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for name, content := range map[string]string{
		"text": "a b ||| x y\n\na b c d e f ||| u v w x y z\na ||| x\n" + strings.Repeat("b ||| y\n", 8),
		"e":    "a\nc\nc\n", "f": "x\nw\nw\n", "gold": "0-0\n0-0\n0-0\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := program.New("places", "places places.")
	texts := NewTexts(p)
	p.Do(func(_ context.Context, r *program.Run) error {
		d, err := texts.Read(r, 0)
		if err != nil {
			return err
		}
		var got []string
		for at := range d.Places() {
			got = append(got, fmt.Sprint(at.Line, at.Source, at.Number >= 0))
		}
		want := []string{"1 [a b] true", "3 [a b c d e f] false", "4 [a] true"}
		for n := range 8 {
			want = append(want, fmt.Sprintf("%d [b] true", 5+n))
		}
		if !slices.Equal(got, want) || d.Lines != 12 || d.Corpus.Len() != 1+2+1+8+2 {
			t.Errorf("%d lines, %d sentences: %q, want %q", d.Lines, d.Corpus.Len(), got, want)
		}
		for k, n := range map[string]int{"a\tx": 3, "c\tw": 12} {
			if at, ok := d.learnt[k]; !ok || at != n || key(d.Corpus.Sentence(n)) != k {
				t.Errorf("%q is sentence %d, want %d", k, at, n)
			}
		}
		return nil
	})
	var out, stderr bytes.Buffer
	args := strings.Fields("-bitext text -longest 4 -dev-e e -dev-f f -dev-gold gold -json")
	if status := p.Execute(t.Context(), args, &out, &stderr); status != 0 || !strings.Contains(stderr.String(), "skipped: text:2: ") || !strings.Contains(out.String(), `"lines_skipped":1`) {
		t.Errorf("status %d, %s%s", status, &out, &stderr)
	}
}

// TestTune: the error rates agree with counting links by hand. The posteriors of the first
// sentence are .9 for a right link, .6 for a wrong one; of the second, .7 for a right one.
func TestTune(t *testing.T) {
	s := align.Sentence{Source: []string{"a"}, Target: []string{"x", "y"}}
	u := align.Sentence{Source: []string{"b"}, Target: []string{"x", "y"}}
	reference := gold.Reference{Sure: align.Alignment{{Source: 0, Target: 0}}}
	j := Judged{[]align.Sentence{s, u}, []gold.Reference{reference, reference}}
	of := func(s align.Sentence) (Posteriors, error) {
		p := align.NewPosterior(1, 2)
		if p.P[0], p.P[1] = .9, .6; s.Source[0] == "b" {
			p.P[0], p.P[1] = .7, 0
		}
		return Posteriors{p, p}, nil
	}
	for _, test := range []struct {
		d               *Data
		given           float64
		threshold, want float64
	}{
		{&Data{Dev: j}, 0, .65, 0}, // between .7 and .6
		{&Data{Dev: j}, .5, .5, 1 - 4./5},
		{&Data{Dev: j}, .8, .8, 1 - 2./3},
		{&Data{Dev: j, Test: Judged{j.Sentences[:1], j.References[:1]}}, .5, .5, 1 - 2./3},
		{&Data{Test: j}, 0, .4, 1 - 4./5}, // the usual one
	} {
		scores, err := test.d.Tune(t.Context(), of, test.given, .4, 2, Combinations["average"], Forward)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if math.Abs(s.Tuned.Threshold-test.threshold) > 1e-12 || math.Abs(s.Final.AER()-test.want) > 1e-12 {
				t.Errorf("threshold %g, AER %g, want %g and %g", s.Tuned.Threshold, s.Final.AER(), test.threshold, test.want)
			}
		}
	}
}
