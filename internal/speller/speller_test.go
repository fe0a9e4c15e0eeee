package speller_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/speller"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

func TestBadModels(t *testing.T) {
	for text, want := range map[string]string{
		"x":  "no saved model",
		"{}": `format "", want "pathsum spelling 1"`,
		`{"Format": "pathsum spelling 1", "Words": ["a"]}`:                                                    "1 words and 0 counts",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1]}`:                                     "0 exponents, want 4",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1], "Weights": [1,1,1,1], "Sounds": {}}`: "4 exponents, want 7",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1], "Weights": [1,1,1,1], "Scout": {}}`:  "pathsum model",
	} {
		if _, err := speller.Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestWords: words are compared in lower case without blanks, a bad line yields an error, and
// the counts of equal words are added.
func TestWords(t *testing.T) {
	var words []speller.Word
	wrong := 0
	for w, err := range speller.Words(tsv.Rows(strings.NewReader("Their\t2\n their \t1\ncat\t-1\n \t1\nact\n"), "f", 1, 2), "f") {
		var at *text.Error
		if errors.As(err, &at) && at.File == "f" && at.Line >= 3 {
			wrong++
		} else {
			words = append(words, w)
		}
	}
	want := []speller.Word{{Text: "act"}, {Text: "their", Count: 3}}
	if got := speller.Lexicon(words); !slices.Equal(got, want) || wrong != 2 {
		t.Errorf("%v and %d wrong lines, want %v and 2", got, wrong, want)
	}
}

func TestRanked(t *testing.T) {
	all := []speller.Accuracy{
		speller.Ranked([]string{"a", "b"}, "a"), speller.Ranked([]string{"a", "b"}, "b"), speller.Ranked(nil, "a"),
		speller.Ranked(append(make([]string, speller.Asked), "a"), "a"),
	}
	if got := speller.Mean(all); got != (speller.Accuracy{Top1: .25, Top10: .5}) {
		t.Errorf("%+v", got)
	}
}
