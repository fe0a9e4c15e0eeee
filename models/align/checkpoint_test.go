package align

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
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
			Stages: []Stage{{Model1, 2, Own, Multiplied}, {Diagonal, 2, Own, Separate}, {Model2, 1, Own, Separate}, {HMM, 3, Joint, Averaged}},
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
			if p.Objective != want.Objective[n] || p.Examples != c.Len() || p.Objective != p.LogLikelihood ||
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
		if !errors.Is(err, context.Canceled) || got.Status != em.Canceled || len(steps) != 1 || (steps[0] == em.FirstStep) != (n == 0 || n == 2 || n == 4 || n == 5) {
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
		return &setup{Stages: []Stage{{Model1, 1, Own, Separate}, {HMM, 1, Own, Separate}}, Checkpoint: file}
	}
	if _, _, err := opts().train(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(file + ".1")
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
		{[]byte("pathsum align checkpoint 2: 0 0\n"), nil, c, `does not begin with "pathsum em checkpoint`},
		{good[:len(good)-1], nil, c, "damaged"},
		{good[:150], nil, c, "damaged"},
		{bent, nil, c, "damaged"},
		{good, func(o *setup) { o.Stages[0].Iterations = 2 }, c, "another"},
		{good, func(o *setup) { o.Stages[1].EStep = Joint }, c, "another"},
		{good, func(o *setup) { o.Stages[1].Counting = Averaged }, c, "another"},
		{good, func(o *setup) { o.Prior.Jumps = 1 }, c, "another"},
		{good, func(o *setup) { o.Null = .1 }, c, "another"},
		{good, func(o *setup) { o.Classes = 2 }, c, "another"},
		{good, func(o *setup) { o.Floor = 1e-3 }, c, "another"},
		{good, func(o *setup) { o.Prior.Law = em.Dirichlet{Alpha: 2} }, c, "another"},
		{good, func(o *setup) { o.Prior.Pair = pairs }, c, "another"},
		{good, func(o *setup) { o.Prior.Stem, o.Prior.Strength = strings.ToLower, 1 }, c, "another"},
		{good, func(o *setup) { o.Prior.Classes = 1 }, c, "another"},
		{good, nil, textOf(t, lines[2:]...), "another"},
	} {
		for name, text := range map[string][]byte{file: test.text, file + ".1": second} {
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
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

// put sets the probability of a word, or of NULL, becoming another one in direction ef.
func (m *Model) put(e, f string, p float64) {
	other := m.sides[1].words.find(f)
	if e == "" {
		m.table.null[ef].In(m.theta)[other] = p
		return
	}
	m.theta[2*m.lexicon.find(m.sides[0].words.find(e), other)+ef] = p
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
		start := train(t, c, &setup{Stages: []Stage{{kind, 0, Own, Separate}}})
		start.put("b", "x", 0)
		start.put("b", "y", 1)
		start.put("", "x", 0)
		o := &setup{Stages: []Stage{{kind, 1, Own, Separate}}, Start: start}
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
		o.Start = train(t, rest, &setup{Stages: []Stage{{kind, 0, Own, Separate}}})
		for e, word := range o.Start.sides[0].words.words {
			for slot := o.Start.lexicon.row[e]; slot < o.Start.lexicon.row[e+1]; slot++ {
				f := o.Start.sides[1].words.words[o.Start.lexicon.col[slot]]
				from := start.lexicon.find(start.sides[0].words.find(word), start.sides[1].words.find(f))
				copy(o.Start.theta[2*slot:2*slot+2], start.theta[2*from:])
			}
		}
		for d := range sideNames {
			for w, word := range o.Start.sides[1-d].words.words {
				o.Start.table.null[d].In(o.Start.theta)[w] = start.table.null[d].In(start.theta)[start.sides[1-d].words.find(word)]
			}
		}
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
	start := train(t, only, &setup{Stages: []Stage{{Model1, 0, Own, Separate}}})
	clear(start.theta)
	_, _, err := (&setup{Stages: []Stage{{Model1, 1, Own, Separate}}, Start: start}).train(t.Context(), only)
	if !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("no sentence: %v", err)
	}
}

// TestSkippedCountsNothing: of a sentence of probability 0 nothing is counted, whatever the
// storage held before: an E step over it and others is one over the others.
func TestSkippedCountsNothing(t *testing.T) {
	c := textOf(t, "a b", "x y", "b b", "y x", "a b", "x y")
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		for _, how := range []Counting{Separate, Averaged, Multiplied} {
			m := train(t, c, &setup{Stages: []Stage{{kind, 0, Own, Separate}}})
			cells := c.slots()
			s := Stage{kind, 1, Own, how}
			l, err := m.stage(s, &FitOptions{}, cells, &prior{law: em.Multinomial{}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			expect := func() *em.Expectations {
				e, err := l.Expect(t.Context(), em.Query{Theta: m.theta, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			expect() // which leaves something
			m.put("b", "x", 0)
			m.put("", "x", 0)
			got := expect()
			if len(got.Skipped) != 1 || got.Skipped[0].Index != 1 {
				t.Fatalf("%v: skipped %v", kind, got.Skipped)
			}
			rest, err := l.Likelihood.(em.Excluder).ExpectWithout(t.Context(), em.Query{Theta: m.theta}, got.Skipped)
			if err != nil {
				t.Fatal(err)
			}
			if rest.LogLikelihood != got.LogLikelihood {
				t.Errorf("%v, %v: log likelihood %v, want %v", kind, how, got.LogLikelihood, rest.LogLikelihood)
			}
			for i, x := range got.Counts {
				if x != rest.Counts[i] {
					t.Errorf("%v, %v: %s has the count %v, want %v", kind, how, m.table.params.Name(int32(i)), x, rest.Counts[i])
				}
			}
		}
	}
}
