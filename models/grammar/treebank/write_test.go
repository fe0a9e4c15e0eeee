package treebank

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/trials"
)

// A word of Universal Dependencies may have a space, which the columns of a line cannot.
const withSpace = "1\tза\tза\tADP\t_\t_\t3\tcase\t_\t_\n2\t26 000\t26000\tNUM\t_\t_\t3\tnummod\t_\t_\n3\tдол\tдол.\tNOUN\t_\t_\t0\troot\t_\t_\n\n"

func TestWriteRefuses(t *testing.T) {
	read, err := Collect(CoNLLU(strings.NewReader(withSpace), "x.conllu", UPOS))
	if err != nil || len(read) != 1 || read[0].Words[1] != "26 000" {
		t.Fatalf("%v, %v", read, err)
	}
	var b bytes.Buffer
	if err := Write(&b, &read[0]); !errors.Is(err, ErrInvalid) || err.Error() != `treebank: invalid input: word 2 is "26 000", want UTF-8 without spaces, tabs and ends of lines` || b.Len() > 0 {
		t.Errorf("a word with a space: %v, written %q", err, b.String())
	}
	// No word has a tag of the language's own.
	if s, err := Collect(CoNLLU(strings.NewReader(withSpace), "x.conllu", XPOS)); !errors.Is(err, ErrFormat) || err.Error() != "x.conllu:3: bad format: column 5 (XPOS): no word has a tag" {
		t.Errorf("no tags: %v, %v", s, err)
	}
	some := strings.Replace(withSpace, "ADP\t_", "ADP\tIN", 1)
	if s, err := Collect(CoNLLU(strings.NewReader(some), "x.conllu", XPOS)); err != nil || s[0].Tags[0] != "IN" || s[0].Tags[1] != "_" {
		t.Errorf("some tags: %v, %v", s, err)
	}
	for _, s := range []Sentence{
		{},
		{Words: []string{"a"}},
		{Words: []string{"a", "b"}, Tags: []string{"X"}},
		{Tags: []string{"X"}, Heads: []int{}},
		{Tags: []string{"X", "Y"}, Heads: []int{1, 0}},
		{Tags: []string{"X", "Y"}, Spans: []Span{{0, 1}}},
		{Tags: []string{"X", "Y", "Z"}, Spans: []Span{{0, 2}, {1, 3}}},
		{Tags: []string{"X"}, ID: "a\tb"},
		{Words: []string{strings.Repeat("w", text.MaxLine)}, Tags: []string{"X"}},
	} {
		if err := Write(io.Discard, &s); !errors.Is(err, ErrInvalid) || len(err.Error()) > 250 {
			t.Errorf("%.100v: %v", s, err)
		}
	}
}

// What is written is an error, or comes back.
func TestWriteComesBack(t *testing.T) {
	hostile := []string{"", " ", "a b", "a\tb", "a\nb", "a\rb", "_", "-", "0", "#", "\ufeff", "\ufeffa", "\x00", "\xff", "\xff\xfe", "\u00a0", "\u2028", "\v", "(", ")", "\"", "日本", strings.Repeat("x", 300)}
	written := 0
	for seed := range trials.Seeds(2000) {
		rng := rand.New(rand.NewPCG(seed, 18))
		pick := func() string {
			if rng.IntN(4) > 0 {
				return "w"
			}
			return hostile[rng.IntN(len(hostile))]
		}
		s := Sentence{ID: pick()}
		for range 1 + rng.IntN(3) {
			s.Words, s.Tags = append(s.Words, pick()), append(s.Tags, pick())
		}
		n := len(s.Tags)
		if rng.IntN(2) == 0 {
			for range n {
				s.Heads = append(s.Heads, rng.IntN(n+1)-1)
			}
		}
		if rng.IntN(2) == 0 {
			s.Spans = []Span{}
			for range rng.IntN(3) {
				s.Spans = append(s.Spans, Span{rng.IntN(n), rng.IntN(n + 1)})
			}
		}
		var b bytes.Buffer
		if err := Write(&b, &s); err != nil {
			if !errors.Is(err, ErrInvalid) || b.Len() > 0 {
				t.Fatalf("seed %d: %v, written %q", seed, err, b.String())
			}
			continue
		}
		written++
		if s.Spans != nil {
			s.Spans = unique(s.Spans)
		}
		again, err := Collect(Sentences(&b, "x"))
		if err != nil || len(again) != 1 {
			t.Fatalf("seed %d: %v, %v", seed, again, err)
		}
		if d := cmp.Diff(s, again[0]); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
	if written < 200 {
		t.Errorf("%d sentences were written", written)
	}
}
