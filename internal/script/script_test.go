package script

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestForm(t *testing.T) {
	for name, want := range map[string]string{"none": "e\u0301\u00e9한", "nfc": "\u00e9\u00e9한", "nfd": "e\u0301e\u0301\u1112\u1161\u11ab"} {
		f, err := ParseForm(name)
		if err != nil || f.String() != name {
			t.Fatalf("%s: %v, %v", name, f, err)
		}
		if got := f.Of("e\u0301\u00e9한"); got != want {
			t.Errorf("%s: %+q, want %+q", name, got, want)
		}
	}
	if _, err := ParseForm("nfkc"); err == nil {
		t.Error("nfkc: no error")
	}
	if s := Form(7).String(); s != "Form(7)" {
		t.Error(s)
	}
}

// Join restores the text that Split cut, in composed form or unchanged.
func TestColumn(t *testing.T) {
	for _, x := range []struct {
		c    Column
		text string
		want []string
	}{
		{Column{}, "new york", []string{"n", "e", "w", " ", "y", "o", "r", "k"}},
		{Column{AsIs, true}, "n j u", []string{"n", "j", "u"}},
		{Column{Composed, false}, "e\u0301a", []string{"\u00e9", "a"}},
		{Column{Decomposed, false}, "\u00e9a", []string{"e", "\u0301", "a"}},
		{Column{Decomposed, true}, "\u00e9 a", []string{"e\u0301", "a"}},
		{Column{}, "", nil},
		{Column{AsIs, true}, "  ", nil},
	} {
		got := x.c.Split(x.text)
		if !slices.Equal(got, x.want) {
			t.Errorf("%+v: %q is cut into %+q, want %+q", x.c, x.text, got, x.want)
		}
		want := strings.TrimSpace(x.text)
		if x.c.Form != AsIs {
			want = norm.NFC.String(want)
		}
		if again := x.c.Join(got); again != want {
			t.Errorf("%+v: %+q is joined to %+q, want %+q", x.c, got, again, want)
		}
	}
}

func TestSpaced(t *testing.T) {
	for _, x := range []struct {
		texts []string
		want  bool
	}{
		{[]string{"n j u", "a", "b c"}, true},
		{[]string{"new york", "paris", "rome"}, false},
		{[]string{"a", "é", " b "}, false},
		{[]string{"a b", "paris"}, false},
		{nil, false},
	} {
		if got := Spaced(x.texts); got != x.want {
			t.Errorf("%q: %v", x.texts, got)
		}
	}
}

func TestForms(t *testing.T) {
	for _, x := range []struct {
		text   string
		spaced bool
		want   []Form
	}{{"abc", false, []Form{Composed}}, {"abé", false, []Form{Composed, Decomposed}}, {"a é", true, []Form{Composed}}} {
		if got := Forms(Column{Spaced: x.spaced}, slices.Values([]string{"", x.text})); !slices.Equal(got, x.want) {
			t.Errorf("%q: %v, want %v", x.text, got, x.want)
		}
	}
}

func TestRead(t *testing.T) {
	alphabet := []string{"a", "e", "\u00f1", "I", "f", "i", "o", "\u0308", "AA1"}
	known := func(s string) bool { return slices.Contains(alphabet, s) }
	for symbol, want := range map[string]string{
		"a": "a", "A": "a", "E": "e", "\u00e9": "e", "\u00c9": "e", "n\u0303": "\u00f1", "\u00f6": "o|\u0308", "\u00d6": "o|\u0308",
		"\ufb01": "f|i", "\uff41": "a", "aa1": "AA1", "\u20ac": "", " ": "", "x": "",
	} {
		read, unknown := Read([]string{"a", symbol, "a"}, known)
		if got := strings.Join(read[1:len(read)-1], "|"); got != want {
			t.Errorf("%+q is read as %+q, want %+q", symbol, got, want)
		}
		if known(symbol) != (unknown.Err() == nil) {
			t.Errorf("%+q: %v", symbol, unknown)
		}
	}
}

func TestUnknown(t *testing.T) {
	_, u := Read(strings.Split("a€É", ""), func(s string) bool { return s == "a" || s == "e" })
	var as Unknown
	if err := u.Err(); !errors.As(err, &as) || err.Error() != `unknown symbol "€" at position 2, left out; unknown symbol "É" at position 3, read as "e"` {
		t.Error(err)
	}
	if got := u.LogPenalty(9); math.Abs(got-2*math.Log(.1)) > 1e-15 {
		t.Errorf("penalty %v", got)
	}
	if got := (Unknown)(nil).LogPenalty(9); got != 0 {
		t.Errorf("penalty %v", got)
	}
	_, many := Read(strings.Split("xxxxxxx", ""), func(string) bool { return false })
	if s := many.Error(); !strings.HasSuffix(s, "; and 2 more") || strings.Count(s, "unknown") != 5 {
		t.Error(s)
	}
}
