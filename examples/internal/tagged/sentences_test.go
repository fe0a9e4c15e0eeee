package tagged_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/examples/internal/programtest"
	"example.org/pathsum/examples/internal/tagged"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/tsv"
)

// Sentences end at empty lines, and more columns than two are let be.
func TestLoad(t *testing.T) {
	var text strings.Builder
	for range tagged.HeldOut + 1 {
		text.WriteString("a\tX\nb\tY\tmore\n\n\n")
	}
	file := programtest.File(t, "data.tsv", text.String()+"c\tZ") // and no end of line
	train, test, err := tagged.Load(file, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ab, c := tagged.Sentence{Words: []string{"a", "b"}, Tags: []string{"X", "Y"}}, tagged.Sentence{Words: []string{"c"}, Tags: []string{"Z"}}
	if d := cmp.Diff([]tagged.Sentence{ab, ab, ab, ab, ab, ab, c}, train); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]tagged.Sentence{ab}, test); d != "" {
		t.Error(d)
	}
	train, test, err = tagged.Load("", file, func() ([]tagged.Sentence, error) { return []tagged.Sentence{c}, nil })
	if err != nil || len(train) != 1 || len(test) != tagged.HeldOut+2 {
		t.Error(train, test, err)
	}
	fault := errors.New("fault")
	if _, _, err := tagged.Load("", "", func() ([]tagged.Sentence, error) { return nil, fault }); err != fault {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]error{"a\tX\nb\n": tsv.ErrNoTab, "a\tX\n\tX": tsv.ErrEmptySide, "a\tX\nb\t": tsv.ErrEmptySide} {
		_, err := tagged.Read(strings.NewReader(text), "name")
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "name:2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzRead: every sentence has words, each with its tag, and errors name a line.
func FuzzRead(f *testing.F) {
	f.Add("a\tX\nb\tY\tmore\n\n\nc\tZ")
	f.Add("\ufeffa\tX\r\n\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		var sentences []tagged.Sentence
		var err error
		memtest.Bound(t, len(text), 200, func() { sentences, err = tagged.Read(strings.NewReader(text), "name") })
		var e *tsv.Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1) {
			t.Fatal(err)
		}
		for i, s := range sentences {
			if len(s.Words) == 0 || len(s.Words) != len(s.Tags) {
				t.Fatalf("sentence %d: %+v", i, s)
			}
		}
	})
}
