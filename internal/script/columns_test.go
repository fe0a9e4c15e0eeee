package script

import (
	"slices"
	"testing"
)

// TestReadings: columns are cut as flags require or as the texts suggest, and alternatives that
// only training can distinguish are returned as candidates.
func TestReadings(t *testing.T) {
	words, sounds := []string{"casa", "nó"}, []string{"k a s a", "n o"}
	phrases := []string{"xin chao", "viet nam"}
	spelt := []string{"HH AH", "L"}
	for _, x := range []struct {
		words, targets []string
		swapped        bool
		spaced, form   string
		want           []string // the cut columns, and the form
	}{
		{words[:1], sounds, false, "auto", "auto", []string{"second nfc"}},
		{words, sounds, false, "auto", "auto", []string{"second nfc", "second nfd"}},
		{words, sounds, false, "auto", "none", []string{"second none"}},
		{words[:1], sounds, false, "none", "auto", []string{"none nfc"}},
		{sounds, words[:1], true, "auto", "nfc", []string{"second nfc"}},
		{phrases, sounds, false, "auto", "nfc", []string{"both nfc", "second nfc"}},
		{phrases, sounds, false, "both", "nfc", []string{"both nfc"}},
		{sounds, phrases, true, "auto", "nfc", []string{"both nfc", "second nfc"}},
		{spelt, sounds, false, "auto", "nfc", []string{"both nfc", "second nfc"}},
		{sounds, phrases, false, "auto", "nfc", []string{"both nfc"}}, // the second column is symbols
	} {
		var got []string
		for _, c := range Readings(x.words, x.targets, x.swapped, x.spaced, x.form) {
			if c.Word.Form != c.Target.Form || c.Swapped != x.swapped {
				t.Errorf("%+v", c)
			}
			got = append(got, c.Spaced()+" "+c.Word.Form.String())
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

// TestCut: the names refer to the columns of a file.
func TestCut(t *testing.T) {
	for _, swapped := range []bool{false, true} {
		c := Columns{Swapped: swapped}
		for _, name := range Spacings[1:] {
			if got := c.Cut(name).Spaced(); got != name {
				t.Errorf("%s: %s", name, got)
			}
		}
		if c.Cut("first").Word.Spaced == swapped {
			t.Errorf("swapped %t: %+v", swapped, c.Cut("first"))
		}
	}
}

func TestColumnOf(t *testing.T) {
	for _, x := range []struct {
		names []string
		want  Column
	}{
		{[]string{"a", "é", "<unk>"}, Column{Form: Composed}},
		{[]string{"HH", "A"}, Column{Form: Composed, Spaced: true}},
		{[]string{"e", "\u0301"}, Column{Form: AsIs}},
	} {
		if got := ColumnOf(x.names); got != x.want {
			t.Errorf("%q: %+v, want %+v", x.names, got, x.want)
		}
	}
}
