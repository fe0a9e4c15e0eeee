package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// TestForm: an accent has the same meaning on all vowels, and on one vowel it occurs only in
// held-out words; then letters are decomposed. Without accents there is no choice.
func TestForm(t *testing.T) {
	vowels, kana := []string{"a", "e", "i", "o"}, []string{"マ", "メ", "ミ", "モ"}
	var accents, plain strings.Builder
	for i := range 60 {
		v, w := i%4, i/4%4
		first, second := "m"+vowels[v], kana[v]
		switch {
		case (i+1)%devPart == 0:
			first, second = "mú", "ムー"
		case (i+1)%devPart == 1:
			first, second = "mu", "ム"
		case i%3 == 0:
			first, second = first+"\u0301", second+"ー"
		}
		fmt.Fprintf(&accents, "%sm%s\t%s%s\n", first, vowels[w], second, kana[w])
		fmt.Fprintf(&plain, "m%sm%s\t%s%s\n", vowels[v], vowels[w], kana[v], kana[w])
	}
	for text, want := range map[string]string{accents.String(): "nfd", plain.String(): "nfc"} {
		data := programtest.File(t, "data.tsv", text)
		status, out := run(t.Context(), io.Discard, "-json", "-model", "single", "-data", data, "-test", data)
		if r := programtest.Report[report](t, out); status != 0 || r.Normalize != want {
			t.Errorf("status %d, form %s, want %s:\n%s", status, r.Normalize, want, text)
		}
	}
}
