package main

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

// TestSymbols: frequent words are symbols, and frequent classes of the others.
func TestSymbols(t *testing.T) {
	var rare []string
	for _, r := range "bcdfghkl" { // leastClass of them
		rare = append(rare, string(r)+"ing")
	}
	s := []sentence{{Words: []string{"a", "a", "ring", "ring"}}, {Words: rare}, {Words: []string{"XX", "b"}}}
	h := &hidden{symbols: symbols(s)}
	if n := len(h.symbols); n != 1+2+4 { // none; a, ring; ing, ng, g, and no last letters
		t.Errorf("%d symbols: %v", n, h.symbols)
	}
	for word, want := range map[string]string{"a": "a", "ring": "ring", "bing": "\taa\ting", "sling": "\taa\ting", "song": "\taa\tng", "XX": "", "sun": "\taa\t"} {
		if got := h.symbol(word); got != h.symbols[want] {
			t.Errorf("%s is symbol %d, want %d of %q", word, got, h.symbols[want], want)
		}
	}
}
