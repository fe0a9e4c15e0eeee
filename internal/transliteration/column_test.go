package transliteration

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/nbest"
)

// TestColumn: a column reads and writes the symbols that it has learnt, and reads others as the
// closest known ones.
func TestColumn(t *testing.T) {
	letters, kana := NewColumn(script.Decomposed, false), NewColumn(script.Composed, true)
	letters.Learn("zoé new")
	letters.Add("q")
	kana.Learn("ファン・シャ")
	for _, c := range []struct {
		column      *Column
		text, again string
		unknown     int
	}{
		{letters, "zone", "zone", 0},
		{letters, "NÉE", "née", 3}, // N, E and E; the accent is known
		{letters, "one q", "one ", 1},
		{letters, "", "", 0},
		{kana, "シャン", "シャン", 0},
		{kana, "ﾌｧ", "ファ", 2}, // of half width
		{kana, "ンャ", "ン", 1},  // a small kana that is known in シャ only
		{kana, "ン・ファ", "ン・ファ", 0},
	} {
		for range 2 {
			labels, unknown := c.column.Labels(c.text)
			if got, ok := c.column.Text(labels); !ok || got != c.again || len(unknown) != c.unknown {
				t.Errorf("%q is read as %q (%v), unknown: %v", c.text, got, ok, unknown)
			}
			c.column = c.column.Saved().Column()
		}
	}
	for _, spelling := range []string{"f a", "f y", "n' a", "sh"} {
		var labels []int32
		for s := range strings.FieldsSeq(spelling) {
			labels = append(labels, kana.Symbols.Add(s))
		}
		_, ok := kana.Text(labels)
		if want := spelling == "f a" || spelling == "n' a"; ok != want {
			t.Errorf("%s is text: %v, want %v", spelling, ok, want)
		}
	}
	if _, ok := kana.Text([]int32{99}); ok {
		t.Error("a label without a name is text")
	}
}

// fixed is a model with the same candidates for all queries.
type fixed []nbest.Candidate

func (f fixed) Best(_ context.Context, _ []int32, n int) ([]nbest.Candidate, error) {
	return f[:min(n, len(f))], nil
}

func (f fixed) LogProb(_, _ []int32) (float64, error) { return 0, nil }

func TestAnswer(t *testing.T) {
	letters, kana := NewColumn(script.Composed, false), NewColumn(script.Composed, true)
	letters.Learn("ab")
	k := kana.Learn("カ")
	forward := &Transliterator{"forward", letters, kana, fixed{{Labels: k[:1], LogProb: -1}, {Labels: k, LogProb: -2}, {Labels: append(k, k...), LogProb: -3}}}
	backward := &Transliterator{"backward", kana, letters, fixed{{Labels: []int32{1}, LogProb: -1}}}
	for _, c := range []struct {
		line    string
		n       int
		want    []string
		problem string
	}{
		{"ab", 1, []string{"カ"}, ""}, // the first candidate is a consonant
		{"a", 3, []string{"カ", "-2.0000", "カカ", "-3.0000"}, ""},
		{"カ", 1, []string{"a"}, ""},
		{"カb", 1, []string{"カ"}, `unknown symbol "カ" at position 1, left out`},
		{"a?", 2, []string{"カ", "-3.0986", "カカ", "-4.6094"}, `unknown symbol "?"`}, // ln 3, ln 5
		{"?", 1, nil, "no symbol that is known"},
		{"", 1, nil, "empty line"},
		{" ", 1, nil, "empty line"},
	} {
		got, err := Answer(t.Context(), Both, c.line, c.n, forward, backward)
		if d := cmp.Diff(c.want, got); d != "" || c.problem == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q: %v, %s", c.line, err, d)
		}
	}
	none := &Transliterator{"none", letters, kana, fixed{{Labels: k[:1], LogProb: -1}}}
	if _, _, err := none.Best(t.Context(), "a", 1); !errors.Is(err, ErrNone) {
		t.Errorf("a consonant is a candidate: %v", err)
	}
	if got, _, _ := forward.Best(t.Context(), "a", 2); !slices.IsSortedFunc(got, func(a, b Candidate) int { return int(b.Score - a.Score) }) || len(got) != 2 {
		t.Errorf("%v", got)
	}
}
