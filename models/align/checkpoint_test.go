package align

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
)

// TestCheckpoint: training that is stopped after every iteration goes on from its
// checkpoint to the same result, to the last bit, with any number of workers.
func TestCheckpoint(t *testing.T) {
	c := textOf(t, lines...)
	opts := func() *setup {
		return &setup{
			Stages: []Stage{{Model1, 2, Own, Multiplied}, {Diagonal, 2, Own, Separately}, {Model2, 1, Own, Separately}, {HMM, 3, Joint, Averaged}},
			Floor:  1e-7, Classes: 3, Decode: Joint, Workers: 1,
		}
	}
	whole, want, err := opts().train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "state")
	var m *Model
	var got *em.Result
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		o := opts()
		o.Checkpoint, o.Workers = file, 1+n%3
		var steps []em.Step
		o.Observer = func(_ *Model, p Progress) {
			steps = append(steps, p.Step)
			if p.Objective != want.Objective[n] || p.Examples != c.Len() || p.Directions[ef]+p.Directions[fe] != p.LogLikelihood ||
				p.Iteration > 0 && p.Gain != want.Objective[n]-want.Objective[n-1] || (p.Iteration == 0) != math.IsNaN(p.Gain) {
				t.Errorf("iteration %d: %+v", n, p)
			}
			cancel()
		}
		m, got, err = o.train(ctx, c)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || got.Status != em.Canceled || len(steps) != 1 || (steps[0] == em.FirstStep) != (n == 0) {
			t.Fatalf("stop %d: %v, %v", n, err, steps)
		}
		if d := cmp.Diff(want.Objective[:n+1], got.Objective); d != "" {
			t.Errorf("stop %d: %s", n, d)
		}
	}
	if d := cmp.Diff(want.Objective, got.Objective); d != "" || got.Status != em.IterationLimit || !bytes.Equal(written(t, m), written(t, whole)) {
		t.Errorf("another result: %s", d)
	}
	// More iterations of the last stage may be asked for.
	more := opts()
	more.Checkpoint = file
	more.Stages[3].Iterations++
	_, got, err = more.train(t.Context(), c)
	if err != nil || len(got.Objective) != len(want.Objective)+1 {
		t.Errorf("one iteration more: %d of them, %v", len(got.Objective), err)
	}
}

