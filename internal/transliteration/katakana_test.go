package transliteration

import (
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/tsv"
)

// Katakana and letters are one to one.
func TestKatakana(t *testing.T) {
	if len(morae) != len(katakana) {
		t.Errorf("%d morae have %d spellings", len(morae), len(katakana))
	}
	for p, err := range tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv") {
		if err != nil {
			t.Fatal(err)
		}
		kana := tsv.Symbols(p.Right)
		if got, ok := Read(Spell(kana)); !ok || got != strings.Join(kana, "") {
			t.Errorf("%s is spelt %v, which is %s (%v)", p.Right, Spell(kana), got, ok)
		}
	}
	for _, c := range []struct{ kana, letters string }{
		{"シャンソン", "sh a n' s o n'"},
		{"キィー", "k i ィ -"}, // no mora of its own
		{"クァッ", "k w a q"},
		{"ャ", "ャ"},
		{"アa-", `a \a \-`},
		{"", ""},
	} {
		letters := strings.Fields(c.letters)
		if got := Spell(strings.Split(c.kana, "")); c.kana != "" && !slices.Equal(got, letters) {
			t.Errorf("%s is spelt %v, want %v", c.kana, got, letters)
		}
		if got, ok := Read(letters); !ok || got != c.kana {
			t.Errorf("%v is %s (%v), want %s", letters, got, ok, c.kana)
		}
	}
	for _, letters := range []string{"k", "k a t", "sh y a", "ky a", "b -"} {
		if got, ok := Read(strings.Fields(letters)); ok {
			t.Errorf("%s is %s, want none", letters, got)
		}
	}
}
