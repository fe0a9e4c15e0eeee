package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// phrases returns pairs of n words of two syllables each, most of which occur once, with a space
// between them.
func phrases(n int) string {
	onsets := []string{"b", "đ", "h", "kh", "l", "m", "ng", "nh", "th", "tr"}
	vowels := []string{"a", "e", "i", "o", "u", "ê", "ô", "ư"}
	codas := []string{"", "c", "m", "n", "ng", "nh", "t"}
	sounds := map[string]string{"b": "ɓ", "đ": "ɗ", "kh": "x", "ng": "ŋ", "nh": "ɲ", "th": "tʰ", "tr": "ʈ", "c": "k", "ê": "e", "e": "ɛ", "ô": "o", "o": "ɔ", "ư": "ɨ"}
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range n {
		var words, heard []string
		for range 2 {
			word := ""
			for _, parts := range [][]string{onsets, vowels, codas} {
				part := parts[rng.IntN(len(parts))]
				if word += part; part != "" {
					heard = append(heard, cmp.Or(sounds[part], part))
				}
			}
			words = append(words, word)
		}
		fmt.Fprintf(&text, "%s\t%s\n", strings.Join(words, " "), strings.Join(heard, " "))
	}
	return text.String()
}

// TestMostlyPhrases: phrases are not cut at their spaces, in either column, but symbols of
// several characters are. The choice is reported, and -spaced fixes it.
func TestMostlyPhrases(t *testing.T) {
	data := programtest.File(t, "phrases.tsv", phrases(400))
	for _, x := range []struct {
		args        []string
		spaced      string
		least, most float64 // percentage of wrong words
	}{
		{nil, "second", 0, .1},
		{[]string{"-swap"}, "second", 0, .5},
		{[]string{"-spaced", "both"}, "both", .5, 1},
	} {
		status, out, stderr := run(t, "", append(x.args, "-json", "-quiet", "-data", data, "-normalize", "nfc")...)
		if status != 0 {
			t.Fatal(stderr)
		}
		r := programtest.Report[report](t, out)
		if r.Spaced != x.spaced || r.WER < x.least || r.WER > x.most || !strings.Contains(out, "columns cut at spaces: "+x.spaced+"\n") {
			t.Errorf("%v: %+v", x.args, r)
		}
	}
	dir := t.TempDir()
	symbols := programtest.File(t, "symbols.tsv", strings.Repeat("HH AH\th a\nAH HH\ta h\nAH AH L\ta a l\n", 40))
	status, out, stderr := run(t, "", "-json", "-quiet", "-data", symbols, "-checkpoint", filepath.Join(dir, "state"))
	if r := programtest.Report[report](t, out); status != 0 || r.Spaced != "both" || r.WER != 0 {
		t.Errorf("%s%+v", stderr, r)
	}
	// Each way to cut the words has its own checkpoint, otherwise the second would have been an
	// error; all are removed now.
	if states, err := filepath.Glob(filepath.Join(dir, "state*")); err != nil || len(states) != 0 {
		t.Errorf("checkpoints %v, %v", states, err)
	}
}