func TestBadCheckpoint(t *testing.T) {
	c := textOf(t, lines...)
	file := filepath.Join(t.TempDir(), "state")
	opts := func() *setup {
		return &setup{Stages: []Stage{{Model1, 1, Own, Separately}, {HMM, 1, Own, Separately}}, Checkpoint: file}
	}
	if _, _, err := opts().train(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bent := bytes.Clone(good)
	bent[len(bent)-9] ^= 1
	pairs := func(e, f string) float64 { return float64(len(e)) }
	for _, test := range []struct {
		text   []byte
		change func(o *setup)
		c      *Corpus
		want   string
	}{
		{nil, nil, c, "does not begin with"},
		{[]byte("x\n"), nil, c, "does not begin with"},
		{good[:len(good)-1], nil, c, "damaged"},
		{good[:150], nil, c, "damaged"},
		{bent, nil, c, "damaged"},
		{good, func(o *setup) { o.Stages[0].Iterations = 2 }, c, "another"},
		{good, func(o *setup) { o.Stages[1].EStep = Joint }, c, "another"},
		{good, func(o *setup) { o.Floor = 1e-3 }, c, "another"},
		{good, func(o *setup) { o.Prior.Law = em.Dirichlet{Alpha: 2} }, c, "another"},
		{good, func(o *setup) { o.Prior.Pair = pairs }, c, "another"},
		{good, func(o *setup) { o.Prior.Stem, o.Prior.Strength = strings.ToLower, 1 }, c, "another"},
		{good, nil, textOf(t, lines[2:]...), "another"},
	} {
		if err := os.WriteFile(file, test.text, 0o666); err != nil {
			t.Fatal(err)
		}
		o := opts()
		if test.change != nil {
			test.change(o)
		}
		want := strings.Replace(test.want, "another", "other data, start or options", 1)
		if _, _, err := o.train(t.Context(), test.c); !errors.Is(err, em.ErrCheckpoint) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	o := opts()
	o.Checkpoint = filepath.Join(t.TempDir(), "none", "state")
	if _, _, err := o.train(t.Context(), c); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such directory: %v", err)
	}
}

// TestSkipped: a sentence of probability 0 in one direction takes no part, and is named.
func TestSkipped(t *testing.T) {
	c := NewCorpus()
	for i, s := range []Sentence{{[]string{"a"}, []string{"x"}}, {[]string{"b"}, []string{"y", "x"}}, {[]string{"a", "b"}, []string{"x", "y"}}} {
		if err := c.AddLine(10*i+7, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		// In a model in which b never becomes x, nor NULL, the second sentence cannot be.
		start := train(t, c, &setup{Stages: []Stage{{kind, 0, Own, Separately}}})
		l := start.lexicon
		for _, f := range []string{"x", "y"} {
			l.t[l.find(start.words[0].find("b"), start.words[1].find(f))][ef] = map[string]float64{"x": 0, "y": 1}[f]
		}
		l.null[ef][start.words[1].find("x")] = 0
		o := &setup{Stages: []Stage{{kind, 1, Own, Separately}}, Start: start}
		_, got, err := o.train(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		want := []em.Skipped{{Index: 1, Name: "line 17", Weight: 1}}
		if d := cmp.Diff(want, got.Skipped); d != "" || got.Skipped[0].String() != "example 1 (line 17)" {
			t.Errorf("%v: %s", kind, d)
		}
		// Without that sentence all but what only it has is the same.
		rest := NewCorpus()
		for _, s := range []Sentence{{[]string{"a"}, []string{"x"}}, {[]string{"a", "b"}, []string{"x", "y"}}} {
			if err := rest.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		o.Start = train(t, rest, &setup{Stages: []Stage{{kind, 0, Own, Separately}}})
		for e, word := range o.Start.words[0].words {
			for slot := o.Start.lexicon.row[e]; slot < o.Start.lexicon.row[e+1]; slot++ {
				f := o.Start.words[1].words[o.Start.lexicon.col[slot]]
				o.Start.lexicon.t[slot] = l.t[l.find(start.words[0].find(word), start.words[1].find(f))]
			}
		}
		o.Start.lexicon.null = [2][]float64{{0, l.null[ef][start.words[1].find("y")]}, l.null[fe]}
		_, alone, err := o.train(t.Context(), rest)
		if err != nil {
			t.Fatal(err)
		}
		if len(alone.Skipped) != 0 || !near(alone.Objective[0], got.Objective[0]) {
			t.Errorf("%v: objective %v, want %v", kind, got.Objective, alone.Objective)
		}
	}
	only := NewCorpus()
	if err := only.AddLine(3, Sentence{[]string{"b"}, []string{"y", "x"}}); err != nil {
		t.Fatal(err)
	}
	start := train(t, only, &setup{Stages: []Stage{{Model1, 0, Own, Separately}}})
	clear(start.lexicon.t)
	clear(start.lexicon.null[ef])
	_, _, err := (&setup{Stages: []Stage{{Model1, 1, Own, Separately}}, Start: start}).train(t.Context(), only)
	if !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("no sentence: %v", err)
	}
}

// TestSkippedCountsNothing: of a sentence of probability 0 nothing is counted, whatever the
// storage held before.
func TestSkippedCountsNothing(t *testing.T) {
	c := textOf(t, "a b", "x y", "b b", "y x", "a b", "x y")
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, how := range []Counting{Separately, Averaged, Multiplied} {
			m := train(t, c, &setup{Stages: []Stage{{kind, 0, Own, Separately}}})
			m.lexicon.t[m.lexicon.find(m.words[0].find("b"), m.words[1].find("x"))][ef] = 0
			m.lexicon.null[ef][m.words[1].find("x")] = 0
			_, slots := newLexicon(c)
			work := m.machine(Own)
			if err := work.prepare(2, 2); err != nil {
				t.Fatal(err)
			}
			a := tally{link: slices.Repeat([]pair{{7, 7}}, len(slots))}
			w, s := newCounter(), newShards(c, slots, 0)
			for range 2 { // the second time with what the first has left
				if err := s.visit(w, work, how, 0, &a); err != nil {
					t.Fatal(err)
				}
			}
			if len(a.skipped) != 1 || a.skipped[0].Index != 1 || s.len() != 1 {
				t.Fatalf("%v: skipped %v", kind, a.skipped)
			}
			for n, x := range a.link {
				if n/4 == 1 && (x != pair{}) || !(max(x[ef], x[fe]) < 1+1e-9) {
					t.Errorf("%v, %v: cell %d of sentence %d has the counts %v", kind, how, n%4, n/4, x)
				}
			}
			for d := range a.null {
				for n, x := range a.null[d] {
					if n/2 == 1 && x != 0 || !(x >= 0 && x < 1+1e-9) {
						t.Errorf("%v, %v: word %d of sentence %d comes from NULL %v times in direction %d", kind, how, n%2, n/2, x, d)
					}
				}
			}
		}
	}
}
