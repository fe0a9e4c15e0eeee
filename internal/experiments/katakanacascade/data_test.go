package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/internal/tsv"
)

// known returns the data that the program reads from two files.
func known(t testing.TB, train, test string) (*data, *table) {
	t.Helper()
	tb, err := loadTable()
	if err != nil {
		t.Fatal(err)
	}
	var d *data
	p := program.New("test", "")
	p.Do(func(_ context.Context, r *program.Run) error {
		all, err := transliteration.ReadData(r, train, test)
		d = newData(all, script.AsIs, tb)
		return err
	})
	var stderr bytes.Buffer
	if status := p.Execute(t.Context(), nil, io.Discard, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	return d, tb
}

func TestEmbeddedPairs(t *testing.T) {
	pairs, err := tsv.Collect(tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) < 600 || len(pairs) > 900 {
		t.Errorf("%d pairs", len(pairs))
	}
	if !slices.IsSortedFunc(pairs, func(a, b tsv.Pair) int { return strings.Compare(a.Left, b.Left) }) {
		t.Error("not in alphabetical order")
	}
	_, m := counting(t)
	d, tb := known(t, "", "")
	if len(d.train)+len(d.test) != len(pairs) || len(d.test) != len(pairs)/transliteration.HeldOut {
		t.Errorf("%d training and %d test pairs of %d", len(d.train), len(d.test), len(pairs))
	}
	words := map[string]bool{}
	latin := regexp.MustCompile(`^[a-z]{2,}$`)
	all := d.test
	for _, p := range d.train {
		all = append(all, p.Pair)
	}
	for _, p := range all {
		if !latin.MatchString(p.Latin) || words[p.Latin] {
			t.Errorf("%s: %q, want a word of letters a-z that occurs once", p.Where, p.Latin)
		}
		words[p.Latin] = true
		if _, unknown := d.letters.Labels(p.Latin); unknown != nil {
			t.Errorf("%s: %q has a letter that no training word has", p.Where, p.Latin)
		}
		if ways(t, m, text(t, tb.kana, p.Kana)) == 0 {
			t.Errorf("%s: %s has no spelling in romaji", p.Where, p.Kana)
		}
	}
}

// TestLabels: letters are numbered in order of occurrence, katakana as in the table, and the
// weight of a pair is the logarithm of its count.
func TestLabels(t *testing.T) {
	d, tb := known(t, programtest.File(t, "train.tsv", "maria\tマ リ ア\t3\nana\tア ナ\n"), programtest.File(t, "test.tsv", "marina\tマ リ ー ナ\n"))
	p := d.train[0]
	if p.weight != 2 || !slices.Equal(p.x, []int32{1, 2, 3, 4, 2}) || d.letters.Symbols.Len() != 1+5 {
		t.Errorf("%+v", p)
	}
	if kana, err := tb.kana.Decode(p.y); err != nil || strings.Join(kana, "") != p.Kana {
		t.Errorf("%v, %v", kana, err)
	}
}

// TestStrangeCharacters: katakana that no entry writes get new labels, so that such pairs can
// be reported as not derivable.
func TestStrangeCharacters(t *testing.T) {
	d, tb := known(t, programtest.File(t, "a.tsv", "anna=maria\tア ン ナ ＝ マ リ ア\nana\tア ナ\n"), programtest.File(t, "b.tsv", "ana\tア “ ナ\n"))
	_, m := counting(t)
	for _, y := range [][]int32{d.train[0].y, tb.column.Add(d.test[0].Kana)} {
		if slices.Contains(y, fst.Epsilon) {
			t.Errorf("%d has the label ε", y)
		}
		if n := ways(t, m, fst.FromString(m.Semiring(), y)); n != 0 {
			t.Errorf("%d has %d spellings", y, n)
		}
	}
	if ways(t, m, text(t, tb.kana, "アナ")) != 1 {
		t.Error("アナ has no spelling")
	}
}
