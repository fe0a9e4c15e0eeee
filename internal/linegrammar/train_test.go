package linegrammar_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// compiled are grammars that tests may change.
var compiled = [...]func() (*linegrammar.Grammar, error){
	sync.OnceValues(func() (*linegrammar.Grammar, error) { return grammars.Load(grammars.WrittenSpoken, nil) }),
	sync.OnceValues(func() (*linegrammar.Grammar, error) { return grammars.Load(grammars.SpokenWritten, nil) }),
}

// contextual returns a grammar whose contexts have these words, at its default parameters.
func contextual(t testing.TB, d grammars.Direction, words ...string) *linegrammar.Grammar {
	t.Helper()
	g, err := compiled[d]()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddContexts(words); err != nil {
		t.Fatal(err)
	}
	if err := g.Use(g.Params.Start()); err != nil {
		t.Fatal(err)
	}
	return g
}

// The objective of training is the sum of the log shares of the expected readings in the
// probabilities of all readings, counted path by path.
func TestObjective(t *testing.T) {
	g := contextual(t, grammars.SpokenWritten, "room", "at")
	theta := g.Params.Start()
	before, _ := g.Strengths(theta)
	for i := range before {
		before[i] = float64(i%7) / 4
	}
	machine, err := cascade.Instantiate(g.Params, g.Trainable(), theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []linegrammar.Example{
		{Input: "room two thirty", Expected: "room 230"},
		{Input: "at two thirty", Expected: "at 02:30"},
		{Input: "a second", Expected: "a second"},
	} {
		input, err := g.Marks(theta, x.Input)
		if err != nil {
			t.Fatal(err)
		}
		lattice, err := fst.Connect(fst.Compose(input, machine), nil)
		if err != nil {
			t.Fatal(err)
		}
		right, all, readings := 0.0, 0.0, map[string]bool{}
		for p := range lattice.Paths() {
			if linegrammar.Decode(p.Out) == x.Expected {
				right += p.Weight
			}
			all += p.Weight
			readings[linegrammar.Decode(p.Out)] = true
		}
		l, err := g.Likelihood([]linegrammar.Example{x})
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.Expect(t.Context(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if want := math.Log(right / all); !(math.Abs(e.LogLikelihood-want) <= 1e-9) || len(readings) < 2 {
			t.Errorf("%s: objective %g, want %g from %d readings", x.Input, e.LogLikelihood, want, len(readings))
		}
	}
}

// Words around numbers are learnt from some lines and generalize to others.
func TestTraining(t *testing.T) {
	all, err := grammars.Ambiguous()
	if err != nil {
		t.Fatal(err)
	}
	var known, held []linegrammar.Example
	for i, x := range all {
		if x.Direction != grammars.SpokenWritten {
			continue
		}
		if i%3 == 0 {
			held = append(held, x.Example)
		} else {
			known = append(known, x.Example)
		}
	}
	g := contextual(t, grammars.SpokenWritten, linegrammar.ContextWords(known, 12)...)
	right := func() (n int) {
		for _, x := range held {
			readings, err := g.Apply(x.Input, 1)
			if err != nil {
				t.Fatal(err)
			}
			if readings[0].Text == x.Expected {
				n++
			}
		}
		return n
	}
	before := right()
	result, err := g.Train(t.Context(), known, em.Options{Iterations: 10})
	if err != nil {
		t.Fatal(err)
	}
	after := right()
	if len(result.Skipped) > 0 || !slices.IsSorted(result.Objective) || after < before+5 || after < len(held)*4/5 {
		t.Errorf("objective %.4g; %d of %d held-out lines are right, before %d; skipped %v", result.Objective, after, len(held), before, result.Skipped)
	}

	// After saving and loading, readings are the same.
	var text bytes.Buffer
	if err := linegrammar.SaveParameters(&text, []*linegrammar.Grammar{g}); err != nil {
		t.Fatal(err)
	}
	h, err := grammars.Load(grammars.SpokenWritten, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := loadFrom(h, text.String()); err != nil {
		t.Fatal(err)
	}
	for _, x := range held {
		want, _ := g.Apply(x.Input, 2)
		if got, err := h.Apply(x.Input, 2); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %v, want %v", x.Input, got, err, want)
		}
	}
	text.Reset()
	h = contextual(t, grammars.SpokenWritten)
	if err := linegrammar.SaveParameters(&text, []*linegrammar.Grammar{h}); err != nil {
		t.Fatal(err)
	}
	whole := text.String()
	body, _, _ := strings.Cut(whole, linegrammar.End+"\t")
	n := strings.Count(body, "\n")
	ended := func(body string, n int) string { return fmt.Sprintf("%send\tparameters\t%d\n", body, n) }
	if ended(body, n) != whole {
		t.Fatalf("%q", whole)
	}
	const more = "spoken-written\tx[y]\t1\n"
	for _, bad := range []struct{ text, want string }{
		{"", "no end after 0 parameters"},
		{body, "no end"},
		{body[:len(body)/2], ""},
		{ended("", 0), "no value of"},
		{ended(body, n+1), "parameters after"},
		{whole + more, "after the end"},
		{ended(body+more, n+1), "does not have"},
		{ended(body+body, 2*n), "comes twice"},
		{strings.Replace(whole, "\t0.", "\t7", 1), "bad parameter"},
		{"spoken-written\tx[y]\tz\n", "want a number"},
	} {
		if err := loadFrom(h, bad.text); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v, want %s", err, bad.want)
		}
	}
}

// loadFrom loads the parameters saved in a text into g.
func loadFrom(g *linegrammar.Grammar, text string) error {
	saved, err := linegrammar.ReadParameters(strings.NewReader(text))
	if err != nil {
		return err
	}
	return g.Load(saved)
}

// Marks on a tape identify the parameters on a path, and nothing else changes.
func TestMarked(t *testing.T) {
	g := contextual(t, grammars.SpokenWritten)
	kinds, m, err := g.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) < 2 || !slices.Contains(kinds, "word") {
		t.Fatalf("kinds %q", kinds)
	}
	in := fst.RuneLabels("room two")
	word, cardinal := linegrammar.FirstMark+int32(slices.Index(kinds, "word")), linegrammar.FirstMark+int32(slices.Index(kinds, "cardinal"))
	in = slices.Insert(in, 5, cardinal)
	in = slices.Insert(in, 0, word)
	weight := func(f *fst.FST[expr.W], in []int32, out string) float64 {
		r, err := cascade.Instantiate(g.Params, f, g.Params.Start(), semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := fst.Weight(r, in, fst.RuneLabels(out), nil)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	got, want := weight(m, in, "room 2"), weight(g.Model, fst.RuneLabels("room two"), "room 2")
	if !(got > 0) || got > want*(1+1e-9) {
		t.Errorf("weight %g with marks, %g of all kinds", got, want)
	}
	in[0] = cardinal
	if got := weight(m, in, "room 2"); got != 0 {
		t.Errorf("weight %g of a cardinal that is a word", got)
	}
}

// A line of several pieces is read like its sentences.
func TestLongLine(t *testing.T) {
	const sentence, said = "He paid $5 on 3 May 2014. ", "He paid five dollars on the third of may twenty fourteen. "
	line := strings.Repeat(sentence, 3*linegrammar.Longest/len(sentence))
	readings, err := contextual(t, grammars.WrittenSpoken).Apply(line, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(said, 3*linegrammar.Longest/len(sentence)); readings[0].Text != want {
		t.Errorf("%d bytes, want %d", len(readings[0].Text), len(want))
	}
	empty, err := contextual(t, grammars.WrittenSpoken).Apply("", 1)
	if err != nil || empty[0].Text != "" {
		t.Errorf("the empty line: %v, %v", empty, err)
	}
}
