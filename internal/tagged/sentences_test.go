package tagged_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// load returns the results of Load for a program with these arguments, and standard error.
func load(t *testing.T, builtIn []tagged.Sentence, args ...string) (train, test []tagged.Sentence, stderr string, err error) {
	t.Helper()
	p := program.New("program", "")
	f := tagged.Declare(p)
	p.Do(func(_ context.Context, r *program.Run) error {
		train, test, err = f.Load(r, func() ([]tagged.Sentence, error) { return builtIn, nil })
		return err
	})
	var errs strings.Builder
	p.Execute(t.Context(), args, io.Discard, &errs)
	return train, test, errs.String(), err
}

// Sentences end at empty lines.
func TestLoad(t *testing.T) {
	var text strings.Builder
	for range tagged.HeldOut + 1 {
		text.WriteString("a\tX\nb\tY\n\n\n")
	}
	file := programtest.File(t, "data.tsv", text.String()+"c\tZ") // without an end of line
	train, test, _, err := load(t, nil, "-data", file)
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
	train, test, _, err = load(t, []tagged.Sentence{c}, "-test", file)
	if err != nil || len(train) != 1 || len(test) != tagged.HeldOut+2 {
		t.Error(train, test, err)
	}
	if _, _, _, err := load(t, nil); err == nil || !strings.Contains(err.Error(), "no training sentences") {
		t.Error(err)
	}
}

// TestSkip: in a file with one bad line in twenty, the sentences with bad lines are left out
// and reported; a completely bad file is an error.
func TestSkip(t *testing.T) {
	good := strings.Repeat("a\tX\nb\tY\n\n", 10)
	file := programtest.File(t, "data.tsv", good+"c\tZ\nd\ne\tZ\n\n\xff\nf\tZ\n\ng\tZ\n")
	train, test, stderr, err := load(t, nil, "-data", file)
	if err != nil || len(train)+len(test) != 11 || len(test) != 1 {
		t.Fatalf("%d and %d sentences, %v", len(train), len(test), err)
	}
	if last := train[len(train)-1]; last.Words[0] != "g" {
		t.Errorf("the last sentence is %v", last)
	}
	for _, want := range []string{"skipped: " + file + ":32: no tab", "skipped: " + file + ":35: invalid UTF-8"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %s", want, stderr)
		}
	}
	file = programtest.File(t, "data.tsv", strings.Repeat("a\tB\tC\n", 9))
	if _, _, _, err := load(t, nil, "-data", file); !errors.Is(err, tsv.ErrColumns) || !strings.Contains(err.Error(), "(and 8 more of 9 lines are wrong)") {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]error{"a\tX\nb\n": tsv.ErrNoTab, "a\tX\n\tX": tsv.ErrEmptySide, "a\tX\nb\t": tsv.ErrEmptySide} {
		_, err := tagged.Read(strings.NewReader(text), "name", 0)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "name:2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The column of the tags must be given if there are several: the second may contain lemmas, or
// only _.
func TestColumn(t *testing.T) {
	const text = "the\t_\tDT\ndog\t_\tNN\n"
	if _, err := tagged.Read(strings.NewReader(text), "three.txt", 0); !errors.Is(err, tsv.ErrColumns) ||
		err.Error() != "three.txt:1: wrong number of columns: 3, want word and tag; -column 2 to 3 takes the tags from one of them" {
		t.Errorf("three columns: %v", err)
	}
	for column, want := range map[int][]string{2: {"_", "_"}, 3: {"DT", "NN"}} {
		got, err := tagged.Read(strings.NewReader(text), "three.txt", column)
		if err != nil || len(got) != 1 || !slices.Equal(got[0].Tags, want) || !slices.Equal(got[0].Words, []string{"the", "dog"}) {
			t.Errorf("column %d: %v, %v", column, got, err)
		}
	}
	if _, err := tagged.Read(strings.NewReader(text), "three.txt", 4); !errors.Is(err, tsv.ErrColumns) || !strings.Contains(err.Error(), "want at least 4") {
		t.Errorf("column 4 of 3: %v", err)
	}
	if _, err := tagged.Read(strings.NewReader("a\tX\t\n"), "x", 3); !errors.Is(err, tsv.ErrEmptySide) {
		t.Errorf("an empty tag: %v", err)
	}
}

// TestBlankLines: a line of blanks, or tabs, ends a sentence like an empty one. A blank can be
// a word, as in Japanese.
func TestBlankLines(t *testing.T) {
	want := []tagged.Sentence{{Words: []string{"a"}, Tags: []string{"X"}}, {Words: []string{"b"}, Tags: []string{"Y"}}}
	for _, blank := range []string{"", " ", "\u00a0 ", "\t", " \t\t"} {
		got, err := tagged.Read(strings.NewReader("a\tX\n"+blank+"\nb\tY\n"+blank+"\n"), "name", 0)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: %v, %s", blank, err, d)
		}
	}
	if got, err := tagged.Read(strings.NewReader("\u3000\tX"), "name", 0); err != nil || len(got) != 1 {
		t.Errorf("a blank as a word: %v, %v", got, err)
	}
}

// FuzzRead: every sentence has words, each with its tag, and errors name a line.
func FuzzRead(f *testing.F) {
	f.Add("a\tX\nb\tY\tmore\n\n\nc\tZ")
	f.Add("\ufeffa\tX\r\n\xff\n")
	f.Fuzz(func(t *testing.T, content string) {
		var sentences []tagged.Sentence
		var err error
		memtest.Bound(t, len(content), 200, func() { sentences, err = tagged.Read(strings.NewReader(content), "name", 0) })
		var e *text.Error
		if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(content, "\n")+strings.Count(content, "\r")+1) {
			t.Fatal(err)
		}
		for i, s := range sentences {
			if len(s.Words) == 0 || len(s.Words) != len(s.Tags) {
				t.Fatalf("sentence %d: %+v", i, s)
			}
		}
	})
}
