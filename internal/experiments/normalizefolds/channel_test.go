package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/semiring"
)

// loaded returns a grammar at its default parameters.
func loaded(t *testing.T, d grammars.Direction) *linegrammar.Grammar {
	t.Helper()
	g, err := grammars.Load(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The cost of a text is −ln of the probability of its words in the n-gram model, times the
// share of the line in all readings of the text, counted path by path. The channel finds the
// text of the least cost.
func TestChannel(t *testing.T) {
	g := loaded(t, grammars.SpokenWritten)
	texts := []string{"room two thirty", "at two thirty we left", "room nine fifteen", "a second", "at nine we left"}
	c, err := newChannel(g, texts)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := cascade.Instantiate(g.Params, g.Model, g.Theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	share := func(text, line string) float64 {
		f, err := fst.Connect(fst.Compose(fst.FromString(semiring.Real{}, g.Encode(text)), machine), nil)
		if err != nil {
			t.Fatal(err)
		}
		right, all := 0.0, 0.0
		for p := range f.Paths() {
			if linegrammar.Decode(p.Out) == line {
				right += p.Weight
			}
			all += p.Weight
		}
		return right / all
	}
	var names []string
	for _, text := range texts {
		for _, w := range strings.Fields(text) {
			if !slices.Contains(names, w) {
				names = append(names, w)
			}
		}
	}
	for _, x := range []struct{ line, want string }{{"room 230", "room two thirty"}, {"at 09:15", "at nine fifteen"}} {
		got, err := c.Apply(x.line, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Text != x.want || !slices.IsSortedFunc(got, func(a, b linegrammar.Reading) int { return int(math.Copysign(1, a.Cost-b.Cost)) }) {
			t.Errorf("%s is explained by %v, want %s", x.line, got, x.want)
		}
		var words []int32
		for _, w := range strings.Fields(x.want) {
			words = append(words, int32(1+slices.Index(names, w)))
		}
		if want := -c.model.LogProb(words) - math.Log(share(x.want, x.line)); math.Abs(got[0].Cost-want) > 1e-9*want {
			t.Errorf("%s: cost %g, want %g", x.line, got[0].Cost, want)
		}
	}
	if _, err := c.Apply("\x01\x02", 1); err != nil {
		t.Errorf("a line of unknown words: %v", err)
	}
}

// Blanks separate words, digits match any digits, and all unknown words are one word.
func TestWordMachine(t *testing.T) {
	g := loaded(t, grammars.WrittenSpoken)
	m, err := wordMachine(g.Alphabet, []string{"at", "0:00", "中"})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(g.Alphabet.Len())
	for _, x := range []struct {
		text string
		want []int32
		cost float64
	}{
		{"", nil, 0},
		{" at  at ", []int32{1, 1}, 0},
		{"at 2:30", []int32{1, 2}, 3 * math.Log(10)},
		{"at 2:30", []int32{4, 2}, 3*math.Log(10) + 2*math.Log(n)},
		{"中", []int32{3}, 0},
		{"ab", []int32{4}, 2 * math.Log(n)},
		{"ab", []int32{1}, math.Inf(1)},
		{"at at", []int32{1}, math.Inf(1)},
	} {
		w, err := fst.Weight(m, g.Encode(x.text), x.want, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(w); got != x.cost && !(math.Abs(got-x.cost) < 1e-9) {
			t.Errorf("%q, words %v: cost %g, want %g", x.text, x.want, got, x.cost)
		}
	}
}
