package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/tsv"
)

func load(t testing.TB, train, test string) (*data, *table, error) {
	t.Helper()
	tb, err := loadTable()
	if err != nil {
		t.Fatal(err)
	}
	d, err := loadData(train, test, heldOut)
	if err == nil {
		d.label(script.AsIs, tb.column)
	}
	return d, tb, err
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
	d, tb, err := load(t, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.train)+len(d.test) != len(pairs) || len(d.test) != len(pairs)/heldOut {
		t.Errorf("%d training and %d test pairs of %d", len(d.train), len(d.test), len(pairs))
	}
	words := map[string]bool{}
	latin := regexp.MustCompile(`^[a-z]{2,}$`)
	for _, p := range slices.Concat(d.train, d.test) {
		if !latin.MatchString(p.latin) || words[p.latin] {
			t.Errorf("%s: %q, want a word of letters a-z that occurs once", p.where, p.latin)
		}
		words[p.latin] = true
		if _, unknown := d.letters.Labels(p.latin); unknown != nil {
			t.Errorf("%s: %q has a letter that no training word has", p.where, p.latin)
		}
		if ways(t, m, text(t, tb.kana, p.kana)) == 0 {
			t.Errorf("%s: %s has no spelling in romaji", p.where, p.kana)
		}
	}
}

func TestLoadFiles(t *testing.T) {
	train := programtest.File(t, "train.tsv", "maria\tマ リ ア\t3\nana\tア ナ\n")
	test := programtest.File(t, "test.tsv", "marina\tマ リ ー ナ\nzoë\tゾ エ\t1\nmia\tミ “ ア\n")
	d, tb, err := load(t, train, test)
	if err != nil {
		t.Fatal(err)
	}
	p := d.train[0]
	if p.latin != "maria" || p.kana != "マリア" || p.weight != 2 || p.where != train+":1" || !slices.Equal(p.x, []int32{1, 2, 3, 4, 2}) {
		t.Errorf("%+v", p)
	}
	if kana, err := tb.kana.Decode(p.y); err != nil || strings.Join(kana, "") != p.kana {
		t.Errorf("%v, %v", kana, err)
	}
	if d.test[0].x != nil || d.letters.Symbols.Len() != 1+5 {
		t.Errorf("%+v", d)
	}
	if where, n := d.unknown(); n != 2 || where != test+`:2: "z" in zoë ゾエ` {
		t.Errorf("%d unknown, the first %s", n, where)
	}
}

func TestLoadErrors(t *testing.T) {
	good := programtest.File(t, "good.tsv", strings.Repeat("maria\tマ リ ア\n", heldOut))
	few := programtest.File(t, "few.tsv", strings.Repeat("maria\tマ リ ア\n", heldOut-1))
	bad := programtest.File(t, "bad.tsv", "maria\tマ リ ア\nmario マ リ オ\n")
	empty := programtest.File(t, "empty.tsv", "")
	for _, test := range []struct {
		train, test string
		want        string
	}{
		{bad, "", bad + ":2: no tab"},
		{good, bad, bad + ":2: no tab"},
		{few, "", "no test pairs: give -test, or at least 8 pairs"},
		{empty, "", "no training pairs"},
		{good, empty, "no test pairs"},
	} {
		if _, _, err := load(t, test.train, test.test); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	if _, _, err := load(t, good+"x", ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if d, _, err := load(t, good, ""); err != nil || len(d.train) != heldOut-1 || len(d.test) != 1 {
		t.Errorf("%v", err)
	}
}

// TestStrangeCharacters: katakana that no entry writes get labels of their own, so
// that such pairs can be reported as not derivable.
func TestStrangeCharacters(t *testing.T) {
	d, tb, err := load(t, programtest.File(t, "a.tsv", "anna=maria\tア ン ナ ＝ マ リ ア\nana\tア ナ\n"), programtest.File(t, "b.tsv", "ana\tア “ ナ\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, m := counting(t)
	for _, p := range []pair{d.train[0], {kana: d.test[0].kana, y: tb.column.Add(d.test[0].kana)}} {
		if slices.Contains(p.y, fst.Epsilon) {
			t.Errorf("%s has the label ε", p.kana)
		}
		if n := ways(t, m, fst.FromString(m.Semiring(), p.y)); n != 0 {
			t.Errorf("%s has %d spellings", p.kana, n)
		}
	}
	if ways(t, m, text(t, tb.kana, "アナ")) != 1 {
		t.Error("アナ has no spelling")
	}
}
