package tagged

import (
	"slices"
	"testing"
)

func TestClasses(t *testing.T) {
	got := slices.Collect(classes("Zoë"))
	if want := []string{"\tAaa\tzoë", "\tAaa\toë", "\tAaa\të", "\tAaa\t"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestVocabulary: frequent words are symbols, and frequent classes of the others.
func TestVocabulary(t *testing.T) {
	var rare []string
	for _, r := range "bcdfghkl" { // leastClass of them
		rare = append(rare, string(r)+"ing")
	}
	s := []Sentence{{Words: []string{"a", "a", "ring", "ring"}}, {Words: rare}, {Words: []string{"XX", "b"}}}
	v := NewVocabulary(s)
	if n := len(v); n != 1+2+4 { // none; a, ring; ing, ng, g, and no last letters
		t.Errorf("%d symbols: %v", n, v)
	}
	for word, want := range map[string]string{"a": "a", "ring": "ring", "bing": "\taa\ting", "sling": "\taa\ting", "song": "\taa\tng", "XX": "", "sun": "\taa\t"} {
		if got := v.Symbol(word); got != v[want] {
			t.Errorf("%s is symbol %d, want %d of %q", word, got, v[want], want)
		}
	}
}
